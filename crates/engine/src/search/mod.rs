//! Time-limited iterative deepening for two players and chance, independent of any game.
//!
//! Depth counts the plies of players. Chance costs no depth: a search to depth 3 covers a move, the chance event
//! after it, the reply and the next move. At depth 0 the search expands nothing, not even chance.
//!
//! | module | purpose |
//! |---|---|
//! | [`deepening`] | the root: depth after depth until a limit, with the best move so far always known |
//! | [`analysis`] | the best few moves, each with its true value |
//! | [`playouts`] | games played out from a position: the spread of final scores |
//! | `schedule` | the iterations: their depths, and the number of moves for each position |
//! | `node` | the recursion: max, min and chance nodes with sound pruning |
//! | [`table`] | the transposition table |
//! | [`threads`] | several threads that search one position |
//! | [`reference`](mod@reference) | the unpruned oracle that every search must match |

pub mod analysis;
pub mod deepening;
mod node;
pub mod playouts;
pub mod reference;
mod schedule;
pub mod table;
pub mod threads;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cpu_time::CpuDeadlines;
use crate::game::Score;
use crate::instant::Instant;
pub use schedule::{Schedule, Width};

/// The number of nodes between two checks of the clock and the stop flag.
///
/// On the largest boards a node takes a few microseconds, so a check occurs about every millisecond.
const NODES_BETWEEN_LOOKS: u64 = 256;

/// The limits of a search. By default it runs until the game is solved.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The deepest iteration, in plies of players.
    pub depth: u32,
    /// The number of nodes after which the search, or each search thread, stops. With one thread, a given number
    /// produces identical results on every machine.
    pub nodes: u64,
    /// From this instant on, no further root move is started.
    pub soft: Option<Instant>,
    /// At this instant the search is aborted wherever it is.
    pub hard: Option<Instant>,
    /// Both deadlines in CPU time, if CPU time is charged.
    pub cpu: Option<CpuDeadlines>,
    /// The iterations of the search. An [`analysis`] ignores this and searches every depth and every move.
    pub schedule: Schedule,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: u32::MAX,
            nodes: u64::MAX,
            soft: None,
            hard: None,
            cpu: None,
            schedule: Schedule::FULL,
        }
    }
}

impl Limits {
    /// Limits only the number of nodes.
    pub fn of_nodes(nodes: u64) -> Self {
        Self {
            nodes,
            ..Self::default()
        }
    }

    /// Moves both deadlines to `part` of the time from now to the soft deadline.
    pub fn hurried(&self, part: f64) -> Self {
        let now = Instant::now();
        let wall = (self.soft).map(|soft| now + soft.saturating_duration_since(now).mul_f64(part));
        let cpu = self.cpu.map(|cpu| {
            let until = cpu.soft.saturating_sub(cpu.clock.now()).mul_f64(part);
            CpuDeadlines::after(cpu.clock, (until, until))
        });
        Self {
            soft: wall,
            hard: wall,
            cpu,
            ..*self
        }
    }

    /// Returns true if no further root move may start.
    pub fn is_soft_over(&self) -> bool {
        self.soft.is_some_and(|soft| Instant::now() >= soft)
            || self.cpu.is_some_and(|cpu| cpu.clock.now() >= cpu.soft)
    }

    /// Returns true if the search must be aborted.
    pub fn is_hard_over(&self) -> bool {
        self.hard.is_some_and(|hard| Instant::now() >= hard)
            || self.cpu.is_some_and(|cpu| cpu.clock.now() >= cpu.hard)
    }
}

/// A stop flag for searches; all copies share it.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks all searches that hold a copy to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true after [`Stop::stop`].
    pub fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The state that a running search shares with the thread that waits for it.
#[derive(Debug)]
pub struct Control<M> {
    stop: Stop,
    best: Mutex<Option<M>>,
}

impl<M: Copy> Control<M> {
    /// Creates a control for a search that has not started.
    pub fn new() -> Self {
        Self::stopped_by(Stop::default())
    }

    /// Creates a control for a search that can also be stopped through `stop`.
    pub fn stopped_by(stop: Stop) -> Self {
        Self {
            stop,
            best: Mutex::new(None),
        }
    }

    /// Asks the search to stop within a few hundred nodes. It still returns its best move.
    pub fn stop(&self) {
        self.stop.stop();
    }

    /// Returns true after [`Control::stop`].
    pub fn stopped(&self) -> bool {
        self.stop.stopped()
    }

    /// Returns the best move so far; `None` only before the search has generated its moves.
    pub fn best(&self) -> Option<M> {
        *self.best_slot()
    }

    /// Publishes a move as the best so far.
    pub fn publish(&self, best: M) {
        *self.best_slot() = Some(best);
    }

    /// Locks the slot. It holds a plain value, so a panic elsewhere cannot have left it half written.
    fn best_slot(&self) -> MutexGuard<'_, Option<M>> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M: Copy> Default for Control<M> {
    fn default() -> Self {
        Self::new()
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<M> {
    /// The move to play.
    pub best: M,
    /// The move's value, from the deepest completed search below that move.
    pub value: Score,
    /// The deepest completed iteration; 0 if not even the first was completed.
    pub depth: u32,
    /// The depth, in plies, of the search that produced the value. Greater than `depth` if an unfinished iteration
    /// had already evaluated a move.
    pub value_depth: u32,
    /// True if the value is exact: every line was searched to the end of the game.
    pub solved: bool,
    /// Positions evaluated or expanded.
    pub nodes: u64,
    /// The best move and the expected replies, up to the first chance event.
    pub principal_variation: Vec<M>,
}

impl<M: Copy> Found<M> {
    /// Creates the result of an agent that looks exactly `depth` plies ahead. It predicts no reply.
    pub fn without_answer(best: M, value: Score, depth: u32, nodes: u64) -> Self {
        Self {
            best,
            value,
            depth,
            value_depth: depth,
            solved: false,
            nodes,
            principal_variation: vec![best],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cpu_time::CpuClock;

    #[test]
    fn a_part_of_the_time_is_left_on_either_clock() {
        let hour = Duration::from_secs(3_600);
        let (began, used) = (Instant::now(), CpuClock::Thread.now());
        let limits = Limits {
            soft: Some(began + hour),
            hard: Some(began + 3 * hour),
            cpu: Some(CpuDeadlines::after(CpuClock::Thread, (hour, 3 * hour))),
            ..Limits::of_nodes(5)
        };
        let hurried = limits.hurried(0.25);
        // A quarter, plus the time that the test itself may have taken.
        let quarter = hour / 4..hour / 2;
        assert!(quarter.contains(&(hurried.soft.expect("a deadline") - began)));
        assert_eq!(hurried.hard, hurried.soft);
        let cpu = hurried.cpu.expect("deadlines");
        assert!(quarter.contains(&(cpu.soft - used)));
        assert_eq!(cpu.hard, cpu.soft);
        assert_eq!(hurried.nodes, 5);

        let over = Limits {
            soft: Some(began),
            hard: Some(began + hour),
            ..Limits::default()
        };
        assert!(over.hurried(0.5).is_hard_over());
        let none = Limits::of_nodes(5).hurried(0.5);
        assert_eq!((none.soft, none.hard, none.cpu), (None, None, None));
    }
}
