//! Computes the deadlines of a move from the remaining time.
//!
//! The result depends on the estimated number of remaining moves and on the time held in reserve.

use std::time::Duration;

use turnwise_engine::clock::{MovesLeft, Policy, TimeLeft};
use turnwise_protocol::halma::Mode;

use crate::rules::{Color, Position};

/// The maximum of the remaining time. A longer remaining time is treated as if it were this long.
const LONGEST: Duration = Duration::from_secs(100_000);
/// Limits of the guard, which is the time reserved for writing the answer and exiting.
///
/// The guard is at most `GUARD_SHARE` of the remaining time, and at most `GUARD_MOST` plus `BEAM_SHARE` of the
/// remaining time. The widest affordable beam may need `BEAM_SHARE` of the remaining time between two checks of the
/// clock.
const GUARD_MOST: Duration = Duration::from_millis(50);
const BEAM_SHARE: f64 = 0.01;
const GUARD_SHARE: f64 = 0.35;
/// The time that a move costs in addition to its search, if no process starts for the move.
const OVERHEAD: Duration = Duration::from_millis(2);
/// The policy for dividing the time of a game among its moves. It guarantees the searches a minimum share.
///
/// Up to nine tenths of the clock may go to the reserve, and up to four fifths of the rest to the overhead of moves.
const GAME: Policy = Policy {
    least_of_clock: 0.1,
    least_for_searches: 0.2,
    soft_shares: 1.0,
    hard_shares: 2.5,
};
/// The policy for a single move. No iteration starts in the last tenth of the time, because it would be aborted.
const SINGLE: Policy = Policy {
    soft_shares: 0.9,
    hard_shares: 1.0,
    ..GAME
};
/// The assumed average progress of a move, in columns plus rows. `MOVES_IN_RESERVE` moves are added to each estimate.
///
/// The last moves of a game form a race whose plan is known, so they take almost no time.
const PROGRESS_A_MOVE: f64 = 10.0;
// The reserve and the whole shares in `GAME` were chosen by matches, against 8 moves and shares of 0.7: see
// docs/notes/halma.md.
const MOVES_IN_RESERVE: f64 = 4.0;
/// The number of unforeseen moves for which overhead is reserved.
const MOVES_UNFORESEEN: f64 = 8.0;
/// The additional moves to expect for each opposing piece that stays in its camp, in our way.
const MOVES_A_STAYING_PIECE: f64 = 1.5;
/// Limits on how the opponent's pace changes the estimated number of moves.
///
/// A slower pace than `SLOWEST_PACE` counts as `SLOWEST_PACE`. A fast opponent may still be delayed, so it shortens the
/// estimate at most to the share `SHORTENED_AT_MOST`.
const SLOWEST_PACE: f64 = 1.0;
const SHORTENED_AT_MOST: f64 = 0.5;

/// The expected costs of the remaining moves, and the opponent's pace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// The time that every further move of the game costs in addition to its search.
    pub overhead: Duration,
    /// The maximum time that a search takes beyond its hard limit.
    pub late: Duration,
    /// The opponent's progress per move, in columns plus rows, if known.
    pub opponent_pace: Option<f64>,
}

/// The values before any measurement: the usual overhead, no delay, and an unknown pace of the opponent.
impl Default for Forecast {
    fn default() -> Self {
        Self {
            overhead: OVERHEAD,
            late: Duration::ZERO,
            opponent_pace: None,
        }
    }
}

/// Returns the soft and the hard limit of a search, in CPU time from now.
pub fn budget(
    remaining: Duration,
    mode: Mode,
    position: &Position,
    forecast: Forecast,
) -> (Duration, Duration) {
    let clock = remaining.min(LONGEST);
    let guard = clock
        .mul_f64(GUARD_SHARE)
        .min(GUARD_MOST + clock.mul_f64(BEAM_SHARE));
    let (moves, further, policy) = match mode {
        Mode::Single => (1.0, Duration::ZERO, SINGLE),
        Mode::Game => {
            let moves = moves_left(position, forecast.opponent_pace);
            let overhead = forecast.overhead.mul_f64(moves + MOVES_UNFORESEEN);
            (moves, overhead, GAME)
        }
    };
    let left = TimeLeft {
        clock,
        moves: MovesLeft::Forecast(moves),
        on_the_way: Duration::ZERO,
        further,
        reserve: guard.max(forecast.late),
        policy,
    };
    left.divide()
}

/// Estimates how many moves the player to move still has to make until one player reaches the goal.
fn moves_left(position: &Position, opponent_pace: Option<f64>) -> f64 {
    let mover = position.to_move();
    let own = missing(position, mover) / PROGRESS_A_MOVE;
    let theirs = opponent_pace.map_or(f64::INFINITY, |pace| {
        missing(position, mover.other()) / pace.max(SLOWEST_PACE)
    });
    own.min(theirs.max(own * SHORTENED_AT_MOST))
        + MOVES_IN_RESERVE
        + MOVES_A_STAYING_PIECE * staying(position)
}

/// Returns the number of opposing pieces in the opponent's camp, but at most the number of our pieces there.
fn staying(position: &Position) -> f64 {
    let mover = position.to_move();
    let [own, theirs] =
        [mover, mover.other()].map(|color| (position.pieces(color) & mover.goal()).count());
    f64::from(own.min(theirs))
}

/// Returns a rough estimate of the progress that a player still has to make, in columns plus rows.
fn missing(position: &Position, color: Color) -> f64 {
    let outside = position.pieces(color) & !color.goal();
    let missing: i32 = outside
        .into_iter()
        // The mean progress of the squares in the goal is about 27.
        .map(|square| 27 - color.progress(square))
        .sum();
    f64::from(missing.max(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    const HUNDRED: Duration = Duration::from_secs(100);

    fn start() -> Position {
        Position::start(Color::Black, Rules::Addendum)
    }

    fn share(position: &Position, opponent_pace: Option<f64>) -> Duration {
        let forecast = Forecast {
            opponent_pace,
            ..Forecast::default()
        };
        budget(HUNDRED, Mode::Game, position, forecast).0
    }

    #[test]
    fn a_faster_opponent_makes_the_game_shorter_and_each_share_larger() {
        let unknown = share(&start(), None);
        assert_eq!(share(&start(), Some(PROGRESS_A_MOVE)), unknown);
        assert!(share(&start(), Some(15.0)) > unknown);
        // A slower opponent does not make the game longer, even if it moves backwards, because our own pieces arrive
        // anyway.
        for slow in [5.0, 0.0, -4.0] {
            assert_eq!(share(&start(), Some(slow)), unknown);
        }
    }

    #[test]
    fn an_opponent_that_seems_nearly_there_shortens_the_game_by_half_at_most() {
        let moves = moves_left(&start(), Some(1_000.0));
        let own = moves_left(&start(), None);
        assert_eq!(moves, (own - MOVES_IN_RESERVE) / 2.0 + MOVES_IN_RESERVE);
    }

    #[test]
    fn a_slow_machine_keeps_back_what_it_needs_and_never_all() {
        let remaining = Duration::from_millis(20);
        let last = |late: u64| {
            let late = Duration::from_millis(late);
            let forecast = Forecast {
                late,
                ..Forecast::default()
            };
            budget(remaining, Mode::Single, &start(), forecast).1
        };
        assert_eq!(last(0), Duration::from_millis(13));
        assert_eq!(last(5), Duration::from_millis(13));
        assert_eq!(last(12), Duration::from_millis(8));
        assert_eq!(last(900), Duration::from_millis(2));
    }
}
