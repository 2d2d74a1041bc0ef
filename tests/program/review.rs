//! Tests the command `turnwise review`, which judges a logged game move by move.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::{stderr, stdout, turnwise};

/// Runs a command on a log, without access to any solved games.
fn at(log: &Path, arguments: &[&str]) -> Output {
    let (command, options) = arguments.split_first().expect("a command");
    let name = log.to_str().expect("a name");
    let mut command = turnwise(&[&[*command, name], options].concat());
    let home = log.parent().expect("a folder");
    command
        .env("XDG_DATA_HOME", home)
        .output()
        .expect("it runs")
}

fn said(output: Output) -> String {
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// Plays a match with these command-line words, and returns the log's path.
fn played(folder: &Path, words: &[&str]) -> std::path::PathBuf {
    let log = folder.join("log");
    let name = log.to_str().expect("a name");
    let mut command = turnwise(&[&["arena"], words, &["--pairs", "1", "--log", name]].concat());
    said(command.output().expect("it runs"));
    log
}

#[test]
fn a_review_of_a_game_says_what_the_review_of_all_games_says_and_what_was_luck() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = [
        "turnwise",
        "random",
        "--size",
        "3",
        "--nodes",
        "20000",
        "--openings",
        "2",
    ];
    let log = played(folder.path(), &words);
    let nodes = ["--nodes", "5000"];
    let of_all = said(at(&log, &[&["review", "--json"], &nodes[..]].concat()));
    for game in ["1", "2"] {
        let options = [&["review", "--game", game], &nodes[..]].concat();
        let review = json(&said(at(&log, &[&options[..], &["--json"]].concat())));
        let moves = review["moves"].as_array().expect("moves");
        assert_eq!(moves.len(), 17, "nine placements and eight slides");
        let of_game = of_all
            .lines()
            .map(json)
            .filter(|mv| mv["game"] == json(game));
        let of_game: Vec<Value> = of_game.collect();
        assert_eq!(of_game.len(), 15, "two are of the opening");
        for (of_all, of_one) in of_game.iter().zip(&moves[2..]) {
            for what in ["side", "lost", "best", "is_exact", "score"] {
                assert_eq!(of_all.get(what), of_one.get(what), "{what} of {of_all}");
            }
        }
        let sides = review["sides"].as_array().expect("sides").iter();
        let counted: u64 = sides
            .map(|side| side["moves"].as_u64().expect("moves"))
            .sum();
        assert_eq!(counted, 15);
        assert!(review["luck"].is_number());

        let text = said(at(&log, &options));
        for part in [
            &format!("Pair 1, game {game}: "),
            "score: Order's expected final score after the move",
            "lost: points",
            "opening",
            "The worst moves",
            "Skill",
            "Luck: the draws brought Order ",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        let (_, worst) = text.split_once("The worst moves\n").expect("it is there");
        let (worst, _) = worst.split_once("\n\n").expect("an end");
        let rows = worst.lines().count() - 2;
        assert_eq!(rows, review["worst"].as_array().expect("worst").len());
    }
}

#[test]
fn a_review_of_halma_speaks_of_chances() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = ["random", "random", "--game", "halma", "--max-plies", "16"];
    let log = played(folder.path(), &[&words[..], &["--nodes", "100"]].concat());
    let options = ["review", "--pair", "1", "--game", "2", "--nodes", "500"];
    let review = json(&said(at(&log, &[&options[..], &["--json"]].concat())));
    let moves = review["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 16);
    for mv in moves {
        for what in ["lost", "score"] {
            let part = mv[what].as_f64().expect("a number");
            assert!((0.0..=1.0).contains(&part), "{mv}");
        }
    }
    assert_eq!(review["luck"], Value::Null);
    let text = said(at(&log, &options));
    assert!(
        text.contains("score: Black's chances after the move"),
        "{text}"
    );
    assert!(text.contains("lost: hundredths of a won game"), "{text}");
    assert!(!text.contains("Luck"), "{text}");
    let of_all = said(at(&log, &["review", "--nodes", "500"]));
    assert!(
        of_all.contains("Halma: hundredths of a won game lost a game"),
        "{of_all}"
    );
}

#[test]
fn a_game_that_began_in_a_position_of_its_own_is_reviewed_from_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = ["random", "greedy", "--size", "2", "--nodes", "9"];
    let log = played(folder.path(), &words);
    let text = std::fs::read_to_string(&log).expect("the log");
    // Make the first game begin from a custom position, and remove the records of moves.
    let begins = |line: &str, what: &str| line.starts_with(&format!("{{\"event\":\"{what}\","));
    let lines = text.lines().filter(|line| !begins(line, "move"));
    let changed = lines.map(|line| {
        let mut record = json(line);
        if begins(line, "game") && record["game"] == 1 {
            record["set_up"] = "AB\n..".into();
            record["moves"] = vec!["0 0 1 0", "0 0"].into();
        }
        record.to_string() + "\n"
    });
    std::fs::write(&log, changed.collect::<String>()).expect("there is room");
    let review = json(&said(at(&log, &["review", "--game", "1", "--json"])));
    let moves = review["moves"].as_array().expect("moves");
    let sides: Vec<&Value> = moves.iter().map(|mv| &mv["side"]).collect();
    assert_eq!(sides, [0, 1]);
    assert!(review["luck"].is_number());
    let replayed = said(at(&log, &["replay", "--game", "1"]));
    assert!(!replayed.contains("cannot be shown"), "{replayed}");
}

#[test]
fn what_cannot_be_reviewed_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = played(folder.path(), &["random", "random", "--game", "connect4"]);
    for (options, why) in [
        (&["review"][..], "moves of Connect Four cannot be judged"),
        (
            &["review", "--game", "3"],
            "there is no game 3; the log has games 1 to 2",
        ),
        (&["review", "--pair", "7"], "there is no pair 7"),
    ] {
        let output = at(&log, options);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
}
