//! Tests commands whose inputs or outputs are not regular files, and commands on a full disk.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{TURNWISE, folder_with_inputs, run_with_input, stderr, stdout, turnwise};

/// The time limit for every wait, longer than any wait should take, even on a busy machine.
const FOREVER: Duration = Duration::from_secs(300);

/// Every command that reads a file, and its exit code if that file is not a regular file.
///
/// FILE stands for the name of the file.
const READERS: &[(&str, i32)] = &[
    ("budget FILE", 1),
    ("analyse FILE", 1),
    ("report FILE", 1),
    ("replay FILE", 1),
    ("arena --resume FILE", 1),
    ("guesswho FILE random custom binary", 1),
    ("guesswho game.config FILE custom binary", 1),
    ("masterchef --input FILE", 1),
    ("entropy calibrate FILE", 1),
    ("entropy train --out weights --start FILE", 1),
];

/// Every command that writes a file, with the name of the file.
const WRITERS: &[(&str, &str)] = &[
    ("report match.jsonl --out .", "report.html"),
    ("replay match.jsonl --svg board.svg", "board.svg"),
    (
        "guesswho -l one.log game.config game.chosen custom binary",
        "one.log",
    ),
    ("guesswho --tree game.config --svg tree.svg", "tree.svg"),
    ("masterchef --input pool.txt", "output.txt"),
];

/// Starts a command after replacing FILE with the name of this file.
fn reader(folder: &Path, words: &str, file: &str) -> Child {
    let words = words.replace("FILE", file).replace("PIPE", "pipe");
    let words: Vec<&str> = words.split(' ').collect();
    let mut command = turnwise(&words);
    command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// Waits until a command exits, and returns its output. The command must exit in time.
fn ended(mut child: Child, words: &str) -> Output {
    let begun = Instant::now();
    while child.try_wait().expect("it can be asked").is_none() {
        if begun.elapsed() > FOREVER {
            let _ = child.kill();
            panic!("{words} does not end");
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("it has ended")
}

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo is there").success());
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let folder = folder_with_inputs(&[]);
    make_pipe(&folder.path().join("pipe"));
    fs::create_dir(folder.path().join("folder")).expect("it is free");
    for (words, code) in READERS {
        for (file, kind) in [
            ("pipe", "a named pipe"),
            ("folder", "a folder"),
            ("/dev/zero", "a device"),
        ] {
            let output = ended(reader(folder.path(), words, file), words);
            assert_eq!(output.status.code(), Some(*code), "{words}: {output:?}");
            let told = stderr(&output);
            assert!(told.contains(file), "{words}: {told}");
            // The operating system refuses to open a folder for writing.
            let why = format!("expected a regular file, got {kind}");
            let is_resumed_folder = words.starts_with("arena") && file == "folder";
            assert!(told.contains(&why) || is_resumed_folder, "{words}: {told}");
        }
    }
}

#[test]
fn a_pipe_of_a_shell_is_read_like_a_file() {
    let folder = folder_with_inputs(&[]);
    let log = fs::read(folder.path().join("match.jsonl")).expect("a log");
    for words in [
        "report FILE",
        "replay FILE",
        "review FILE --nodes 300",
        "review FILE --nodes 300 --game 1",
    ] {
        let read_from = |file: &str| {
            let words = words.replace("FILE", file);
            let mut command = turnwise(&words.split(' ').collect::<Vec<_>>());
            run_with_input(command.current_dir(folder.path()), &log)
        };
        let [piped, read] = ["/dev/stdin", "match.jsonl"].map(read_from);
        assert!(read.status.success(), "{words}: {read:?}");
        let names_no_file = |output: &Output| stdout(output).replace("/dev/stdin", "match.jsonl");
        assert_eq!(names_no_file(&piped), names_no_file(&read), "{words}");
    }
    // All these commands accept a pipe, so they must not report "expected a regular file" even if the pipe's contents
    // are invalid.
    for (words, _) in READERS
        .iter()
        .filter(|(words, _)| !words.starts_with("arena"))
    {
        let words = words.replace("FILE", "/dev/stdin");
        let mut command = turnwise(&words.split(' ').collect::<Vec<_>>());
        let output = run_with_input(command.current_dir(folder.path()), b"no such text\n");
        assert_ne!(output.status.code(), Some(0), "{words}: {output:?}");
        let told = stderr(&output);
        assert!(!told.contains("expected a regular file"), "{words}: {told}");
    }
}

/// Every command that can write to a named pipe. PIPE stands for the name of the pipe.
const THROUGH: &[&str] = &[
    "play 127.0.0.1 1 --log PIPE",
    "stdio entropy --log PIPE",
    "stdio codecup --log PIPE",
    "host --listen 127.0.0.1:0 --port-file PIPE",
    "halma serve --listen 127.0.0.1:0 --port-file PIPE",
    "replay match.jsonl --svg PIPE",
    "guesswho --tree game.config --svg PIPE",
    "entropy train --size 2 --games 10 --out PIPE",
    "entropy solve --size 2 --out PIPE",
];

#[test]
fn a_pipe_that_nobody_reads_is_not_waited_for() {
    let folder = folder_with_inputs(&[]);
    make_pipe(&folder.path().join("pipe"));
    for words in THROUGH {
        let output = ended(reader(folder.path(), words, ""), words);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{words}: {told}");
        let is_told = told.contains("nothing reads this pipe")
            || told.contains("expected a regular file, got a named pipe");
        assert!(is_told, "{words}: {told}");
    }
}

/// Returns the names and contents of all files in a folder.
fn contents(folder: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut files: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("an entry");
            (entry.file_name(), fs::read(entry.path()).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn without_room_the_old_file_stays_as_it_was() {
    let folder = folder_with_inputs(&[]);
    for (_, file) in WRITERS {
        fs::write(folder.path().join(file), "old").expect("there is room");
    }
    let before = contents(folder.path());
    for (words, file) in WRITERS {
        // With this limit, the command cannot write a single byte to a file.
        let script = format!("trap '' XFSZ; ulimit -f 0; exec \"$0\" {words}");
        let output = Command::new("sh")
            .args(["-c", &script, TURNWISE])
            .current_dir(folder.path())
            .output()
            .expect("sh is there");
        assert_eq!(output.status.code(), Some(1), "{words}: {output:?}");
        assert!(
            stderr(&output).contains("cannot write"),
            "{words}: {output:?}"
        );
        assert!(
            contents(folder.path()) == before,
            "{words} has changed {file} or left something"
        );
    }
}
