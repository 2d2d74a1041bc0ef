//! `turnwise guesswho` as a process.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::boards::path;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnwise"));
    command.arg("guesswho").args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program starts")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("the output is UTF-8")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("the errors are UTF-8")
}

fn json(arguments: &[&str]) -> Value {
    let output = run(arguments);
    assert!(output.status.success(), "{}", err(&output));
    serde_json::from_slice(&output.stdout).expect("the output is JSON")
}

/// A file in a directory that lives as long as the returned guard.
fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join(name);
    std::fs::write(&path, text).expect("the file is written");
    (directory, path)
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
    assert!(output.status.success(), "{}", err(&output));
    assert_eq!(out(&output), include_str!("custom_binary_P1_P3.txt"));
    assert_eq!(
        std::fs::read_to_string(log).expect("the log is there"),
        out(&output)
    );
    assert_eq!(err(&output), "");
}

#[test]
fn every_pair_of_persons_gives_the_exact_result() {
    let summary = json(&[
        "--json",
        &path("official_game1_10p"),
        "all",
        "custom",
        "binary",
    ]);
    assert_eq!(summary["games"], 100);
    assert_eq!(summary["exact"], true);
    assert_eq!(
        (
            &summary["win"]["games"],
            &summary["tie"]["games"],
            &summary["loss"]["games"]
        ),
        (&56.into(), &32.into(), &12.into())
    );
    assert_eq!(summary["score"]["value"], 0.72);
    assert_eq!(
        summary["score"]["interval"],
        serde_json::json!([0.72, 0.72])
    );
    let histogram = summary["rounds"]["histogram"]
        .as_object()
        .expect("a histogram");
    assert_eq!(
        histogram
            .values()
            .map(|games| games.as_u64().unwrap())
            .sum::<u64>(),
        100
    );
    let twice = json(&[
        "--json",
        "--games",
        "2",
        &path("official_game1_10p"),
        "all",
        "custom",
        "binary",
    ]);
    assert_eq!(twice["games"], 200);
}

#[test]
fn many_games_are_reproducible_and_state_their_intervals() {
    let arguments = [
        "--games",
        "500",
        "--seed",
        "7",
        &path("official_game1_10p"),
        "random",
        "custom",
        "random",
    ];
    let first = run(&arguments);
    assert!(first.status.success(), "{}", err(&first));
    assert_eq!(first.stdout, run(&arguments).stdout);
    let text = out(&first);
    assert!(
        text.starts_with("custom (player 1) against random (player 2): 500 game(s), seed 7\n"),
        "{text}"
    );
    for expected in [
        "player 1 won",
        "95 % interval",
        "score of player 1",
        "on average",
        "####",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let mut other = arguments;
    other[3] = "8";
    assert_ne!(run(&other).stdout, first.stdout);
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
        include_str!("custom_binary_P1_P3.txt")
    );
}

#[test]
fn many_games_write_their_logs_one_after_the_other() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let log = directory.path().join("all.log");
    let output = run(&[
        "-l",
        log.to_str().unwrap(),
        &path("official_game1_10p"),
        "all",
        "custom",
        "binary",
    ]);
    assert!(output.status.success(), "{}", err(&output));
    let text = std::fs::read_to_string(log).expect("the log is there");
    assert_eq!(text.lines().filter(|line| *line == "Round 1").count(), 100);
    assert_eq!(
        text.lines().filter(|line| *line == "Player 1 won!").count(),
        56
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
    assert!(output.status.success(), "{}", err(&output));
    assert_eq!(out(&output), include_str!("official_tree.txt"));
    let drawing = std::fs::read_to_string(svg).expect("the drawing is there");
    assert!(
        drawing.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"")
            && drawing.ends_with("</svg>\n")
    );
    // Ten persons are ten leaves and nine inner nodes, each with two branches.
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
    assert!(output.status.success(), "{}", err(&output));
    let drawing = std::fs::read_to_string(svg).expect("the drawing is there");
    assert!(
        drawing.contains(">P&lt;1&gt;</text>") && drawing.contains(">P&amp;2</text>"),
        "{drawing}"
    );
}

#[test]
fn malformed_files_are_refused_with_file_line_and_column() {
    let (_directory, config) = file("bad.config", "hair a b\n\nP1\nhat a\nhair c\n");
    let output = run(&[config.to_str().unwrap(), "random", "custom", "binary"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(out(&output), "");
    let shown = config.display();
    assert_eq!(
        err(&output),
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
        err(&output)
            .contains("bad.chosen:1:4: chosen person P77 of player 2 is not in the configuration")
    );
}

#[test]
fn lenience_is_offered_where_it_helps_and_warns() {
    let arguments = [&path("jm_game3"), "random", "optimal", "binary"];
    let strict = run(&arguments);
    assert_eq!(strict.status.code(), Some(2));
    assert!(err(&strict).contains("jm_game3.config:13:9: unknown value blue of attribute glasses: expected one of green, yellow"));
    assert!(err(&strict).contains("and 56 more problems"));
    assert!(err(&strict).ends_with("turnwise: --lenient accepts this file nevertheless\n"));
    let mut lenient = vec!["--lenient"];
    lenient.extend(arguments);
    let lenient = run(&lenient);
    assert!(lenient.status.success());
    assert!(err(&lenient).contains("warning") && out(&lenient).starts_with("Round 1\n"));
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
        (
            &["--games", "0", &official, "random", "custom", "binary"],
            2,
            "0",
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
            err(&output).contains(message),
            "{arguments:?}: {}",
            err(&output)
        );
    }
}

#[test]
fn a_person_plays_at_the_keyboard_and_mistakes_are_explained() {
    let (_directory, chosen) = file("game1.chosen", "P1 P3\n");
    let play = |typed: &str| {
        let mut child = command(&[
            &path("official_game1_10p"),
            chosen.to_str().unwrap(),
            "human",
            "binary",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
        child
            .stdin
            .take()
            .expect("a pipe")
            .write_all(typed.as_bytes())
            .expect("it is written");
        child.wait_with_output().expect("the program ends")
    };
    let output = play("hat\nhat mauve\n\nhat red\nP3\n");
    assert!(output.status.success(), "{}", err(&output));
    let log = out(&output);
    assert!(
        log.starts_with("Round 1\nPlayer 1 guessing Attribute hat red\nPlayer 2 answering true\n"),
        "{log}"
    );
    assert!(
        log.contains("Player 1 guessing Person  P3\nPlayer 2 answering true\n"),
        "{log}"
    );
    for explained in [
        "There is no person hat.",
        "hat can be white, yellow",
        "Expected one or two words, got 0.",
    ] {
        assert!(err(&output).contains(explained), "{explained}");
    }
    let output = play("hat red\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(err(&output).contains("the input ended before the game"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_prints_what_was_played_so_far() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let log = directory.path().join("all.log");
    let official = path("official_game1_10p");
    let games = [
        "--json",
        "--games",
        "1000000000",
        "-l",
        log.to_str().unwrap(),
        &official,
        "random",
        "custom",
        "random",
    ];
    let mut child = command(&games)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // It listens for Ctrl-C before the first game, so once there is a log it does.
    while std::fs::metadata(&log).map_or(0, |file| file.len()) == 0 {
        assert!(
            child.try_wait().expect("it can be asked").is_none(),
            "it plays on"
        );
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill is there");
    assert!(killed.success());
    let mut summary = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().expect("a pipe"), &mut summary)
        .expect("it is UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let summary: Value = serde_json::from_str(&summary).expect("a summary");
    let games = summary["games"].as_u64().expect("a number");
    assert!(games > 0 && games < 1_000_000_000);
}
