//! Starts a separate NATS server for a test, and the turnwise processes that use this server.

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{panicking, sleep};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use turnwise_cluster::access::Access;

/// The path of the turnwise program.
pub const TURNWISE: &str = env!("CARGO_BIN_EXE_turnwise");

/// The maximum time to wait for any event.
const PATIENCE: Duration = Duration::from_secs(300);

/// Waits until the condition `holds` is true. `what` describes the condition in the message if it never becomes true.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "waited for {what}");
        sleep(Duration::from_millis(5));
    }
}

/// A process that is killed at the end of the test, when this value is dropped.
pub struct Process {
    child: Child,
    stderr: File,
}

impl Process {
    pub fn start(command: &mut Command) -> Self {
        let stderr = tempfile::tempfile().expect("a file");
        let shared = stderr.try_clone().expect("the same file");
        let command = command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.stderr(shared).spawn();
        Self {
            child: child.expect("the program can be started"),
            stderr,
        }
    }

    /// Kills the process as `kill -9` does, and waits for its end.
    pub fn kill(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }

    pub fn signal(&self, signal: Signal) {
        let sent = kill_process(Pid::from_child(&self.child), signal);
        sent.expect("it runs");
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("its state").is_some()
    }

    /// Waits for the end of the process, and returns true if it succeeded.
    pub fn ended(&mut self) -> bool {
        until("the end of a process", || self.has_ended());
        self.child.wait().expect("its state").success()
    }

    pub fn stderr(&mut self) -> String {
        let mut text = String::new();
        self.stderr.rewind().expect("a file");
        self.stderr.read_to_string(&mut text).expect("UTF-8");
        text
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if panicking() {
            eprintln!("process {} has said: {}", self.child.id(), self.stderr());
        }
    }
}

/// A NATS server with JetStream on a separate port, and a folder for the files of a test.
pub struct Nats {
    pub folder: TempDir,
    port: u16,
    /// The server's additional command-line arguments.
    pub words: Vec<String>,
    process: Process,
}

impl Nats {
    /// Starts a server. If no server is installed, prints a message and returns `None`.
    pub fn start() -> Option<Self> {
        Self::start_with(|_folder| Vec::new())
    }

    /// Starts a server with the additional arguments that `words` returns.
    ///
    /// The arguments may name files that `words` creates in the server's folder.
    pub fn start_with(words: impl FnOnce(&Path) -> Vec<String>) -> Option<Self> {
        if Command::new("nats-server")
            .arg("--version")
            .output()
            .is_err()
        {
            println!(
                "skipped: matches over many machines; nats-server makes them possible, the package \
                 nats-server of Debian"
            );
            return None;
        }
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = free.local_addr().expect("its address").port();
        drop(free);
        let folder = tempfile::tempdir().expect("a folder");
        let words = words(folder.path());
        let process = Self::process(&folder, port, &words);
        Some(Self {
            folder,
            port,
            words,
            process,
        })
    }

    fn process(folder: &TempDir, port: u16, words: &[String]) -> Process {
        let store = folder.path().join("store");
        let mut command = Command::new("nats-server");
        command.args(["--jetstream", "--addr", "127.0.0.1", "--port"]);
        command.arg(port.to_string()).arg("--store_dir").arg(store);
        command.args(words);
        let process = Process::start(&mut command);
        until("the server", || {
            TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
        });
        process
    }

    /// Kills the server and restarts it with its previous store.
    pub fn kill_and_restart(&mut self) {
        self.kill();
        self.restart();
    }

    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Restarts the killed server with its previous store.
    pub fn restart(&mut self) {
        self.process = Self::process(&self.folder, self.port, &self.words);
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn access(&self) -> Access {
        Access::of(&self.url(), &|_| None).expect("an address")
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts a worker with one job.
    pub fn worker(&self, program: &Path, name: &str) -> Process {
        worker(program, &self.url(), name)
    }

    /// Starts the coordinator of a match.
    pub fn arena(&self, words: &[&str], log: &Path) -> Process {
        let mut command = arena(words, log);
        Process::start(command.args(["--cluster", &self.url()]))
    }

    /// Starts the coordinator of a tournament. A part of the tournament may already have been played.
    pub fn tournament(&self, class: &Path) -> Process {
        let mut command = tournament(class);
        Process::start(command.args(["--cluster", &self.url()]))
    }

    /// Starts a coordinator that resumes the match that this log records.
    pub fn resume(&self, log: &Path) -> Process {
        let mut command = Command::new(TURNWISE);
        command.args(["arena", "--quiet", "--cluster", &self.url(), "--resume"]);
        Process::start(command.arg(log))
    }
}

/// Starts a worker with one job for the server at this address.
pub fn worker(program: &Path, url: &str, name: &str) -> Process {
    let mut command = Command::new(program);
    command.args(["worker", url, "--jobs", "1", "--name", name]);
    Process::start(&mut command)
}

/// Returns the command `turnwise arena` with these words and a log.
pub fn arena(words: &[&str], log: &Path) -> Command {
    let mut command = Command::new(TURNWISE);
    command.args(["arena", "--quiet"]).args(words);
    command.arg("--log").arg(log);
    command
}

/// Returns the command `turnwise tournament` for this class file.
pub fn tournament(class: &Path) -> Command {
    let mut command = Command::new(TURNWISE);
    command.arg("tournament").arg(class);
    command
}

/// Returns the lines of a log with the numbers of their pairs, sorted by pair number.
///
/// The header and a tournament's draw come before the pairs, and the lines about the end come after them.
pub fn by_pairs(log: &Path) -> Vec<(u64, String)> {
    let text = fs::read_to_string(log).unwrap_or_default();
    let number = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).ok()?;
        match record["event"].as_str()? {
            "match" | "draw" => Some(0),
            "end" => Some(u64::MAX),
            _ => record["pair"].as_u64(),
        }
    };
    let lines = text.lines().filter_map(|line| Some((number(line)?, line)));
    let mut pairs: Vec<(u64, String)> = Vec::new();
    for (number, line) in lines {
        match pairs.last_mut() {
            Some((last, lines)) if *last == number => *lines += &format!("{line}\n"),
            _ => pairs.push((number, format!("{line}\n"))),
        }
    }
    pairs.sort_by_key(|&(number, _)| number);
    pairs
}
