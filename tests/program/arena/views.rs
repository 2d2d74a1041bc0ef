//! Tests how a running match is displayed and controlled.
//!
//! The tests cover the progress bar, the quiet and JSON modes, warnings, and Ctrl-C.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{json_lines, on_a_terminal};

use super::{TURNWISE, arena, pair_lines, played, records, resume, until_a_game_is_logged};

const SHORT: [&str; 8] = [
    "random", "greedy", "--nodes", "1", "--pairs", "4", "--size", "4",
];

#[test]
fn a_terminal_shows_a_progress_bar_and_the_summary() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let command = format!(
        "{TURNWISE} arena {} --log {}",
        SHORT.join(" "),
        log.display()
    );
    let (shown, succeeds) = on_a_terminal(&command, &[]);
    assert!(succeeds, "{shown}");
    for part in ["/4 pairs", "random against greedy", "verdict"] {
        assert!(shown.contains(part), "no {part:?} in {shown}");
    }
    // No other output may interrupt the progress bar, because a part of the bar would then remain on the screen.
    let header = shown.find("4 pairs on 4x4, seed ").expect("a header");
    let bar = shown.find("0/4 pairs").expect("a bar");
    assert!(header < bar, "{shown}");
    // Before the first pair, speed and time are unknown.
    let first = shown[bar..].split(['\r', '\n', '\u{1b}']).next();
    assert_eq!(first.map(str::trim_end), Some("0/4 pairs"), "{shown}");
}

#[test]
fn a_terminal_that_cannot_redraw_shows_no_bar_and_no_escape_sequence() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let command = format!(
        "{TURNWISE} arena {} --log {}",
        SHORT.join(" "),
        log.display()
    );
    let (shown, _) = on_a_terminal(&command, &[("TERM", "dumb")]);
    assert!(shown.contains("verdict"), "{shown}");
    assert!(
        !shown.contains('\u{1b}') && !shown.contains("/4 pairs"),
        "{shown}"
    );
}

#[test]
fn without_a_terminal_there_is_no_bar() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = played(&SHORT, &folder.path().join("log"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!stderr.contains("games/s"), "{stderr}");
}

#[test]
fn json_is_an_object_a_line_the_last_of_the_whole_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let output = played(&[&SHORT[..], &["--json"]].concat(), &log);
    assert!(output.stderr.is_empty());
    let stdout = String::from_utf8(output.stdout).expect("text");
    let objects = json_lines(&stdout);
    let pairs: Vec<u64> = (objects.iter())
        .map(|object| object["pairs"].as_u64().expect("a number"))
        .collect();
    assert_eq!(pairs, [0, 1, 2, 3, 4]);
    let last = &objects[4];
    let end = records(&log).pop().expect("an end");
    assert_eq!(last["verdict"], end["verdict"]);
    assert_eq!(last["pairings"][0]["pairs"], 4);
    // After the first pair, the Elo difference has an interval.
    for object in &objects[1..] {
        let elo = object["pairings"][0]["elo"]
            .as_array()
            .expect("an interval");
        assert!(elo.iter().all(Value::is_f64), "{object}");
    }
}

#[test]
fn quiet_is_the_verdict_alone_but_faults_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = played(
        &[&SHORT[..], &["--quiet"]].concat(),
        &folder.path().join("1"),
    );
    assert!(output.stderr.is_empty());
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
    let words = ["culprit=cmd:false", "random", "--pairs", "1", "--quiet"];
    let output = played(&words, &folder.path().join("2"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        stderr,
        "turnwise: faults: culprit 2, random 0; the log says why\n"
    );
}

#[test]
fn one_pair_is_a_pair() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = [
        "random", "greedy", "--nodes", "1", "--pairs", "1", "--size", "4",
    ];
    let output = played(&words, &folder.path().join("log"));
    let shown =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(
        shown[0].starts_with("random against greedy: 1 pair, 2 games\n"),
        "{shown:?}"
    );
    assert!(shown[1].contains(": 1 pair on 4x4, "), "{shown:?}");
    assert!(!shown.concat().contains("1 pairs"), "{shown:?}");
}

#[test]
fn a_league_says_whether_the_leader_is_better_than_the_runner_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let twins = ["greedy", "twin=greedy", "random"];
    let words = [
        "--nodes", "1", "--pairs", "6", "--size", "4", "--seed", "2", "--quiet",
    ];
    let output = played(&[&twins[..], &words].concat(), &log);
    let stdout = String::from_utf8_lossy(&output.stdout);
    // The two equal agents are far ahead of the third, so the leader is not better than the runner-up.
    let told = " leads, but no difference is proved to the runner-up, ";
    assert!(stdout.contains(told), "{stdout}");
}

#[test]
fn more_jobs_than_cores_are_warned_of_where_the_clock_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = (cores + 1).to_string();
    let warned = |words: &[&str], name| {
        let output = played(
            &[words, &["--jobs", &jobs]].concat(),
            &folder.path().join(name),
        );
        String::from_utf8_lossy(&output.stderr).contains("games compete for the cores")
    };
    let clock = [
        "random", "greedy", "--clock", "60", "--pairs", "1", "--size", "3",
    ];
    assert!(warned(&clock, "1"));
    assert!(!warned(&[&clock[..], &["--counts", "cpu"]].concat(), "2"));
    assert!(!warned(&SHORT, "3"));
}

#[test]
fn a_second_interrupt_stops_at_once_and_the_log_is_good_to_go_on_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let [log, whole] = ["log", "whole"].map(|name| folder.path().join(name));
    // A pair takes long enough to be in progress when the second signal arrives.
    let words = [
        "turnwise",
        "b=turnwise",
        "--nodes",
        "30000",
        "--pairs",
        "6",
        "--seed",
        "4",
        "--size",
        "4",
        "--jobs",
        "2",
    ];
    let mut child = arena(&words, &log)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program can be started");
    until_a_game_is_logged(&log);
    // The second signal follows at once, so that pairs are still in progress. The signals differ, because equal signals
    // may merge into one.
    let both = format!("kill -INT {id}; kill -TERM {id}", id = child.id());
    let sent = Command::new("sh").args(["-c", &both]).status();
    assert!(sent.expect("there is a shell").success());
    let code = child.wait().expect("it ends").code();
    assert!(matches!(code, Some(130 | 143)), "{code:?}");
    let last = records(&log).pop().expect("records");
    assert_ne!(last["event"], "end");
    let resumed = resume(&log).status().expect("the program can be started");
    assert!(resumed.success());
    played(&words, &whole);
    assert_eq!(pair_lines(&log), pair_lines(&whole));
}
