//! Tests `turnwise guesswho` as a process.

use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;
use turnwise_engine::words::is_unprintable;

use super::board_path as path;
use crate::support::{self, folder_with, stderr, stdout};

fn run(arguments: &[&str]) -> Output {
    support::run(&[&["guesswho"], arguments].concat())
}

/// Writes a file into a new temporary folder. Returns a guard and the file's path.
///
/// The folder is removed when the guard is dropped.
fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = folder_with(name, text);
    let path = folder.path().join(name);
    (folder, path)
}

fn json(arguments: &[&str]) -> Value {
    let output = run(arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).expect("the output is JSON")
}

#[test]
fn one_game_prints_the_frameworks_log_and_writes_it_to_a_file() {
    let (_directory, chosen) = file("game1.chosen", "P1 P3\n");
    let log = chosen.with_file_name("game.log");
    let official = path("official_game1_10p");
    let output = run(&[
        "-l",
        log.to_str().unwrap(),
        &official,
        chosen.to_str().unwrap(),
        "custom",
        "binary",
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(
        stdout(&output),
        include_str!("../../../crates/guesswho/tests/guesswho/custom_binary_P1_P3.txt")
    );
    assert_eq!(
        std::fs::read_to_string(log).expect("the log is there"),
        stdout(&output)
    );
    assert_eq!(stderr(&output), "");
}

#[test]
fn one_game_as_json_names_the_winner_and_holds_the_log() {
    let (_directory, chosen) = file("game1.chosen", "P1 P3\n");
    let game = json(&[
        "--json",
        &path("official_game1_10p"),
        chosen.to_str().unwrap(),
        "custom",
        "binary",
    ]);
    assert_eq!(game["winner"], 1);
    assert_eq!(game["rounds"], 3);
    assert_eq!(game["chosen"], serde_json::json!(["P1", "P3"]));
    let log: Vec<&str> = game["log"]
        .as_array()
        .expect("a log")
        .iter()
        .map(|line| line.as_str().unwrap())
        .collect();
    assert_eq!(
        log.join("\n") + "\n",
        include_str!("../../../crates/guesswho/tests/guesswho/custom_binary_P1_P3.txt")
    );
}

#[test]
fn the_tree_is_drawn_as_text_and_as_svg() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let svg = directory.path().join("tree.svg");
    let output = run(&[
        "--tree",
        &path("official_game1_10p"),
        "--svg",
        svg.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output), include_str!("official_tree.txt"));
    let drawing = std::fs::read_to_string(svg).expect("the drawing is there");
    assert!(
        drawing.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"")
            && drawing.ends_with("</svg>\n")
    );
    // The tree for ten persons has ten leaves and nine inner nodes, each of which has two branches.
    assert_eq!(drawing.matches("<line ").count(), 18);
    assert_eq!(drawing.matches(" rx=\"5\"").count(), 19);
    for person in 1..=10 {
        assert!(drawing.contains(&format!(">P{person}</text>")), "P{person}");
    }
}

#[test]
fn markup_in_names_does_not_break_the_drawing() {
    let (_directory, config) = file(
        "odd.config",
        "<a> & \"b\"\n\nP<1>\n<a> &\n\nP&2\n<a> \"b\"\n",
    );
    let svg = config.with_file_name("tree.svg");
    let output = run(&[
        "--tree",
        config.to_str().unwrap(),
        "--svg",
        svg.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    let drawing = std::fs::read_to_string(svg).expect("the drawing is there");
    assert!(
        drawing.contains(">P&lt;1&gt;</text>") && drawing.contains(">P&amp;2</text>"),
        "{drawing}"
    );
}

#[test]
fn malformed_files_are_refused_with_file_line_and_column() {
    let (_directory, config) = file("bad.config", "hair a b\n\nP1\nhat a\nhair c\n");
    let config_path = config.to_str().unwrap();
    let output = run(&["--strict", config_path, "random", "custom", "binary"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    let shown = config.display();
    assert_eq!(
        stderr(&output),
        format!(
            "turnwise: {shown}:4:1: unknown attribute hat: expected one of hair\n\
             turnwise: {shown}:5:6: unknown value c of attribute hair: expected one of a, b\n"
        )
    );
    let (_directory, chosen) = file("bad.chosen", "P1 P77\n");
    let output = run(&[
        &path("official_game1_10p"),
        chosen.to_str().unwrap(),
        "custom",
        "binary",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output)
            .contains("bad.chosen:1:4: chosen person P77 of player 2 is not in the configuration")
    );
}

#[test]
fn the_courses_files_are_played_with_warnings_and_refused_only_when_asked() {
    let arguments = [&path("jm_game3"), "random", "optimal", "binary"];
    let with = |option: &'static str| run(&[&[option], &arguments[..]].concat());
    let played = run(&arguments);
    assert!(played.status.success(), "{}", stderr(&played));
    assert!(stdout(&played).starts_with("Round 1\n"));
    let warnings = stderr(&played);
    assert!(warnings.contains("warning: ") && warnings.contains("jm_game3.config:13:9: unknown value blue of attribute glasses: expected one of green, yellow"), "{warnings}");
    assert!(warnings.contains("and 12 more"), "{warnings}");
    let lenient = with("--lenient");
    assert_eq!(lenient, played, "the option of old does nothing more");
    let strict = with("--strict");
    assert_eq!(strict.status.code(), Some(2));
    assert_eq!(stdout(&strict), "");
    assert!(stderr(&strict).contains("and 56 more problems"));
    assert!(
        stderr(&strict)
            .ends_with("turnwise: without --strict these are warnings, and the file is accepted\n")
    );
    assert!(!stdout(&run(&["--help"])).contains("--lenient"));
}

#[test]
fn persons_who_are_alike_are_named_one_by_one() {
    let (_directory, config) = file(
        "alike.config",
        "hair a b\n\nP1\nhair a\n\nP2\nhair a\n\nP3\nhair b\n",
    );
    let config = config.to_str().unwrap();
    let output = run(&[config, "random", "optimal", "optimal"]);
    assert!(output.status.success());
    assert!(stderr(&output).contains("alike.config:6:1: persons P1 and P2 are identical"));
    assert_eq!(
        run(&["--strict", config, "random", "optimal", "optimal"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn what_cannot_be_done_is_said_with_an_exit_code() {
    let (_directory, text) = file("text", "\u{0}");
    std::fs::write(&text, b"hair \xff\n").unwrap();
    let official = path("official_game1_10p");
    let cases: &[(&[&str], i32, &str)] = &[
        (
            &["/nonexistent/game.config", "random", "custom", "binary"],
            1,
            "cannot read /nonexistent/game.config",
        ),
        (
            &[text.to_str().unwrap(), "random", "custom", "binary"],
            1,
            "not UTF-8 at byte 5",
        ),
        (
            &[&official, "/nonexistent/game.chosen", "custom", "binary"],
            1,
            "cannot read /nonexistent/game.chosen",
        ),
        (
            &[&official, "random", "custom", "clever"],
            2,
            "invalid value 'clever'",
        ),
        (&[&official, "random", "custom"], 2, "PLAYER2"),
        (&[&official, "all", "custom", "binary"], 2, "--all-persons"),
        (
            &["--games=7", &official, "random", "custom", "binary"],
            2,
            "turnwise arena",
        ),
        (
            &[
                "-l",
                "/nonexistent/game.log",
                &official,
                "random",
                "custom",
                "binary",
            ],
            1,
            "cannot write /nonexistent/game.log",
        ),
        (
            &["--svg", "tree.svg", &official, "random", "custom", "binary"],
            2,
            "--tree",
        ),
    ];
    for (arguments, code, message) in cases {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}");
        assert!(
            stderr(&output).contains(message),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}

/// A board whose names could control a terminal.
///
/// The names contain ESC, the C1 control CSI, and characters that reverse the reading direction.
const HOSTILE: &str = "ha\u{1b}[2Jt re\u{202e}d bl\u{9b}ue\n\nP\u{1b}1\nha\u{1b}[2Jt re\u{202e}d\n\nP\u{202e}2\nha\u{1b}[2Jt bl\u{9b}ue\n";

#[test]
fn no_name_of_a_file_takes_hold_of_a_terminal() {
    let (_directory, config) = file("hostile.config", HOSTILE);
    let log = config.with_file_name("game.log");
    let [config, log] = [&config, &log].map(|path| path.to_str().expect("UTF-8"));
    // The errors quote an undeclared value, which strict reading rejects, and an unknown person.
    let undeclared = format!("{HOSTILE}\nP3\nha\u{1b}[2Jt mau\u{1b}ve\n");
    let (_other, undeclared) = file("undeclared.config", &undeclared);
    let undeclared = undeclared.to_str().expect("UTF-8");
    let (_third, stranger) = file("stranger", "P\u{1b}1 P\u{9b}9\n");
    let stranger = stranger.to_str().expect("UTF-8");
    for (words, shown) in [
        (
            &["-l", log, config, "random", "custom", "binary"][..],
            "P\u{fffd}",
        ),
        (
            &["--json", config, "random", "custom", "binary"],
            "P\u{fffd}",
        ),
        (&["--tree", config], "P\u{fffd}2"),
        (
            &["--strict", undeclared, "random", "custom", "binary"],
            "mau\u{fffd}ve",
        ),
        (&[undeclared, "random", "custom", "binary"], "mau\u{fffd}ve"),
        (&[config, stranger, "custom", "binary"], "P\u{fffd}9"),
    ] {
        let output = run(words);
        let said = stdout(&output) + &stderr(&output);
        assert!(said.contains(shown), "{words:?}: {said:?}");
        let unfit = |letter: char| letter != '\n' && is_unprintable(letter);
        assert!(!said.contains(unfit), "{words:?}: {said:?}");
    }
    // The log is read by programs, which need the exact names of persons.
    let log = std::fs::read_to_string(log).expect("the log is there");
    assert!(
        log.contains("P\u{1b}1") || log.contains("P\u{202e}2"),
        "{log:?}"
    );
}
