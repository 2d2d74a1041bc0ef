//! Principal variation search: negamax with null windows for all but the first move.
//!
//! It uses a transposition table, killer moves, history, late move reductions and null moves.
//!
//! Sources: Marsland and Campbell, "Parallel search of strongly ordered game trees" (1982); Schaeffer,
//! "The history heuristic" (1983); Donninger, "Null move and deep search" (1993).

use crate::evaluation::Values;
use crate::rules::{Color, Move, Position};
use turnwise_engine::search::table::{Bound, Finding, Table};

/// The value of a win; each ply to the win reduces it by one.
pub const WON: i32 = 1_000_000;

/// Values beyond this are wins and losses that the search has seen.
pub const WIN_SEEN: i32 = WON - 1_000;

/// The maximum depth of a search, in plies.
pub const DEEPEST: u32 = 60;

/// The number of nodes between checks of the clock: about a quarter of a millisecond.
const NODES_BETWEEN_LOOKS: u64 = 128;

/// A deadline that may have passed during a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deadline {
    /// No step begins that takes three times as long as all before.
    ///
    /// It would end long after the soft deadline.
    Early,
    /// No new step begins.
    Soft,
    /// The search is aborted.
    Hard,
}

/// Returns whether a deadline has passed. A search calls this often.
pub type Watch<'a> = &'a dyn Fn(Deadline) -> bool;

/// The search was aborted; results below this point are invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aborted;

/// The parts of the tree to skip, in addition to alpha-beta's cutoffs.
#[derive(Debug, Clone, Copy)]
pub struct Selectivity {
    /// The number of a node's first move with reduced depth, counted from 0.
    pub reduce_from: usize,
    /// The maximum loss of a move inside the tree, if the node has other moves.
    pub most_loss: i32,
    /// Whether results of deeper searches may answer for shallower ones.
    pub deeper_entries: bool,
    /// Whether to prune positions that are good enough even after a pass.
    ///
    /// The obligation to move is hardly ever a disadvantage.
    pub passing: bool,
}

impl Selectivity {
    /// Full width: values equal plain minimax.
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
            reduce_from: 3,
            most_loss: 0,
            deeper_entries: true,
            passing: true,
        }
    }
}

/// A move and its place in the order, highest first.
#[derive(Debug, Clone, Copy)]
struct Ordered {
    order: i32,
    gain: i32,
    mv: Move,
}

/// The state of a search in addition to its table. It lasts for one move of the game.
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
    /// Creates a search of at most `most_nodes` nodes.
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

    /// Returns true if no new step should begin.
    pub fn is_soft_over(&self) -> bool {
        (self.watch)(Deadline::Soft)
    }

    /// Returns the table of results.
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

    /// Returns the value for the player to move, as exact as the window asks (fail-soft).
    ///
    /// `balance` is the evaluation for the player to move, `ply` the distance from the root.
    ///
    /// # Errors
    ///
    /// Returns [`Aborted`] if the watch or the node limit ends the search.
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
            return Ok(ply as i32 - WON);
        }
        if depth == 0 || ply >= DEEPEST {
            return Ok(balance);
        }
        let (mut alpha, beta) = window;
        let key = position.hash();
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

    /// Returns a bound of the value if it reaches `beta` even after a pass.
    fn passed(
        &mut self,
        position: &Position,
        balance: i32,
        depth: u32,
        ply: u32,
        beta: i32,
    ) -> Result<Option<i32>, Aborted> {
        if depth == 1 {
            return Ok(Some(balance));
        }
        let next = position.with_to_move(position.to_move().other());
        let depth = (depth - 2).max(1);
        let value = -self.value(&next, -balance, depth, ply + 1, (-beta, 1 - beta))?;
        // A win after a pass proves no win.
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
        self.order(position, ply, known, list);
        let mover = position.to_move();
        let mut best = (-WON + ply as i32, None);
        let mut pruned = false;
        for at in 0..list.len() {
            bring_best_to(at, list);
            let Ordered { gain, mv, .. } = list[at];
            if best.1.is_some() && gain < -self.selectivity.most_loss && best.0 > -WIN_SEEN {
                pruned = true;
                continue;
            }
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

    /// Returns the best move at depth 1: the move that wins or gains most.
    ///
    /// Other moves need not be played for this.
    fn best_last_move(
        &mut self,
        position: &Position,
        balance: i32,
        ply: u32,
    ) -> (i32, Option<Move>) {
        let mover = position.to_move();
        let goal = mover.goal();
        let mut best = (i32::MIN, None);
        position.targets(|from, targets| {
            let here = self.values.of(mover, from);
            for to in targets {
                let mv = Move { from, to };
                let gain = self.values.of(mover, to) - here;
                let value = if goal.contains(to) && position.after(mv).is_won() {
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
        // Approaches the maximum but never exceeds it.
        *slot += ((depth * depth) as i32 * 8).min(MOST_HISTORY - *slot);
    }
}

/// The maximum of the history, in sixteenths of a point of gain.
const MOST_HISTORY: i32 = 3_000;

fn history_slot(mover: Color, mv: Move) -> usize {
    (mover as usize * 256 + mv.from.index()) * 256 + mv.to.index()
}

/// Selects the best move for place `at`. Most nodes are cut off after a few moves.
fn bring_best_to(at: usize, list: &mut [Ordered]) {
    let mut best = at;
    for candidate in at + 1..list.len() {
        if list[candidate].order > list[best].order {
            best = candidate;
        }
    }
    list.swap(at, best);
}

/// Converts wins, which the search counts from the root, to count from the position.
fn to_table(value: i32, ply: u32) -> f32 {
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
