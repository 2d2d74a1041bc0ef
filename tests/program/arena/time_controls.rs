//! Tests clocks, increments, fixed times per move and time odds.
//!
//! The tests check how much time each player has before each move.

use serde_json::Value;

use super::{PLAYER, arena, games, played, records};

#[test]
fn a_time_for_each_move_is_the_same_for_all_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = [
        "turnwise:depth=1",
        "random",
        "--movetime",
        "30",
        "--pairs",
        "1",
    ];
    played(&words, &log);
    assert_eq!(records(&log)[0]["time"]["kind"], "movetime");
    for game in games(&log) {
        assert_eq!(game["fault"], Value::Null, "{game}");
    }
    for record in records(&log)
        .iter()
        .filter(|record| record["event"] == "move")
    {
        assert_eq!(record["clock_left_s"], 30.0, "{record}");
        assert!(record["hard_ms"].as_f64() <= Some(30_000.0), "{record}");
    }
}

#[test]
fn an_increment_comes_after_every_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = [
        "turnwise:depth=1",
        "random",
        "--clock",
        "60",
        "--increment",
        "2",
    ];
    played(
        &[&words[..], &["--pairs", "1", "--size", "3"]].concat(),
        &log,
    );
    let records = records(&log);
    let number = |record: &Value, key: &str| record[key].as_f64().expect("a number");
    for game in [1, 2] {
        for role in ["ORDER", "CHAOS"] {
            let moves: Vec<&Value> = (records.iter())
                .filter(|record| record["event"] == "move")
                .filter(|record| record["game"] == game && record["role"] == role)
                .collect();
            assert!(moves.len() >= 8);
            assert_eq!(moves[0]["clock_left_s"], 60.0);
            for two in moves.windows(2) {
                let used = number(two[0], "used_ms") / 1000.0;
                let expected = number(two[0], "clock_left_s") - used + 2.0;
                // Both times are rounded to microseconds.
                assert!((number(two[1], "clock_left_s") - expected).abs() < 3e-6);
            }
        }
    }
}

/// Returns the moves of the player `hasty`, which has less time than its opponent, and the opponent's moves.
fn hasty_and_other(records: &[Value]) -> [Vec<&Value>; 2] {
    let of = |hasty: bool| {
        let moves = records.iter().filter(|record| record["event"] == "move");
        (moves.filter(|record| (record["agent"] == "hasty") == hasty)).collect()
    };
    [of(true), of(false)]
}

#[test]
fn time_odds_are_a_part_of_the_clock_over_every_connection() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, more) in [
        &["--size", "3"][..],
        // A daemon that believed that it had all 8 seconds would use more than 2 seconds here.
        &["--size", "5", "--via", "tcp", "--counts", "cpu"],
        &["--game", "halma", "--max-plies", "8"],
    ]
    .iter()
    .enumerate()
    {
        let log = folder.path().join(number.to_string());
        let agents = ["random", "hasty=turnwise:time=0.25"];
        let words = ["--clock", "8", "--pairs", "1"];
        played(&[&agents[..], &words, more].concat(), &log);
        let records = records(&log);
        for (moves, clock) in hasty_and_other(&records).iter().zip([2.0, 8.0]) {
            for game in [1, 2] {
                let first = moves.iter().find(|record| record["game"] == game);
                assert_eq!(first.expect("a move")["clock_left_s"], clock, "{more:?}");
            }
        }
        for game in games(&log) {
            assert_eq!(game["fault"], Value::Null, "{game}");
        }
    }
}

/// A command that plays Entropy is not told how much time it has, but it loses once its share of the clock is used up.
#[test]
fn a_command_of_entropy_is_charged_against_its_part_of_the_clock() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let script = format!("hasty=cmd:time=0.01:{PLAYER} stall");
    let words = ["random", &script, "--clock", "50", "--pairs", "1"];
    played(&[&words[..], &["--size", "3"]].concat(), &log);
    for game in games(&log) {
        assert_eq!(game["fault"]["agent"], "hasty", "{game}");
        // The stated time should be half a second plus one second of grace. It is slightly more if other programs used
        // the core.
        let reason = game["fault"]["reason"].as_str().expect("text");
        let seconds = reason.strip_prefix("no answer within ");
        let seconds = seconds.and_then(|rest| rest.split_once('s')?.0.parse::<f64>().ok());
        assert!(
            seconds.is_some_and(|it| (1.5..25.0).contains(&it)),
            "{game}"
        );
    }
}

#[test]
fn time_odds_are_a_part_of_increments_and_of_the_time_of_a_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let agents = ["random", "hasty=turnwise:depth=1,time=0.5"];
    let [log, each] = ["log", "each"].map(|name| folder.path().join(name));
    let words = ["--clock", "60", "--increment", "20", "--pairs", "1"];
    played(&[&agents[..], &words, &["--size", "3"]].concat(), &log);
    let records_of_log = records(&log);
    let [hasty, _] = hasty_and_other(&records_of_log);
    for game in [1, 2] {
        let left: Vec<f64> = (hasty.iter())
            .filter(|record| record["game"] == game)
            .map(|record| record["clock_left_s"].as_f64().expect("a number"))
            .collect();
        // After seven moves, the player has used far less than the increments of ten seconds.
        assert!((95.0..=100.0).contains(&left[7]), "{left:?}");
    }
    let words = ["--movetime", "30", "--pairs", "1", "--size", "3"];
    played(&[&agents[..], &words].concat(), &each);
    let records_of_each = records(&each);
    for (moves, time) in hasty_and_other(&records_of_each).iter().zip([15.0, 30.0]) {
        assert!(moves.iter().all(|record| record["clock_left_s"] == time));
    }
}

/// In Halma, a draw at the limit of plies goes to the player with more time left, relative to its own clock.
#[test]
fn time_odds_do_not_decide_a_draw() {
    let folder = tempfile::tempdir().expect("a folder");
    for (time, ending, score) in [
        (["--clock", "60"], "time", 1.0),
        (["--movetime", "30"], "draw", 0.5),
    ] {
        let log = folder.path().join(ending);
        let agents = ["hasty=turnwise:nodes=1,time=0.5", "turnwise:nodes=20000"];
        let words = ["--game", "halma", "--max-plies", "6", "--pairs", "1"];
        played(&[&agents[..], &words, &time].concat(), &log);
        for game in games(&log) {
            assert_eq!(game["ending"], ending, "{game}");
            let black = game["black_score"].as_f64().expect("a number");
            let hasty = if game["black"] == "hasty" {
                black
            } else {
                1.0 - black
            };
            assert_eq!(hasty, score, "{game}");
        }
    }
}

/// A tiny share of a clock works like an empty clock: the player loses immediately, and nothing else fails.
#[test]
fn the_smallest_part_of_a_clock_is_overtime() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let agents = ["random", "hasty=turnwise:time=1e-320"];
    let words = ["--clock", "1", "--pairs", "1", "--size", "3"];
    played(&[&agents[..], &words].concat(), &log);
    for game in games(&log) {
        assert_eq!(game["fault"]["kind"], "overtime", "{game}");
        assert_eq!(game["fault"]["agent"], "hasty", "{game}");
    }
}

#[test]
fn what_cannot_be_told_or_kept_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let here_only = "nodes=, depth= and weights= apply only in this process";
    for (words, part) in [
        (
            &["turnwise:time=0.5", "--nodes", "9"][..],
            "use nodes= instead",
        ),
        (&["turnwise:weights=w", "--via", "tcp"], here_only),
        (&["turnwise:time=0.5,depth=1", "--via", "tcp"], here_only),
        (&["holes:time=0.5"], "holes has no options"),
    ] {
        let words = [&["random"][..], words].concat();
        let output = arena(&words, &log).output();
        let output = output.expect("the program can be started");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(part), "{words:?}: {stderr}");
        assert!(!log.exists(), "{words:?}");
    }
}
