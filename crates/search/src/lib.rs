//! Iterative deepening within a time limit for games of two players and chance. It works with any [`Game`](game::Game):
//! the games without a search of their own use it.
//!
//! The depth of a search counts only the moves of players, not chance events. For example, a search to depth 3 covers a
//! move, the chance event after the move, the reply and the next move. At depth 0, the search does not expand any
//! position, not even a position in which chance is to move.
//!
//! | module | purpose |
//! |---|---|
//! | [`game`] | the interface between the search and a game |
//! | [`deepening`] | the root of the search: iterations of increasing depth until a limit is reached |
//! | [`analysis`] | the best few moves of a position, each with its exact value |
//! | [`playouts`] | games played out from a position, to show the spread of the final scores |
//! | `schedule` | the iterations: their depths, and the number of moves searched in each position |
//! | `memory` | hints about the memory of the transposition table |
//! | `node` | the recursion over max, min and chance nodes, with sound pruning |
//! | [`table`] | the transposition table |
//! | [`threads`] | a search of one position by several threads |
//! | [`reference`](mod@reference) | the unpruned search whose values every other search must match |
//! | [`instant`] | points in time, including in a browser |
//! | [`cpu_time`] | CPU time of the process or of a thread, a thread's wait for a core, and the process's age |
//!
//! A game needs only its rules and an evaluation:
//!
//! ```
//! use turnwise_search::game::{Game, Score, Side, Turn};
//! use turnwise_search::table::Table;
//! use turnwise_search::{Control, Limits, deepening};
//!
//! /// The players take one, two or three matches in turn. The player that takes the last match wins.
//! struct Nim {
//!     matches: u8,
//!     to_move: Side,
//! }
//!
//! impl Nim {
//!     fn change_turn(&mut self) {
//!         self.to_move = if self.to_move == Side::Max { Side::Min } else { Side::Max };
//!     }
//! }
//!
//! impl Game for Nim {
//!     type Move = u8;
//!     type Undo = ();
//!
//!     fn turn(&self) -> Turn {
//!         if self.matches == 0 { Turn::Over } else { Turn::Player(self.to_move) }
//!     }
//!     fn moves(&self, out: &mut Vec<u8>) {
//!         out.extend(1..=self.matches.min(3));
//!     }
//!     fn outcomes(&self, _: &mut Vec<(u8, Score)>) {}
//!     fn make(&mut self, taken: u8) {
//!         self.matches -= taken;
//!         self.change_turn();
//!     }
//!     fn unmake(&mut self, taken: u8, (): ()) {
//!         self.matches += taken;
//!         self.change_turn();
//!     }
//!     fn hash(&self) -> u64 {
//!         u64::from(self.matches) * 2 + u64::from(self.to_move == Side::Max)
//!     }
//!     fn plies_left(&self) -> u32 {
//!         self.matches.into()
//!     }
//!     fn bounds(&self) -> (Score, Score) {
//!         (-1.0, 1.0)
//!     }
//!     fn evaluate(&self) -> Score {
//!         match (self.matches, self.to_move) {
//!             (0, Side::Max) => -1.0,
//!             (0, Side::Min) => 1.0,
//!             _ => 0.0,
//!         }
//!     }
//! }
//!
//! let mut nim = Nim { matches: 10, to_move: Side::Max };
//! let found = deepening::search(&mut nim, &mut Table::new(1 << 16), Limits::default(), &Control::new());
//! assert_eq!((found.best, found.value), (2, 1.0), "a multiple of four loses");
//! ```

pub mod analysis;
pub mod cpu_time;
pub mod deepening;
pub mod game;
pub mod instant;
mod memory;
mod node;
pub mod playouts;
pub mod reference;
mod schedule;
pub mod table;
pub mod threads;

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cpu_time::CpuDeadlines;
use crate::game::Score;
use crate::instant::Instant;
pub use schedule::{Schedule, Width};

/// The number of nodes that are searched between two checks of the clock and the stop flag.
///
/// On the largest boards, a node takes a few microseconds, so the checks are about a millisecond apart.
const NODES_BETWEEN_LOOKS: u64 = 256;

/// The limits of a search. Without limits, which is the default, a search runs until the game is solved.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The maximum depth of an iteration, in plies of players.
    pub depth: u32,
    /// The number of nodes after which each thread of the search stops. With one thread, a search with a given number
    /// of nodes has identical results on every machine.
    pub nodes: u64,
    /// The soft deadline. From this instant on, the search does not start on another root move.
    pub soft: Option<Instant>,
    /// The hard deadline. At this instant, the search is aborted.
    pub hard: Option<Instant>,
    /// The soft and the hard deadline in CPU time, if CPU time is charged.
    pub cpu: Option<CpuDeadlines>,
    /// The iterations of the search: their depths, and the number of moves searched in each position. An [`analysis`]
    /// ignores this schedule and searches every depth and every move.
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
    /// Creates limits that contain only a maximum number of nodes.
    pub fn of_nodes(nodes: u64) -> Self {
        Self {
            nodes,
            ..Self::default()
        }
    }

    /// Returns the limits with both deadlines moved to the instant when `part` of the time from now to the soft
    /// deadline has passed.
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

    /// Returns true if the soft deadline has passed, so that the search must not start on another root move.
    pub fn is_soft_over(&self) -> bool {
        self.soft.is_some_and(|soft| Instant::now() >= soft)
            || self.cpu.is_some_and(|cpu| cpu.clock.now() >= cpu.soft)
    }

    /// Returns true if the hard deadline has passed, so that the search must be aborted.
    pub fn is_hard_over(&self) -> bool {
        self.hard.is_some_and(|hard| Instant::now() >= hard)
            || self.cpu.is_some_and(|cpu| cpu.clock.now() >= cpu.hard)
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// A flag that stops searches. All copies of a value share one flag.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks all searches that hold a copy of this flag to stop.
    pub fn stop(&self) {
        // `Relaxed` suffices, because the flag protects no other data.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true if [`Stop::stop`] was called on any copy of this flag.
    pub fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Calls `work` with this flag as the thread's [current](Self::current) flag.
    pub fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        let before = CURRENT.with(|current| current.replace(Some(self.clone())));
        let result = work();
        CURRENT.with(|current| current.replace(before));
        result
    }

    /// Returns the flag that stops this thread's current work, or a new flag outside of [`Stop::during`].
    pub fn current() -> Self {
        CURRENT
            .with(|current| current.borrow().clone())
            .unwrap_or_default()
    }
}

/// The state that a running search shares with the thread that waits for its result: a stop flag, and the best move so
/// far.
#[derive(Debug)]
pub struct Control<M> {
    stop: Stop,
    /// Stops all work of the thread that created this control.
    current: Stop,
    best: Mutex<Option<M>>,
}

impl<M: Copy> Control<M> {
    /// Creates the control for a search that has not started yet.
    pub fn new() -> Self {
        Self::stopped_by(Stop::default())
    }

    /// Creates a control for a search that can also be stopped through `stop`, and through the thread's
    /// [current](Stop::current) flag.
    pub fn stopped_by(stop: Stop) -> Self {
        Self {
            stop,
            current: Stop::current(),
            best: Mutex::new(None),
        }
    }

    /// Asks the search to stop. It stops within a few hundred nodes and still returns the best move it has found.
    pub fn stop(&self) {
        self.stop.stop();
    }

    /// Returns true if the search was asked to stop.
    pub fn stopped(&self) -> bool {
        self.stop.stopped() || self.current.stopped()
    }

    /// Returns the best move found so far; `None` only before the search has generated the legal moves.
    pub fn best(&self) -> Option<M> {
        *self.best_slot()
    }

    /// Publishes a move as the best move found so far.
    pub fn publish(&self, best: M) {
        *self.best_slot() = Some(best);
    }

    /// Locks the best move. Even if another thread panicked while it held the lock, the value cannot be half written.
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
    /// The best move that the search found.
    pub best: M,
    /// The value of `best`, from the deepest completed search of that move.
    pub value: Score,
    /// The depth of the deepest completed iteration; 0 if not even the first iteration was completed.
    pub depth: u32,
    /// The depth, in plies, of the search that produced `value`. It is greater than `depth` if the last iteration was
    /// not finished but had already evaluated a move.
    pub value_depth: u32,
    /// True if the value is exact because every line was searched to the end of the game.
    pub solved: bool,
    /// The number of positions that the search evaluated or expanded.
    pub nodes: u64,
    /// The best move and the moves that are expected to follow it, up to the first chance event.
    pub principal_variation: Vec<M>,
}

impl<M: Copy> Found<M> {
    /// Creates the result of an agent that looks exactly `depth` plies ahead and does not predict the reply to its
    /// move.
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
    fn the_flag_of_a_threads_work_stops_the_searches_that_begin_meanwhile() {
        let (work, own) = (Stop::default(), Stop::default());
        let begun = || [Control::<u8>::new(), Control::stopped_by(own.clone())];
        let (inside, outside) = (work.during(begun), begun());
        let are_stopped = |all: &[Control<u8>; 2]| [all[0].stopped(), all[1].stopped()];
        inside[0].stop();
        assert_eq!(are_stopped(&inside), [true, false]);
        assert!(!work.stopped(), "a search stops only itself");
        work.stop();
        assert_eq!(are_stopped(&inside), [true, true]);
        assert_eq!(are_stopped(&outside), [false, false]);
    }

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
        // The expected range begins at a quarter and allows for the time that the test itself takes.
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
