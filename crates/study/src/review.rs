//! Reviews a game: the points that each move lost, and the points gained by luck.

use std::ops::ControlFlow;

use serde::Serialize;
use serde_json::Value;
use turnwise_engine::plugin::{JudgedMove, Judging, Plugin};
use turnwise_engine::search::Stop;

use crate::position::{Beginning, Position};
use crate::{Allowed, RefusedError};

/// The default number of search nodes for judging the move in each position.
pub const USUAL_NODES: u64 = 20_000;

/// The review of a game: the loss of each move, and totals for each side.
#[derive(Debug, Serialize)]
pub struct Review {
    /// The reviewed moves in order, each with its loss.
    pub moves: Vec<JudgedMove>,
    /// The points that the first role gained through lucky draws; `None` for a game without luck.
    pub luck: Option<f64>,
    /// The losses of each side, in total and by thirds of the game.
    pub sides: Vec<Side>,
    /// The indices in `moves` of the moves with the greatest losses. Moves without a loss are excluded.
    pub worst: Vec<usize>,
}

/// The losses of one side through the moves that it chose.
#[derive(Debug, Default, Serialize)]
pub struct Side {
    /// The number of moves that the side chose.
    pub moves: u32,
    /// The number of moves without a loss.
    pub best: u32,
    /// The sum of the losses of the side's moves.
    pub lost: f64,
    /// The sum of the losses in the first, second and last third of the game.
    pub by_phase: [f64; 3],
}

/// The maximum number of moves in [`Review::worst`].
const WORST: usize = 5;

/// The smallest difference that counts as a loss; smaller differences are rounding errors.
const NOTHING: f64 = 1e-6;

/// Reviews a game whose first `opening` moves no player chose.
///
/// # Errors
///
/// Returns an error if the game is invalid or its moves cannot be reviewed.
pub fn review(
    position: &Position,
    opening: usize,
    nodes: Option<u64>,
    games: &'static [Plugin],
    allowed: &Allowed,
    stop: &Stop,
    told: &mut dyn FnMut(Value),
) -> Result<Review, RefusedError> {
    let settled = position.settled(games)?;
    let result = match &position.beginning {
        Beginning::Logged(result) => result.clone(),
        Beginning::Seed(_) | Beginning::Text(_) => position.open(&*settled)?.outcome(None, None),
    };
    let judge = settled.loss_judge(&Judging {
        solutions: allowed.solutions,
        nodes: nodes.unwrap_or(USUAL_NODES).min(allowed.nodes),
    })?;
    let title = settled.about().title;
    let mut judge =
        judge.ok_or_else(|| RefusedError(format!("moves of {title} cannot be judged")))?;
    let mut so_far = Vec::new();
    judge.judge(&result, &position.moves, &mut |mv| {
        so_far.push(mv);
        told(crate::value(&summed_up(so_far.clone(), opening, None)));
        match stop.stopped() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    let luck = settled
        .luck_judge()
        .and_then(|mut judge| judge.luck(&result, &position.moves, None));
    Ok(summed_up(so_far, opening, luck))
}

fn summed_up(moves: Vec<JudgedMove>, opening: usize, luck: Option<f64>) -> Review {
    let count = moves.iter().map(|mv| mv.side + 1).max().unwrap_or(0);
    let mut sides: Vec<Side> = (0..count.max(2)).map(|_| Side::default()).collect();
    for mv in moves.iter().skip(opening) {
        let side = &mut sides[mv.side];
        side.moves += 1;
        side.best += u32::from(mv.lost < NOTHING);
        side.lost += mv.lost;
        side.by_phase[((mv.progress * 3.0) as usize).min(2)] += mv.lost;
    }
    let mut worst: Vec<usize> = (opening..moves.len())
        .filter(|&at| moves[at].lost >= NOTHING)
        .collect();
    worst.sort_by(|&one, &other| moves[other].lost.total_cmp(&moves[one].lost));
    worst.truncate(WORST);
    Review {
        moves,
        luck,
        sides,
        worst,
    }
}
