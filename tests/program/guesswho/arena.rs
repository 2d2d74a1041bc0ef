//! Tests Guess Who in the arena with real processes: external programs, and the contents of the log.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::board_path;
use crate::support::{TURNWISE, json_lines, run, run_with_input, stderr, stdout, turnwise};

/// Plays a match with these command-line words and ample time, and returns the log's records.
pub fn records(words: &[&str], folder: &Path) -> Vec<Value> {
    let log = folder.join("log.jsonl");
    let shown = log.display().to_string();
    let common = ["--game", "guesswho", "--seed", "5", "--log", &shown];
    let common = [&common[..], &["--clock", "1000", "--jobs", "1"]].concat();
    let output = run(&[&["arena"], words, &common].concat());
    assert!(output.status.success(), "{output:?}");
    json_lines(&fs::read_to_string(&log).expect("a log"))
}

/// Returns the games of a log.
pub fn games(records: &[Value]) -> impl Iterator<Item = &Value> {
    records.iter().filter(|record| record["event"] == "game")
}

/// Returns the moves of a game, as the game's record in the log contains them.
pub fn moves(game: &Value) -> Vec<&str> {
    let moves = game["moves"].as_array().expect("moves");
    moves.iter().map(|mv| mv.as_str().expect("text")).collect()
}

#[test]
fn a_program_plays_as_the_agent_that_it_is_and_nobody_is_at_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let board = board_path("ac_game1");
    let program = format!("program=cmd:{TURNWISE} stdio guesswho --player optimal");
    let play = |agents: [&str; 2], name: &str| {
        let folder = folder.path().join(name);
        fs::create_dir(&folder).expect("a folder");
        let words = ["--pairs", "2", "--board", &board];
        records(&[&agents[..], &words].concat(), &folder)
    };
    let outside = play([&program, "binary"], "outside");
    let inside = play(["optimal", "binary"], "inside");
    assert_eq!(games(&outside).count(), 4);
    for (one, other) in games(&outside).zip(games(&inside)) {
        assert_eq!(one["fault"], Value::Null);
        assert_eq!(moves(one), moves(other));
        assert_eq!(one["chosen"], other["chosen"]);
    }
    // Both games of a pair have equal persons, and the log contains everything that is needed to show them.
    let chosen: Vec<&Value> = games(&outside).map(|game| &game["chosen"]).collect();
    assert_eq!(chosen[0].as_array().map(Vec::len), Some(2));
    assert_eq!(chosen[0], chosen[1]);
    assert!(
        outside[0]["board"]
            .as_str()
            .is_some_and(|board| board.contains("\nP19\n"))
    );
    let log = folder
        .path()
        .join("outside/log.jsonl")
        .display()
        .to_string();
    let replay = stdout(&run(&["replay", &log, "--game", "2"]));
    assert!(replay.contains("among 20 of 20: P0 P1"), "{replay}");
    assert!(replay.contains("(Player 2) answer "), "{replay}");
}

#[test]
fn over_all_pairs_of_persons_the_score_is_exact() {
    let folder = tempfile::tempdir().expect("a folder");
    let board = board_path("official_game1_10p");
    let words = ["--all-persons", "--pairs", "100", "--board", &board];
    let records = records(
        &[&["turnwise", "binary"], &words[..]].concat(),
        folder.path(),
    );
    let of_custom = |role: &str| {
        let theirs = games(&records).filter(|game| game[role] == "turnwise");
        let scores = theirs.map(|game| game["player1_score"].as_f64().expect("a score"));
        scores.collect::<Vec<f64>>()
    };
    let first = of_custom("player 1");
    let count = |score| first.iter().filter(|it| **it == score).count();
    assert_eq!([1.0, 0.5, 0.0].map(count), [56, 32, 12]);
    let as_second: f64 = of_custom("player 2").iter().map(|score| 1.0 - score).sum();
    assert!((as_second - 72.0).abs() < 1e-9, "{as_second}");
}

#[test]
fn at_the_keyboard_the_last_words_of_a_move_and_the_only_answer_are_short() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let mut arena = turnwise(&["arena", "human", "binary", "--game", "guesswho", "--log"]);
    let output = run_with_input(arena.arg(&log), b"hat red\n\nq\n\nq\n");
    assert!(output.status.success(), "{}", stderr(&output));
    let records = json_lines(&fs::read_to_string(&log).expect("a log"));
    let games: Vec<&Value> = games(&records).collect();
    let [first, second] = &games[..] else {
        panic!("{games:?}");
    };
    let played = moves(first);
    assert_eq!(played[0], "guess Attribute hat red", "{played:?}");
    assert!(played[3].starts_with("answer "), "{played:?}");
    assert!(moves(second)[1].starts_with("answer "), "{second}");
    for game in games {
        assert_eq!(game["fault"]["kind"], "resigned", "{game}");
    }
}

#[test]
fn an_isolated_program_finds_the_board() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = format!("program=cmd:{TURNWISE} stdio guesswho");
    let words = [&*program, "random", "--pairs", "1", "--isolate"];
    let records = records(&words, folder.path());
    assert_eq!(games(&records).count(), 2);
    for game in games(&records) {
        assert_eq!(game["fault"], Value::Null, "{game}");
    }
}

#[test]
fn a_liar_loses_and_the_log_has_the_truth() {
    let folder = tempfile::tempdir().expect("a folder");
    let lies = "sed -u -e s/true/TRUE/ -e s/false/true/ -e s/TRUE/false/";
    let liar = format!("liar=cmd:sh -c '{TURNWISE} stdio guesswho | {lies}'");
    let records = records(&["binary", &liar, "--pairs", "1"], folder.path());
    for game in games(&records) {
        assert_eq!(game["fault"]["agent"], "liar");
        let is_first = game["fault"]["role"] == "PLAYER 1";
        let (kind, part) = match is_first {
            // As player 1, the program first receives the answer to its own guess, and misunderstands that answer.
            true => (
                "garbage",
                "expected `finished false` after `result Attribute ",
            ),
            false => ("illegal", "is to be answered "),
        };
        assert_eq!(game["fault"]["kind"], kind, "{game}");
        let reason = game["fault"]["reason"].as_str().expect("a reason");
        assert!(reason.contains(part), "{reason}");
        assert_eq!(game["player1_score"], if is_first { 0.0 } else { 1.0 });
        assert_eq!(game["ending"], "fault");
    }
}

#[test]
fn a_board_of_no_use_is_told_before_there_is_a_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let (board, log) = (folder.path().join("board"), folder.path().join("log"));
    fs::write(&board, "hat red\n\nP1\nhut red\n").expect("it is written");
    let [board, shown] = [&board, &log].map(|path| path.display().to_string());
    let words = [
        "arena", "turnwise", "random", "--game", "guesswho", "--board", &board, "--log", &shown,
    ];
    let output = run(&words);
    assert!(!output.status.success() && !log.exists());
    let errors = stderr(&output);
    assert!(
        errors.contains("board: 4:1: unknown attribute hut"),
        "{errors}"
    );
}
