//! Tests every command when its stdout or stderr is closed or full.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

use crate::support::{TURNWISE, folder_with_inputs, run, stderr, turnwise};

/// The thing that a command's stdout or stderr is connected to.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sink {
    /// A pipe with a reader.
    Usual,
    /// A pipe whose reader has gone away.
    Closed,
    /// A full disk, which does not accept a single byte.
    Full,
}

impl Sink {
    fn open(self) -> Stdio {
        match self {
            Self::Usual => Stdio::piped(),
            Self::Closed => io::pipe().expect("a pipe").1.into(),
            Self::Full => File::create("/dev/full").expect("a full disk").into(),
        }
    }
}

const SINKS: [[Sink; 2]; 5] = [
    [Sink::Closed, Sink::Usual],
    [Sink::Full, Sink::Usual],
    [Sink::Usual, Sink::Closed],
    [Sink::Usual, Sink::Full],
    [Sink::Full, Sink::Full],
];

/// The exit code of a command that cannot write to stdout.
const UNWRITTEN: i32 = 4;

/// A command to test, which exits by itself.
struct Case {
    /// The words of the command line. The field `input` contains the text on stdin.
    words: &'static str,
    input: &'static str,
    /// The exit code if nothing is wrong with the streams.
    code: i32,
    /// The exit code if nobody reads stdout. The field `full` contains the exit code if stdout is a full disk.
    unread: i32,
    full: i32,
    /// The file that the command must write even if its streams fail, or `None` if the command writes no file.
    writes: Option<&'static str>,
}

/// Returns the case of a command that only prints to stdout.
const fn prints(words: &'static str) -> Case {
    Case {
        words,
        input: "",
        code: 0,
        unread: 0,
        full: UNWRITTEN,
        writes: None,
    }
}

const fn saves(words: &'static str, file: &'static str) -> Case {
    Case {
        writes: Some(file),
        ..prints(words)
    }
}

/// Returns the case of a command that answers the input on its stdin, which comes from a keyboard or a manager.
const fn asks(words: &'static str, input: &'static str) -> Case {
    Case {
        input,
        ..prints(words)
    }
}

/// Returns the command of a player, for which it is an error if nobody reads its moves.
const fn answers(words: &'static str, input: &'static str) -> Case {
    Case {
        unread: 1,
        full: 1,
        ..asks(words, input)
    }
}

/// Returns the case of a command that reports an error on stderr.
const fn fails(words: &'static str, code: i32) -> Case {
    Case {
        code,
        unread: code,
        full: code,
        ..prints(words)
    }
}

const CASES: &[Case] = &[
    prints("--help"),
    prints("--version"),
    fails("analyse --no-such-option", 2),
    prints("budget match.jsonl damaged.jsonl"),
    fails("budget missing.jsonl", 1),
    asks("analyse --nodes 100", "AB.\n...\n..C\n"),
    prints("analyse --json --nodes 100 board.txt"),
    prints("report match.jsonl"),
    prints("report match.jsonl damaged.jsonl --csv"),
    saves("report match.jsonl --json --out page", "page/report.html"),
    prints("replay match.jsonl"),
    prints("replay damaged.jsonl"),
    saves("replay match.jsonl --svg board.svg", "board.svg"),
    saves(
        "arena random holes --pairs 1 --nodes 10 --size 2 --log arena.jsonl",
        "arena.jsonl",
    ),
    saves(
        "arena random holes --pairs 2 --quiet --jobs 99 --size 2 --log arena.jsonl",
        "arena.jsonl",
    ),
    saves(
        "arena random holes --pairs 2 --json --nodes 10 --size 2 --log arena.jsonl",
        "arena.jsonl",
    ),
    saves(
        "halma master cmd:false random --black a --begins black --log halma.jsonl",
        "halma.jsonl",
    ),
    saves(
        "halma master cmd:false random --black a --begins black -q --log halma.jsonl",
        "halma.jsonl",
    ),
    saves(
        "entropy train --size 2 --games 2 --depth 1 --generations 3 --out two.weights",
        "two.weights.checkpoint",
    ),
    prints("entropy calibrate small.weights --games 2 --nodes 10"),
    prints("entropy calibrate small.weights --games 2 --nodes 10 --check"),
    Case {
        full: 0,
        ..saves("halma --daemon off", "output.txt")
    },
    saves("masterchef --input pool.txt", "output.txt"),
    saves("masterchef --input pool.txt --explain", "output.txt"),
    saves(
        "guesswho -l game.log game.config game.chosen custom binary",
        "game.log",
    ),
    prints("guesswho --json game.config random custom binary"),
    saves("guesswho --tree game.config --svg tree.svg", "tree.svg"),
    fails("guesswho game.config match.jsonl custom binary", 2),
    Case {
        full: 3,
        unread: 3,
        ..fails("play 127.0.0.1 1 --reconnect never", 3)
    },
    answers("stdio entropy", "2\nCHAOS\nA\n"),
    answers("stdio codecup", "Start\n3\n"),
    answers("stdio twentyone", "{}\n"),
    answers("stdio guesswho", "x\n"),
];

/// Creates a folder with all files that the commands read.
fn folder() -> TempDir {
    let folder = folder_with_inputs(&[("examples/inputs/halma.txt", "input.txt")]);
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("there is room");
    };
    let log = fs::read_to_string(folder.path().join("match.jsonl")).expect("a log");
    write("damaged.jsonl", &(log + "nonsense\n"));
    // A short thinking time is enough for this test.
    let input = fs::read_to_string(folder.path().join("input.txt")).expect("a file");
    let mut lines: Vec<&str> = input.lines().collect();
    lines[2] = "0.1";
    write("input.txt", &(lines.join("\n") + "\n"));
    write("board.txt", "AB.\n...\n..C\n");
    for words in [
        "entropy train --size 2 --games 2 --depth 1 --generations 1 --out small.weights",
        "entropy calibrate small.weights --games 2 --nodes 10",
    ] {
        let made = in_folder(folder.path(), words).output();
        assert!(made.expect("it starts").status.success(), "{words}");
    }
    folder
}

fn in_folder(folder: &Path, words: &str) -> Command {
    let words: Vec<&str> = words.split(' ').collect();
    let mut command = turnwise(&words);
    command.current_dir(folder).stdin(Stdio::null());
    command
}

fn started(folder: &Path, words: &str, [stdout, stderr]: [Sink; 2]) -> Child {
    let mut command = in_folder(folder, words);
    command
        .stdin(Stdio::piped())
        .stdout(stdout.open())
        .stderr(stderr.open());
    command.spawn().expect("it starts")
}

fn ended(folder: &Path, case: &Case, sinks: [Sink; 2]) -> Output {
    let mut child = started(folder, case.words, sinks);
    let mut stdin = child.stdin.take().expect("a pipe");
    // The command may already have ended.
    let _ = stdin.write_all(case.input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

#[test]
fn no_command_panics_whatever_becomes_of_its_streams() {
    let folder = folder();
    for case in CASES {
        for sinks in SINKS {
            if let Some(file) = case.writes {
                let _ = fs::remove_file(folder.path().join(file));
            }
            let what = format!("{}, {sinks:?}", case.words);
            let output = ended(folder.path(), case, sinks);
            let code = match sinks[0] {
                Sink::Usual => case.code,
                Sink::Closed => case.unread,
                Sink::Full => case.full,
            };
            assert_eq!(output.status.code(), Some(code), "{what}: {output:?}");
            if code == UNWRITTEN && sinks[1] == Sink::Usual {
                let told = stderr(&output);
                let expected = "turnwise: cannot write to stdout: No space left on device";
                assert!(told.contains(expected), "{what}: {told}");
            }
            if let Some(file) = case.writes {
                assert!(folder.path().join(file).exists(), "{what}");
            }
        }
    }
}

#[test]
fn a_calibration_is_kept_and_a_long_computation_ends_with_its_reader() {
    let folder = tempfile::tempdir().expect("a folder");
    let calibrate = saves("halma --calibrate", "calibration.txt");
    let code = |case, sink| {
        ended(folder.path(), case, [sink, Sink::Usual])
            .status
            .code()
    };
    assert_eq!(code(&calibrate, Sink::Full), Some(UNWRITTEN));
    assert!(folder.path().join("calibration.txt").exists());
    let endless = prints("twentyone value --hands 4000000000");
    assert_eq!(code(&endless, Sink::Closed), Some(0));
    assert_eq!(code(&endless, Sink::Full), Some(UNWRITTEN));
}

#[test]
fn training_goes_on_to_its_last_generation_if_nobody_reads() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = "entropy train --size 2 --games 2 --depth 1 --generations 3 --out two";
    let trained = ended(folder.path(), &prints(words), [Sink::Closed, Sink::Usual]);
    assert!(trained.status.success(), "{trained:?}");
    let out = folder.path().join("two");
    let again = run(&[
        "entropy",
        "train",
        "--size",
        "2",
        "--games",
        "2",
        "--depth",
        "1",
        "--generations",
        "3",
        "--out",
        out.to_str().expect("text"),
    ]);
    let told = stderr(&again);
    assert!(told.contains("continuing after generation 3"), "{told}");
}

#[test]
fn a_verdict_that_could_not_be_written_is_in_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = "arena random holes --pairs 1 --nodes 10 --size 2 --log match.jsonl";
    let played = ended(folder.path(), &prints(words), [Sink::Full, Sink::Usual]);
    assert_eq!(played.status.code(), Some(UNWRITTEN));
    let told = stderr(&played);
    assert!(told.contains("turnwise report match.jsonl"), "{told}");
    let report = in_folder(folder.path(), "report match.jsonl").output();
    assert!(report.expect("it starts").status.success());
}

#[test]
fn servers_end_by_their_signal_whatever_becomes_of_their_streams() {
    for words in ["host", "halma serve"] {
        for sinks in SINKS {
            let folder = tempfile::tempdir().expect("a folder");
            let port = folder.path().join("port");
            let words = format!("{words} --listen 127.0.0.1:0 --port-file port");
            let mut child = started(folder.path(), &words, sinks);
            while !port.exists() {
                let ended = child.try_wait().expect("it can be asked");
                assert!(ended.is_none(), "{words}, {sinks:?}: {ended:?}");
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            let id = child.id().to_string();
            let sent = Command::new("kill").args(["-TERM", &id]).status();
            assert!(sent.expect("kill is there").success());
            let code = child.wait().expect("it ends").code();
            assert_eq!(code, Some(143), "{words}, {sinks:?}");
        }
    }
}

#[test]
fn streams_that_are_not_open_at_all_are_no_failure() {
    let folder = folder();
    for close in [">&-", "2>&-", "<&- >&- 2>&-"] {
        let script = format!("exec \"$0\" report match.jsonl {close}");
        let status = Command::new("sh")
            .args(["-c", &script, TURNWISE])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.expect("sh is there").success(), "{close}");
    }
}
