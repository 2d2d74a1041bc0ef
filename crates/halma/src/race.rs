//! Plans a race: one player's moves to the goal, as if the opponent's pieces did not move.
//!
//! A beam search looks for the shortest sequence of such moves.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use crate::evaluation::Values;
use crate::jumps::progress_of_jumps;
use crate::rules::{Color, Move, Position};
use crate::search::{Deadline, Watch};
use crate::squares::Squares;

/// The number of the player's own moves to plan ahead if the goal is too far away to be reached.
///
/// The number was chosen by matches: see docs/notes/halma.md.
pub const HORIZON: usize = 16;

/// The widths of the beam searches that plan a race, tried in this order while time remains.
const WIDTHS: [usize; 6] = [30, 100, 300, 1_000, 3_000, 10_000];

/// The maximum number of moves in the plan of a race.
const LONGEST: usize = 120;

/// The number of candidate moves kept for each place in the beam, before duplicates are removed.
const CANDIDATES_A_PLACE: usize = 8;

/// The most points that a move may lose. Moves that lose more are not searched.
const MOST_LOSS: i32 = 70;

/// With at most this many empty squares in the goal, moves are searched whatever they lose.
const LAST_GAPS: u32 = 4;

/// How far a piece's progress may be behind its army's mean before the piece counts as lagging.
const LAG_ALLOWED: i32 = 6;

/// The penalties for lagging pieces, in sixteenths of a point. Each is multiplied by the square of a piece's lag.
///
/// A piece left alone needs a move for every step, which costs far more than its distance suggests. `LAG_TO_HORIZON`,
/// for plans that need not reach the goal, is smaller because the opponent is still in the way of such plans: 8 of 64
/// games were lost with the larger penalty, and 2 of 64 with the smaller one.
const LAG_TO_HORIZON: i32 = 100;
const LAG_TO_GOAL: i32 = 400;

/// The bonus in points for jumps that pieces can make, per unit of [`progress_of_jumps`].
const JUMP_AT_HAND: i32 = 15;

/// The bonus for jumps that a piece could make if it stood on an empty square.
///
/// Such jumps form ladders.
const JUMP_PREPARED: i32 = 8;

/// The number of candidates, as a multiple of `keep`, at which all but the best `keep` candidates are dropped.
const CANDIDATES_AT_MOST: usize = 4;

/// The planned moves of one player, and their result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The moves in order. Empty if no legal move satisfies the requested [`Length`].
    pub moves: Vec<Move>,
    /// True if the moves lead to the goal.
    pub finishes: bool,
    /// The number of points that the player's pieces gain by the planned moves.
    pub gain: i32,
    /// True if the search examined every possible sequence of moves.
    ///
    /// Then no shorter way to the goal exists; if these moves do not reach it, no way of the requested length does.
    pub is_exact: bool,
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

impl Candidate {
    /// Returns the position after the node's move. The planning player is again to move.
    fn position(&self, layer: &[Node]) -> Position {
        let before = &layer[self.parent as usize].position;
        before.after(self.mv).with_to_move(before.to_move())
    }
}

/// A hasher that returns its input, because a position's hash needs no further hashing.
#[derive(Default)]
struct AlreadyRandom(u64);

impl Hasher for AlreadyRandom {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("made for whole numbers alone");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// The length of a plan, in moves of the planning player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Exactly this many moves, unless the goal is reached earlier.
    Horizon(usize),
    /// As many moves as the goal needs, but at most this many. Branches that need more are dropped.
    Goal(usize),
}

/// Finds a short sequence of moves to the goal, or returns `None` if no sequence is found.
///
/// Starts with the plan `known` if it is still valid, and looks for a shorter plan within about `nodes` nodes, until
/// the [`Watch`] reports that the time is over.
pub fn to_goal(
    position: &Position,
    values: &Values,
    nodes: u64,
    known: &[Move],
    watch: Watch,
) -> Option<Vec<Move>> {
    let mut best = leads_to_goal(known, position).then(|| known.to_vec());
    let [narrowest, wider @ ..] = WIDTHS;
    let affordable = |width: &usize| (width * HORIZON) as u64 <= nodes;
    let wider = wider.into_iter().take_while(affordable);
    for width in std::iter::once(narrowest).chain(wider) {
        // A shorter plan cannot improve a certain win.
        let is_won = (best.as_ref()).is_some_and(|plan| wins(position, plan.len()));
        if is_won || watch(Deadline::Soft) {
            break;
        }
        let longest = best.as_ref().map_or(usize::MAX, |plan| plan.len() - 1);
        let Some(plan) = plan(position, values, width, Length::Goal(longest), &[], watch) else {
            break;
        };
        if plan.finishes {
            best = Some(plan.moves);
        }
        if plan.is_exact {
            break;
        }
    }
    best
}

/// Returns true if the plan is not empty, all its moves are legal, and they lead to the goal.
///
/// Assumes that the opponent does not move.
fn leads_to_goal(plan: &[Move], position: &Position) -> bool {
    let last = position.after_own(plan.iter().copied());
    !plan.is_empty() && last.is_some_and(|last| last.has_filled_goal(position.to_move()))
}

/// Finds the best plan for the player to move.
///
/// The best plan is the shortest way to the goal if the beam search finds one, otherwise the moves that gain the most.
/// The beam also follows the moves of `known` while they are legal, so it never returns a worse plan than `known`.
/// Returns `None` if the [`Watch`] ended the search.
pub fn plan(
    position: &Position,
    values: &Values,
    width: usize,
    length: Length,
    known: &[Move],
    watch: Watch,
) -> Option<Plan> {
    let (Length::Horizon(longest) | Length::Goal(longest)) = length;
    let mut is_exact = true;
    let mut layers = vec![vec![Node {
        position: *position,
        gain: 0,
        parent: 0,
        mv: None,
    }]];
    let mut candidates = Vec::new();
    let mut known_at = Some(0);
    for depth in 1..=longest.min(LONGEST) {
        let last = layers.last().expect("the first layer");
        candidates.clear();
        let keep = width * CANDIDATES_A_PLACE;
        is_exact &= expand(last, values, &mut candidates, keep, watch)?;
        let (most_gaps, lag) = match length {
            Length::Horizon(_) => (usize::MAX, LAG_TO_HORIZON),
            // Each gap takes a move to fill, so a position with more gaps than moves left cannot reach the goal in
            // time.
            Length::Goal(longest) => (longest - depth, LAG_TO_GOAL),
        };
        let (mut next, is_whole) = select(last, &mut candidates, width, (most_gaps, lag));
        is_exact &= is_whole;
        known_at = known_at
            .zip(known.get(depth - 1))
            .and_then(|(at, &mv)| keep_known(&mut next, last, at, mv, values));
        if next.is_empty() {
            break;
        }
        let mover = position.to_move();
        let finish = next
            .iter()
            .position(|node| node.position.has_filled_goal(mover));
        layers.push(next);
        if let Some(at) = finish {
            return Some(way_to(&layers, at, true, is_exact));
        }
    }
    Some(way_to(&layers, 0, false, is_exact))
}

/// Adds the position after the move of a known plan to the layer `next`, unless it is there already.
///
/// Returns the position's index in the layer, or `None` if the move is illegal.
fn keep_known(
    next: &mut Vec<Node>,
    layer: &[Node],
    parent: usize,
    mv: Move,
    values: &Values,
) -> Option<usize> {
    let Node { position, gain, .. } = &layer[parent];
    if !position.is_legal(mv) {
        return None;
    }
    let mover = position.to_move();
    let after = position.after(mv).with_to_move(mover);
    let same = |node: &Node| node.position.hash() == after.hash();
    next.iter().position(same).or_else(|| {
        next.push(Node {
            position: after,
            gain: gain + values.gain(mover, mv),
            parent: parent as u32,
            mv: Some(mv),
        });
        Some(next.len() - 1)
    })
}

/// Adds the moves from the nodes of a layer to `candidates`: all moves, or at least the `keep` best.
///
/// Returns true if all moves were added, or `None` if the [`Watch`] ended the search.
fn expand(
    layer: &[Node],
    values: &Values,
    candidates: &mut Vec<Candidate>,
    keep: usize,
    watch: Watch,
) -> Option<bool> {
    let mut is_whole = true;
    let mut least = i32::MIN;
    for (parent, node) in (0..).zip(layer) {
        if parent % 64 == 0 && watch(Deadline::Hard) {
            return None;
        }
        if candidates.len() >= keep * CANDIDATES_AT_MOST {
            keep_best(candidates, keep);
            least = candidates[keep - 1].gain;
            is_whole = false;
        }
        let mover = node.position.to_move();
        let most_loss = if gaps(&node.position, mover) <= LAST_GAPS {
            i32::MAX
        } else {
            MOST_LOSS
        };
        node.position.targets(|from, targets| {
            let here = values.of(mover, from);
            for to in targets {
                let gain = values.of(mover, to) - here;
                if gain < -most_loss || node.gain + gain < least {
                    is_whole = false;
                    continue;
                }
                let mv = Move { from, to };
                candidates.push(Candidate {
                    gain: node.gain + gain,
                    hash: node.position.hash_of_pieces_after(mv),
                    parent,
                    mv,
                });
            }
        });
    }
    Some(is_whole)
}

/// Returns the number of empty squares in the player's goal. Filling an empty square takes a move.
fn gaps(position: &Position, player: Color) -> u32 {
    (player.goal() & !position.occupied()).count()
}

/// Returns true if the player to move surely wins by reaching the goal in `moves` moves.
///
/// This is certain if the opponent has at least `moves` gaps to fill, and no piece in our goal that could leave it and
/// open a gap there. If the opponent has no pieces at all, the function returns false.
pub fn wins(position: &Position, moves: usize) -> bool {
    let mover = position.to_move();
    let opponent = mover.other();
    let theirs = position.pieces(opponent);
    !theirs.is_empty()
        && (theirs & mover.goal()).is_empty()
        && moves <= gaps(position, opponent) as usize
}

/// Returns nodes for the best `width` candidates, best first, with each position only once.
///
/// Drops positions with more than `most_gaps` empty squares in the goal. Also returns whether all other candidates
/// found room.
fn select(
    layer: &[Node],
    candidates: &mut Vec<Candidate>,
    width: usize,
    (most_gaps, lag): (usize, i32),
) -> (Vec<Node>, bool) {
    let keep = width * CANDIDATES_A_PLACE;
    let mut is_whole = keep >= candidates.len();
    if !is_whole {
        keep_best(candidates, keep);
    }
    let mut seen = HashSet::with_capacity_and_hasher(
        candidates.len(),
        BuildHasherDefault::<AlreadyRandom>::default(),
    );
    let mut ranked = Vec::with_capacity(candidates.len());
    for found in candidates.iter().filter(|found| seen.insert(found.hash)) {
        let position = found.position(layer);
        if gaps(&position, position.to_move()) as usize <= most_gaps {
            let rank = found.gain + heuristic(&position, lag);
            ranked.push((-rank, found.hash, found));
        }
    }
    // The hash decides between equal ranks, so that the result does not depend on the unstable sort.
    ranked.sort_unstable_by_key(|&(rank, hash, _)| (rank, hash));
    is_whole &= ranked.len() <= width;
    ranked.truncate(width);
    let nodes = ranked.into_iter().map(|(_, _, found)| Node {
        position: found.position(layer),
        gain: found.gain,
        parent: found.parent,
        mv: Some(found.mv),
    });
    (nodes.collect(), is_whole)
}

/// Drops all candidates except the `keep` that gain most. The last remaining one gains least.
fn keep_best(candidates: &mut Vec<Candidate>, keep: usize) {
    // The hash decides between equal gains, so that equal searches keep equal candidates.
    candidates.select_nth_unstable_by_key(keep - 1, |found| (-found.gain, found.hash));
    candidates.truncate(keep);
}

/// Returns the bonus for possible and prepared jumps, minus the penalty for lagging pieces.
///
/// The result is from the point of view of the player to move. The beam adds it to a plan's gain, which counts only the
/// progress of the pieces.
fn heuristic(position: &Position, lag_weight: i32) -> i32 {
    let mover = position.to_move();
    let pieces = position.pieces(mover);
    let all: i32 = pieces
        .into_iter()
        .map(|square| mover.progress(square))
        .sum();
    let mean = all / pieces.count().max(1) as i32;
    let late = usize::try_from(mean - LAG_ALLOWED).unwrap_or(0);
    let lag: i32 = (pieces & BEHIND[mover as usize][late])
        .into_iter()
        .map(|square| late as i32 - mover.progress(square))
        .map(|lag| lag * lag)
        .sum();
    let occupied = position.occupied();
    let [at_hand, prepared] = progress_of_jumps(occupied, [pieces, !occupied], mover.sign());
    JUMP_AT_HAND * at_hand + JUMP_PREPARED * prepared - lag_weight * lag / 16
}

/// For each player and each progress, the squares outside the player's goal with less progress.
static BEHIND: LazyLock<[[Squares; 31]; 2]> = LazyLock::new(|| {
    let outside = |player: Color| (!player.goal()).into_iter();
    Color::BOTH.map(|player| {
        std::array::from_fn(|least| {
            outside(player)
                .filter(|&square| player.progress(square) < least as i32)
                .collect()
        })
    })
});

fn way_to(layers: &[Vec<Node>], mut at: usize, finishes: bool, is_exact: bool) -> Plan {
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
        is_exact,
    }
}

/// The range of the number of pieces in its own camp for which an opponent may intend to keep them there.
///
/// `COME` is the minimum average progress of the opponent's other pieces.
const STAYING: RangeInclusive<u32> = 3..=8;
const COME: i32 = 15;

/// Returns true if the opponent keeps pieces in its camp while its other pieces are far ahead.
///
/// Such an opponent plays to block the other player, not to reach its own goal.
pub fn opponent_stays(position: &Position) -> bool {
    let opponent = position.to_move().other();
    let (pieces, camp) = (position.pieces(opponent), opponent.camp());
    let others = pieces & !camp;
    let come: i32 = others
        .into_iter()
        .map(|square| opponent.progress(square))
        .sum();
    STAYING.contains(&(pieces & camp).count()) && come >= COME * others.count() as i32
}

/// The maximum number of pieces that count as left behind in a camp.
///
/// If more pieces are in the camp, some of them are expected to come out.
const LEFT_BEHIND: u32 = 4;

/// Returns true if the opponent's pieces can neither help nor hinder the mover.
///
/// This is so if all of the mover's pieces have passed all opposing pieces, except for a few opposing pieces left
/// behind in their own camp.
pub fn is_race(position: &Position) -> bool {
    let mover = position.to_move();
    let progress = |square| mover.progress(square);
    let opponent = position.pieces(mover.other());
    let last = position.pieces(mover).into_iter().map(progress).min();
    let first = (opponent & !mover.goal()).into_iter().map(progress).max();
    // Neighboring squares differ by at most 2 in progress. With a greater distance, no piece can jump over an opposing
    // piece.
    (opponent & mover.goal()).count() <= LEFT_BEHIND
        && first.is_none_or(|first| last.is_none_or(|last| first + 2 < last))
}
