//! Tests the arena as users run it, with real processes, real logs, kills and faults.

mod baselines;
mod fair;
mod faults;
mod foreign;
mod guard;
mod halma;
mod hostile;
mod hostile_class;
mod human;
mod logs;
mod master;
mod matches;
mod suspension;
mod time_controls;
mod twentyone;
mod views;
#[cfg(target_os = "linux")]
mod walls;
#[cfg(not(target_os = "linux"))]
mod walls {
    /// The environment of an arena on a platform that cannot isolate programs.
    #[derive(Debug, Clone, Copy)]
    pub(super) enum Around {
        Nothing,
    }

    impl Around {
        pub fn output(self, command: &mut std::process::Command) -> std::process::Output {
            command.output().expect("it can be started")
        }
    }
}

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::support::{TURNWISE, json_lines, turnwise, until_a_game_is_logged};

const PLAYER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/program/arena/scripted.sh"
);
const HALMA_PLAYER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/arena/halma.sh");

/// Returns the command `turnwise arena` with these words, which writes this log.
fn arena(words: &[&str], log: &Path) -> Command {
    let mut command = turnwise(&["arena"]);
    command.args(words).arg("--log").arg(log);
    command
}

/// Plays a match to its end, asserts that the command succeeds, and returns its output.
fn played(words: &[&str], log: &Path) -> Output {
    let output = arena(words, log)
        .output()
        .expect("the program can be started");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {stderr}");
    output
}

fn records(log: &Path) -> Vec<Value> {
    json_lines(&std::fs::read_to_string(log).expect("a log"))
}

/// Returns the records of all games, in the order of the log.
fn games(log: &Path) -> Vec<Value> {
    let mut games = records(log);
    games.retain(|record| record["event"] == "game");
    games
}

/// Returns the lines of all moves and games, ordered by pair.
///
/// The log contains the pairs in the order in which they ended, which may vary. The lines within a pair have a fixed
/// order.
fn pair_lines(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).expect("a log");
    let mut lines: Vec<(u64, String)> = text
        .lines()
        .map(|line| (line, serde_json::from_str::<Value>(line).expect("a record")))
        .filter(|(_, record)| record["event"] == "move" || record["event"] == "game")
        .map(|(line, record)| (record["pair"].as_u64().expect("a number"), line.to_owned()))
        .collect();
    lines.sort_by_key(|&(pair, _)| pair);
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Returns the command `turnwise arena --resume LOG`.
fn resume(log: &Path) -> Command {
    let mut command = turnwise(&["arena", "--quiet", "--resume"]);
    command.arg(log);
    command
}

/// Starts a match, kills and resumes it `kills` times, and finally lets it run to its end.
///
/// Before each kill, it waits as long as `wait` does.
fn killed_and_resumed(words: &[&str], log: &Path, kills: u32, mut wait: impl FnMut(&mut Child)) {
    let mut command = arena(words, log);
    for _ in 0..kills {
        let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = quiet.spawn().expect("the program can be started");
        wait(&mut child);
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        command = resume(log);
    }
    let output = command.output().expect("the program can be started");
    assert!(output.status.success());
}
