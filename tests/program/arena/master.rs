//! Tests the command `turnwise halma master`: single games that are shown, logged and stopped, and pairs of games.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::hostile::{SCRIPTS, has_walls};
use super::{HALMA_PLAYER, TURNWISE, games, played, records, resume};

/// Runs `turnwise halma master` with these words, and lets it write this log.
fn master(words: &[&str], log: &Path) -> std::process::Output {
    Command::new(TURNWISE)
        .args(["halma", "master"])
        .args(words)
        .arg("--log")
        .arg(log)
        .output()
        .expect("the program can be started")
}

#[test]
fn the_master_shows_a_single_game_and_logs_it_for_replay() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = [
        "random",
        "cmd:false",
        "--black",
        "b",
        "--begins",
        "white",
        "--board",
    ];
    let output = master(&[&words[..], &["--seed", "5"]].concat(), &log);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for part in [
        "false is Black, random is White, White begins\n",
        "  1. random (White) ",
        " 0   B  B  B  B  B",
        "Fault of false (Black): crash: the process ended without output.txt: exit status: 1\n",
        "random (White) wins: a fault\n",
    ] {
        assert!(stdout.contains(part), "no {part:?} in {stdout}");
    }
    let header = &records(&log)[0];
    assert_eq!(header["time"]["seconds"], 300.0);
    let replay = Command::new(TURNWISE)
        .arg("replay")
        .arg(&log)
        .output()
        .expect("the program can be started");
    let shown = String::from_utf8_lossy(&replay.stdout);
    assert!(shown.contains("ply 1 of 1: random (White)"), "{shown}");
    assert!(shown.contains("random (White) wins: a fault"), "{shown}");
}

/// The second signal arrives while the player thinks. The player is then killed, which is not its own fault.
#[test]
fn stopped_at_once_a_game_leaves_no_verdict_and_is_not_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let stall = format!("cmd:{HALMA_PLAYER} stall");
    let mut child = Command::new(TURNWISE)
        .args([
            "halma", "master", "random", &stall, "--begins", "black", "--black", "a", "--log",
        ])
        .arg(&log)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut lines = BufReader::new(child.stdout.take().expect("a stream")).lines();
    let mut told = BufReader::new(child.stderr.take().expect("a stream")).lines();
    lines
        .by_ref()
        .map(|line| line.expect("text"))
        .find(|line| line.starts_with("  1. random (Black) "))
        .expect("the first move");
    let interrupt = || {
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.expect("kill can be started").success());
    };
    interrupt();
    let line = told.next().expect("a line").expect("text");
    assert!(line.contains("finishing the game"), "{line}");
    interrupt();
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_eq!(lines.count(), 0, "no fault is shown");
    assert_eq!(records(&log).len(), 1, "the header alone");
    let output = resume(&log).output().expect("the program can be started");
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("a single game"), "{stderr}");
}

#[test]
fn the_master_plays_pairs_like_the_arena() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = [
        "random",
        "minimax",
        "--pairs",
        "1",
        "--clock",
        "20",
        "--max-plies",
        "8",
    ];
    let output = master(&words, &log);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        stdout.contains("random against minimax: 1 pair, 2 games"),
        "{stdout}"
    );
    assert_eq!(stdout.matches("by time left").count(), 2, "{stdout}");
    assert_eq!(games(&log).len(), 2);
}

#[test]
fn quiet_pairs_print_the_score_and_the_verdict_and_say_whose_faults_there_were() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let output = master(&["culprit=cmd:false", "random", "-q", "--pairs", "1"], &log);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        stdout,
        "culprit 0 : 2 random, 2 games\nno difference proved between culprit and random: -1.00 (-1.00 to +0.95) points a pair for culprit\n"
    );
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        stderr,
        "turnwise: faults: culprit 2, random 0; the log says why\n"
    );
    // A draw counts as half a win for each player.
    let log = folder.path().join("drawn");
    let words = [
        "random", "b=random", "--game", "halma", "--nodes", "1", "-q",
    ];
    let more = ["--pairs", "2", "--max-plies", "4"];
    let output = played(&[&words[..], &more].concat(), &log);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.starts_with("random 2 : 2 b, 4 games\n"), "{stdout}");
}

#[test]
fn the_master_shows_what_a_player_at_fault_has_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let player = format!("own=cmd:{HALMA_PLAYER} java");
    let words = [&player, "random", "--black", "a", "--begins", "black"];
    let output = master(&words, &log);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let told = "\n  output.txt \"E 4,0 5,0 \\r\\n\"\n";
    assert!(stdout.contains(told), "{stdout}");
}

#[test]
fn a_command_that_does_not_exist_is_told_before_the_first_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let output = master(
        &["random", "cmd:no-such-player 3", "--begins", "black"],
        &log,
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, b"");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("cannot start \"no-such-player\""),
        "{stderr}"
    );
    assert!(!log.exists());
}

#[test]
fn a_program_of_the_master_plays_isolated() {
    if !has_walls("a program of the master") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // If root started the master, the program runs as another user.
    let all = || fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder.path(), all()).expect("it is ours");
    let script = folder.path().join("homework.sh");
    let look = format!("#!/bin/sh\n[ -e {SCRIPTS} ] && echo seen >&2 || echo hidden >&2\n");
    fs::write(&script, look).expect("there is room");
    fs::set_permissions(&script, all()).expect("it is ours");
    let command = format!("own=cmd:{}", script.display());
    let words = [&*command, "random", "--black", "a", "--begins", "black"];
    for (more, seen) in [
        (&["--isolate", "--memory", "64", "-v"][..], "hidden"),
        (&[], "seen"),
    ] {
        for pairs in [&[][..], &["--pairs", "1"]] {
            let log = folder.path().join(format!("{seen}{}", pairs.len()));
            // The color is drawn at random only in a single game.
            let words = if pairs.is_empty() {
                &words[..]
            } else {
                &words[..2]
            };
            let output = master(&[words, more, pairs].concat(), &log);
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{told}");
            let is_isolated = !more.is_empty();
            assert_eq!(
                told.contains("turnwise: isolation: "),
                is_isolated,
                "{told}"
            );
            let detail = "yes        files of others hidden\n";
            assert_eq!(told.contains(detail), is_isolated, "{told}");
            let header = &records(&log)[0];
            assert_eq!(
                header["isolation"]["memory"] == 64 << 20,
                is_isolated,
                "{header}"
            );
            for game in games(&log) {
                assert_eq!(game["fault"]["stderr"][0], seen, "{game}");
            }
        }
    }
}
