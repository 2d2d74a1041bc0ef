//! The Halma player on a clock of CPU time.
//!
//! | module | what it is for |
//! |---|---|
//! | [`built_in`] | the players that have a name |
//! | [`files`] | between a master's files and positions and moves |
//! | [`playdata`] | what is kept between the processes of one game |

pub mod built_in;
pub mod files;
pub mod playdata;

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::games::halma::rules::Position;
use crate::games::halma::search::Watch;

/// CPU time, measured from the start of a process or of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuClock {
    /// Of this process, all threads, user and system: what the course's judge measures.
    Process,
    /// Of the calling thread.
    Thread,
}

impl CpuClock {
    /// The CPU time used so far.
    pub fn now(self) -> Duration {
        let time = clock_gettime(match self {
            CpuClock::Process => ClockId::ProcessCPUTime,
            CpuClock::Thread => ClockId::ThreadCPUTime,
        });
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
    }
}

/// What the time left is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// One move.
    Single,
    /// All moves that are left in the game.
    Game,
}

/// More time than this is not used up anyway.
const LONGEST: Duration = Duration::from_secs(100_000);
/// Kept back for writing the answer and ending, of much time and of little.
const GUARD_MOST: Duration = Duration::from_millis(50);
const GUARD_SHARE: f64 = 0.35;
/// What a move costs besides its search, as far as nothing else is known: starting the process,
/// reading, writing.
pub const OVERHEAD: Duration = Duration::from_millis(2);
/// What the search of one move may take at most, in even shares of the time left.
const SHARES_AT_MOST: f64 = 2.5;
/// One move alone: more than this helps little.
const SINGLE_SOFT: f64 = 0.6;
/// Progress that a move of a game brings on average, and moves kept in reserve.
const PROGRESS_A_MOVE: f64 = 10.0;
const MOVES_IN_RESERVE: f64 = 8.0;

/// The search's share of the time that is left: soft and hard limit, in CPU time from now on. Every
/// further move of a game costs `overhead` besides.
pub fn allot(
    remaining: Duration,
    purpose: Purpose,
    position: &Position,
    overhead: Duration,
) -> (Duration, Duration) {
    let remaining = remaining.min(LONGEST);
    let guard = remaining.mul_f64(GUARD_SHARE).min(GUARD_MOST);
    let last = remaining - guard;
    if purpose == Purpose::Single {
        return (last.mul_f64(SINGLE_SOFT), last);
    }
    let moves = moves_left(position);
    let overhead = overhead.mul_f64(moves).min(last.mul_f64(0.5));
    let share = (last - overhead).div_f64(moves);
    (share.mul_f64(0.7), share.mul_f64(SHARES_AT_MOST).min(last))
}

/// How many more moves the player to move will probably make.
fn moves_left(position: &Position) -> f64 {
    let mover = position.to_move();
    let missing: i32 = (position.pieces(mover) & !mover.goal())
        .into_iter()
        .map(|square| {
            let square = mover.view(square);
            27 - i32::from(square.x()) - i32::from(square.y())
        })
        .sum();
    f64::from(missing.max(0)) / PROGRESS_A_MOVE + MOVES_IN_RESERVE
}

/// The part of the soft limit that counts as early.
const EARLY: f64 = 0.12;

/// A watch over CPU time.
#[derive(Debug, Clone, Copy)]
pub struct CpuWatch {
    clock: CpuClock,
    early: Duration,
    soft: Duration,
    hard: Duration,
}

impl CpuWatch {
    /// Limits counted from now on.
    pub fn new(clock: CpuClock, (soft, hard): (Duration, Duration)) -> Self {
        let now = clock.now();
        Self {
            clock,
            early: now + soft.mul_f64(EARLY),
            soft: now + soft,
            hard: now + hard,
        }
    }
}

impl Watch for CpuWatch {
    fn is_early(&mut self) -> bool {
        self.clock.now() < self.early
    }

    fn is_soft_over(&mut self) -> bool {
        self.clock.now() >= self.soft
    }

    fn is_hard_over(&mut self) -> bool {
        self.clock.now() >= self.hard
    }
}
