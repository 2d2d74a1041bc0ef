//! A race: one player's moves alone, the opponent's pieces standing still. A beam search for the
//! fewest moves to the goal.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use crate::evaluation::Values;
use crate::jumps::progress_of_jumps;
use crate::rules::{Color, Move, Position};
use crate::search::{Deadline, Watch};
use crate::squares::Squares;

/// So many own moves ahead is looked where no goal is in reach.
pub const HORIZON: usize = 16;

/// Widths of the beams with which a race is planned, one after the other while there is time.
const WIDTHS: [usize; 6] = [30, 100, 300, 1_000, 3_000, 10_000];

/// No race is followed further.
const LONGEST: usize = 120;

/// Candidates kept for each place in the beam before equal positions are taken out.
const CANDIDATES_A_PLACE: usize = 8;

/// A move may lose this much, in points, to be looked at.
const MOST_LOSS: i32 = 70;

/// With at most this many empty squares in the goal every move is looked at, whatever it loses.
const LAST_GAPS: u32 = 4;

/// A piece this much progress behind the army's mean does not lag yet.
const LAG_ALLOWED: i32 = 6;

/// Off for a lagging piece, in sixteenths of a point, times the square of what it lags. A piece left
/// alone needs a move for every step: it costs far more than its distance. Less where the opponent is
/// still in the way: there the larger number lost 8 of 64 games against 2 of 64.
const LAG_TO_HORIZON: i32 = 100;
const LAG_TO_GOAL: i32 = 400;

/// For each step of progress of a single jump that a piece has at hand.
const JUMP_AT_HAND: i32 = 15;

/// The same for a jump that a piece would have on an empty square: what ladders are made of.
const JUMP_PREPARED: i32 = 8;

/// With so many times the candidates that may stay, the worst are taken out in between.
const CANDIDATES_AT_MOST: usize = 4;

/// A way for one player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Its moves in order; empty only if there is none.
    pub moves: Vec<Move>,
    /// True if they lead to the goal.
    pub finishes: bool,
    /// What they gain, in points.
    pub gain: i32,
    /// True if nothing was left out: there is no shorter way to the goal, and if these moves do not lead
    /// there, none within the length asked for.
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
    /// The position after it, with the same player to move again.
    fn position(&self, layer: &[Node]) -> Position {
        let before = &layer[self.parent as usize].position;
        before.after(self.mv).with_to_move(before.to_move())
    }
}

/// Hashes of positions need no further hashing.
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

/// How far to follow a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// So many moves, to the goal or not.
    Horizon(usize),
    /// To the goal in at most so many moves; what cannot get there in time is not followed.
    Goal(usize),
}

/// The moves of the race to the goal: the plan at hand if it still holds, or a shorter one that is found
/// within about so many nodes and as long as the watch allows.
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

/// True if there are moves, they can still all be played, and they lead to the goal, the opponent
/// standing still.
fn leads_to_goal(plan: &[Move], position: &Position) -> bool {
    let last = position.after_own(plan.iter().copied());
    !plan.is_empty() && last.is_some_and(|last| last.has_filled_goal(position.to_move()))
}

/// The best way for the player to move: the shortest one to the goal if the beam meets one, else the
/// one that brings it furthest. The beam follows `known` too as long as its moves can be played, so that
/// what was found before is not lost for something worse. `None` if the watch ended it.
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

/// Puts what a known move leads to behind the nodes chosen if it is not among them; tells where it is.
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

/// Appends the successors, among them the best `keep`; tells whether none was left out. `None` if the
/// watch says stop.
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

/// The empty squares of the player's goal: it needs a move for each.
fn gaps(position: &Position, player: Color) -> u32 {
    (player.goal() & !position.occupied()).count()
}

/// True if a race that takes the player to move so many moves is won however well the opponent plays:
/// the opponent has at least as many gaps to fill, and no piece in our goal that could leave and open
/// one there. Against nobody a race is not won before its end.
pub fn wins(position: &Position, moves: usize) -> bool {
    let mover = position.to_move();
    let opponent = mover.other();
    let theirs = position.pieces(opponent);
    !theirs.is_empty()
        && (theirs & mover.goal()).is_empty()
        && moves <= gaps(position, opponent) as usize
}

/// The best candidates with at most so many empty squares in the goal, each position once, best first;
/// and whether they are all of them.
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

/// Leaves the `keep` candidates that gain most, the last of them the one that gains least.
fn keep_best(candidates: &mut Vec<Candidate>, keep: usize) {
    candidates.select_nth_unstable_by_key(keep - 1, |found| (-found.gain, found.hash));
    candidates.truncate(keep);
}

/// What speaks for a position of the player to move besides how far its pieces have come: jumps at hand
/// and prepared, and no piece left behind.
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

/// For each player and each progress the squares outside its goal with less.
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

/// An opponent that stays has so many pieces in its own camp, and the others have come so far on average.
const STAYING: RangeInclusive<u32> = 3..=8;
const COME: i32 = 15;

/// True if some of the opponent's pieces stay at home while the others are well on their way: it plays
/// to be in the way rather than to arrive.
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

/// More of the opponent's pieces than this in its own camp are not left behind but about to come.
const LEFT_BEHIND: u32 = 4;

/// True if no piece of the opponent can help or hinder the player to move any more: each has been
/// passed by all of the player's pieces, or is one of a few left behind in its own camp.
pub fn is_race(position: &Position) -> bool {
    let mover = position.to_move();
    let progress = |square| mover.progress(square);
    let opponent = position.pieces(mover.other());
    let last = position.pieces(mover).into_iter().map(progress).min();
    let first = (opponent & !mover.goal()).into_iter().map(progress).max();
    (opponent & mover.goal()).count() <= LEFT_BEHIND
        && first.is_none_or(|first| last.is_none_or(|last| first + 2 < last))
}
