//! Files that have no end, pipes into which nobody writes, and disks without room.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use tempfile::TempDir;

use crate::support::{TURNWISE, folder_with_inputs, stderr, turnwise};

/// However loaded the machine is, nothing here takes so long.
const FOREVER: Duration = Duration::from_secs(300);

/// Nor does a program need so long to open its input.
const STARTED: Duration = Duration::from_secs(60);

/// Every command that reads a file named FILE, and its exit code if there is no end to it.
const READERS: &[(&str, i32)] = &[
    ("budget FILE", 1),
    ("analyse FILE", 2),
    ("report FILE", 1),
    ("replay FILE", 1),
    ("arena --resume FILE", 1),
    ("guesswho FILE random custom binary", 1),
    ("guesswho game.config FILE custom binary", 1),
    ("twentyone report FILE", 1),
    ("masterchef --input FILE", 1),
    ("calibrate FILE", 1),
    ("train entropy --out weights --start FILE", 1),
];

/// Every command that writes a file, and its name.
const WRITERS: &[(&str, &str)] = &[
    ("report match.jsonl --out .", "report.html"),
    ("replay match.jsonl --svg board.svg", "board.svg"),
    (
        "guesswho -l one.log game.config game.chosen custom binary",
        "one.log",
    ),
    ("guesswho --tree game.config --svg tree.svg", "tree.svg"),
    (
        "twentyone --rounds 5 --players ours,basic --log game",
        "game.csv",
    ),
    ("twentyone report score.csv --svg score.svg", "score.svg"),
    ("masterchef --input pool.txt", "output.txt"),
];

fn folder() -> TempDir {
    let folder = folder_with_inputs(&[]);
    let table = "twentyone --rounds 5 --players ours,basic --log table";
    let words: Vec<&str> = table.split(' ').collect();
    let made = turnwise(&words).current_dir(folder.path()).output();
    assert!(made.expect("it starts").status.success());
    let [made, used] = ["table-score.csv", "score.csv"].map(|name| folder.path().join(name));
    fs::rename(made, used).expect("it was written");
    folder
}

/// Starts a command that reads this file.
fn reader(folder: &Path, words: &str, file: &str) -> Child {
    let words = words.replace("FILE", file);
    let words: Vec<&str> = words.split(' ').collect();
    let mut command = turnwise(&words);
    command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// What a command has said, if it ends in time.
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

#[test]
fn a_file_without_end_is_refused() {
    let folder = folder();
    for (words, code) in READERS {
        let output = ended(reader(folder.path(), words, "/dev/zero"), words);
        assert_eq!(output.status.code(), Some(*code), "{words}: {output:?}");
        assert!(stderr(&output).contains("/dev/zero"), "{words}: {output:?}");
    }
}

/// True if a process has opened this pipe in such a way that it need not wait for whoever writes to it.
fn has_opened(child: &Child, pipe: &Path) -> bool {
    let process = Path::new("/proc").join(child.id().to_string());
    let open = fs::read_dir(process.join("fd"));
    // It may be about to begin or to end.
    open.into_iter().flatten().flatten().any(|entry| {
        let info = fs::read_to_string(process.join("fdinfo").join(entry.file_name()));
        let flags = info.unwrap_or_default();
        let flags = flags.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|octal| u32::from_str_radix(octal.trim(), 8).ok());
        let is_patient = flags.is_some_and(|flags| flags & OFlags::NONBLOCK.bits() != 0);
        is_patient && fs::read_link(entry.path()).is_ok_and(|leads_to| leads_to == pipe)
    })
}

/// How long such a pipe is waited for is told by the test of the function that opens it.
#[test]
fn a_pipe_into_which_nobody_writes_is_opened_without_waiting_and_waited_for() {
    let folder = folder();
    let at = fs::canonicalize(folder.path()).expect("a folder");
    for (number, (words, _)) in READERS.iter().enumerate() {
        let pipe = format!("pipe-{number}");
        let path = at.join(&pipe);
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo is there").success());
        let mut child = reader(folder.path(), words, &pipe);
        if words.starts_with("arena") {
            let output = ended(child, words);
            assert_eq!(output.status.code(), Some(1), "{words}: {output:?}");
            let told = stderr(&output);
            assert!(told.contains("it is no regular file"), "{words}: {told}");
            continue;
        }
        let begun = Instant::now();
        while !has_opened(&child, &path) {
            let status = child.try_wait().expect("it can be asked");
            if status.is_some() || begun.elapsed() > STARTED {
                let _ = child.kill();
                panic!("{words} has not opened the pipe: {status:?}");
            }
            thread::sleep(Duration::from_millis(5));
        }
        // What is not read is said at the pipe's end.
        drop(fs::write(&path, "no such text\n"));
        let output = ended(child, words);
        assert_ne!(output.status.code(), Some(0), "{words}: {output:?}");
    }
}

/// The names and contents of a folder's files.
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
    let folder = folder();
    for (_, file) in WRITERS {
        fs::write(folder.path().join(file), "old").expect("there is room");
    }
    let before = contents(folder.path());
    for (words, file) in WRITERS {
        // No byte may be written to a file.
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
