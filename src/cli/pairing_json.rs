//! Two agents' results and a test's state as JSON, the same from the arena and from its report.

use serde::Serialize;

use turnwise_arena::records::{GameSettings, Sprt};
use turnwise_arena::strength::goals::Goals;
use turnwise_arena::strength::sprt::{Running, Verdict};
use turnwise_arena::strength::tally::Tally;
use turnwise_engine::statistics::Estimate;

/// One pairing. An estimate is its value and the ends of its 95 % interval, all finite; null without
/// enough pairs to tell.
#[derive(Debug, Serialize)]
pub(super) struct PairingJson<'a> {
    first: &'a str,
    second: &'a str,
    pairs: u64,
    pairs_won_drawn_lost: [u64; 3],
    pentanomial: [u64; 5],
    points: Option<[f64; 3]>,
    elo: Option<[f64; 3]>,
    games_won_drawn_lost: [u64; 3],
    first_role: &'static str,
    role_points: [f64; 2],
    faults: [u32; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    goals: Option<[GoalsJson; 2]>,
    timed_pairs: u64,
    wall_s: [f64; 2],
    cpu_s: [f64; 2],
}

/// Value, lower and upper end.
pub(super) fn interval(estimate: Estimate) -> [f64; 3] {
    [estimate.value, estimate.lower, estimate.upper]
}

impl<'a> PairingJson<'a> {
    /// The results of two agents in pairs of this game.
    pub fn new([first, second]: [&'a str; 2], tally: &Tally, game: &GameSettings) -> Self {
        Self {
            first,
            second,
            pairs: tally.score.count(),
            pairs_won_drawn_lost: tally.score.pairs.wins_draws_losses(),
            pentanomial: tally.score.pairs.0,
            points: tally.score.estimate(game.about().scoring).map(interval),
            elo: tally.score.pairs.elo().map(interval),
            games_won_drawn_lost: tally.games,
            first_role: game.roles()[0],
            role_points: tally.role_points,
            faults: tally.faults,
            goals: (tally.goals.iter().any(|goals| goals.games > 0))
                .then(|| tally.goals.map(GoalsJson::from)),
            timed_pairs: tally.timed,
            wall_s: tally.wall_s,
            cpu_s: tally.cpu_s,
        }
    }
}

/// Games won on the board.
#[derive(Debug, Serialize)]
struct GoalsJson {
    games: u64,
    own_moves: Option<f64>,
    margin: Option<f64>,
    least_margin: Option<u32>,
}

impl From<Goals> for GoalsJson {
    fn from(goals: Goals) -> Self {
        Self {
            games: goals.games,
            own_moves: goals.means().map(|[moves, _]| moves),
            margin: goals.means().map(|[_, margin]| margin),
            least_margin: goals.least_margin,
        }
    }
}

/// A sequential test. Its hypotheses are about the first agent of the only pairing.
#[derive(Debug, Serialize)]
pub(super) struct TestJson {
    #[serde(flatten)]
    hypotheses: Sprt,
    llr: f64,
    bounds: (f64, f64),
    accepted: Option<&'static str>,
}

impl TestJson {
    /// The state of this test.
    pub fn new(test: &Running) -> Self {
        Self {
            hypotheses: test.test(),
            llr: test.ratio(),
            bounds: test.test().bounds(),
            accepted: test.verdict().map(|(verdict, _)| match verdict {
                Verdict::Lower => "H0",
                Verdict::Upper => "H1",
            }),
        }
    }
}
