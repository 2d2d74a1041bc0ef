//! Analyzes a position: finds its best few moves, each with its exact value at the search depth.
//!
//! [`deepening`](super::deepening) proves which move is best, and finds only bounds on the values of the other moves.
//! The analysis searches every requested move with a window that is wide enough to find its exact value ("MultiPV" in
//! chess programs). So the values of all requested moves match the unpruned search.

use super::node::{Aborted, Searcher, ThreadIndex, Window, put_best_first};
use super::table::{Access, Table};
use super::{Control, Limits};
use crate::game::{Game, Score, Side, Turn};

/// A move among the best moves of a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<M> {
    /// The move, which is made in the analyzed position.
    pub mv: M,
    /// The value of the move at the depth of the analysis.
    pub value: Score,
    /// The move and the moves that are expected to follow it, up to the first chance event.
    pub principal_variation: Vec<M>,
}

/// The result of the analysis of a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis<M> {
    /// The best moves, best first: as many as were requested, or all legal moves if there are fewer.
    pub candidates: Vec<Candidate<M>>,
    /// The depth of the deepest completed iteration, in plies of players. All values come from this iteration.
    pub depth: u32,
    /// True if the values are exact because every line was searched to the end of the game.
    pub solved: bool,
    /// The number of positions that were evaluated or expanded, including the positions of an unfinished iteration.
    pub nodes: u64,
}

/// Finds the `top` best moves in iterations of increasing depth. Stops when a limit is reached or the game is solved.
/// Passes the result of every completed iteration to `completed`, and returns the last result.
///
/// The first iteration only evaluates the position after each move. It completes regardless of the limits, so that
/// every move has a value. An unfinished iteration is discarded, so that all values belong to one depth and can be
/// compared.
///
/// # Panics
///
/// Panics if no player is to move or if `top` is 0.
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

/// Returns the `top` best moves at this depth, best first. Sorts `moves` by their new values for the next iteration.
fn iterate<G: Game, T: Access<G::Move>>(
    searcher: &mut Searcher<G, T>,
    side: Side,
    moves: &mut [(Score, G::Move)],
    depth: u32,
    top: usize,
) -> Result<Vec<Candidate<G::Move>>, Aborted> {
    let mut best: Vec<Candidate<G::Move>> = Vec::new();
    for (known, mv) in moves.iter_mut() {
        // If a move is not better than the last of the `top` candidates, its exact value is irrelevant.
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
