//! Tests the command `turnwise host` as a process: signals, exit codes, and a closed stdout.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};

use crate::scripted::{Act, CONCEDES, Client, Story, story};

/// A host process that is killed when the test ends, because this value is dropped.
struct Process {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: SocketAddr,
    /// The output so far, without its first line.
    said: String,
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
        Self::with(&mut command())
    }

    fn with(command: &mut Command) -> Self {
        let mut child = command
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
            said: String::new(),
        }
    }

    fn id(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.id(), signal).expect("it runs");
    }

    /// Waits until the host prints a line that begins with this text.
    fn says(&mut self, beginning: &str) {
        loop {
            let at = self.said.len();
            let length = self.stdout.read_line(&mut self.said).expect("text");
            assert_ne!(length, 0, "ended without {beginning:?}: {}", self.said);
            if self.said[at..].starts_with(beginning) {
                return;
            }
        }
    }

    /// Waits until the host exits. Returns its exit code, and its stdout without the first line.
    fn ended(mut self) -> (Option<i32>, String) {
        self.stdout.read_to_string(&mut self.said).expect("text");
        let said = std::mem::take(&mut self.said);
        (self.child.wait().expect("it ends").code(), said)
    }
}

async fn signalled(signal: Signal, code: i32) {
    let host = Process::start();
    let mut first = Client::join(host.address, b"first").await;
    let second = Client::join(host.address, b"second").await;
    // A game is in progress, in which the host has asked a player for a move, and nobody answers.
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

#[tokio::test]
async fn a_game_that_a_signal_ends_is_logged_as_abandoned() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log.jsonl");
    let host = Process::with(command().arg("--log").arg(&log));
    let mut first = Client::join(host.address, b"first").await;
    let mut second = Client::join(host.address, b"second").await;
    // A game is in progress.
    let asked = tokio::select! {
        asked = first.question() => asked,
        asked = second.question() => asked,
    };
    assert!(asked.is_some());
    host.signal(Signal::INT);
    assert_eq!(host.ended().0, Some(130));
    let log = std::fs::read_to_string(&log).expect("a log");
    let last = log.lines().last().expect("a record");
    assert!(last.contains("\"abandoned\""), "{log}");
    assert!(last.contains("the host stopped"), "{log}");
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
        let bad = bad.plays(|_| Act::Say(CONCEDES.to_vec()));
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

#[tokio::test]
async fn a_newcomer_inherits_neither_the_wars_that_its_seat_has_won_nor_the_game_before() {
    let mut host = Process::with(command().args(["--wars", "2"]));
    let mut veteran = Client::join(host.address, b"veteran").await;
    host.says("0. veteran");
    let mut loser = Client::join(host.address, b"loser").await;
    // This player concedes as Chaos and as Order, which loses the first war. Then it loses the first game of the second
    // war.
    for _ in 0..2 {
        let asked = tokio::select! {
            asked = loser.question() => asked,
            asked = async {
                while let Some(asked) = veteran.question().await {
                    veteran.answer(asked).await;
                }
                None
            } => asked,
        };
        assert!(asked.is_some());
        loser.say(CONCEDES).await;
    }
    assert_eq!(loser.question().await.expect("a question").game, 3);
    drop(veteran);
    Client::breathe().await;
    loser.say(CONCEDES).await;
    host.says("veteran left");
    let stranger = Client::join(host.address, b"stranger").await.plays_well();
    let loser = loser.plays(|_| Act::Say(CONCEDES.to_vec()));
    assert!(story(stranger).await.was_told_goodbye());
    assert!(story(loser).await.was_told_goodbye());
    let (code, stdout) = host.ended();
    assert_eq!(code, Some(0), "{stdout}");
    assert!(
        stdout.contains("after 1 war: veteran 1, loser 0, drawn 0"),
        "{stdout}"
    );
    assert!(
        stdout.contains("[100, 0]\n      NO RESULT: a player left\n"),
        "{stdout}"
    );
    assert!(
        stdout.contains("after 2 wars: stranger 0, loser 0, veteran 1, drawn 1"),
        "{stdout}"
    );
}

#[tokio::test]
async fn a_host_without_descriptors_waits_until_there_are_some() {
    let folder = tempfile::tempdir().expect("a folder");
    let stderr = folder.path().join("stderr");
    let mut command = command();
    let file = File::create(&stderr).expect("there is room");
    let mut host = Process::with(command.stderr(file));
    let open = std::fs::read_dir(format!("/proc/{}/fd", host.id())).expect("it runs");
    let few = Some(open.count() as u64 + 5);
    let limit = Rlimit {
        current: few,
        maximum: few,
    };
    prlimit(Some(host.id()), Resource::Nofile, limit).expect("it is ours");
    // The system accepts the connections even if the host does not.
    let connect = |_| TcpStream::connect(host.address).expect("a host");
    let silent: Vec<TcpStream> = (0..20).map(connect).collect();
    while !std::fs::read_to_string(&stderr)
        .expect("text")
        .contains("cannot accept a player: Too many open files")
    {
        assert_eq!(host.child.try_wait().expect("a child"), None, "it goes on");
        Client::breathe().await;
    }
    drop(silent);
    let first = Client::join(host.address, b"first").await.plays_well();
    let second = Client::join(host.address, b"second").await.plays_well();
    assert!(story(first).await.was_told_goodbye());
    assert!(story(second).await.was_told_goodbye());
    let (code, stdout) = host.ended();
    assert_eq!(code, Some(0), "{stdout}");
    assert!(stdout.contains("after 1 war: "), "{stdout}");
}

/// The closed stdout simulates `turnwise host | head`.
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
