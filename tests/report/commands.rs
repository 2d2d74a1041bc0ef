//! `turnwise report` and `turnwise replay` as a user runs them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::data;
use super::output::check_page;

fn turnwise(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("turnwise starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the output is UTF-8")
}

fn path(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}

#[test]
fn report_prints_tables_and_writes_page_and_pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("new/report");
    let output = turnwise(&["report", path(&data("sample.jsonl")), "--out", path(&out)]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(text(&output.stderr), "");
    let printed = text(&output.stdout);
    assert!(printed.starts_with(
        "three against one\nEntropy on 5 x 5, 10 s for a game, 2 random plies at the start; 8 games; three is cmd:three; one is cmd:one\n"
    ));
    assert!(
        printed.contains("points a pair | pairs | won | drawn | lost |"),
        "{printed}"
    );
    assert!(!printed.contains('\u{1b}'));
    for name in ["estimate", "scores", "time", "depth"] {
        assert!(out.join(format!("{name}.svg")).is_file(), "{name}");
    }
    check_page(&fs::read_to_string(out.join("report.html")).expect("the page"));
}

#[test]
fn report_takes_the_luck_of_the_tiles_off() {
    let log = data("sample.jsonl");
    let folder = tempfile::tempdir().expect("a folder");
    let output = turnwise(&["report", path(&log), "--luck", "--out", path(folder.path())]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(text(&output.stderr), "");
    let printed = text(&output.stdout);
    let header = "points a pair | of that, luck |   without luck | pairs |";
    assert!(printed.contains(header), "{printed}");
    let page = fs::read_to_string(folder.path().join("report.html")).expect("the page");
    assert!(page.contains("Luck of the tiles"));

    let without = turnwise(&["report", path(&data("halma.jsonl")), "--luck"]);
    assert!(without.status.success(), "{without:?}");
    assert_eq!(
        text(&without.stderr),
        "turnwise: nothing is drawn in Halma, so there is no luck to judge\n"
    );
    assert!(!text(&without.stdout).contains("luck"));
}

#[test]
fn report_shows_faults_without_control_characters() {
    let output = turnwise(&["report", path(&data("faults.jsonl"))]);
    assert!(output.status.success());
    let printed = text(&output.stdout);
    for shown in [
        "overtime",
        "crash",
        "illegal move",
        "garbage",
        "silence",
        "Verdict: ",
    ] {
        assert!(printed.contains(shown), "{shown} in {printed}");
    }
    assert!(
        !printed
            .chars()
            .any(|character| character.is_control() && character != '\n')
    );
}

#[test]
fn report_notes_what_is_torn() {
    let folder = tempfile::tempdir().expect("a folder");
    let torn = folder.path().join("torn.jsonl");
    let mut log = fs::read(data("sample.jsonl")).expect("the sample");
    log.truncate(log.len() - 60);
    fs::write(&torn, log).expect("the log can be written");
    let output = turnwise(&["report", path(&torn)]);
    assert!(output.status.success());
    let noted = text(&output.stderr);
    assert!(noted.contains("torn.jsonl: line "), "{noted}");
    assert!(noted.contains("was not written whole: skipped"), "{noted}");
}

#[test]
fn wrong_files_are_named_and_the_exit_code_tells_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing.jsonl");
    let other = folder.path().join("other.jsonl");
    fs::write(&other, "{\"event\":\"turn\"}\n").expect("the file can be written");
    for command in ["report", "replay"] {
        let output = turnwise(&[command, path(&missing)]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("cannot read the log"));
        let output = turnwise(&[command, path(&other)]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("other.jsonl is no arena log: line 1 should be"));
        assert_eq!(turnwise(&[command]).status.code(), Some(2));
    }
    // A file where the folder should be.
    let output = turnwise(&["report", path(&data("sample.jsonl")), "--out", path(&other)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot create the folder"));
}

#[test]
fn replay_prints_a_game_plainly_when_piped() {
    let log = data("sample.jsonl");
    let output = turnwise(&["replay", path(&log), "--game", "3"]);
    assert!(output.status.success());
    let printed = text(&output.stdout);
    assert!(printed.starts_with("Pair 2, game 1: three is Order, one is Chaos\n"));
    assert_eq!(printed.matches("(cols)").count(), 50);
    assert_eq!(printed.matches(", random opening\n").count(), 2);
    assert!(printed.contains("\nply 49 of 49: one (Chaos) "));
    assert!(!printed.contains('\u{1b}'));
    let score = printed.lines().last().expect("lines");
    let points = printed
        .lines()
        .rfind(|line| line.starts_with("ply 49"))
        .and_then(|line| line.rsplit_once(", "))
        .expect("the last ply");
    assert_eq!(
        score.strip_prefix("Order's score: "),
        points.1.strip_suffix(" points")
    );
    let by_pair = turnwise(&["replay", path(&log), "--pair", "2", "--game", "1"]);
    assert_eq!(by_pair.stdout, output.stdout);
}

#[test]
fn replay_with_a_delay_shows_the_same_moves() {
    let log = data("sample.jsonl");
    let words = ["replay", path(&log), "--game", "3"];
    let at_once = turnwise(&words);
    let slowly = turnwise(&[&words[..], &["--delay", "0.001"]].concat());
    assert!(slowly.status.success());
    assert_eq!(text(&slowly.stdout), text(&at_once.stdout));
}

#[test]
fn replay_tells_of_the_fault() {
    let log = data("faults.jsonl");
    let output = turnwise(&["replay", path(&log), "--pair", "4"]);
    let printed = text(&output.stdout);
    assert!(
        printed.contains("): crash: ended with exit code 101\n"),
        "{printed}"
    );
    assert!(printed.contains("  stderr: thread 'main' panicked\n"));
    assert!(printed.ends_with("Order's score: 0\n"));
}

#[test]
fn replay_says_which_games_there_are() {
    let log = data("sample.jsonl");
    let refused = |arguments: &[&str], message: &str| {
        let output = turnwise(&[&["replay", path(&log)], arguments].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains(message), "{output:?}");
    };
    refused(
        &["--game", "9"],
        "there is no game 9; the log has games 1 to 8",
    );
    refused(
        &["--pair", "5"],
        "there is no pair 5; the log has pairs up to 4",
    );
    refused(&["--pair", "4", "--game", "3"], "pair 4 has no game 3");
    assert_eq!(
        turnwise(&["replay", path(&log), "--game", "0"])
            .status
            .code(),
        Some(2)
    );
}
