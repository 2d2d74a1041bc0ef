//! Tests whole matches over every kind of connection, and that games do not depend on the number of jobs.

use std::process::{Command, Stdio};

use turnwise_arena::lineup::Lineup;
use turnwise_arena::log::Log;
use turnwise_arena::pairs::{Done, play_all};
use turnwise_arena::records::{Contestant, Settings};
use turnwise_engine::player::TimeControl;
use turnwise_games::start_daemon;

use crate::games::entropy;

use super::{TURNWISE, arena, games, pair_lines, played, records, until_a_game_is_logged};

#[test]
fn openings_longer_than_a_game_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = [
        "random", "greedy", "--size", "2", "--pairs", "2", "--nodes", "1",
    ];
    for (openings, games) in [("50", Some("4 games")), ("2", None)] {
        let words = [&words[..], &["--openings", openings]].concat();
        let output = arena(&words, &log).output().expect("it starts");
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        let warning = said.lines().find(|line| line.starts_with("opening "));
        assert_eq!(warning.is_some(), games.is_some(), "{said}");
        assert!(
            warning
                .unwrap_or_default()
                .contains(games.unwrap_or_default()),
            "{said}"
        );
        std::fs::remove_file(&log).expect("a log");
    }
}

#[test]
fn the_same_seed_and_nodes_give_the_same_records_byte_for_byte_whatever_the_jobs() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines: Vec<Vec<String>> = ["1", "2", "4"]
        .iter()
        .map(|jobs| {
            let log = folder.path().join(jobs);
            let words = [
                "turnwise", "greedy", "--nodes", "300", "--pairs", "6", "--seed", "9",
            ];
            played(
                &[&words[..], &["--openings", "3", "--jobs", jobs]].concat(),
                &log,
            );
            pair_lines(&log)
        })
        .collect();
    // The log has 12 games, each with 46 lines for the moves after the opening and a line for the game itself.
    assert_eq!(lines[0].len(), 12 * 47);
    assert_eq!(lines[0], lines[1]);
    assert_eq!(lines[0], lines[2]);
    let log = folder.path().join("other");
    let words = [
        "turnwise", "greedy", "--nodes", "300", "--pairs", "6", "--seed", "10",
    ];
    played(&[&words[..], &["--openings", "3"]].concat(), &log);
    assert_ne!(lines[0], pair_lines(&log));
}

#[test]
fn both_games_of_a_pair_have_the_same_tiles_and_swapped_roles() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = [
        "random",
        "greedy",
        "--nodes",
        "1",
        "--pairs",
        "5",
        "--openings",
        "2",
    ];
    played(&words, &log);
    let mut by_pair = games(&log);
    by_pair.sort_by_key(|game| (game["pair"].as_u64(), game["game"].as_u64()));
    assert_eq!(by_pair.len(), 10);
    for pair in by_pair.chunks(2) {
        for same in ["pair", "tiles", "opening", "seed", "first", "second"] {
            assert_eq!(pair[0][same], pair[1][same], "{same}");
        }
        assert_eq!(pair[0]["order"], pair[1]["chaos"]);
        assert_eq!(pair[0]["order"], pair[0]["first"]);
        let moves = pair[0]["moves"].as_array().expect("moves");
        assert_eq!(
            moves[..2],
            pair[0]["opening"].as_array().expect("an opening")[..]
        );
    }
    assert_ne!(by_pair[0]["tiles"], by_pair[2]["tiles"]);
}

#[test]
fn daemons_play_each_other_over_sockets() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = [
        "holes", "greedy", "--via", "tcp", "--clock", "20", "--pairs", "1", "--size", "4",
    ];
    played(&words, &log);
    for game in games(&log) {
        assert_eq!(game["fault"], serde_json::Value::Null, "{game}");
    }
}

#[test]
fn a_daemon_of_ones_own_meets_a_child_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let daemon = format!("daemon=daemon:{TURNWISE} play --clock 5 --reconnect never");
    let child = format!("child=cmd:{TURNWISE} stdio entropy --clock 5");
    let words = ["--clock", "60", "--pairs", "1", "--size", "3"];
    played(
        &[&[daemon.as_str(), child.as_str()], &words[..]].concat(),
        &log,
    );
    for game in games(&log) {
        assert_eq!(game["fault"], serde_json::Value::Null, "{game}");
        assert_eq!(game["moves"].as_array().map(Vec::len), Some(17));
        for side in ["order", "chaos"] {
            assert!(game["used_s"][side].as_f64() > Some(0.0), "{game}");
        }
    }
}

#[test]
fn a_codecup_player_plays_a_whole_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let child = format!("cmd/codecup:{TURNWISE} stdio codecup --clock 1");
    let words = [
        "random", "--clock", "60", "--pairs", "1", "--size", "7", "--pass",
    ];
    played(&[&[child.as_str()], &words[..]].concat(), &log);
    for game in games(&log) {
        assert_eq!(game["fault"], serde_json::Value::Null, "{game}");
        assert_eq!(game["moves"].as_array().map(Vec::len), Some(97));
    }
}

#[test]
fn a_league_and_a_gauntlet_meet_whom_they_should() {
    let folder = tempfile::tempdir().expect("a folder");
    let league = folder.path().join("league");
    let words = [
        "random", "greedy", "turnwise", "--nodes", "50", "--pairs", "2", "--size", "3",
    ];
    let output = played(&words, &league);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("random - turnwise"), "{stdout}");
    assert_eq!(games(&league).len(), 12);
    let gauntlet = folder.path().join("gauntlet");
    let words = [
        "turnwise", "--versus", "random", "greedy", "--nodes", "50", "--pairs", "2",
    ];
    played(&words, &gauntlet);
    let games = games(&gauntlet);
    assert_eq!(games.len(), 8);
    assert!(games.iter().all(|game| game["first"] == "turnwise"));
}

#[test]
fn weights_are_read_once_for_a_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let [path, weights] = ["log", "5.weights"].map(|name| folder.path().join(name));
    std::fs::copy("crates/entropy/src/weights/5.weights", &weights).expect("released weights");
    let contestant = |name: &str, spec: String| Contestant {
        name: name.to_owned(),
        spec,
        folder: None,
    };
    let own = format!("turnwise:weights={}", weights.display());
    let settings = Settings {
        pairs: 2,
        ..Settings::new(
            entropy(5),
            vec![
                contestant("own", own),
                contestant("other", "random".to_owned()),
            ],
            TimeControl::Nodes { nodes: 100 },
        )
    };
    let lineup = Lineup::of(&settings, start_daemon).expect("they can play");
    // The half-written file simulates a training that is just writing its next generation of weights.
    std::fs::write(&weights, "half a file").expect("it can be written");
    let mut log = Log::create(&path, &settings).expect("a log");
    let all = (&settings, &lineup);
    play_all(
        all,
        Done::new(all.0),
        &mut log,
        1,
        &|| false,
        |_| {},
        &|_| {},
    )
    .expect("a match");
    assert_eq!(games(&path).len(), 4);
    let refused = Lineup::of(&settings, start_daemon)
        .map(|_| ())
        .expect_err("half a file");
    let refused = refused.to_string();
    assert!(
        refused.starts_with("agent `own`: ") && refused.contains("contains no weights"),
        "{refused}"
    );
}

#[test]
fn weights_that_cannot_be_read_leave_no_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = ["random", "turnwise:weights=nowhere.weights", "--nodes", "9"];
    let output = arena(&words, &log).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("cannot read nowhere.weights"), "{stderr}");
    assert!(!log.exists());
}

#[test]
fn a_decided_test_ends_the_match_early_with_the_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = [
        "greedy", "random", "--nodes", "1", "--pairs", "500", "--seed", "1",
    ];
    let test = ["--sprt-points", "points0=0,points1=5", "--quiet"];
    let output = played(&[&words[..], &test].concat(), &log);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.starts_with("H1 accepted after "), "{stdout}");
    let claim = "pairs: greedy is ahead of random by 5 rather than 0 points a pair";
    assert!(stdout.contains(claim), "{stdout}");
    assert!(games(&log).len() < 200);
}

#[test]
fn an_interrupt_finishes_the_running_pairs_and_sums_up() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        let words = [
            "turnwise", "random", "--clock", "0.3", "--pairs", "1000", "--jobs", "2",
        ];
        let child = arena(&words, &log)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        until_a_game_is_logged(&log);
        let killed = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status()
            .expect("there is a kill");
        assert!(killed.success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(code));
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(stdout.contains("verdict"), "{stdout}");
        let records = records(&log);
        let end = records.last().expect("records");
        assert_eq!(end["event"], "end");
        assert_eq!(
            games(&log).len() as u64,
            2 * end["pairs"].as_u64().expect("a number")
        );
    }
}
