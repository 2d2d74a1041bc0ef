//! Tests that this version reads the files of version 0.1.0, which nobody regenerates: logs of interrupted matches,
//! a class file with its log, a game folder, and weights.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::support::{is_there, json_lines, run, stdout};

/// Creates a folder with copies of these files of version 0.1.0.
fn folder_with_old(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/0.1.0");
    for name in names {
        let copy = folder.path().join(name);
        fs::create_dir_all(copy.parent().expect("a parent")).expect("there is room");
        fs::copy(old.join(name), copy).expect("the file is there");
    }
    folder
}

fn path(folder: &TempDir, name: &str) -> String {
    let path = folder.path().join(name);
    path.to_str().expect("UTF-8").to_owned()
}

/// Runs the program and requires that it succeeds. Returns its stdout.
fn succeed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    stdout(&output)
}

/// Returns the number of finished games in a log.
fn games(log: &str) -> usize {
    let records = json_lines(&fs::read_to_string(log).expect("a log"));
    records
        .iter()
        .filter(|record| record["event"] == "game")
        .count()
}

#[test]
fn logs_are_reported_replayed_reviewed_and_resumed() {
    let mut names = vec!["entropy", "halma", "guesswho", "masterchef", "twentyone"];
    if is_there("python3") {
        names.push("outside");
    }
    for name in names {
        let file = format!("{name}.jsonl");
        let referee = [
            "tictactoe/game.toml",
            "tictactoe/referee.py",
            "tictactoe/turnwise_referee.py",
        ];
        let folder = folder_with_old(&[&[file.as_str()], &referee[..]].concat());
        let log = path(&folder, &file);
        let before = fs::read_to_string(&log).expect("a log");
        assert_eq!(games(&log), 2);

        let report = succeed(&["report", &log, "--json"]);
        assert!(report.contains("\"notes\":[]"), "{report}");
        succeed(&["replay", &log, "--game", "1"]);
        if name != "outside" {
            succeed(&["review", &log, "--nodes", "50"]);
        }
        let resume = ["arena", "--resume", &log, "--yes", "--jobs", "1"];
        let game = path(&folder, "tictactoe");
        match name {
            "outside" => succeed(&[&resume[..], &["--game", &game]].concat()),
            _ => succeed(&resume),
        };
        assert_eq!(games(&log), 4, "{name}");
        assert!(
            fs::read_to_string(&log)
                .expect("a log")
                .starts_with(&before),
            "{name}"
        );
        succeed(&["report", &log]);
    }
}

#[test]
fn a_class_goes_on() {
    let folder = folder_with_old(&["class.toml", "class.jsonl"]);
    let before = fs::read_to_string(path(&folder, "class.jsonl")).expect("a log");
    let ranking = succeed(&["tournament", &path(&folder, "class.toml"), "--jobs", "1"]);
    assert!(
        ranking.contains("ada") && ranking.contains("random"),
        "{ranking}"
    );
    let log = path(&folder, "class.jsonl");
    assert_eq!(games(&log), 6);
    assert!(
        fs::read_to_string(&log)
            .expect("a log")
            .starts_with(&before)
    );
}

#[test]
fn weights_play() {
    let folder = folder_with_old(&["three.weights"]);
    let agent = format!("turnwise:weights={}", path(&folder, "three.weights"));
    let log = path(&folder, "match.jsonl");
    let match_of = [
        "arena", &agent, "random", "--size", "3", "--pairs", "1", "--nodes", "50",
    ];
    succeed(&[&match_of[..], &["--log", &log]].concat());
    assert_eq!(games(&log), 2);
}
