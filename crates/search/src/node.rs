//! The recursion of the search: one function for each kind of node.
//!
//! Values are fail-soft: a value at or below alpha is an upper bound on the true value, and a value at or above beta is
//! a lower bound. This module handles max and min nodes; [`chance`] handles chance nodes.

mod chance;

use super::table::{Access, Bound, Finding};
use super::{Control, Limits, NODES_BETWEEN_LOOKS, Width};
use crate::game::{Game, Score, Side, Turn};

/// The error of a search that was aborted. Results from the part of the tree that was being searched must not be used.
#[derive(Debug)]
pub(super) struct Aborted;

/// The range of values that can still affect the result at the root, from alpha to beta.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub alpha: Score,
    pub beta: Score,
}

impl Window {
    pub const FULL: Window = Window {
        alpha: Score::NEG_INFINITY,
        beta: Score::INFINITY,
    };

    /// Returns how a value that was found with this window relates to the true value.
    fn bound(self, value: Score) -> Bound {
        if value <= self.alpha {
            Bound::Upper
        } else if value >= self.beta {
            Bound::Lower
        } else {
            Bound::Exact
        }
    }

    /// Narrows the window to values that `side` prefers to `value`, because `side` can reach this value.
    pub fn narrow(&mut self, side: Side, value: Score) {
        match side {
            Side::Max => self.alpha = self.alpha.max(value),
            Side::Min => self.beta = self.beta.min(value),
        }
    }

    /// Returns true if no finite value is good enough for this side to cause a cutoff.
    fn is_open(self, side: Side) -> bool {
        match side {
            Side::Max => self.beta == Score::INFINITY,
            Side::Min => self.alpha == Score::NEG_INFINITY,
        }
    }

    /// Returns true if this value causes a cutoff, because the opponent of `side` would make a different move earlier
    /// to avoid it.
    fn cut_by(self, side: Side, value: Score) -> bool {
        match side {
            Side::Max => value >= self.beta,
            Side::Min => value <= self.alpha,
        }
    }
}

/// The number of killers for each side: recent best moves that are tried before all moves are evaluated.
///
/// Two killers reduce the number of nodes to 43 %; four or eight killers save no more time. See docs/notes.
const KILLERS: usize = 2;

/// The number of a thread among the threads that search a position together.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThreadIndex {
    pub number: usize,
    pub of: usize,
}

impl ThreadIndex {
    pub const ALONE: Self = Self { number: 0, of: 1 };
}

/// A running search with its game, table, limits and state, and with buffers that are reused.
pub(super) struct Searcher<'a, G: Game, T> {
    pub game: &'a mut G,
    pub table: T,
    pub control: &'a Control<G::Move>,
    pub limits: Limits,
    pub nodes: u64,
    /// True once the [`Width`] has caused a move to be skipped at or below the current node.
    pub narrowed: bool,
    thread: ThreadIndex,
    width: Option<Width>,
    key: u64,
    /// The key of the previous iteration's [`Width`], if it was narrower than the current one. Table entries with this
    /// key contain the best moves of that iteration, which are searched first.
    key_before: Option<u64>,
    /// For each side, the latest best moves one ply above the leaves, in the order from the latest to the earliest.
    killers: [[Option<G::Move>; KILLERS]; 2],
    next_look: u64,
    spare_moves: Vec<Vec<(Score, G::Move)>>,
    spare_outcomes: Vec<Vec<(G::Move, Score)>>,
}

impl<'a, G: Game, T: Access<G::Move>> Searcher<'a, G, T> {
    pub fn new(
        game: &'a mut G,
        table: T,
        limits: Limits,
        control: &'a Control<G::Move>,
        thread: ThreadIndex,
    ) -> Self {
        Self {
            game,
            table,
            thread,
            control,
            limits,
            nodes: 0,
            narrowed: false,
            width: None,
            key: 0,
            key_before: None,
            killers: [[None; KILLERS]; 2],
            // The first nodes are searched without checking the clock. They take very little time, and without them the
            // move would be arbitrary.
            next_look: NODES_BETWEEN_LOOKS,
            spare_moves: Vec::new(),
            spare_outcomes: Vec::new(),
        }
    }

    /// Prepares the search for an iteration with this limit on the number of moves; `None` means no limit.
    pub fn set_width(&mut self, width: Option<Width>) {
        let is_wider = match (self.width, width) {
            (Some(before), Some(now)) => now != before && now.includes(before),
            (before, None) => before.is_some(),
            (None, Some(_)) => false,
        };
        self.key_before = is_wider.then_some(self.key);
        self.key = width.map_or(0, Width::key);
        self.width = width;
        self.narrowed = false;
    }

    /// Returns the best move that the previous iteration found in this position, if that iteration had a narrower
    /// [`Width`].
    fn best_before(&self) -> Option<G::Move> {
        self.table.get(self.game.hash() ^ self.key_before?)?.best
    }

    /// Returns the key under which the table stores the position. It depends on the position and the current [`Width`].
    pub fn key(&self) -> u64 {
        self.game.hash() ^ self.key
    }

    /// Adds `nodes` to the number of nodes visited, and regularly checks the limits and the stop flag. Returns an error
    /// if the search must be aborted.
    pub fn count(&mut self, nodes: u64) -> Result<(), Aborted> {
        self.nodes += nodes;
        if self.nodes > self.limits.nodes {
            return Err(Aborted);
        }
        if self.nodes >= self.next_look {
            self.next_look = self.nodes + NODES_BETWEEN_LOOKS;
            if self.control.stopped() || self.limits.is_hard_over() {
                return Err(Aborted);
            }
        }
        Ok(())
    }

    /// Returns the value of the position, searched to `depth` plies. The value is exact only if it lies within the
    /// window.
    pub fn value(&mut self, depth: u32, window: Window) -> Result<Score, Aborted> {
        self.count(1)?;
        let turn = self.game.turn();
        if depth == 0 || turn == Turn::Over {
            return Ok(self.game.evaluate());
        }
        let key = self.key();
        // The entry is loaded into the cache while the killers are tried.
        self.table.prefetch(key);
        let depth = depth.min(self.game.plies_left());
        let refuted = match turn {
            Turn::Player(side) if depth == 1 && !window.is_open(side) => {
                self.refuted_by_killer(window, side)?
            }
            _ => None,
        };
        if let Some(value) = refuted {
            return Ok(value);
        }
        let mut known_best = None;
        if let Some(entry) = self.table.get(key) {
            known_best = entry.best;
            // Results of deeper searches are not used: in 100 pairs, they brought no gain (docs/notes).
            let usable = u32::from(entry.depth) == depth
                && match entry.bound {
                    Bound::Exact => true,
                    Bound::Lower => entry.value >= window.beta,
                    Bound::Upper => entry.value <= window.alpha,
                };
            if usable {
                self.narrowed |= entry.narrowed;
                return Ok(entry.value);
            }
        }
        // The table stores the flag, so it must describe this position alone. Otherwise a search that reads the table
        // could call a narrowed result solved.
        let narrowed_elsewhere = std::mem::take(&mut self.narrowed);
        let (value, best) = match turn {
            Turn::Player(side) => {
                let (value, best) = self.with_moves(|searcher, moves| {
                    searcher.best_move(depth, window, side, known_best, moves)
                })?;
                (value, Some(best))
            }
            _ => (self.chance(depth, window)?, None),
        };
        let finding = Finding {
            value,
            bound: window.bound(value),
            best,
            narrowed: self.narrowed,
        };
        self.table.put(key, depth, finding);
        self.narrowed |= narrowed_elsewhere;
        Ok(value)
    }

    /// Returns the value of a killer move that causes a cutoff one ply above the leaves; `None` if no killer does.
    ///
    /// Most positions one ply above the leaves are refuted by a few moves that recur. If such a move succeeds, one
    /// evaluation is enough instead of an evaluation for every legal move.
    fn refuted_by_killer(&mut self, window: Window, side: Side) -> Result<Option<Score>, Aborted> {
        for at in 0..KILLERS {
            let Some(mv) = self.killers[side as usize][at] else {
                break;
            };
            if self.game.is_legal(mv) {
                self.count(1)?;
                let undo = self.game.make(mv);
                let value = self.game.evaluate();
                self.game.unmake(mv, undo);
                if window.cut_by(side, value) {
                    self.killers[side as usize][..=at].rotate_right(1);
                    return Ok(Some(value));
                }
            }
        }
        Ok(None)
    }

    fn remember_killer(&mut self, side: Side, mv: G::Move) {
        let killers = &mut self.killers[side as usize];
        let known = killers.iter().position(|&killer| killer == Some(mv));
        let at = known.unwrap_or(KILLERS - 1);
        killers[at] = Some(mv);
        killers[..=at].rotate_right(1);
    }

    /// Returns the value of the position after a player's move or an outcome of chance, searched to `depth` plies.
    pub fn value_after(
        &mut self,
        mv: G::Move,
        depth: u32,
        window: Window,
    ) -> Result<Score, Aborted> {
        let undo = self.game.make(mv);
        let value = self.value(depth, window);
        self.game.unmake(mv, undo);
        value
    }

    /// Fills `moves` with the legal moves, each with the evaluation of the position after the move.
    fn look_at_moves(&mut self, moves: &mut Vec<(Score, G::Move)>) -> Result<(), Aborted> {
        moves.clear();
        self.game.look(moves);
        self.count(moves.len() as u64)
    }

    /// Fills `moves` with the `number` moves that are most promising at a [glance](Game::glance), each with the
    /// evaluation of the position after the move. Returns true if the position has further legal moves.
    fn look_at_promising(
        &mut self,
        side: Side,
        number: usize,
        moves: &mut Vec<(Score, G::Move)>,
    ) -> Result<bool, Aborted> {
        moves.clear();
        self.game.glance(moves);
        self.count(moves.len() as u64)?;
        let are_more = moves.len() > number;
        if are_more {
            keep_best(side, number, moves);
        }
        self.game.look_closer(moves);
        Ok(are_more)
    }

    /// Calls `work` with a buffer for moves, which may still contain old moves, and keeps the buffer for later calls.
    fn with_moves<R>(
        &mut self,
        work: impl FnOnce(&mut Self, &mut Vec<(Score, G::Move)>) -> R,
    ) -> R {
        let mut moves = self.spare_moves.pop().unwrap_or_default();
        let result = work(self, &mut moves);
        self.spare_moves.push(moves);
        result
    }

    fn best_move(
        &mut self,
        depth: u32,
        mut window: Window,
        side: Side,
        known_best: Option<G::Move>,
        moves: &mut Vec<(Score, G::Move)>,
    ) -> Result<(Score, G::Move), Aborted> {
        if depth == 1 {
            return self.best_before_leaves(side, moves);
        }
        let known_best = known_best.or_else(|| self.best_before());
        self.look_at_moves(moves)?;
        put_best_first(side, moves);
        if let Some(width) = self.width {
            let look = self.limits.schedule.look(depth);
            let searched = width.of(side, look);
            if moves.len() > searched {
                if look > 1 {
                    self.put_best_by_look_first(look, searched, side, moves)?;
                }
                moves.truncate(searched);
                self.narrowed = true;
            }
        }
        put_known_first(known_best, moves);
        let mut best = (side.worst(), moves[0].1);
        for &(_, mv) in moves.iter() {
            let value = self.value_after(mv, depth - 1, window)?;
            if side.prefers(value, best.0) {
                best = (value, mv);
                if window.cut_by(side, value) {
                    break;
                }
                window.narrow(side, value);
            }
        }
        Ok(best)
    }

    /// Returns the best move one ply above the leaves, according to the evaluation after each move.
    fn best_before_leaves(
        &mut self,
        side: Side,
        moves: &mut Vec<(Score, G::Move)>,
    ) -> Result<(Score, G::Move), Aborted> {
        match self.width.and_then(|width| width.after_glance) {
            None => self.look_at_moves(moves)?,
            Some(number) => self.narrowed |= self.look_at_promising(side, number, moves)?,
        }
        let best = best_of(side, moves);
        self.remember_killer(side, best.1);
        Ok(best)
    }

    /// Moves the `number` best moves to the front of `moves`, best first, according to a search of `look` plies.
    fn put_best_by_look_first(
        &mut self,
        look: u32,
        number: usize,
        side: Side,
        moves: &mut [(Score, G::Move)],
    ) -> Result<(), Aborted> {
        for at in 0..moves.len() {
            let mut window = Window::FULL;
            if at >= number {
                // Only the value of a move that is better than the last of the best moves so far must be exact.
                window.narrow(side, moves[number - 1].0);
            }
            let value = self.value_after(moves[at].1, look - 1, window)?;
            moves[at].0 = value;
            let best = &moves[..at.min(number)];
            if let Some(place) = best.iter().position(|known| side.prefers(value, known.0)) {
                moves[place..=at].rotate_right(1);
            }
        }
        Ok(())
    }
}

/// Returns the best move by value; the first move if several are equal.
fn best_of<M: Copy>(side: Side, moves: &[(Score, M)]) -> (Score, M) {
    let better = |best: (Score, M), &other: &(Score, M)| match side.prefers(other.0, best.0) {
        true => other,
        false => best,
    };
    moves[1..].iter().fold(moves[0], better)
}

/// Keeps only the `number` best moves by value, best first. Moves of equal value keep their order.
fn keep_best<M: Copy>(side: Side, number: usize, moves: &mut Vec<(Score, M)>) {
    for at in 1..moves.len() {
        let mv = moves[at];
        let last = at.min(number - 1);
        if last < at && !side.prefers(mv.0, moves[last].0) {
            continue;
        }
        let better = moves[..last].iter().rev();
        let place = last
            - better
                .take_while(|known| side.prefers(mv.0, known.0))
                .count();
        moves.copy_within(place..last, place + 1);
        moves[place] = mv;
    }
    moves.truncate(number);
}

/// Sorts moves by value, best first for this side. Moves of equal value keep their order.
pub(super) fn put_best_first<M>(side: Side, moves: &mut [(Score, M)]) {
    match side {
        Side::Max => moves.sort_by(|a, b| b.0.total_cmp(&a.0)),
        Side::Min => moves.sort_by(|a, b| a.0.total_cmp(&b.0)),
    }
}

pub(super) fn put_known_first<M: Copy + Eq>(known_best: Option<M>, moves: &mut [(Score, M)]) {
    let place = |known| moves.iter().position(|&(_, mv)| mv == known);
    if let Some(at) = known_best.and_then(place) {
        moves[..=at].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_that_are_kept_are_those_that_sorting_puts_first(
            values in prop::collection::vec(0u8..9, 1..40), number in 1usize..12, is_max: bool,
        ) {
            let side = if is_max { Side::Max } else { Side::Min };
            let mut kept: Vec<(Score, usize)> =
                (0..).zip(&values).map(|(at, &value)| (value.into(), at)).collect();
            let mut sorted = kept.clone();
            put_best_first(side, &mut sorted);
            sorted.truncate(number);
            keep_best(side, number, &mut kept);
            prop_assert_eq!(kept, sorted);
        }
    }
}
