//! Tests that the exported Java players guess as the program does.
//!
//! The tests need `javac` and `java`. If these are not installed, the tests print a message and check nothing.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tempfile::TempDir;
use turnwise_guesswho::board::{Board, Question};
use turnwise_guesswho::conversation::Conversation;
use turnwise_guesswho::parse::{self, Strictness};
use turnwise_guesswho::strategies::StrategyKind;

use super::arena::{games, records};
use super::board_path;
use crate::support::{is_there, run, run_with_input, stderr, stdout};

/// Exports the players and compiles them, with the adapter that lets them speak on stdin and stdout. Returns the folder
/// with the classes, or `None` if no Java compiler is installed.
fn classes() -> Option<TempDir> {
    if !is_there("javac") {
        println!(
            "SKIPPED: no javac on the path; install a JDK (9 or later) to test the Java players"
        );
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let exported = run(&[
        "export",
        "guesswho-java",
        folder.path().to_str().expect("text"),
    ]);
    assert!(exported.status.success(), "{}", stderr(&exported));
    let sources = fs::read_dir(folder.path()).expect("a folder");
    let sources = sources.map(|entry| entry.expect("an entry").path());
    let adapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters/guesswho-java");
    let stand_ins = ["StdioPlayer", "harness/Player", "harness/Guess"];
    let output = Command::new("javac")
        .args([
            "--release",
            "8",
            "-Xlint:all",
            "-Xlint:-options",
            "-Werror",
            "-d",
        ])
        .arg(folder.path())
        .args(sources)
        .args(stand_ins.map(|name| adapter.join(name).with_extension("java")))
        .output()
        .expect("javac was there a moment ago");
    assert!(output.status.success(), "{}", stderr(&output));
    Some(folder)
}

/// Returns the text of a random configuration with this number of persons. Some persons may be equal.
fn random_configuration(persons: usize, random: &mut impl Rng) -> String {
    let attributes = random.random_range(1..9);
    let values: Vec<usize> = (0..attributes).map(|_| random.random_range(1..7)).collect();
    // Neither the attributes nor the values nor the persons are in alphabetical order.
    let attribute = |at: usize| format!("attribute{}", (7 * at + 5) % 11);
    let value = |at: usize| format!("v{}", (5 * at + 3) % 7);
    let mut text = String::new();
    for (at, &number) in values.iter().enumerate() {
        let names: Vec<String> = (0..number).map(value).collect();
        text += &format!("{} {}\n", attribute(at), names.join(" "));
    }
    for person in 0..persons {
        text += &format!("\nP{}\n", 1_000 - person);
        for (at, &number) in values.iter().enumerate() {
            text += &format!(
                "{} {}\n",
                attribute(at),
                value(random.random_range(0..number))
            );
        }
    }
    text
}

/// Plays a game of the program's player of this kind against random guesses. Appends the requests and the replies.
fn game(
    kind: StrategyKind,
    path: &str,
    board: &Board,
    random: &mut Xoshiro256PlusPlus,
    dialogue: &mut [String; 2],
) {
    let mut load = |_: &str| Ok(board.clone());
    let mut conversation = Conversation::new(kind, Xoshiro256PlusPlus::seed_from_u64(0), &mut load);
    let mut ask = |request: String| {
        let ControlFlow::Continue(reply) = conversation.reply(Some(request.as_bytes())) else {
            panic!("the conversation goes on");
        };
        dialogue[0] += &(request + "\n");
        dialogue[1] += &(reply.clone() + "\n");
        reply
    };
    let all: Vec<Question> = board.questions().collect();
    let persons = board.everyone().len() as u32;
    let name = |person: u32| board.names(Question::Person(person)).1.to_owned();
    let [ours, theirs] = [(); 2].map(|()| random.random_range(0..persons));
    ask(format!("load {path}"));
    ask(format!("chosen {}", name(ours)));
    let is_first: bool = random.random();
    let mut is_over = false;
    while !is_over {
        for is_our_turn in [is_first, !is_first] {
            if is_our_turn {
                let reply = ask("guess?".to_owned());
                let guess = reply.strip_prefix("guess ").expect("a guess");
                let question = all
                    .iter()
                    .find(|&&question| shown(board, question) == guess);
                let answer = board.answer(*question.expect("on the board"), theirs);
                is_over |= ask(format!("result {guess} {answer}")) == "finished true";
            } else {
                let guess = match random.random_range(0..20) {
                    0 => "Attribute shoes red".to_owned(),
                    _ => shown(board, all[random.random_range(0..all.len())]),
                };
                ask(format!("answer? {guess}"));
                is_over |= guess == format!("Person {}", name(ours));
            }
        }
    }
}

/// Returns a guess as the protocol writes it.
fn shown(board: &Board, question: Question) -> String {
    match board.names(question) {
        (Some(attribute), value) => format!("Attribute {attribute} {value}"),
        (None, person) => format!("Person {person}"),
    }
}

/// The configurations of the course and of its students.
const COURSE: [&str; 5] = [
    "official_game1_10p",
    "jm_game3",
    "ac_game1",
    "kokaruk",
    "tonyhuang",
];

#[test]
fn the_exported_players_guess_as_the_program_does() {
    let Some(classes) = classes() else { return };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let boards = tempfile::tempdir().expect("a folder");
    // Most boards are small, so that the solver finds the exact value. Some are too large for the solver.
    let sizes = (0..200).map(|number| match number % 8 {
        0 => 31 + number / 2,
        _ => 1 + number % 18,
    });
    let files = sizes.map(|persons| {
        let path = boards
            .path()
            .join(format!("{}.config", random.random::<u64>()));
        fs::write(&path, random_configuration(persons, &mut random)).expect("it is written");
        path.to_str().expect("text").to_owned()
    });
    let files: Vec<String> = files.chain(COURSE.map(board_path)).collect();
    for (kind, player) in [
        (StrategyKind::Custom, "CustomGuessPlayer"),
        (StrategyKind::Binary, "BinaryGuessPlayer"),
    ] {
        let mut dialogue = [String::new(), String::new()];
        for path in &files {
            let text = fs::read_to_string(path).expect("a file");
            let parsed = parse::configuration(&text, Strictness::Lenient).expect("sound");
            let board = Board::new(parsed.configuration);
            game(kind, path, &board, &mut random, &mut dialogue);
        }
        let [requests, replies] = dialogue;
        let mut java = Command::new("java");
        let java = java
            .arg("-cp")
            .arg(classes.path())
            .args(["StdioPlayer", player]);
        let played = run_with_input(java, requests.as_bytes());
        assert_eq!(stderr(&played), "");
        let (played, requests) = (stdout(&played), requests.lines());
        for ((request, reply), played) in requests.zip(replies.lines()).zip(played.lines()) {
            assert_eq!(played, reply, "{player}, {request}");
        }
        assert_eq!(played.lines().count(), replies.lines().count());
    }
}

#[test]
fn the_exported_random_player_plays_without_faults() {
    let Some(classes) = classes() else { return };
    let classes = classes.path().display();
    let player = format!("java=cmd:java -cp {classes} StdioPlayer RandomGuessPlayer");
    let folder = tempfile::tempdir().expect("a folder");
    let played = records(&[&player, "binary", "--pairs", "3"], folder.path());
    assert_eq!(games(&played).count(), 6);
    for game in games(&played) {
        assert_eq!(game["fault"], serde_json::Value::Null, "{game}");
    }
}
