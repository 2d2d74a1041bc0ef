//! Tests that error messages stay short, however long the texts are that they quote.

use std::fs;
use std::path::Path;

use crate::support::{run, stderr};

/// The maximum number of bytes that a failing command may write to stderr.
const MOST: usize = 10_000;

/// The length of each hostile text, in bytes.
const LONG: usize = 600_000;

/// Runs a command, asserts that it writes at most [`MOST`] bytes to stderr, and returns its exit code.
fn brief(words: &[&str]) -> Option<i32> {
    let output = run(words);
    let written = output.stderr.len();
    assert!(written < MOST, "{:?}: {written} bytes", shown(words));
    output.status.code()
}

/// Runs a command that must fail with a short message.
fn fails_briefly(words: &[&str]) {
    let code = brief(words);
    assert!(matches!(code, Some(1..=3)), "{:?}: {code:?}", shown(words));
}

fn shown(words: &[&str]) -> Vec<String> {
    let starts = words.iter().map(|word| word.chars().take(80).collect());
    starts.collect()
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("there is room");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn errors_about_class_files_are_short() {
    let folder = tempfile::tempdir().expect("a folder");
    let (long, wide) = ("A".repeat(LONG), "é".repeat(LONG / 2));
    let class = |game: &str, settings: &str, kind: &str, participant: &str| {
        format!(
            "game = \"{game}\"\n{settings}\nformat = {{ kind = \"{kind}\", times = 1 }}\n\
             participant = [{{ {participant} }}, {{ name = \"b\", agent = \"random\" }}]\n"
        )
    };
    let one = "name = \"a\", agent = \"random\"";
    for (number, text) in [
        class("entropy", "", "round-robin", one) + &long,
        class("entropy", "", "round-robin", one) + &"x\n".repeat(LONG / 2),
        class("entropy", &format!("{long} = 1"), "round-robin", one),
        class(&long, "", "round-robin", one),
        class("entropy", "", &long, one),
        class(
            "entropy",
            &format!("settings.size = \"{wide}\""),
            "round-robin",
            one,
        ),
        class(
            "entropy",
            &format!("settings.{long} = 1"),
            "round-robin",
            one,
        ),
        class(
            "entropy",
            &format!("isolate = \"{long}\""),
            "round-robin",
            one,
        ),
        class(
            "entropy",
            "",
            "round-robin",
            &format!("name = \"{long}\", agent = \"random\""),
        ),
        class(
            "entropy",
            "",
            "round-robin",
            &format!("name = \"{wide}\", agent = \"random\""),
        ),
        class(
            "entropy",
            "",
            "round-robin",
            &format!("name = \"a\", agent = \"{long}\""),
        ),
        class(
            "entropy",
            "",
            "round-robin",
            &format!("name = \"a\", agent = \"random:{long}\""),
        ),
        class(
            "entropy",
            "",
            "round-robin",
            &format!("name = \"a\", run = \"\\\"{long}\""),
        ),
        class(
            "entropy",
            "",
            "round-robin",
            &format!("name = \"a\", run = \"x\", wire = \"{long}\""),
        ),
    ]
    .iter()
    .enumerate()
    {
        let file = written(folder.path(), &format!("{number}.toml"), text);
        fails_briefly(&["tournament", &file, "--yes"]);
        fails_briefly(&["host", "--tournament", &file]);
    }
    // A participant without a folder sits out, so that the class can go on.
    let absent = format!("name = \"a\", run = \"x\", folder = \"{long}\"");
    let absent = class("entropy", "", "round-robin", &absent);
    let absent = written(folder.path(), "absent.toml", &absent);
    assert_eq!(brief(&["tournament", &absent, "--yes"]), Some(0));
}

#[test]
fn errors_about_headers_are_short() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = "A".repeat(LONG);
    let header = |version: &str, game: &str, name: &str, spec: &str| {
        let agents =
            format!(r#"[{{"name":"{name}","spec":"{spec}"}},{{"name":"b","spec":"random"}}]"#);
        format!(
            r#"{{"event":"match","format":1,"turnwise":"{version}","game":"{game}","size":2,"agents":{agents},"#
        ) + r#""seed":1,"pairs":1,"time":{"kind":"clock","seconds":1.0}}"#
            + "\n"
    };
    for (number, text) in [
        long.clone(),
        "x y\n".repeat(LONG / 4),
        "[".repeat(LONG),
        "\0".repeat(LONG),
        header(&long, "entropy", "a", "no-such-agent"),
        header("0", &long, "a", "random"),
        header("0", "entropy", &long, "random"),
        header("0", "entropy", "a", &long),
        header("0", "entropy", "a", &format!("cmd:{long}")),
        header("0", "entropy", "a", &format!("cmd:'{long}")),
    ]
    .iter()
    .enumerate()
    {
        let file = written(folder.path(), &format!("{number}.jsonl"), text);
        fails_briefly(&["arena", "--resume", &file]);
        for command in ["report", "replay", "review"] {
            brief(&[command, &file]);
        }
    }
}

#[test]
fn a_command_too_long_to_be_shown_is_not_agreed_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let agents = format!(
        r#"[{{"name":"a","spec":"cmd:true {}"}},{{"name":"b","spec":"random"}}]"#,
        "A".repeat(LONG)
    );
    let header = r#"{"event":"match","format":1,"turnwise":"0","game":"entropy","size":2,"seed":1,"pairs":1,"#;
    let header =
        format!("{header}\"time\":{{\"kind\":\"clock\",\"seconds\":1.0}},\"agents\":{agents}}}\n");
    let log = written(folder.path(), "log", &header);
    let words = ["arena", "--resume", &log];
    fails_briefly(&words);
    let told = stderr(&run(&words));
    assert!(told.contains("too long to show"), "{told}");
}

#[test]
fn errors_about_other_files_are_short() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, text) in [
        "A".repeat(LONG),
        "é\u{1b}[2J".repeat(LONG / 6),
        "x y\n".repeat(LONG / 4),
        "[".repeat(LONG),
        "\0".repeat(LONG),
    ]
    .iter()
    .enumerate()
    {
        let file = written(folder.path(), &format!("{number}"), text);
        let weights = format!("turnwise:weights={file}");
        for words in [
            &["analyse", &*file][..],
            &["budget", &file],
            &["entropy", "calibrate", &file],
            &["masterchef", "--input", &file],
            &["guesswho", &file],
            &["arena", "random", &weights, "--nodes", "1"],
        ] {
            fails_briefly(words);
        }
    }
}

#[test]
fn errors_about_arguments_are_short() {
    // The system limits each argument to 128 KiB.
    let long = "A".repeat(120_000);
    let (name, option) = (format!("{long}=random"), format!("random:{long}"));
    let (agent, command) = (format!("cmd/{long}:x"), format!("cmd:'{long}"));
    for words in [
        &[&*long][..],
        &["arena", &long, "random"],
        &["arena", &name, "random"],
        &["arena", &option, "random"],
        &["arena", &agent, "random"],
        &["arena", &command, "random"],
        &["arena", "random", "greedy", "--clock", &long],
        &["arena", "random", "greedy", "--game", &long],
        &["arena", "random", "greedy", "--sprt", &long],
        &["arena", "random", "greedy", "--log", &long],
        &["arena", "--resume", &long],
        &["tournament", &long],
        &["report", &long],
        &["play", &long, "1", "--reconnect", "never"],
        &["play", "localhost", "1", "--name", &long],
        &["new", &long, "x"],
        &["check", &command],
    ] {
        fails_briefly(words);
    }
}
