//! Tests that forecasts of final scores match the results of games, and that reporting forecasts changes no moves.

use std::path::Path;

use crate::support::{json_lines, run, stderr, stdout};
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use turnwise_engine::agent::Agent;
use turnwise_engine::game::Game;
use turnwise_engine::search::{Control, Limits};
use turnwise_engine::statistics::Sample;
use turnwise_entropy::evaluated::Evaluated;
use turnwise_entropy::evaluation::{self, number_of_values};
use turnwise_entropy::forecast::Forecast;
use turnwise_entropy::rules::{Phase, Position, Rules};
use turnwise_entropy::search_agent::SearchAgent;
use turnwise_entropy::train::calibration::{self, PARTS, Plan, Played};
use turnwise_entropy::weights::{About, FORMAT, Weights, best_known, released};

/// Plays games with a seed that was not used to calibrate the forecasts.
fn held_out(size: u8, games: u64, nodes: u64) -> Vec<Played> {
    let plan = Plan {
        seed: 2026,
        games,
        nodes,
        pass: false,
    };
    let weights = released(size).expect("released for this size");
    let forecast = weights.forecast.as_ref().expect("released with a forecast");
    assert_ne!(forecast.seed, plan.seed, "these games are not held out");
    let evaluation = Arc::new(weights.into_evaluation());
    calibration::games(&evaluation, plan, 2, &|_| true).expect("nobody stops them")
}

/// Asserts that forecasts are unbiased.
///
/// In each fifth of the games' course, forecasts must be within two points of the final scores on average.
fn is_unbiased(size: u8, games: u64, nodes: u64) {
    let games = held_out(size, games, nodes);
    let errors = calibration::errors(&games, |finding| {
        Some(finding.forecast.expect("a forecast of every move"))
    });
    for (part, error) in errors.iter().enumerate() {
        let told = format!("{size}, fifth {part}: {error:?}");
        assert_eq!(error.count(), games.len() as u64);
        assert!(error.mean().abs() < 2.0, "{told}");
        // The assertion above is meaningful only if two points are at least three standard errors.
        assert!(error.half_width() < 1.3, "{told}");
    }
    // Measured in this way, the search's own values are biased, which shows that the assertion above can fail.
    let values = calibration::errors(&games, |finding| Some(finding.value));
    assert!(values[0].mean() < -2.0, "{values:?}");
}

#[test]
fn forecasts_are_unbiased_in_each_fifth_of_held_out_games_on_5x5() {
    is_unbiased(5, 200, 3_000);
}

#[test]
fn forecasts_are_unbiased_in_each_fifth_of_held_out_games_on_6x6() {
    is_unbiased(6, 100, 3_000);
}

#[test]
fn forecasts_are_unbiased_in_each_fifth_of_held_out_games_on_7x7() {
    is_unbiased(7, 120, 5_000);
}

/// The luck that is subtracted from scores is zero on average, and without the luck, scores scatter less.
#[test]
fn scores_without_luck_have_the_same_mean_and_scatter_less() {
    let games = held_out(5, 150, 500);
    let gain_from_start = |game: &Played| f64::from(game.moves[0].gain);
    let with_luck = |game: &Played| f64::from(game.score - game.moves[0].value);
    let luck: Sample = (games.iter())
        .map(|game| with_luck(game) - gain_from_start(game))
        .collect();
    assert!(luck.deviation() > 1.0, "{luck:?}");
    assert!(luck.mean().abs() < 1.5 * luck.half_width(), "{luck:?}");
    let scatter =
        |of: &dyn Fn(&Played) -> f64| games.iter().map(of).collect::<Sample>().deviation();
    assert!(scatter(&gain_from_start) < 0.95 * scatter(&with_luck));
}

#[test]
fn gains_are_the_means_of_what_findings_gained() {
    let games = held_out(5, 12, 200);
    for game_phase in evaluation::GamePhase::ALL {
        let gains = calibration::gains(&games, 5, game_phase);
        assert_eq!((gains.len(), gains[25]), (26, 0));
        for tiles in 1..25u16 {
            let met: Vec<f32> = (games.iter())
                .flat_map(|game| game.moves.iter().chain(&game.beside))
                .filter(|finding| (finding.tiles, finding.game_phase) == (tiles, game_phase))
                .map(|finding| finding.gain)
                .collect();
            let told = gains[usize::from(tiles)] as f32 / 100.0;
            match met.len() {
                0 => assert_eq!(told, gains[usize::from(tiles) + 1] as f32 / 100.0),
                count => {
                    let mean = met.iter().sum::<f32>() / count as f32;
                    assert!((told - mean).abs() < 0.01, "{told} for {mean}");
                }
            }
        }
    }
}

/// Returns a position in which a player must move, after `events` random events.
fn random_position(size: u8, events: usize, random: &mut Xoshiro256PlusPlus) -> Evaluated {
    let position = Position::new(Rules { size, pass: false });
    let mut game = Evaluated::new(position, best_known(size));
    for _ in 0..events {
        go_on(&mut game, random);
    }
    if game.position().phase() == Phase::Draw {
        go_on(&mut game, random);
    }
    game
}

/// Makes a random move or a random draw, whichever is due.
fn go_on(game: &mut Evaluated, random: &mut Xoshiro256PlusPlus) {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    let mut outcomes = Vec::new();
    if game.position().phase() == Phase::Draw {
        game.outcomes(&mut outcomes);
    }
    moves.extend(outcomes.into_iter().map(|(mv, _)| mv));
    game.make(moves[random.random_range(0..moves.len())]);
}

#[test]
fn the_horizon_is_where_so_many_plies_lead() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    for _ in 0..300 {
        let size = random.random_range(2..=5);
        let events = 3 * usize::from(size) * usize::from(size) - 2;
        let game = random_position(size, random.random_range(0..events), &mut random);
        for depth in 0..=game.plies_left() {
            let mut end = game.clone();
            for _ in 0..depth {
                if end.position().phase() == Phase::Draw {
                    go_on(&mut end, &mut random);
                }
                go_on(&mut end, &mut random);
            }
            let (tiles, game_phase) = game.horizon(depth);
            assert_eq!(tiles, end.tiles());
            if end.position().phase() != Phase::Over {
                assert_eq!(game_phase, end.game_phase());
            }
        }
        let last = game.plies_left();
        assert_eq!(game.horizon(last + 1), game.horizon(last));
    }
}

fn limits(nodes: u64) -> Limits {
    Limits {
        nodes,
        ..Limits::default()
    }
}

#[test]
fn moves_and_values_are_the_same_with_and_without_a_forecast() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    for size in [5, 6, 7] {
        let agent = |weights: Weights| {
            let evaluation = Arc::new(weights.into_evaluation());
            SearchAgent::with(1 << 20, Some(evaluation))
        };
        let with = released(size).expect("released for this size");
        let without = Weights {
            forecast: None,
            ..with.clone()
        };
        let (mut with, mut without) = (agent(with), agent(without));
        for _ in 0..8 {
            let position = random_position(size, random.random_range(0..45), &mut random);
            let position = position.position();
            let found = with.think(position, limits(2_000), &Control::new());
            let same = without.think(position, limits(2_000), &Control::new());
            assert_eq!(found, same);
            assert_eq!(without.forecast(position, &found), None);
            let forecast = with.forecast(position, &found).expect("a forecast");
            assert!(forecast.is_finite());
        }
    }
}

/// For board sizes without a calibrated forecast, a score is stated only if the search reaches the end of the game.
#[test]
fn a_score_is_told_only_where_it_is_known() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut agent = SearchAgent::default();
    for size in [8, 9] {
        let opening = random_position(size, 3, &mut random);
        let found = agent.think(opening.position(), limits(500), &Control::new());
        assert!(!found.solved);
        assert_eq!(agent.forecast(opening.position(), &found), None);
    }
    for size in [3, 4, 5] {
        let last = 3 * usize::from(size) * usize::from(size) - 5;
        let end = random_position(size, last, &mut random);
        let found = agent.think(end.position(), limits(1_000_000), &Control::new());
        assert!(found.solved);
        assert_eq!(agent.forecast(end.position(), &found), Some(found.value));
    }
}

/// Returns weights for 3x3 boards according to which all positions have equal values.
fn small_weights(forecast: Option<Forecast>) -> Weights {
    Weights {
        about: About {
            format: FORMAT,
            name: "mine".to_owned(),
            size: 3,
            command: "none".to_owned(),
            games: 0,
        },
        forecast,
        values: vec![100; number_of_values(3)],
    }
}

#[test]
fn a_forecast_that_does_not_fit_is_refused() {
    let fits = Forecast {
        format: 1,
        name: "mine-forecast-1".to_owned(),
        command: "turnwise entropy calibrate mine".to_owned(),
        games: 4,
        nodes: 9,
        seed: 1,
        before_draw: (0..10).rev().collect(),
        before_slide: (0..10).rev().collect(),
    };
    let read = |forecast: &Forecast| {
        let bytes = small_weights(Some(forecast.clone())).to_bytes();
        Weights::from_bytes(&bytes).map(|weights| weights.forecast)
    };
    assert_eq!(read(&fits).expect("it fits"), Some(fits.clone()));
    let misfits: [fn(&mut Forecast); 4] = [
        |forecast| forecast.format = 2,
        |forecast| forecast.before_draw.truncate(9),
        |forecast| forecast.before_slide.push(0),
        |forecast| forecast.before_draw[9] = 5,
    ];
    for spoil in misfits {
        let mut spoiled = fits.clone();
        spoil(&mut spoiled);
        let error = read(&spoiled).expect_err("it does not fit").to_string();
        assert!(error.contains("expected a forecast of format 1 for 3 rows"));
    }
}

fn weights_in(file: &Path) -> Weights {
    Weights::from_bytes(&std::fs::read(file).expect("a file")).expect("weights")
}

#[test]
fn the_command_writes_a_forecast_beside_the_weights_and_tests_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    for file in [&one, &other] {
        std::fs::write(file, small_weights(None).to_bytes()).expect("written");
    }
    let file = one.to_str().expect("a path");
    let few = ["--games", "6", "--nodes", "50"];
    let calibrate = |file: &str, more: &[&str]| {
        run(&[&["entropy", "calibrate", file][..], &few, more].concat())
    };

    let unknown = calibrate(file, &["--check"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(stderr(&unknown).contains("contains no forecast to test"));

    assert!(calibrate(file, &["--jobs", "1"]).status.success());
    let second = other.to_str().expect("a path");
    assert!(calibrate(second, &["--jobs", "3"]).status.success());
    let (made, again) = (weights_in(&one), weights_in(&other));
    let bare = small_weights(None);
    assert_eq!((&made.values, &made.about), (&bare.values, &bare.about));
    let forecast = made.forecast.expect("it was made");
    let again = again.forecast.expect("it was made");
    assert_eq!(forecast.before_draw, again.before_draw);
    assert_eq!(forecast.before_slide, again.before_slide);
    assert_eq!(forecast.name, "mine-forecast-1");
    assert!(forecast.command.starts_with("turnwise entropy calibrate "));
    assert_eq!((forecast.games, forecast.nodes, forecast.seed), (6, 50, 1));

    let before = std::fs::read(&one).expect("there");
    let tested = calibrate(file, &["--check"]);
    assert!(tested.status.success(), "{tested:?}");
    let told = stdout(&tested);
    assert!(told.starts_with("mine-forecast-1: 6 games with 50 nodes a move, seed 2,"));
    assert_eq!(told.lines().count(), 3 + PARTS, "{told}");
    assert_eq!(std::fs::read(&one).expect("there"), before);
    let same_games = calibrate(file, &["--check", "--seed", "1"]);
    assert_eq!(same_games.status.code(), Some(2));
    assert!(stderr(&same_games).contains("expected a seed other than 1"));
}

/// Plays a match on boards of this size in the arena, and returns the move records from the log.
fn arena_moves(size: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let log = log.to_str().expect("a path");
    let output = run(&[
        "arena", "turnwise", "holes", "--size", size, "--nodes", "200", "--pairs", "1", "--log",
        log,
    ]);
    assert!(output.status.success(), "{output:?}");
    let mut records = json_lines(&std::fs::read_to_string(log).expect("a log"));
    records.retain(|record| record["event"] == "move");
    records
}

#[test]
fn a_log_has_values_and_only_true_scores() {
    let of = |agent: &'static str| move |mv: &&Value| mv["agent"] == agent;
    let moves = arena_moves("5");
    for mv in moves.iter().filter(of("turnwise")) {
        assert!(mv["score"].is_number() && mv["value"].is_number(), "{mv}");
    }
    let first = (moves.iter().find(of("turnwise"))).expect("it has moved");
    let above = first["score"].as_f64() > first["value"].as_f64().map(|value| value + 5.0);
    assert!(above, "an empty board's value is no score: {first}");
    for mv in moves.iter().filter(of("holes")) {
        assert!(mv["score"].is_null() && mv["value"].is_number(), "{mv}");
    }
    let small = arena_moves("8");
    let early = |mv: &&Value| mv["ply"].as_u64() < Some(8);
    for mv in small.iter().filter(of("turnwise")).filter(early) {
        assert!(mv["score"].is_null() && mv["value"].is_number(), "{mv}");
    }
}
