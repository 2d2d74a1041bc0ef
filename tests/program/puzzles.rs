//! Tests `turnwise puzzles`, and the puzzles that the program contains.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use turnwise_engine::search::Stop;
use turnwise_games::{GAMES, puzzles};
use turnwise_study::{Allowed, answer};

use crate::solve::until_it_listens;
use crate::support::{run, stderr, stdout, turnwise};

/// The maximum size of the shipped puzzles of a game, in bytes.
const LARGEST: usize = 100_000;

fn ask(request: Value) -> Value {
    let allowed = Allowed {
        time: Duration::from_secs(600),
        nodes: u64::MAX,
        solutions: None,
    };
    let request = serde_json::from_value(request).expect("a request");
    let answered = answer(&request, GAMES, &allowed, &Stop::default(), &mut |_| {});
    answered.expect("an answer")
}

/// Returns the position of a puzzle of a set.
fn position(set: &Value, puzzle: &Value) -> Value {
    json!({
        "game": set["game"], "settings": set["settings"],
        "beginning": puzzle["beginning"], "moves": puzzle["moves"],
    })
}

/// Returns the mark of a move in a position; null if the move is good.
fn mark(position: &Value, made: &Value, nodes: u64) -> Value {
    let mut after = position.clone();
    let moves = after["moves"].as_array_mut().expect("moves");
    moves.push(made.clone());
    ask(json!({ "ask": "judge", "position": after, "nodes": nodes }))["mark"].clone()
}

fn mined(out: &Path, words: &[&str]) -> Output {
    let out = out.to_str().expect("UTF-8");
    run(&[&["puzzles", "entropy", "--out", out], words].concat())
}

#[test]
fn every_move_but_the_solution_is_a_mistake() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("set.json");
    let words = ["--count", "5", "--nodes", "3000"];
    let output = mined(&out, &words);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = fs::read_to_string(&out).expect("the set");
    let set: Value = serde_json::from_str(&text).expect("JSON");
    let all = set["puzzles"].as_array().expect("puzzles");
    let expected = format!("{} puzzles from ", all.len());
    assert!(stdout(&output).starts_with(&expected), "{expected}");
    assert!((4..=5).contains(&all.len()), "{text}");
    for puzzle in all {
        let position = position(&set, puzzle);
        let studied =
            ask(json!({ "ask": "study", "position": position, "top": 3, "nodes": 30_000 }));
        for line in studied["lines"].as_array().expect("lines") {
            let made = &line["moves"][0];
            let mark = mark(&position, made, 30_000);
            match *made == puzzle["solution"] {
                true => assert_eq!(mark, Value::Null, "{puzzle}"),
                false => assert!(mark == "mistake" || mark == "blunder", "{mark}: {puzzle}"),
            }
        }
    }
    mined(&out, &words);
    assert_eq!(fs::read_to_string(&out).expect("the set"), text);
}

#[test]
fn a_set_of_which_too_many_fail_the_proof_is_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("set.json");
    let output = mined(&out, &["--count", "40", "--nodes", "10"]);
    assert_eq!(output.status.code(), Some(1));
    let why = stderr(&output);
    assert!(why.contains("of 40 puzzles failed the proof"), "{why}");
    assert!(!out.exists());
}

#[test]
fn ctrl_c_keeps_the_puzzles_found_so_far() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("set.json");
    let name = out.to_str().expect("UTF-8");
    // On a busy machine, the first puzzles take longer.
    for seconds in [1, 4, 16, 64] {
        let words = ["puzzles", "entropy", "--out", name, "--nodes", "3000"];
        let mut mining = turnwise(&[&words[..], &["--count", "100000"]].concat());
        let mining = mining.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut mining = mining.expect("it starts");
        until_it_listens(&mut mining);
        sleep(Duration::from_secs(seconds));
        kill_process(Pid::from_child(&mining), Signal::INT).expect("it runs");
        let output = mining.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let Ok(text) = fs::read_to_string(&out) else {
            continue;
        };
        let set: Value = serde_json::from_str(&text).expect("JSON");
        let all = set["puzzles"].as_array().expect("puzzles").len();
        assert!(all > 0 && stdout(&output).contains(&format!("{all} puzzle")));
        return;
    }
    panic!("it wrote no puzzles");
}

#[test]
fn puzzles_come_from_the_games_of_a_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log.jsonl");
    let log = log.to_str().expect("UTF-8");
    let words = "arena random greedy --pairs 3 --nodes 9 --seed 4 --quiet --log";
    let words: Vec<&str> = words.split(' ').chain([log]).collect();
    assert!(run(&words).status.success());
    let out = folder.path().join("set.json");
    let output = mined(&out, &["--log", log, "--nodes", "2000"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains(" from 6 games"));
    let out = out.to_str().expect("UTF-8");
    let other = run(&["puzzles", "halma", "--log", log, "--out", out]);
    let why = stderr(&other);
    assert!(why.contains("the log contains games of entropy"), "{why}");
}

#[test]
fn the_shipped_puzzles_are_small_legal_and_correct() {
    let mut shipped = 0;
    for game in GAMES {
        let found = puzzles(game.about().name);
        assert_eq!(found.is_some(), game.about().has_puzzles);
        let Some(text) = found else {
            continue;
        };
        shipped += 1;
        assert!(text.len() < LARGEST, "{} bytes", text.len());
        let set: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(set["game"], game.about().name);
        for (number, puzzle) in set["puzzles"]
            .as_array()
            .expect("puzzles")
            .iter()
            .enumerate()
        {
            let position = position(&set, puzzle);
            let turn = ask(json!({ "ask": "view", "position": position }))["turn"].clone();
            let seen = ask(json!({ "ask": "view", "position": position, "viewer": turn }));
            let choices = seen["view"]["choices"].as_array().expect("choices");
            let is_solution = |choice: &Value| choice["notation"] == puzzle["solution"];
            assert!(choices.iter().any(is_solution), "{puzzle}");
            if set["game"] == "guesswho" {
                let ask_all =
                    json!({ "ask": "study", "position": position, "top": 2, "nodes": 10_000_000 });
                assert_eq!(ask(ask_all)["is_exact"], true, "{puzzle}");
            }
            // The page judges a move with this number of nodes.
            if number % 20 == 0 || set["game"] == "guesswho" {
                let studied =
                    ask(json!({ "ask": "study", "position": position, "top": 2, "nodes": 20_000 }));
                let lines = &studied["lines"];
                let [best, second] = [0, 1].map(|at| lines[at]["moves"][0].clone());
                assert_eq!(best, puzzle["solution"]);
                assert_eq!(mark(&position, &best, 20_000), Value::Null, "{puzzle}");
                assert_ne!(mark(&position, &second, 20_000), Value::Null, "{puzzle}");
            }
        }
    }
    assert_eq!(shipped, 5);
}
