//! From the time that is left in a game to the deadlines of one move. Pure: every instant is passed
//! in, so that tests need no waiting.

mod lateness;

use std::time::Duration;

use crate::instant::Instant;
pub use lateness::{Delays, Start, on_the_way, reserve};

/// The part of the reserve that is left when the reply goes out without waiting for the search.
const LAST_CALL: f64 = 0.7;
/// The weight of a game's first move and, rising in a straight line, of its last one: the fuller the
/// board, the more a move decides, and the deeper a search sees.
const FIRST_WEIGHT: f64 = 0.6;
const LAST_WEIGHT: f64 = 1.4;
/// With at most so many moves left a game is searched to its end in no time.
const SOLVED_MOVES: u32 = 4;
/// The weight of each of those last moves.
const SOLVED_WEIGHT: f64 = 0.3;

/// A player's clock in one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameClock {
    total: Duration,
    used: Duration,
}

impl GameClock {
    /// A clock with all of its time left.
    pub fn new(total: Duration) -> Self {
        Self {
            total,
            used: Duration::ZERO,
        }
    }

    /// Takes the time that was used off the clock.
    pub fn charge(&mut self, used: Duration) {
        self.used += used;
    }

    /// Time used so far.
    pub fn used(&self) -> Duration {
        self.used
    }

    /// Time left; zero if overrun.
    pub fn remaining(&self) -> Duration {
        self.total.saturating_sub(self.used)
    }

    /// By how much the clock is overrun.
    pub fn overrun(&self) -> Option<Duration> {
        self.used
            .checked_sub(self.total)
            .filter(|over| !over.is_zero())
    }
}

/// The deadlines of one move, in order: soft <= hard <= reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// When the time began to run.
    pub start: Instant,
    /// Soft deadline: from this instant on the search begins nothing new.
    pub soft: Instant,
    /// Hard deadline: at this instant the search is cancelled.
    pub hard: Instant,
    /// At this instant the best move so far is sent, whether or not the search has answered.
    pub reply: Instant,
}

/// The time that a player has left in a game, and what must be kept of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeLeft {
    /// What the clock shows.
    pub clock: Duration,
    /// How many moves the time has to last for.
    pub moves: MovesLeft,
    /// What the move to be made costs besides our own time, see [`on_the_way`].
    pub on_the_way: Duration,
    /// What all moves behind it cost besides their searches.
    pub further: Duration,
    /// What the search never gets, see [`reserve`].
    pub reserve: Duration,
    /// How it is spent.
    pub policy: Policy,
}

/// What is known of the moves left in a game, the one to be made included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MovesLeft {
    /// Their number, of so many in the whole game: later ones weigh more.
    Counted {
        /// How many of the player's moves are left.
        moves: u32,
        /// Those of the whole game.
        of: u32,
    },
    /// About so many, all of the same weight.
    Forecast(f64),
}

impl MovesLeft {
    /// What the move to be made gets of this time.
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

/// What a move with so many left, itself included, is worth in time against others of a game of `of`.
fn weight(moves_left: u32, of: u32) -> f64 {
    if moves_left <= SOLVED_MOVES {
        return SOLVED_WEIGHT;
    }
    let progress = 1.0 - f64::from(moves_left) / f64::from(of.max(moves_left));
    FIRST_WEIGHT + (LAST_WEIGHT - FIRST_WEIGHT) * progress
}

/// How a game's time is spent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy {
    /// The part of the clock that the search may use, whatever the reserve.
    pub least_of_clock: f64,
    /// The part of what the reserve leaves that is divided among searches, whatever else moves cost.
    pub least_for_searches: f64,
    /// The part of a move's share after which the search begins nothing new.
    pub soft_shares: f64,
    /// How many shares one move may take at most.
    pub hard_shares: f64,
}

/// What a search has begun takes about as long again.
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
    /// The time left to an agent in this process, of a clock that began with `total`. Its moves cost nothing
    /// besides their searches: they go through no network, and no thread of another process is waited for.
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

    /// Divides the time left among the moves left: how long the search begins something new, and when it
    /// is broken off. It gets its share of the time, and more in need.
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

    /// The deadlines of a move whose time began to run at `start`. Even with nothing left they are in
    /// order, so that a move is found and sent at once.
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

    /// So much on the clock, and nothing that has to be kept.
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
            // Searches take a share on average.
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
        // A third of the even share and more for the last one that is not solved at once.
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
