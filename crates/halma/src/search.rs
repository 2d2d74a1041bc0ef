//! Principal variation search: negamax with null windows for all but the first move.
//!
//! It uses a transposition table, killer moves, history, late move reductions and null moves.
//!
//! Sources: Marsland and Campbell, "Parallel search of strongly ordered game trees" (1982); Schaeffer,
//! "The history heuristic" (1983); Donninger, "Null move and deep search" (1993).

use crate::evaluation::Values;
use crate::rules::{Color, Move, Position};
use turnwise_engine::search::table::{Bound, Finding, Table};

/// The value of a win at the root. Each ply until the win reduces it by one.
pub const WON: i32 = 1_000_000;

/// Values above this limit are certain wins; values below its negative are certain losses.
pub const WIN_SEEN: i32 = WON - 1_000;

/// The maximum depth of a search, in plies.
pub const DEEPEST: u32 = 60;

/// The number of nodes between two checks of the clock, which take about a quarter of a millisecond.
const NODES_BETWEEN_LOOKS: u64 = 128;

/// A deadline of a search. `Early` comes first, and `Hard` last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deadline {
    /// After this deadline, no step begins that takes three times as long as all steps before it.
    ///
    /// Such a step would end long after the soft deadline.
    Early,
    /// After this deadline, no new step begins.
    Soft,
    /// At this deadline, the search is aborted.
    Hard,
}

/// A function that tells a search whether a deadline has passed. The search calls it often.
pub type Watch<'a> = &'a dyn Fn(Deadline) -> bool;

/// The error of a search that was aborted before it found a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aborted;

/// The parts of the tree to skip, in addition to alpha-beta's cutoffs.
#[derive(Debug, Clone, Copy)]
pub struct Selectivity {
    /// The index of the first move that a node searches with reduced depth, starting at 0.
    pub reduce_from: usize,
    /// The most points that a move inside the tree may lose.
    ///
    /// Moves that lose more are skipped if the node has other moves.
    pub most_loss: i32,
    /// Whether the stored result of a deeper search may be used instead of a shallower search.
    pub deeper_entries: bool,
    /// Whether to prune positions that are good enough even if the player to move passes.
    ///
    /// This is safe because the obligation to move is hardly ever a disadvantage in Halma.
    pub passing: bool,
}

impl Selectivity {
    /// Skips nothing, so that values equal plain minimax values.
    pub const NONE: Self = Self {
        reduce_from: usize::MAX,
        most_loss: i32::MAX,
        deeper_entries: false,
        passing: false,
    };
}

impl Default for Selectivity {
    fn default() -> Self {
        Self {
            // These values were chosen by matches: see the third series in docs/notes/halma.md.
            reduce_from: 3,
            most_loss: 0,
            deeper_entries: true,
            passing: true,
        }
    }
}

/// A move with its rank. The moves of a node are searched in the order of rank, highest first.
#[derive(Debug, Clone, Copy)]
struct Ordered {
    order: i32,
    gain: i32,
    mv: Move,
}

/// The state of the search for one move of the game, in addition to the transposition table.
pub struct Searcher<'a> {
    values: &'a Values,
    selectivity: Selectivity,
    table: &'a mut Table<Move>,
    watch: Watch<'a>,
    /// The number of nodes searched so far.
    pub nodes: u64,
    most_nodes: u64,
    next_look: u64,
    killers: Vec<[Option<Move>; 2]>,
    history: Vec<i32>,
    lists: Vec<Vec<Ordered>>,
}

impl<'a> Searcher<'a> {
    /// Creates the state of a search that visits at most `most_nodes` nodes.
    pub fn new(
        values: &'a Values,
        selectivity: Selectivity,
        table: &'a mut Table<Move>,
        most_nodes: u64,
        watch: Watch<'a>,
    ) -> Self {
        Self {
            values,
            selectivity,
            table,
            watch,
            nodes: 0,
            most_nodes,
            next_look: 0,
            killers: vec![[None; 2]; DEEPEST as usize + 1],
            history: vec![0; 2 * 256 * 256],
            lists: (0..=DEEPEST).map(|_| Vec::new()).collect(),
        }
    }

    /// Returns true if the soft deadline has passed, so that no new step should begin.
    pub fn is_soft_over(&self) -> bool {
        (self.watch)(Deadline::Soft)
    }

    /// Returns the transposition table.
    pub(crate) fn table(&self) -> &Table<Move> {
        self.table
    }

    fn count(&mut self) -> Result<(), Aborted> {
        self.nodes += 1;
        if self.nodes > self.most_nodes {
            return Err(Aborted);
        }
        if self.nodes >= self.next_look {
            self.next_look = self.nodes + NODES_BETWEEN_LOOKS;
            if (self.watch)(Deadline::Hard) {
                return Err(Aborted);
            }
        }
        Ok(())
    }

    /// Returns the value of a position for the player to move: exact inside the window, else a bound.
    ///
    /// A bound may lie outside the window (fail-soft). `balance` is the position's evaluation for the player to move,
    /// and `ply` the distance from the root.
    ///
    /// # Errors
    ///
    /// Returns [`Aborted`] if the [`Watch`] or the node limit ends the search.
    pub fn value(
        &mut self,
        position: &Position,
        balance: i32,
        depth: u32,
        ply: u32,
        window: (i32, i32),
    ) -> Result<i32, Aborted> {
        self.count()?;
        if position.is_won() {
            // Only the player who moved last can have won, so the player to move has lost.
            return Ok(ply as i32 - WON);
        }
        if depth == 0 || ply >= DEEPEST {
            return Ok(balance);
        }
        let (mut alpha, beta) = window;
        let key = position.hash();
        // The search after a pass, if there is one, reads this entry first.
        self.table.prefetch(position.hash_after_pass());
        let mut known = None;
        if let Some(entry) = self.table.get(key) {
            known = entry.best;
            let value = from_table(entry.value, ply);
            let deep_enough = u32::from(entry.depth) == depth
                || self.selectivity.deeper_entries && u32::from(entry.depth) > depth;
            let usable = deep_enough
                && match entry.bound {
                    Bound::Exact => true,
                    Bound::Lower => value >= beta,
                    Bound::Upper => value <= alpha,
                };
            if usable {
                return Ok(value);
            }
        }
        // A pass yields only a lower bound, which is enough only in a null window. It cannot prove a win: see `passed`.
        if self.selectivity.passing
            && beta - alpha == 1
            && balance >= beta
            && beta.abs() < WIN_SEEN
            && let Some(value) = self.passed(position, balance, depth, ply, beta)?
        {
            return Ok(value);
        }
        let mut list = std::mem::take(&mut self.lists[ply as usize]);
        let result = self.best(
            position,
            balance,
            depth,
            ply,
            (&mut alpha, beta),
            known,
            &mut list,
        );
        self.lists[ply as usize] = list;
        let (value, best) = result?;
        let bound = if value >= beta {
            Bound::Lower
        } else if value <= window.0 {
            Bound::Upper
        } else {
            Bound::Exact
        };
        let finding = Finding {
            value: to_table(value, ply),
            bound,
            best,
            narrowed: false,
        };
        self.table.put(key, depth, finding);
        Ok(value)
    }

    /// Returns a lower bound of a position's value, if the value reaches `beta` even after a pass.
    fn passed(
        &mut self,
        position: &Position,
        balance: i32,
        depth: u32,
        ply: u32,
        beta: i32,
    ) -> Result<Option<i32>, Aborted> {
        if depth == 1 {
            // The search after the pass would have no ply left and would only return the evaluation.
            return Ok(Some(balance));
        }
        let next = position.with_to_move(position.to_move().other());
        let depth = (depth - 2).max(1);
        let value = -self.value(&next, -balance, depth, ply + 1, (-beta, 1 - beta))?;
        // A win after a pass does not prove a win, because the rules do not allow a pass.
        Ok((value >= beta).then_some(value.min(WIN_SEEN)))
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one recursion, split in two for its list"
    )]
    fn best(
        &mut self,
        position: &Position,
        balance: i32,
        depth: u32,
        ply: u32,
        (alpha, beta): (&mut i32, i32),
        known: Option<Move>,
        list: &mut Vec<Ordered>,
    ) -> Result<(i32, Option<Move>), Aborted> {
        if depth == 1 {
            return Ok(self.best_last_move(position, balance, ply));
        }
        if let Some(mv) = known {
            self.table.prefetch(position.hash_after(mv));
        }
        self.order(position, ply, known, list);
        let mover = position.to_move();
        let mut best = (-WON + ply as i32, None);
        let mut pruned = false;
        for at in 0..list.len() {
            bring_best_to(at, list);
            let Ordered { gain, mv, .. } = list[at];
            // As long as every searched move loses the game, a move that loses ground may be the only escape.
            if best.1.is_some() && gain < -self.selectivity.most_loss && best.0 > -WIN_SEEN {
                pruned = true;
                continue;
            }
            self.table.prefetch(position.hash_after(mv));
            let next = position.after(mv);
            let balance = -(balance + gain);
            let ply = ply + 1;
            let mut value;
            if best.1.is_none() {
                value = -self.value(&next, balance, depth - 1, ply, (-beta, -*alpha))?;
            } else {
                let reduction = u32::from(depth > 2 && at >= self.selectivity.reduce_from)
                    * (1 + u32::from(at >= self.selectivity.reduce_from.saturating_mul(4)));
                let reduced = (depth - 1).saturating_sub(reduction);
                let null = (-*alpha - 1, -*alpha);
                value = -self.value(&next, balance, reduced, ply, null)?;
                if value > *alpha && reduction > 0 {
                    value = -self.value(&next, balance, depth - 1, ply, null)?;
                }
                if value > *alpha && value < beta {
                    value = -self.value(&next, balance, depth - 1, ply, (-beta, -*alpha))?;
                }
            }
            if value > best.0 || best.1.is_none() {
                best = (value, Some(mv));
                *alpha = (*alpha).max(value);
                if value >= beta {
                    self.remember(mover, mv, depth, ply - 1);
                    break;
                }
            }
        }
        debug_assert!(best.1.is_some() || !pruned);
        Ok(best)
    }

    /// Returns the best move at depth 1 and its value: a move that wins, or the move that gains most.
    ///
    /// Only a move from outside the goal to its last empty square wins.
    fn best_last_move(
        &mut self,
        position: &Position,
        balance: i32,
        ply: u32,
    ) -> (i32, Option<Move>) {
        let mover = position.to_move();
        let goal = mover.goal();
        let last_gap = (goal & !position.occupied()).only();
        let mut best = (i32::MIN, None);
        position.targets(|from, targets| {
            let here = self.values.of(mover, from);
            for to in targets {
                let mv = Move { from, to };
                let gain = self.values.of(mover, to) - here;
                let value = if last_gap == Some(to) && !goal.contains(from) {
                    WON - ply as i32 - 1
                } else {
                    balance + gain
                };
                if value > best.0 {
                    best = (value, Some(mv));
                }
            }
        });
        match best {
            (_, None) => (-WON + ply as i32, None),
            best => best,
        }
    }

    fn order(&self, position: &Position, ply: u32, known: Option<Move>, list: &mut Vec<Ordered>) {
        let mover = position.to_move();
        let killers = self.killers[ply as usize];
        list.clear();
        position.targets(|from, targets| {
            let here = self.values.of(mover, from);
            for to in targets {
                let mv = Move { from, to };
                let gain = self.values.of(mover, to) - here;
                let order = if known == Some(mv) {
                    i32::MAX
                } else {
                    // The bonus exceeds `MOST_HISTORY`: at equal gain, a killer comes before every move that only its
                    // history favors.
                    let killer = killers.contains(&Some(mv));
                    gain * 16 + self.history[history_slot(mover, mv)] + i32::from(killer) * 4_000
                };
                list.push(Ordered { order, gain, mv });
            }
        });
    }

    fn remember(&mut self, mover: Color, mv: Move, depth: u32, ply: u32) {
        let killers = &mut self.killers[ply as usize];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let slot = &mut self.history[history_slot(mover, mv)];
        // The value grows to the maximum but never exceeds it.
        *slot += ((depth * depth) as i32 * 8).min(MOST_HISTORY - *slot);
    }
}

/// The maximum of a history value, which ranks a move like a gain in sixteenths of a point.
const MOST_HISTORY: i32 = 3_000;

fn history_slot(mover: Color, mv: Move) -> usize {
    (mover as usize * 256 + mv.from.index()) * 256 + mv.to.index()
}

/// Finds the best move in the list from place `at` on, and swaps it into place `at`.
///
/// The list is not sorted as a whole, because most nodes are cut off after a few moves.
fn bring_best_to(at: usize, list: &mut [Ordered]) {
    let mut best = at;
    for candidate in at + 1..list.len() {
        if list[candidate].order > list[best].order {
            best = candidate;
        }
    }
    list.swap(at, best);
}

/// Converts a value to its form in the table: a win counts plies from the position, not the root.
fn to_table(value: i32, ply: u32) -> f32 {
    // The conversion is exact: 32-bit floats represent all integers up to 2^24, which is more than `WON`.
    (if value > WIN_SEEN {
        value + ply as i32
    } else if value < -WIN_SEEN {
        value - ply as i32
    } else {
        value
    }) as f32
}

fn from_table(value: f32, ply: u32) -> i32 {
    let value = value as i32;
    if value > WIN_SEEN {
        value - ply as i32
    } else if value < -WIN_SEEN {
        value + ply as i32
    } else {
        value
    }
}
