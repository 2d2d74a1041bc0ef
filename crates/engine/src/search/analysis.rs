//! Analysis of a position for people: its best few moves, each with its true value.
//!
//! [`deepening`](super::deepening) proves which move is best and only bounds the values of the others. Here the
//! window stays open down to the last requested move ("MultiPV" in chess programs), so all values match the
//! unpruned search.

use super::node::{Aborted, Searcher, ThreadIndex, Window, put_best_first};
use super::table::{Access, Table};
use super::{Control, Limits};
use crate::game::{Game, Score, Side, Turn};

/// A move among the best.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<M> {
    /// The move, in the analyzed position.
    pub mv: M,
    /// The move's value at the depth of the analysis.
    pub value: Score,
    /// The move and the expected replies, up to the first chance event.
    pub principal_variation: Vec<M>,
}

/// The result of an analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis<M> {
    /// As many moves as requested, or all legal moves if fewer; best first.
    pub candidates: Vec<Candidate<M>>,
    /// The deepest completed iteration, in plies of players. All values belong to it.
    pub depth: u32,
    /// True if the values are exact: every line was searched to the end of the game.
    pub solved: bool,
    /// Positions evaluated or expanded, including any unfinished iteration.
    pub nodes: u64,
}

/// Searches the `top` best moves deeper and deeper. Stops when a limit is reached or the game is solved, and passes
/// every completed iteration to `completed`.
///
/// The first iteration is a one-ply look that completes regardless of the limits, so every move has a value. An
/// unfinished iteration is discarded, so all values have equal depth and can be compared.
///
/// # Panics
///
/// If no player is to move or `top` is 0.
pub fn analyse<G: Game>(
    game: &mut G,
    table: &mut Table<G::Move>,
    top: usize,
    limits: Limits,
    control: &Control<G::Move>,
    mut completed: impl FnMut(&Analysis<G::Move>),
) -> Analysis<G::Move> {
    let Turn::Player(side) = game.turn() else {
        panic!("an analysis needs a player to move");
    };
    assert!(top > 0, "an analysis of no moves");
    table.next_age();
    let plies_left = game.plies_left();
    let mut moves = Vec::new();
    game.look(&mut moves);
    put_best_first(side, &mut moves);
    control.publish(moves[0].1);
    let mut searcher = Searcher::new(game, table, limits, control, ThreadIndex::ALONE);
    searcher.nodes = moves.len() as u64;
    let first = moves.iter().take(top).map(|&(value, mv)| Candidate {
        mv,
        value,
        principal_variation: vec![mv],
    });
    let mut analysis = Analysis {
        candidates: first.collect(),
        depth: 1,
        solved: plies_left == 1,
        nodes: searcher.nodes,
    };
    loop {
        completed(&analysis);
        if analysis.depth >= limits.depth.min(plies_left) || limits.is_soft_over() {
            break;
        }
        let depth = analysis.depth + 1;
        let Ok(candidates) = iterate(&mut searcher, side, &mut moves, depth, top) else {
            break;
        };
        control.publish(candidates[0].mv);
        analysis = Analysis {
            candidates,
            depth,
            solved: depth == plies_left,
            nodes: searcher.nodes,
        };
    }
    analysis.nodes = searcher.nodes;
    analysis
}

/// Returns the best moves at a depth, in order; sorts `moves` for the next iteration.
fn iterate<G: Game, T: Access<G::Move>>(
    searcher: &mut Searcher<G, T>,
    side: Side,
    moves: &mut [(Score, G::Move)],
    depth: u32,
    top: usize,
) -> Result<Vec<Candidate<G::Move>>, Aborted> {
    let mut best: Vec<Candidate<G::Move>> = Vec::new();
    for (known, mv) in moves.iter_mut() {
        // The exact value of a move that is not better than the last candidate is irrelevant.
        let mut window = Window::FULL;
        let last = best.get(top - 1).map(|last| last.value);
        if let Some(last) = last {
            window.narrow(side, last);
        }
        *known = searcher.value_after(*mv, depth - 1, window)?;
        if last.is_some_and(|last| !side.prefers(*known, last)) {
            continue;
        }
        let place = best.partition_point(|better| !side.prefers(*known, better.value));
        let candidate = Candidate {
            mv: *mv,
            value: *known,
            principal_variation: searcher.principal_variation(*mv),
        };
        best.insert(place, candidate);
        best.truncate(top);
    }
    put_best_first(side, moves);
    Ok(best)
}
