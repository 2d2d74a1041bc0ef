//! Tests every command on a system that allows only a few open files or little memory.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use tempfile::TempDir;

use crate::support::{STATE, TURNWISE, folder_with_inputs, stderr};

/// The class file, used by the commands, of a short tournament in which a program takes part.
const CLASS: &str = "\
game = \"entropy\"
isolate = false
[settings]
size = 2
[time]
clock = 1
[format]
kind = \"round-robin\"
[[participant]]
name = \"ours\"
run = \"PROGRAM stdio entropy --clock 1\"
[[participant]]
name = \"random\"
agent = \"random\"
";

const REMOTE: &str = "\
game = \"entropy\"
[settings]
size = 2
[format]
kind = \"round-robin\"
[[participant]]
name = \"ada\"
remote = true
[[participant]]
name = \"random\"
agent = \"random\"
";

/// The commands to test, each with its input on stdin.
///
/// Some commands exit by themselves. The test stops the others after a second.
const COMMANDS: &[(&str, &str)] = &[
    ("arena random greedy --pairs 2 --jobs 2 --size 2", ""),
    ("arena random turnwise --pairs 1 --size 2 --nodes 10", ""),
    (
        "arena random cmd:PROGRAM_stdio_entropy_--clock_1 --pairs 1 --size 2",
        "",
    ),
    (
        "arena random daemon:PROGRAM_play_localhost_{port} --pairs 1 --size 2 --clock 1",
        "",
    ),
    (
        "arena random greedy --pairs 1 --size 2 --live=127.0.0.1:0",
        "",
    ),
    ("tournament class.toml --yes --watch", ""),
    ("check cmd:PROGRAM_stdio_entropy --game entropy", ""),
    ("stdio entropy --clock 1", "Start\n"),
    ("stdio codecup --clock 1", "Start\n"),
    ("stdio twentyone", ""),
    ("analyse --nodes 10", "AB.\n...\n..C\n"),
    ("report match.jsonl --out page", ""),
    ("review match.jsonl --game 1 --nodes 10", ""),
    ("review match.jsonl --nodes 10", ""),
    ("entropy solve --size 2 --out solution", ""),
    (
        "entropy train --size 2 --games 4 --generations 1 --out weights",
        "",
    ),
    ("masterchef --input pool.txt", ""),
    ("demo --size 2 --clock 1", ""),
    ("play 127.0.0.1 1", ""),
    ("play localhost 1", ""),
    ("host --listen 127.0.0.1:0", ""),
    (
        "host --tournament remote.toml --listen 127.0.0.1:0 --yes",
        "",
    ),
    ("halma serve --listen 127.0.0.1:0", ""),
    ("studio match.jsonl --no-open --listen 127.0.0.1:0", ""),
];

fn folder() -> TempDir {
    let folder = folder_with_inputs(&[]);
    let class = CLASS.replace("PROGRAM", TURNWISE);
    std::fs::write(folder.path().join("class.toml"), class).expect("there is room");
    std::fs::write(folder.path().join("remote.toml"), REMOTE).expect("there is room");
    folder
}

/// Runs a command under a limit set with the shell's `ulimit`, and soon stops it if it does not exit by itself.
fn limited(folder: &Path, limit: &str, (words, input): (&str, &str)) -> Output {
    let words = words.split(' ').map(|word| match word.contains("PROGRAM") {
        true => word.replace('_', " ").replace("PROGRAM", TURNWISE),
        false => word.to_owned(),
    });
    let script = format!("ulimit -S {limit} || exit 0; exec \"$0\" \"$@\"");
    let mut command = Command::new("timeout");
    command
        .args(["--preserve-status", "-k", "60", "2", "sh", "-c"])
        .args([&script, TURNWISE])
        .args(words)
        .current_dir(folder)
        .env("XDG_STATE_HOME", STATE)
        .env("XDG_DATA_HOME", STATE)
        .env("XDG_RUNTIME_DIR", folder)
        .env("RUST_BACKTRACE", "0");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("timeout is there");
    let mut stdin = child.stdin.take().expect("a pipe");
    // The command may exit before it has read all input, so an error is ignored.
    let _ = std::io::Write::write_all(&mut stdin, input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

/// Runs all commands under each limit. Every command must do its work or report the missing resource.
fn all_are_told(limits: impl IntoIterator<Item = String>) {
    let limits: Vec<String> = limits.into_iter().collect();
    let wrong: Vec<String> = thread::scope(|scope| {
        let running: Vec<_> = limits
            .iter()
            .map(|limit| scope.spawn(move || untold(limit)))
            .collect();
        let finished = running.into_iter().map(|run| run.join().expect("it ends"));
        finished.flatten().collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs all commands under a limit. Describes each command that neither does its work nor reports the missing resource.
fn untold(limit: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for &(words, input) in COMMANDS {
        let folder = folder();
        let output = limited(folder.path(), limit, (words, input));
        let told = stderr(&output);
        // Rust's standard library panics in a new thread that has no memory for the stack of its signal handler. The
        // program cannot prevent this.
        let is_rusts_own = told.contains("failed to allocate an alternative stack");
        // The test uses a signal to stop commands that keep running. If a command does not handle signals yet,
        // the signal kills it; otherwise its exit code is 143. It may have written nothing so far: a command
        // retries for some seconds to start a thread.
        let is_ended = match (output.status.code(), output.status.signal()) {
            // If memory does not even suffice for an error message or the start of a thread, Rust or the C library
            // reports the failed allocation and ends the process with signal 6. timeout(1) then exits with 134 if
            // it has sent its own signal before.
            (Some(134), _) | (None, Some(6)) => {
                let is_libcs_own = told.contains("failed to register TLS destructor");
                is_rusts_own || is_libcs_own || told.contains("memory allocation of")
            }
            (Some(101), _) => false,
            (Some(143), _) => true,
            (Some(code), _) => code == 0 || !told.is_empty() || !output.stdout.is_empty(),
            (None, signal) => signal == Some(15),
        };
        if !is_ended || told.contains("panicked") && !is_rusts_own {
            wrong.push(format!("ulimit {limit}; {words}: {output:?}"));
        }
    }
    wrong
}

#[test]
fn few_files_are_told_without_a_panic() {
    all_are_told([5, 6, 7, 8, 10, 12, 16].map(|files| format!("-n {files}")));
}

#[test]
fn too_little_memory_for_a_thread_or_a_table_is_told_without_a_panic() {
    let folder = folder();
    let starts = |limit: &u32| {
        let output = limited(folder.path(), &format!("-v {limit}"), ("--version", ""));
        output.status.success()
    };
    let least = (1..).map(|number| 4096 * number).find(starts);
    let least = least.expect("some memory is enough");
    // A thread needs 2 MiB for its stack, and a search table up to 64 MiB.
    all_are_told([1 << 10, 8 << 10, 24 << 10, 48 << 10].map(|more| format!("-v {}", least + more)));
}
