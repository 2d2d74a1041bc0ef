//! From the time left to the deadlines of a move: how many moves the game probably still has, and what
//! is kept back.

use std::time::Duration;

use turnwise_engine::clock::{MovesLeft, Policy, TimeLeft};
use turnwise_protocol::halma::Mode;

use crate::rules::{Color, Position};

/// More time than this is not used up anyway.
const LONGEST: Duration = Duration::from_secs(100_000);
/// Kept back for writing the answer and ending, of much time and of little; and the part of the time
/// left that the widest beam which fits into it may need for one of its moves, between two looks at
/// the clock.
const GUARD_MOST: Duration = Duration::from_millis(50);
const BEAM_SHARE: f64 = 0.01;
const GUARD_SHARE: f64 = 0.35;
/// What a move costs besides its search where no process is started for it.
const OVERHEAD: Duration = Duration::from_millis(2);
/// The part of the time left that the search gets in any case: nine tenths of it may go to be ready in
/// time, and four fifths of the rest to what the moves cost besides their searches.
const GAME: Policy = Policy {
    least_of_clock: 0.1,
    least_for_searches: 0.2,
    soft_shares: 1.0,
    hard_shares: 2.5,
};
/// Of one move alone: more helps little.
const SINGLE: Policy = Policy {
    soft_shares: 0.6,
    hard_shares: 1.0,
    ..GAME
};
/// Progress that a move of a game brings on average, and moves kept in reserve. The last moves are those
/// of a race, whose plan is known: they take next to nothing.
const PROGRESS_A_MOVE: f64 = 10.0;
const MOVES_IN_RESERVE: f64 = 4.0;
/// For so many moves more than are foreseen what they cost besides their search is kept back.
const MOVES_UNFORESEEN: f64 = 8.0;
/// A piece of the opponent that stays at home is in the way of ours: more moves for each.
const MOVES_A_STAYING_PIECE: f64 = 1.5;
/// An opponent slower than this is not waited for, and one that seems nearly there may yet be held up:
/// that makes the game at most so much shorter.
const SLOWEST_PACE: f64 = 1.0;
const SHORTENED_AT_MOST: f64 = 0.5;

/// What is known beforehand of the moves that are left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// What every further move of a game costs besides its search.
    pub overhead: Duration,
    /// How much later than its hard limit a search may end.
    pub late: Duration,
    /// The progress that the opponent makes with a move, if that can be told.
    pub opponent_pace: Option<f64>,
}

/// What holds before anything was measured: the usual overhead, no delays, no pace.
impl Default for Forecast {
    fn default() -> Self {
        Self {
            overhead: OVERHEAD,
            late: Duration::ZERO,
            opponent_pace: None,
        }
    }
}

/// The search's share of the time that is left: soft and hard limit, in CPU time from now on.
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

/// How many more moves the player to move will probably make: until either is there.
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

/// The opponent's pieces that are still at home when as many of ours have arrived there.
fn staying(position: &Position) -> f64 {
    let mover = position.to_move();
    let [own, theirs] =
        [mover, mover.other()].map(|color| (position.pieces(color) & mover.goal()).count());
    f64::from(own.min(theirs))
}

/// The progress that a player's pieces still have to make, roughly.
fn missing(position: &Position, color: Color) -> f64 {
    let outside = position.pieces(color) & !color.goal();
    let missing: i32 = outside
        .into_iter()
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
        // A slower one, or one that goes backwards, makes it no longer: our own pieces arrive.
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
