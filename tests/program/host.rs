//! The host as a process: signals, exit codes, and a reader that goes away.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::scripted::{Client, Story, story};

/// A host that does not outlive its test.
struct Process {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnwise"));
    command
        .args(["host", "--listen", "127.0.0.1:0", "--size", "2", "--pass"])
        .stdin(Stdio::null());
    command
}

impl Process {
    fn start() -> Self {
        let mut child = command()
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("text");
        let address = line
            .strip_prefix("listening on ")
            .and_then(|rest| rest.split(',').next())
            .expect("the first line tells the address");
        let address = address.parse().expect("an address");
        Self {
            child,
            stdout,
            address,
        }
    }

    fn signal(&self, signal: Signal) {
        let process = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(process.expect("a process"), signal).expect("it runs");
    }

    /// The exit code and the rest of stdout.
    fn ended(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("text");
        (self.child.wait().expect("it ends").code(), rest)
    }
}

async fn signalled(signal: Signal, code: i32) {
    let host = Process::start();
    let mut first = Client::join(host.address, b"first").await;
    let second = Client::join(host.address, b"second").await;
    // A game is under way and its Chaos is asked, or the other is, which does not answer either.
    let second = tokio::spawn(second.hear_out());
    let asked = tokio::time::timeout(std::time::Duration::from_secs(1), first.question()).await;
    host.signal(signal);
    let (exit, _) = host.ended();
    assert_eq!(exit, Some(code));
    let first: Story = first.hear_out().await;
    assert!(asked.is_err() || asked.is_ok_and(|asked| asked.is_some()));
    assert!(first.was_told_goodbye(), "{first:?}");
    assert!(story(second).await.was_told_goodbye());
}

#[tokio::test]
async fn sigterm_in_a_game_says_goodbye_and_exits_with_143() {
    signalled(Signal::TERM, 143).await;
}

#[tokio::test]
async fn sigint_in_a_game_says_goodbye_and_exits_with_130() {
    signalled(Signal::INT, 130).await;
}

#[test]
fn sigterm_before_anybody_has_come() {
    let host = Process::start();
    host.signal(Signal::TERM);
    assert_eq!(host.ended(), (Some(143), String::new()));
}

#[tokio::test]
async fn the_exit_code_is_0_when_the_wars_are_over_whatever_the_faults() {
    let host = Process::start();
    let address = host.address;
    let play = async {
        let bad = Client::join(address, b"bad").await;
        let bad = bad.plays(|_| crate::scripted::Act::Say(b"{\"status\":false}".to_vec()));
        let good = Client::join(address, b"good").await.plays_well();
        assert!(story(bad).await.was_told_goodbye());
        assert!(story(good).await.was_told_goodbye());
    };
    play.await;
    let (code, stdout) = host.ended();
    assert_eq!(code, Some(0), "{stdout}");
    assert!(
        stdout.contains("FAULT of bad as ORDER: it conceded"),
        "{stdout}"
    );
    assert!(
        stdout.contains("FAULT of bad as CHAOS: it conceded"),
        "{stdout}"
    );
    assert!(stdout.contains("BOT: good WINS"), "{stdout}");
}

/// As in `turnwise host | head`.
#[tokio::test]
async fn a_reader_that_goes_away_does_not_end_the_tournament() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("port");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut child = command()
        .arg("--port-file")
        .arg(&file)
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let port = loop {
        if let Ok(port) = std::fs::read_to_string(&file) {
            break port.trim().parse::<u16>().expect("a port");
        }
        if let Some(status) = child.try_wait().expect("a child") {
            panic!("the host ended with {status}");
        }
        Client::breathe().await;
    };
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let first = Client::join(address, b"first").await.plays_well();
    let second = Client::join(address, b"second").await.plays_well();
    assert!(story(first).await.was_told_goodbye());
    assert!(story(second).await.was_told_goodbye());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
