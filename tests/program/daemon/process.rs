//! Helpers that start a turnwise process in a test and observe it.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// The time limit for every wait, much longer than any wait should take.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct Daemon {
    pub child: Child,
    folder: TempDir,
}

impl Daemon {
    /// Runs `turnwise ARGUMENTS --log FILE` with pipes on stdin and stdout.
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_by(Command::new(env!("CARGO_BIN_EXE_turnwise")), arguments)
    }

    fn start_by(program: Command, arguments: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let stderr = fs::File::create(folder.path().join("stderr")).unwrap();
        Self::start_with(program, arguments, stderr.into(), folder)
    }

    /// Runs the program like [`Daemon::play`], but without a controlling terminal. setsid(1) executes the program.
    pub fn play_without_terminal(port: u16, options: &[&str]) -> Self {
        let mut program = Command::new("setsid");
        program.args([env!("CARGO_BIN_EXE_turnwise"), "play", "127.0.0.1"]);
        program.arg(port.to_string());
        Self::start_by(program, options)
    }

    /// Runs the program like [`Daemon::start`], but also with a pipe on stderr.
    pub fn start_with_piped_stderr(arguments: &[&str]) -> Self {
        let program = Command::new(env!("CARGO_BIN_EXE_turnwise"));
        Self::start_with(program, arguments, Stdio::piped(), TempDir::new().unwrap())
    }

    fn start_with(
        mut program: Command,
        arguments: &[&str],
        stderr: Stdio,
        folder: TempDir,
    ) -> Self {
        let child = program
            .args(arguments)
            .arg("--log")
            .arg(folder.path().join("games.jsonl"))
            .env("TURNWISE_LOG_FORMAT", "json")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .unwrap();
        Self { child, folder }
    }

    /// Runs `turnwise play 127.0.0.1 PORT OPTIONS`.
    pub fn play(port: u16, options: &[&str]) -> Self {
        let port = port.to_string();
        let mut arguments = vec!["play", "127.0.0.1", &port];
        arguments.extend(options);
        Self::start(&arguments)
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits until the process exits, and panics if it does not exit within [`PATIENCE`].
    pub fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("still running; stderr:\n{}", self.stderr());
    }

    /// Waits until the process exits, and returns its exit code.
    pub fn exit_code(&mut self) -> i32 {
        let status = self.wait();
        let code = status.code();
        code.unwrap_or_else(|| panic!("{status}; stderr:\n{}", self.stderr()))
    }

    /// Returns the part of stdout that was not read yet. The process must have exited.
    pub fn stdout(&mut self) -> String {
        let mut text = String::new();
        let mut stdout = self.child.stdout.take().expect("stdout is piped");
        stdout.read_to_string(&mut text).unwrap();
        text
    }

    pub fn stderr(&self) -> String {
        fs::read_to_string(self.folder.path().join("stderr")).unwrap_or_default()
    }

    /// Returns the path of the log of games.
    pub fn games_path(&self) -> PathBuf {
        self.folder.path().join("games.jsonl")
    }

    /// Returns the records of the log of games; panics if a record is not a complete JSON object.
    pub fn games(&self) -> Vec<Value> {
        records(&fs::read_to_string(self.games_path()).unwrap())
    }

    /// Returns the events that the process logged on stderr, without its other messages. Panics if an event is not a
    /// complete JSON object.
    pub fn log(&self) -> Vec<Value> {
        let stderr = self.stderr();
        let lines = stderr.split_inclusive('\n');
        records(
            &lines
                .filter(|line| line.starts_with('{'))
                .collect::<String>(),
        )
    }

    /// Returns the number of logged events whose field `event` has this value.
    pub fn events(&self, event: &str) -> usize {
        let log = self.log();
        log.iter().filter(|record| record["event"] == event).count()
    }

    /// Waits until the log contains a record with this message.
    pub fn wait_for_message(&self, message: &str) {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if self.stderr().contains(message) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("no {message:?} on stderr:\n{}", self.stderr());
    }

    /// Waits until a thread with this name exists.
    pub fn waits_for_thread(&self, name: &str) {
        let tasks = format!("/proc/{}/task", self.child.id());
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let mut threads = fs::read_dir(&tasks).unwrap().flatten();
            // A thread that has just ended has no name.
            let name_of = |folder: PathBuf| fs::read_to_string(folder.join("comm"));
            if threads.any(|thread| name_of(thread.path()).is_ok_and(|is| is.trim_end() == name)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("no thread {name:?}; stderr:\n{}", self.stderr());
    }

    /// Returns the process's CPU time so far, in the kernel's ticks of 10 ms.
    pub fn cpu_ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        // The fields follow the name in parentheses; user and system time are fields 14 and 15 of proc(5).
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .collect();
        let ticks = |field: usize| fields[field - 3].parse::<u64>().unwrap();
        ticks(14) + ticks(15)
    }
}

/// Parses lines that are JSON objects. The text may not end within a line.
fn records(text: &str) -> Vec<Value> {
    assert!(text.is_empty() || text.ends_with('\n'), "cut short: {text}");
    let record = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert!(value.is_object());
        value
    };
    text.lines().map(record).collect()
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
