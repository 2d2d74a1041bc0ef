//! From the time that is left in a game to the deadlines of one move. Pure: every instant is passed
//! in, so that tests need no waiting.

use std::time::{Duration, Instant};

/// The part of the time left that is kept back for getting the reply out, before limits.
const GUARD_SHARE: f64 = 0.3;
/// The least that is kept back for it, as long as that leaves a quarter of the time: about what a
/// busy machine takes to wake a sleeping thread.
const GUARD_LEAST: Duration = Duration::from_millis(8);
/// The most that is kept back for it: some scheduler slices of a busy machine for us to wake up, and
/// some for the server. It is kept back once a game, so it costs the search next to nothing.
const GUARD_MOST: Duration = Duration::from_millis(60);
/// The part of the guard that is left when the reply goes out without waiting for the search.
const LAST_CALL: f64 = 0.7;
/// How many even shares of the time one move may take at most.
const SHARES_AT_MOST: f64 = 3.0;

/// What a move costs on the clock that nobody on our side sees: sockets, and the server's own work
/// before it looks at its clock.
const UNSEEN: Duration = Duration::from_micros(500);
/// The part of the clock that all of that may be believed to cost: a latency is measured once, and
/// whatever held it up must not cost a game.
const MOST_ON_THE_WAY: f64 = 0.1;

/// What each of so many moves is taken to cost besides our own time, by the way to and from the server
/// as measured.
pub fn on_the_way(measured: Duration, total: Duration, moves: u32) -> Duration {
    let most = total.mul_f64(MOST_ON_THE_WAY) / moves.max(1);
    measured.max(UNSEEN).min(most)
}

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

    /// Takes used time off.
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
    /// From here on nothing new is begun.
    pub soft: Instant,
    /// Here the search is broken off.
    pub hard: Instant,
    /// Here the best move so far is sent, whether or not the search has answered.
    pub reply: Instant,
}

/// Divides the time left among the moves left.
///
/// `start` is when the time for this move began to run, `moves_left` counts this move too, and
/// `latency` is what every move costs on the way to and from the server. The search gets an even
/// share of the time, up to three in need; a guard is kept back for the reply. Even with nothing
/// left the deadlines are in order, so that a move is found and sent at once.
pub fn budget(start: Instant, remaining: Duration, moves_left: u32, latency: Duration) -> Budget {
    let guard = remaining
        .mul_f64(GUARD_SHARE)
        .clamp(GUARD_LEAST, GUARD_MOST)
        .min(remaining.mul_f64(0.75));
    let reachable = remaining.saturating_sub(latency).max(remaining / 4);
    let last = reachable.saturating_sub(guard);
    let moves_left = moves_left.max(1);
    let on_the_way = latency * (moves_left - 1);
    let spendable = last.saturating_sub(on_the_way).max(last / 4);
    let share = spendable / moves_left;
    let most = share.mul_f64(SHARES_AT_MOST);
    Budget {
        start,
        soft: start + share,
        hard: start + most.min(last),
        reply: start + most.min(last) + guard.mul_f64(1.0 - LAST_CALL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    #[test]
    fn an_even_share_is_soft_and_three_are_hard() {
        let start = Instant::now();
        let given = budget(start, 60_000 * MILLISECOND, 25, Duration::ZERO);
        let share = (60_000 - 60) * MILLISECOND / 25;
        assert_eq!(given.soft - start, share);
        assert_eq!(given.hard - start, share * 3);
    }

    #[test]
    fn a_latency_is_believed_up_to_a_tenth_of_the_clock() {
        let clock = 10_000 * MILLISECOND;
        assert_eq!(on_the_way(20 * MILLISECOND, clock, 25), 20 * MILLISECOND);
        assert_eq!(on_the_way(900 * MILLISECOND, clock, 25), 40 * MILLISECOND);
        assert_eq!(on_the_way(Duration::ZERO, clock, 25), UNSEEN);
        assert_eq!(
            on_the_way(Duration::ZERO, 100 * MILLISECOND, 676),
            10 * MILLISECOND / 676
        );
    }

    #[test]
    fn the_last_move_may_take_all_but_the_guard() {
        let start = Instant::now();
        let given = budget(start, 200 * MILLISECOND, 1, Duration::ZERO);
        assert_eq!(given.soft - start, 140 * MILLISECOND);
        assert_eq!(given.hard - start, 140 * MILLISECOND);
        assert_eq!(given.reply - start, 158 * MILLISECOND);
    }

    #[test]
    fn ten_milliseconds_leave_time_to_think_and_to_reply() {
        let start = Instant::now();
        let given = budget(start, 10 * MILLISECOND, 1, Duration::ZERO);
        assert!(given.hard - start >= 2 * MILLISECOND);
        assert!(given.reply - start < 5 * MILLISECOND);
    }

    proptest! {
        #[test]
        fn deadlines_are_in_order_and_before_the_clock_runs_out(
            remaining in 0u64..100_000_000, moves_left in 0u32..700, latency in 0u64..500_000,
        ) {
            let start = Instant::now();
            let remaining = Duration::from_micros(remaining);
            let given = budget(start, remaining, moves_left, Duration::from_micros(latency));
            prop_assert!(start <= given.soft);
            prop_assert!(given.soft <= given.hard);
            prop_assert!(given.hard <= given.reply);
            prop_assert!(given.reply <= start + remaining);
        }

        #[test]
        fn a_game_of_moves_at_their_hard_limit_stays_within_its_clock(
            total in 1u64..60_000, moves in 1u32..50,
        ) {
            let start = Instant::now();
            let mut clock = GameClock::new(Duration::from_millis(total));
            for left in (1..=moves).rev() {
                let given = budget(start, clock.remaining(), left, Duration::ZERO);
                clock.charge(given.reply - start);
            }
            prop_assert_eq!(clock.overrun(), None);
        }
    }
}
