//! What each move of a game gave away, and what was luck.

use std::ops::ControlFlow;

use serde::Serialize;
use serde_json::Value;
use turnwise_engine::plugin::{JudgedMove, Judging, Plugin};
use turnwise_engine::search::Stop;

use crate::position::{Beginning, Position};
use crate::{Allowed, RefusedError};

/// Nodes of the search at each position, unless others are asked for.
pub const USUAL_NODES: u64 = 20_000;

/// What the moves of a game gave away, as far as they have been judged.
#[derive(Debug, Serialize)]
pub struct Review {
    /// The moves in their order.
    pub moves: Vec<JudgedMove>,
    /// What the draws brought the first role, in points, where chance decides anything.
    pub luck: Option<f64>,
    /// What each side gave away, over all its moves and by thirds of the game.
    pub sides: Vec<Side>,
    /// The moves that gave away most, by number from 0; none of those that gave nothing away.
    pub worst: Vec<usize>,
}

/// What one side gave away, over the moves that it has chosen.
#[derive(Debug, Default, Serialize)]
pub struct Side {
    /// How many moves it has chosen.
    pub moves: u32,
    /// Those that were the best.
    pub best: u32,
    /// What they gave away together.
    pub lost: f64,
    /// The same in the first, second and last third of the game.
    pub by_phase: [f64; 3],
}

/// The number of worst moves that are named.
const WORST: usize = 5;

/// What is lost less than this counts as nothing: the rounding of values.
const NOTHING: f64 = 1e-6;

/// Reviews the moves of a game, the first `opening` of which no player has chosen.
///
/// # Errors
///
/// If there is no such game, or nobody can judge its moves.
pub fn review(
    position: &Position,
    opening: usize,
    nodes: Option<u64>,
    games: &[&'static dyn Plugin],
    allowed: &Allowed,
    stop: &Stop,
    told: &mut dyn FnMut(Value),
) -> Result<Review, RefusedError> {
    let settled = position.settled(games)?;
    let result = match &position.beginning {
        Beginning::Logged(result) => result.clone(),
        Beginning::Seed(_) | Beginning::Text(_) => position.open(&*settled)?.outcome(None),
    };
    let judge = settled.regret_judge(&Judging {
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
