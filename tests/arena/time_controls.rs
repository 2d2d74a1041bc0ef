//! Clocks, increments, times for a move and time odds: who has how much before each move.

use serde_json::Value;

use super::{arena, games, played, records};

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
                // Both are rounded to microseconds.
                assert!((number(two[1], "clock_left_s") - expected).abs() < 3e-6);
            }
        }
    }
}

/// What `hasty` and the others had before each of their moves.
fn clocks<'a>(moves: &'a [Value], name: &str) -> [Vec<&'a Value>; 2] {
    let of = |hasty: bool| {
        let moves = moves.iter().filter(|record| record["event"] == "move");
        moves
            .filter(|record| (record["agent"] == name) == hasty)
            .collect()
    };
    [of(true), of(false)]
}

#[test]
fn time_odds_are_a_part_of_the_clock_over_every_connection() {
    let folder = tempfile::tempdir().expect("a folder");
    let hasty = "hasty=turnwise:time=0.25";
    for (number, more) in [
        &["--size", "3"][..],
        // A daemon that believed it had all 8 seconds would use more than 2 here.
        &["--size", "5", "--via", "tcp"],
        &["--game", "halma", "--max-plies", "8"],
    ]
    .iter()
    .enumerate()
    {
        let log = folder.path().join(number.to_string());
        let words = ["random", hasty, "--clock", "8", "--pairs", "1"];
        played(&[&words[..], more].concat(), &log);
        let records = records(&log);
        for (moves, clock) in clocks(&records, "hasty").iter().zip([2.0, 8.0]) {
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

#[test]
fn time_odds_are_a_part_of_increments_and_of_the_time_of_a_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let agents = ["random", "hasty=turnwise:depth=1,time=0.5"];
    let [log, each] = ["log", "each"].map(|name| folder.path().join(name));
    let words = [
        "--clock",
        "60",
        "--increment",
        "20",
        "--pairs",
        "1",
        "--size",
        "3",
    ];
    played(&[&agents[..], &words].concat(), &log);
    let records_of_log = records(&log);
    let [hasty, _] = clocks(&records_of_log, "hasty");
    // Ten moves later it has spent much less than a second of its own.
    let late = hasty[8]["clock_left_s"].as_f64().expect("a number");
    assert!((105.0..=110.0).contains(&late), "{late}");
    let words = ["--movetime", "30", "--pairs", "1", "--size", "3"];
    played(&[&agents[..], &words].concat(), &each);
    let records_of_each = records(&each);
    for (moves, time) in clocks(&records_of_each, "hasty").iter().zip([15.0, 30.0]) {
        assert!(moves.iter().all(|record| record["clock_left_s"] == time));
    }
}

#[test]
fn what_cannot_be_told_or_kept_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    for (words, part) in [
        (
            &["turnwise:time=0.5", "--nodes", "9"][..],
            "say nodes= instead",
        ),
        (
            &["turnwise:weights=w", "--via", "tcp"],
            "weights= hold in this process only",
        ),
        (&["turnwise:time=0.5,depth=1", "--via", "tcp"], "depth="),
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
