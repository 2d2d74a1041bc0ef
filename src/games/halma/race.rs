//! A race: one player's moves alone, the opponent's pieces standing still. A beam search for the
//! fewest moves to the goal.

use std::collections::HashSet;

use super::evaluation::Values;
use super::rules::{Color, Move, Position};
use super::search::Watch;

/// No race is followed further.
const LONGEST: usize = 120;

/// Candidates kept for each place in the beam before equal positions are taken out.
const CANDIDATES_A_PLACE: usize = 4;

/// How much closer a move may lead away from the goal, in points, to be looked at.
const MOST_LOSS: i32 = 70;

/// A way for one player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Its moves in order; empty only if there is none.
    pub moves: Vec<Move>,
    /// True if they lead to the goal.
    pub finishes: bool,
    /// What they gain, in points.
    pub gain: i32,
}

struct Node {
    position: Position,
    gain: i32,
    parent: u32,
    mv: Option<Move>,
}

struct Candidate {
    gain: i32,
    hash: u64,
    parent: u32,
    mv: Move,
}

/// The best way of at most `longest` moves for the player to move: the shortest one to the goal if the
/// beam meets one, else the one that gains most. `None` if the watch ended it, or there is no move.
pub fn plan(
    position: &Position,
    values: &Values,
    width: usize,
    longest: usize,
    watch: &mut dyn Watch,
) -> Option<Plan> {
    let mover = position.to_move();
    let mut layers = vec![vec![Node {
        position: *position,
        gain: 0,
        parent: 0,
        mv: None,
    }]];
    let mut candidates = Vec::new();
    for _ in 0..longest.min(LONGEST) {
        let last = layers.last().expect("the first layer");
        if !expand(last, values, &mut candidates, watch) {
            return None;
        }
        if candidates.is_empty() {
            break;
        }
        let next = select(last, &mut candidates, width, mover);
        let finish = next
            .iter()
            .position(|node| node.position.has_filled_goal(mover));
        layers.push(next);
        if let Some(at) = finish {
            return Some(way_to(&layers, at, true));
        }
    }
    (layers.len() > 1).then(|| way_to(&layers, 0, false))
}

/// All successors; false if the watch says stop.
fn expand(
    layer: &[Node],
    values: &Values,
    candidates: &mut Vec<Candidate>,
    watch: &mut dyn Watch,
) -> bool {
    candidates.clear();
    for (parent, node) in (0..).zip(layer) {
        if parent % 64 == 0 && watch.is_hard_over() {
            return false;
        }
        let mover = node.position.to_move();
        node.position.targets(|from, targets| {
            let here = values.of(mover, from);
            for to in targets {
                let gain = values.of(mover, to) - here;
                if gain >= -MOST_LOSS {
                    let mv = Move { from, to };
                    candidates.push(Candidate {
                        gain: node.gain + gain,
                        hash: node.position.hash_of_pieces_after(mv),
                        parent,
                        mv,
                    });
                }
            }
        });
    }
    true
}

/// The best candidates, each position once, best first.
fn select(
    layer: &[Node],
    candidates: &mut Vec<Candidate>,
    width: usize,
    mover: Color,
) -> Vec<Node> {
    let keep = (width * CANDIDATES_A_PLACE).min(candidates.len());
    if keep < candidates.len() {
        candidates.select_nth_unstable_by_key(keep - 1, |found| (-found.gain, found.hash));
        candidates.truncate(keep);
    }
    candidates.sort_unstable_by_key(|found| (-found.gain, found.hash));
    let mut seen = HashSet::with_capacity(keep);
    let distinct = candidates.iter().filter(|found| seen.insert(found.hash));
    distinct
        .take(width)
        .map(|found| Node {
            position: layer[found.parent as usize]
                .position
                .after(found.mv)
                .with_to_move(mover),
            gain: found.gain,
            parent: found.parent,
            mv: Some(found.mv),
        })
        .collect()
}

fn way_to(layers: &[Vec<Node>], mut at: usize, finishes: bool) -> Plan {
    let gain = layers.last().expect("a layer")[at].gain;
    let mut moves = Vec::with_capacity(layers.len());
    for layer in layers.iter().rev() {
        let node = &layer[at];
        moves.extend(node.mv);
        at = node.parent as usize;
    }
    moves.reverse();
    Plan {
        moves,
        finishes,
        gain,
    }
}

/// More of the opponent's pieces than this in its own camp are not left behind but about to come.
const LEFT_BEHIND: u32 = 4;

/// True if no piece of the opponent can help or hinder the player to move any more: each has been
/// passed by all of the player's pieces, or is one of a few left behind in its own camp.
pub fn is_race(position: &Position) -> bool {
    let mover = position.to_move();
    let progress = |square| {
        let square = mover.view(square);
        square.x() + square.y()
    };
    let opponent = position.pieces(mover.other());
    let last = position.pieces(mover).into_iter().map(progress).min();
    let first = (opponent & !mover.goal()).into_iter().map(progress).max();
    (opponent & mover.goal()).count() <= LEFT_BEHIND
        && first.is_none_or(|first| last.is_none_or(|last| first + 2 < last))
}
