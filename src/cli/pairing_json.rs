//! Formats the results of two agents and the state of a sequential test as JSON, for the arena and for reports.

use serde_json::{Value, json};

use turnwise_arena::records::GameSettings;
use turnwise_arena::strength::goals::Goals;
use turnwise_arena::strength::sprt::{Running, Verdict};
use turnwise_arena::strength::tally::Tally;
use turnwise_engine::statistics::Estimate;

/// Returns an estimate as three numbers: the value, the lower end of the interval and the upper end.
pub(super) fn interval(estimate: Estimate) -> [f64; 3] {
    [estimate.value, estimate.lower, estimate.upper]
}

/// Returns the results of the pairs that two agents played against each other, as a JSON object.
///
/// An estimate is an array with the value and both ends of the 95 % interval. The ends are `null` with too few pairs for
/// an interval, and the estimate is `null` without pairs.
pub(super) fn pairing(first: &str, second: &str, tally: &Tally, game: &GameSettings) -> Value {
    let mut pairing = json!({
        "first": first,
        "second": second,
        "pairs": tally.score.count(),
        "pairs_won_drawn_lost": tally.score.pairs.wins_draws_losses(),
        "pentanomial": tally.score.pairs.0,
        "points": tally.score.mean_and_ends(game.about().scoring),
        "elo": tally.score.pairs.elo().map(interval),
        "games_won_drawn_lost": tally.games,
        "first_role": game.roles()[0],
        "role_points": tally.role_points,
        "faults": tally.faults,
        "timed_pairs": tally.timed,
        "wall_s": tally.wall_s,
        "cpu_s": tally.cpu_s,
        "pondered_s": tally.pondered_s,
        "games_played_again": tally.busy[0],
        "games_late_again": tally.busy[1],
    });
    if tally.goals.iter().any(|goals| goals.games > 0) {
        pairing["goals"] = json!(tally.goals.each_ref().map(goals));
    }
    pairing
}

/// Returns statistics about the games that were won on the board, as a JSON object.
fn goals(goals: &Goals) -> Value {
    let [moves, margin] = [0, 1].map(|at| goals.means().map(|means| means[at]));
    json!({
        "games": goals.games,
        "own_moves": moves,
        "margin": margin,
        "least_margin": goals.least_margin,
    })
}

/// Returns the state of a sequential test, as a JSON object. Its hypotheses are about the first of the match's two
/// agents.
pub(super) fn test(test: &Running) -> Value {
    let mut state = json!(test.test);
    state["llr"] = json!(test.ratio());
    state["bounds"] = json!(test.test.bounds());
    state["accepted"] = json!(test.verdict().map(|(verdict, _)| match verdict {
        Verdict::Lower => "H0",
        Verdict::Upper => "H1",
    }));
    state
}
