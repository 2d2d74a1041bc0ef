//! Computes the deadlines of one move from the time left in a game. The module reads no clock: every instant is passed
//! in, so tests need not wait.

mod lateness;

use std::time::Duration;

use crate::instant::Instant;
pub use lateness::{Delays, Start, on_the_way, reserve};

/// The part of the reserve that is still left at the reply deadline, when the best move found so far is sent without
/// waiting for the end of the search.
const LAST_CALL: f64 = 0.7;
/// The weight of a game's first move in the division of the time. The weights rise linearly up to the last move,
/// because a move decides more and a search sees deeper when the board is fuller.
const FIRST_WEIGHT: f64 = 0.6;
const LAST_WEIGHT: f64 = 1.4;
/// If a player has at most this number of moves left, the search solves the rest of the game almost instantly.
const SOLVED_MOVES: u32 = 4;
/// The weight of each of the last moves, which the search solves almost instantly.
const SOLVED_WEIGHT: f64 = 0.3;

/// A player's clock in one game: the total time and the time used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameClock {
    total: Duration,
    used: Duration,
}

impl GameClock {
    /// Creates a clock on which no time has been used yet.
    pub fn new(total: Duration) -> Self {
        Self {
            total,
            used: Duration::ZERO,
        }
    }

    /// Adds `used` to the time that the player has used.
    pub fn charge(&mut self, used: Duration) {
        self.used += used;
    }

    /// Returns the time that the player has used so far.
    pub fn used(&self) -> Duration {
        self.used
    }

    /// Returns the time left on the clock; zero if the player has used more than the total.
    pub fn remaining(&self) -> Duration {
        self.total.saturating_sub(self.used)
    }

    /// Returns how much more than its total time the player has used; `None` if it has not used more.
    pub fn overrun(&self) -> Option<Duration> {
        self.used
            .checked_sub(self.total)
            .filter(|over| !over.is_zero())
    }
}

/// The deadlines of one move, in order: soft <= hard <= reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The instant at which the player's clock began to run for this move.
    pub start: Instant,
    /// The soft deadline. After this instant, the search starts no new work.
    pub soft: Instant,
    /// The hard deadline. At this instant, the search is aborted.
    pub hard: Instant,
    /// The reply deadline. At this instant, the best move found so far is sent even if the search has not answered.
    pub reply: Instant,
}

/// A player's time left in a game, and the amounts that must be set aside from this time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeLeft {
    /// The time left on the player's clock.
    pub clock: Duration,
    /// The number of the player's moves for which the time must last.
    pub moves: MovesLeft,
    /// The time that the next move costs in addition to our thinking time; see [`on_the_way`].
    pub on_the_way: Duration,
    /// The time that all later moves together cost in addition to our thinking time.
    pub further: Duration,
    /// The time that is kept back from the search as a safety margin; see [`reserve`].
    pub reserve: Duration,
    /// The rules for dividing the time among the moves.
    pub policy: Policy,
}

/// The known or estimated number of moves left in a game, including the next move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MovesLeft {
    /// The exact number of moves left. Later moves get more time, except for the last few.
    Counted {
        /// The number of the player's moves left.
        moves: u32,
        /// The number of the player's moves in the whole game.
        of: u32,
    },
    /// The estimated number of moves left. All moves get equal amounts of time.
    Forecast(f64),
}

impl MovesLeft {
    /// Divides `time` among the moves left and returns the next move's share.
    fn share(self, time: Duration) -> Duration {
        match self {
            MovesLeft::Counted { moves, of } => {
                let moves = moves.max(1);
                let all: f64 = (1..=moves).map(|moves| weight(moves, of)).sum();
                time.mul_f64(weight(moves, of) / all)
            }
            MovesLeft::Forecast(moves) => time.div_f64(moves),
        }
    }
}

/// Returns the weight of a move in a game of `of` moves. `moves_left` is the number of moves left, including this move.
fn weight(moves_left: u32, of: u32) -> f64 {
    if moves_left <= SOLVED_MOVES {
        return SOLVED_WEIGHT;
    }
    let progress = 1.0 - f64::from(moves_left) / f64::from(of.max(moves_left));
    FIRST_WEIGHT + (LAST_WEIGHT - FIRST_WEIGHT) * progress
}

/// The rules for dividing a player's time among the moves of a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy {
    /// The part of the time on the clock that neither [`TimeLeft::on_the_way`] nor the reserve alone can use up.
    /// Amounts that would leave less than this part are reduced.
    pub least_of_clock: f64,
    /// The part of the time outside the reserve that is always divided among the searches, even if
    /// [`TimeLeft::further`] would leave them less.
    pub least_for_searches: f64,
    /// The soft time limit of a move, as a multiple of the move's share of the time. After it, the search starts no new
    /// work.
    pub soft_shares: f64,
    /// The hard time limit of a move, as a multiple of the move's share of the time. At this limit, the search is
    /// aborted.
    pub hard_shares: f64,
}

/// The default values assume that after the soft limit, finishing the work that has been started takes about as long as
/// the search until then.
impl Default for Policy {
    fn default() -> Self {
        Self {
            least_of_clock: 0.25,
            least_for_searches: 0.25,
            soft_shares: 0.7,
            hard_shares: 2.0,
        }
    }
}

impl TimeLeft {
    /// Returns the time left for an agent in this process whose clock began with `total`. Such an agent uses its time
    /// only for searching: its moves use no network and do not wait for a thread of another process.
    pub fn in_process(clock: Duration, total: Duration, moves: MovesLeft) -> Self {
        Self {
            clock,
            moves,
            on_the_way: Duration::ZERO,
            further: Duration::ZERO,
            reserve: reserve(total, &Delays::default()),
            policy: Policy::default(),
        }
    }

    fn reserve(&self) -> Duration {
        let most = self.clock.mul_f64(1.0 - self.policy.least_of_clock);
        self.reserve.min(most)
    }

    /// Divides the time left among the moves left. Returns two times for the next move: after the first, the search
    /// starts no new work, and after the second, it is aborted. The second time may exceed the move's share.
    pub fn divide(&self) -> (Duration, Duration) {
        let policy = self.policy;
        let reachable = self
            .clock
            .saturating_sub(self.on_the_way)
            .max(self.clock.mul_f64(policy.least_of_clock));
        let last = reachable.saturating_sub(self.reserve());
        let for_searches = last
            .saturating_sub(self.further)
            .max(last.mul_f64(policy.least_for_searches));
        let share = self.moves.share(for_searches);
        let hard = share.mul_f64(policy.hard_shares).min(last);
        (share.mul_f64(policy.soft_shares).min(hard), hard)
    }

    /// Returns the deadlines of a move for which the clock began to run at `start`. The deadlines are in order even if
    /// no time is left; a move is then found and sent at once.
    pub fn budget(&self, start: Instant) -> Budget {
        let (soft, hard) = self.divide();
        Budget {
            start,
            soft: start + soft,
            hard: start + hard,
            reply: start + hard + self.reserve().mul_f64(1.0 - LAST_CALL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    /// Returns the time left of a player that has `clock` on its clock and sets nothing aside.
    fn left(clock: Duration, moves: u32) -> TimeLeft {
        TimeLeft {
            clock,
            moves: MovesLeft::Counted { moves, of: moves },
            on_the_way: Duration::ZERO,
            further: Duration::ZERO,
            reserve: Duration::ZERO,
            policy: Policy::default(),
        }
    }

    #[test]
    fn shares_are_even_but_for_a_modest_rise_and_hardly_anything_for_the_last_moves() {
        let mut clock = GameClock::new(60_000 * MILLISECOND);
        let mut spent = Vec::new();
        for moves in (1..=49).rev() {
            let left = TimeLeft {
                moves: MovesLeft::Counted { moves, of: 49 },
                ..left(clock.remaining(), moves)
            };
            // On average, a search uses exactly its move's share of the time.
            let used = left.divide().0.mul_f64(1.0 / left.policy.soft_shares);
            clock.charge(used);
            spent.push(used.as_secs_f64() * 49.0 / 60.0);
        }
        assert!((0.6..0.7).contains(&spent[0]), "{spent:?}");
        assert!((1.0..1.1).contains(&spent[22]), "{spent:?}");
        assert!((1.4..1.5).contains(&spent[44]), "{spent:?}");
        assert!(spent[45] < 0.4, "{spent:?}");
        assert!(spent[..45].is_sorted(), "{spent:?}");
    }

    #[test]
    fn a_game_of_moves_that_all_overspend_keeps_time_for_its_end() {
        let mut clock = GameClock::new(60_000 * MILLISECOND);
        for moves in (6..=49).rev() {
            let left = TimeLeft {
                moves: MovesLeft::Counted { moves, of: 49 },
                ..left(clock.remaining(), moves)
            };
            clock.charge(left.divide().0.mul_f64(2.0));
        }
        // The last move that is not solved at once gets more than a third of the time that an equal division would give
        // it.
        let moves = MovesLeft::Counted { moves: 5, of: 49 };
        assert!(moves.share(clock.remaining()) > 60_000 * MILLISECOND / 49 / 3);
    }

    #[test]
    fn the_last_move_may_take_all_but_the_reserve() {
        let start = Instant::now();
        let reserve = 60 * MILLISECOND;
        let left = TimeLeft {
            reserve,
            ..left(200 * MILLISECOND, 1)
        };
        let given = left.budget(start);
        assert_eq!(given.soft - start, 98 * MILLISECOND);
        assert_eq!(given.hard - start, 140 * MILLISECOND);
        assert_eq!(given.reply - start, 158 * MILLISECOND);
    }

    #[test]
    fn ten_milliseconds_leave_time_to_think_and_to_reply() {
        let start = Instant::now();
        let clock = 10 * MILLISECOND;
        let reserve = reserve(clock, &Delays::default());
        let left = TimeLeft {
            reserve,
            ..left(clock, 1)
        };
        let given = left.budget(start);
        assert!(given.hard - start >= 2 * MILLISECOND);
        assert!(given.reply - start < 5 * MILLISECOND);
    }

    proptest! {
        #[test]
        fn deadlines_are_in_order_and_before_the_clock_runs_out(
            clock in 0u64..100_000_000, moves in 0u32..700, of in 0u32..700,
            on_the_way in 0u64..500_000, reserve in 0u64..1_000_000,
        ) {
            let start = Instant::now();
            let left = TimeLeft {
                clock: Duration::from_micros(clock),
                moves: MovesLeft::Counted { moves, of },
                on_the_way: Duration::from_micros(on_the_way),
                further: Duration::from_micros(on_the_way) * moves.saturating_sub(1),
                reserve: Duration::from_micros(reserve),
                policy: Policy::default(),
            };
            let given = left.budget(start);
            prop_assert!(start <= given.soft);
            prop_assert!(given.soft <= given.hard);
            prop_assert!(given.hard <= given.reply);
            prop_assert!(given.reply <= start + left.clock);
        }

        #[test]
        fn a_game_of_moves_at_their_hard_limit_stays_within_its_clock(
            total in 1u64..60_000, moves in 1u32..50, delay in 0u32..100,
        ) {
            let start = Instant::now();
            let total = Duration::from_millis(total);
            let mut clock = GameClock::new(total);
            let mut delays = Delays::default();
            delays.observe(delay * MILLISECOND);
            let reserve = reserve(total, &delays);
            for moves in (1..=moves).rev() {
                let left = TimeLeft { reserve, ..left(clock.remaining(), moves) };
                clock.charge(left.budget(start).reply - start);
            }
            prop_assert_eq!(clock.overrun(), None);
        }
    }
}
