//! Helpers for tests of the program, which start it, give it a terminal and read its output.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// The path of the turnwise program.
pub const TURNWISE: &str = env!("CARGO_BIN_EXE_turnwise");

/// The folder in which the program stores its notes and data during tests.
pub const STATE: &str = env!("CARGO_TARGET_TMPDIR");

/// Returns the command that runs the program with these arguments.
pub fn turnwise(arguments: &[&str]) -> Command {
    let mut command = Command::new(TURNWISE);
    command.args(arguments);
    command
        .env("XDG_STATE_HOME", STATE)
        .env("XDG_DATA_HOME", STATE);
    command
}

/// Runs the program with these arguments, without input, until it exits. Returns its output.
pub fn run(arguments: &[&str]) -> Output {
    let command = turnwise(arguments).stdin(Stdio::null()).output();
    command.expect("the program starts")
}

/// Runs a command with this input until it exits. Returns its output.
pub fn run_with_input(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The command may exit before it has read all input, so an error is ignored.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("the program ends")
}

/// Runs a command line on a terminal of 80 columns. Returns its output, and true if it succeeds.
///
/// script(1) provides the pseudo-terminal.
pub fn on_a_terminal(command: &str, environment: &[(&str, &str)]) -> (String, bool) {
    let output = Command::new("script")
        .args(["-qec", &format!("stty cols 80; {command}"), "/dev/null"])
        .env_remove("NO_COLOR")
        // If the variable CI is set, every terminal counts as a terminal with colors.
        .env_remove("CI")
        .env("TERM", "xterm")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("script can be started");
    (stdout(&output), output.status.success())
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("stdout is UTF-8")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("stderr is UTF-8")
}

/// Parses a text that has one JSON object per line.
pub fn json_lines(text: &str) -> Vec<Value> {
    let object =
        |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(object).collect()
}

/// Creates a temporary folder with one file.
pub fn folder_with(name: &str, text: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(name), text).expect("the file is written");
    folder
}

/// Creates a folder with copies of a match's log, of example inputs for all small games, and of further files.
///
/// Each entry of `besides` consists of the path of a further file and the name for the copy.
pub fn folder_with_inputs(besides: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let usual = [
        ("tests/data/golden/entropy.jsonl", "match.jsonl"),
        ("examples/inputs/game1.config", "game.config"),
        ("examples/inputs/game1.chosen", "game.chosen"),
        ("examples/inputs/masterchef.txt", "pool.txt"),
    ];
    for (from, to) in usual.iter().chain(besides) {
        fs::copy(root.join(from), folder.path().join(to)).expect("it is there");
    }
    folder
}

/// Returns the sorted names of a folder's entries.
pub fn file_names(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let names = fs::read_dir(folder).expect("a folder").map(name);
    let mut names: Vec<String> = names
        .map(|name| name.into_string().expect("the name is UTF-8"))
        .collect();
    names.sort();
    names
}

/// Returns true if a command with this name is installed.
pub fn is_there(program: &str) -> bool {
    let asked = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output();
    asked.is_ok_and(|output| output.status.success())
}

/// Waits until a running program has logged a game.
pub fn until_a_game_is_logged(log: &Path) {
    let begun = Instant::now();
    while !std::fs::read_to_string(log).is_ok_and(|text| text.contains("\"event\":\"game\"")) {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "no game is logged"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}
