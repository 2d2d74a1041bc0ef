//! Tests the command `turnwise review`, which judges a logged game move by move.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use serde_json::Value;
use turnwise_engine::search::Stop;
use turnwise_games::GAMES;
use turnwise_study::{Allowed, answer};

use crate::support::{TURNWISE, on_a_terminal, stderr, stdout, turnwise};

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
fn a_review_names_the_fault_that_ended_a_game() {
    let log = Path::new("tests/data/arena/faults.jsonl");
    let records = std::fs::read_to_string(log).expect("a log");
    let games = records.lines().map(json);
    let games: Vec<Value> = games.filter(|record| record["event"] == "game").collect();
    let failed = games
        .iter()
        .position(|game| game["fault"]["kind"] == "illegal");
    let number = (failed.expect("a fault") + 1).to_string();
    let one = ["review", "--nodes", "100", "--game", &number];
    let text = said(at(log, &one));
    assert!(
        text.contains("Fault of plain (Order): illegal move: 1 1 1 1 is no slide"),
        "{text}"
    );
    assert!(!text.contains("the score without them"), "{text}");
    let of_json = json(&said(at(log, &[&one[..], &["--json"]].concat())));
    assert_eq!(of_json["faults"][0]["agent"], "plain");
    let count = games.iter().filter(|game| !game["fault"].is_null()).count();
    let all = said(at(log, &["review", "--nodes", "100"]));
    assert!(
        all.contains(&format!(
            "Faults: in {count} games; turnwise report lists them."
        )),
        "{all}"
    );
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
    let mut accuracies = BTreeMap::new();
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
        for (side, role) in sides.clone().zip(["Order", "Chaos"]) {
            let player = &of_game
                .iter()
                .find(|mv| mv["role"] == role)
                .expect("a move")["player"];
            accuracies.insert((player.to_string(), role), side["accuracy"].clone());
        }
        let counted: u64 = sides
            .map(|side| side["moves"].as_u64().expect("moves"))
            .sum();
        assert_eq!(counted, 14, "the last placement is forced");
        assert!(review["luck"].is_number());

        let text = said(at(&log, &options));
        for part in [
            &format!("Pair 1, game {game}: "),
            "score: Order's expected final score after the move",
            "lost: points",
            "opening",
            "mark: inaccuracy from 1.00, mistake from 2.00, blunder from 4.00 lost",
            "Skill",
            "Luck: the draws brought Order ",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }
    // Each player has played one game in each role.
    let totals = of_all
        .lines()
        .map(json)
        .filter(|line| line["move"].is_null());
    let totals: Vec<Value> = totals.collect();
    assert_eq!(totals.len(), 4);
    for total in totals {
        let role = total["role"].as_str().expect("a role");
        let expected = &accuracies[&(total["player"].to_string(), role)];
        assert_eq!(
            (&total["games"], &total["accuracy"]),
            (&json("1"), expected)
        );
    }
}

#[test]
fn a_planted_blunder_is_the_first_stop() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = [
        "random", "greedy", "--size", "3", "--nodes", "9", "--seed", "7",
    ];
    let log = played(folder.path(), &words);
    let text = std::fs::read_to_string(&log).expect("the log");
    let mut lines = text.lines().map(json);
    let (header, record) = (lines.next(), lines.find(|line| line["event"] == "game"));
    let (header, mut record) = (header.expect("a header"), record.expect("a game"));
    // Both sides play the best moves, except where the worst move loses enough for the first time.
    let mut blunder = None;
    let mut moves = Vec::new();
    loop {
        let position = serde_json::json!({
            "game": "entropy", "settings": {"size": 3}, "beginning": {"logged": record}, "moves": moves,
        });
        let request =
            serde_json::json!({"ask": "study", "position": position, "top": 100, "nodes": 20_000});
        let allowed = Allowed {
            time: Duration::from_secs(600),
            nodes: u64::MAX,
            solutions: None,
        };
        let request = serde_json::from_value(request).expect("a request");
        let studied = answer(&request, GAMES, &allowed, &Stop::default(), &mut |_| {});
        let Ok(studied) = studied else { break };
        let lines = studied["lines"].as_array().expect("lines");
        let [best, worst] = [0, lines.len() - 1].map(|at| &lines[at]);
        let value = |line: &Value| line["value"].as_f64().expect("a value");
        let is_lost = studied["is_exact"] == true && (value(best) - value(worst)).abs() >= 4.0;
        let line = if is_lost && blunder.is_none() {
            blunder = Some(moves.len());
            worst
        } else {
            best
        };
        moves.push(line["moves"][0].clone());
    }
    let blunder = blunder.expect("a chance for a blunder");
    record["moves"] = moves.into();
    std::fs::write(&log, format!("{header}\n{record}\n")).expect("there is room");
    let options = ["review", "--game", "1", "--nodes", "20000"];
    let review = json(&said(at(&log, &[&options[..], &["--json"]].concat())));
    assert_eq!(review["stops"][0], blunder);
    let mv = &review["moves"][blunder];
    assert_eq!(mv["mark"], "blunder");
    assert_eq!(
        review["sides"][mv["side"].as_u64().expect("a side") as usize]["blunders"],
        1
    );
    let text = said(at(&log, &options));
    let (_, stops) = text
        .split_once("Mistakes and blunders\n")
        .expect("it is there");
    let first = stops.lines().nth(2).expect("a row");
    for part in [&format!("| {:>3} | ", blunder + 1), "blunder", "row "] {
        assert!(first.contains(part), "{part} in {first}");
    }
    let of_all = said(at(&log, &["review", "--nodes", "20000"]));
    for part in [
        "Accuracy, and marks a game",
        "Luck: the draws brought Order ",
    ] {
        assert!(of_all.contains(part), "{part} in\n{of_all}");
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

#[test]
fn a_review_fits_the_terminal() {
    let log = format!(
        "{}/tests/data/golden/entropy.jsonl",
        env!("CARGO_MANIFEST_DIR")
    );
    let command = format!("{TURNWISE} review {log} --game 1 --nodes 50");
    let (shown, succeeded) = on_a_terminal(&command, &[]);
    assert!(succeeded && shown.contains("Skill"), "{shown}");
    for line in shown.lines().filter(|line| line.starts_with('|')) {
        assert!(line.trim_end().chars().count() <= 80, "{line}");
    }
}
