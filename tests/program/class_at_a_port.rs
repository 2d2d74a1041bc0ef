//! Tests `turnwise host --tournament`, where daemons, other programs and uninvited clients connect to one port.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::scripted::{Act, Client, story};
use crate::support::{TURNWISE, folder_with, run, stderr, turnwise};
use crate::tournament::pairs;

/// The time limit for every wait, longer than any wait should take.
const MOST: Duration = Duration::from_secs(300);

const PLAYER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/json_client.py");

const SECRET: &str = "open sesame";

/// Writes the class file of a tournament between the agent greedy and the participants `remote`, who connect.
///
/// The first of the remote participants has a secret.
fn class(format: &str, remote: &[&str], more: &str) -> TempDir {
    let mut text = format!(
        "game = \"entropy\"\nseed = 5\n{more}\n[settings]\nsize = 3\n[time]\nclock = 60\n\
         [format]\n{format}\n[[participant]]\nname = \"greedy\"\nagent = \"greedy\"\n"
    );
    for (place, name) in remote.iter().enumerate() {
        text += &format!("[[participant]]\nname = \"{name}\"\nremote = true\n");
        if place == 0 {
            text += &format!("secret = \"{SECRET}\"\n");
        }
    }
    let folder = folder_with("class.toml", &text);
    fs::write(folder.path().join("secret"), SECRET).expect("there is room");
    folder
}

/// A process that is killed when the test ends, because this value is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    fn start(command: &mut Command) -> Self {
        let child = command.stdin(Stdio::null()).spawn();
        Self(child.expect("it can be started"))
    }

    /// Waits until the process exits by itself, and returns its exit code.
    fn ended(&mut self) -> Option<i32> {
        until("it ends", || self.0.try_wait().expect("a child")).code()
    }

    fn is_running(&mut self) -> bool {
        self.0.try_wait().expect("a child").is_none()
    }
}

/// Repeats `ask` until it returns a value. `what` describes the value in the message if it never comes.
fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(began.elapsed() < MOST, "in vain: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A running host, with the folder that contains its class file.
struct Host {
    process: Process,
    folder: PathBuf,
    port: u16,
}

impl Host {
    fn start(folder: &Path) -> Self {
        Self::at(folder, 0, &[])
    }

    fn at(folder: &Path, port: u16, arguments: &[&str]) -> Self {
        let port_file = folder.join("port");
        let _ = fs::remove_file(&port_file);
        let output = |name: &str| {
            let file = File::options()
                .create(true)
                .append(true)
                .open(folder.join(name));
            file.expect("there is room")
        };
        let mut command = turnwise(&["host", "--tournament"]);
        command
            .arg(folder.join("class.toml"))
            .args(["--listen", &format!("127.0.0.1:{port}"), "--port-file"])
            .arg(&port_file)
            .args(arguments)
            .stdout(output("stdout"))
            .stderr(output("stderr"));
        let mut process = Process::start(&mut command);
        let port = until("the host listens", || {
            if !process.is_running() {
                let said = fs::read_to_string(folder.join("stderr"));
                panic!("it has ended: {}", said.unwrap_or_default());
            }
            fs::read_to_string(&port_file).ok()?.trim().parse().ok()
        });
        Self {
            process,
            folder: folder.to_owned(),
            port,
        }
    }

    fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    fn said(&self) -> String {
        fs::read_to_string(self.folder.join("stderr")).unwrap_or_default()
    }

    fn says(&self, text: &str) {
        until(text, || self.said().contains(text).then_some(()));
    }

    /// Waits until the host's output contains a text, while other tasks of the test continue.
    async fn has_said(&self, text: &str) {
        let began = Instant::now();
        while !self.said().contains(text) {
            assert!(began.elapsed() < MOST, "in vain: {text}");
            Client::breathe().await;
        }
    }

    /// Waits until the log contains `number` pairs.
    fn has_played(&self, number: usize) {
        until("pairs", || {
            (pairs(&self.folder).len() >= 2 * number).then_some(())
        });
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process.0), signal).expect("it runs");
    }
}

/// Starts a turnwise daemon that plays under this name with this agent.
fn daemon(port: u16, folder: &Path, name: &str, agent: &str, has_secret: bool) -> Process {
    let mut command = Command::new(TURNWISE);
    command
        .args(["play", "127.0.0.1", &port.to_string(), "--name", name])
        .args(["--agent", agent])
        .stderr(File::create(folder.join(format!("{name}.stderr"))).expect("there is room"));
    if has_secret {
        command.arg("--secret-file").arg(folder.join("secret"));
    }
    Process::start(&mut command)
}

/// Starts a player written in Python that plays under this name.
fn python(port: u16, name: &str, more: &[&str]) -> Process {
    let mut command = Command::new("python3");
    command.args([PLAYER, &port.to_string(), name]).args(more);
    Process::start(command.stdout(Stdio::null()))
}

/// Starts four players whose moves are repeatable: two turnwise daemons and two Python programs.
fn four(port: u16, folder: &Path) -> [Process; 4] {
    [
        daemon(port, folder, "ada", "holes", true),
        daemon(port, folder, "bob", "holes", false),
        python(port, "carol", &["first"]),
        python(port, "dan", &["last"]),
    ]
}

const FOUR: [&str; 4] = ["ada", "bob", "carol", "dan"];

/// Returns the faults that the log in a folder records.
fn faults(folder: &Path) -> Vec<Value> {
    let log = fs::read_to_string(folder.join("class.jsonl")).expect("a log");
    let records = crate::support::json_lines(&log).into_iter();
    let faults = records.map(|record| record["fault"].clone());
    faults.filter(Value::is_object).collect()
}

fn plays_the_same_however_often_the_host_is_killed(format: &str, all: usize) {
    let whole = class(format, &FOUR, "pairs = 2");
    let mut host = Host::start(whole.path());
    let mut players = four(host.port, whole.path());
    assert_eq!(host.process.ended(), Some(0), "{}", host.said());
    for player in &mut players {
        assert_eq!(player.ended(), Some(0));
    }
    assert_eq!(pairs(whole.path()).len(), 2 * all, "{}", host.said());
    assert_eq!(faults(whole.path()), Vec::<Value>::new());

    let broken_off = class(format, &FOUR, "pairs = 2");
    let mut host = Host::start(broken_off.path());
    let mut players = four(host.port, broken_off.path());
    for (played, signal) in [
        (1, Signal::KILL),
        (all / 2, Signal::INT),
        (all / 2 + 1, Signal::KILL),
    ] {
        host.has_played(played);
        host.signal(signal);
        let code = host.process.ended();
        assert_eq!(
            code,
            (signal == Signal::INT).then_some(130),
            "{}",
            host.said()
        );
        host = Host::at(broken_off.path(), host.port, &[]);
    }
    assert_eq!(host.process.ended(), Some(0), "{}", host.said());
    for player in &mut players {
        assert_eq!(player.ended(), Some(0));
    }
    assert_eq!(pairs(broken_off.path()), pairs(whole.path()));
    for name in ["report.html", "results.json", "results.csv", "ranking.csv"] {
        let path = broken_off.path().join("class-report").join(name);
        assert!(path.is_file(), "{name}");
    }
    // Neither any other file nor any output contains the secret.
    for path in [whole.path(), broken_off.path()] {
        let folders = [path.to_owned(), path.join("class-report")];
        for entry in folders
            .iter()
            .flat_map(|folder| fs::read_dir(folder).expect("a folder"))
        {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name");
            if path.is_file() && name != "secret" && name != "class.toml" {
                let bytes = fs::read(&path).expect("a file");
                let text = String::from_utf8_lossy(&bytes);
                assert!(!text.contains(SECRET), "{}", path.display());
            }
        }
    }
}

#[test]
fn a_round_robin_is_the_same_however_often_the_host_is_killed() {
    plays_the_same_however_often_the_host_is_killed("kind = \"round-robin\"\ntimes = 1", 20);
}

#[test]
fn a_swiss_is_the_same_however_often_the_host_is_killed() {
    plays_the_same_however_often_the_host_is_killed("kind = \"swiss\"\nrounds = 3", 12);
}

#[test]
fn who_leaves_in_a_game_loses_it_and_comes_back_by_its_name() {
    let folder = class("kind = \"round-robin\"\ntimes = 1", &["ada", "bob"], "");
    let mut host = Host::start(folder.path());
    let mut ada = daemon(host.port, folder.path(), "ada", "holes", true);
    let mut bob = python(host.port, "bob", &["first", "3"]);
    assert_eq!(bob.ended(), Some(1));
    host.says("bob left");
    let mut bob = python(host.port, "bob", &["first"]);
    assert_eq!(host.process.ended(), Some(0), "{}", host.said());
    assert_eq!([ada.ended(), bob.ended()], [Some(0), Some(0)]);
    let faults = faults(folder.path());
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0]["agent"], "bob");
    assert_eq!(faults[0]["kind"], "crash");
    assert_eq!(pairs(folder.path()).len(), 6);
}

#[test]
fn who_is_missed_too_long_loses_its_meetings_and_the_log_says_why() {
    let folder = class(
        "kind = \"round-robin\"\ntimes = 1",
        &["ada", "bob"],
        "faults = 3",
    );
    let mut host = Host::at(folder.path(), 0, &["--patience", "0.5"]);
    let mut ada = daemon(host.port, folder.path(), "ada", "holes", true);
    assert_eq!(host.process.ended(), Some(0), "{}", host.said());
    assert_eq!(ada.ended(), Some(0));
    let faults = faults(folder.path());
    assert_eq!(faults.len(), 4, "{faults:?}");
    for fault in faults {
        assert_eq!(fault["agent"], "bob");
        assert_eq!(fault["kind"], "absent");
        let reason = fault["reason"].as_str().expect("a reason");
        assert!(reason.contains("had been missing for"), "{reason}");
    }
    assert!(host.said().contains("missing ada, bob"), "{}", host.said());
    assert!(
        host.said().contains("bob was at fault 4 times"),
        "{}",
        host.said()
    );
}

#[test]
fn players_that_do_wrong_lose_their_own_games_only() {
    let folder = class(
        "kind = \"round-robin\"\ntimes = 1",
        &["ada", "bob", "eve"],
        "faults = 2",
    );
    let mut host = Host::start(folder.path());
    let _ada = daemon(host.port, folder.path(), "ada", "holes", true);
    let _bob = python(host.port, "bob", &["last"]);
    let _eve = python(host.port, "eve", &["illegal"]);
    assert_eq!(host.process.ended(), Some(0), "{}", host.said());
    let faults = faults(folder.path());
    assert_eq!(faults.len(), 2, "withdrawn by then: {faults:?}");
    assert!(faults.iter().all(|fault| fault["agent"] == "eve"));
}

#[tokio::test]
async fn only_guests_come_in_and_a_second_connection_waits_for_the_first() {
    let folder = class("kind = \"round-robin\"\ntimes = 1", &["ada", "bob"], "");
    let mut host = Host::start(folder.path());
    for (said, told) in [
        ("ada", "only the name"),
        ("ada:guess", "wrong secret for ada"),
        ("mallory:hunter2", "the name of a participant"),
        ("ada hunter2", "the name of a participant"),
        ("hunter2", "the name of a participant"),
    ] {
        let client = Client::join(host.address(), said.as_bytes()).await;
        let story = client.hear_out().await;
        assert!(story.was_told_goodbye(), "{story:?}");
        let reason = story.heard[0]["comment"].as_str().expect("a reason");
        assert!(reason.contains(told), "{reason}");
        host.has_said(told).await;
    }
    assert!(!host.said().contains("hunter2") && !host.said().contains("guess"));
    let refused = run(&[
        "play",
        "127.0.0.1",
        &host.port.to_string(),
        "--name",
        "mallory",
    ]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(stderr(&refused).contains("rejected us"), "{refused:?}");
    // This client never sends a name, and does not delay the others.
    let silent = Client::connect(host.address()).await;
    let silent = tokio::spawn(silent.hear_out());

    // Greedy is bob's only opponent, so bob does not answer in its first game.
    let mut first = Client::join(host.address(), b"bob").await;
    assert!(first.question().await.is_some());
    let second = Client::join(host.address(), b"bob").await;
    host.has_said("bob is connected twice").await;
    let third = Client::join(host.address(), b"bob").await.hear_out().await;
    assert!(third.was_told_goodbye(), "{third:?}");
    host.has_said("two connections have this name already")
        .await;
    drop((first, second));
    let bob = python(host.port, "bob", &["last"]);
    let ada = daemon(host.port, folder.path(), "ada", "holes", true);
    assert_eq!(host.process.ended(), Some(0), "{}", host.said());
    let silent = story(silent).await;
    assert_eq!(silent.resets(), 0, "{silent:?}");
    drop((bob, ada));
}

#[tokio::test]
async fn who_talks_all_the_time_is_sent_away_and_may_come_again() {
    let folder = class("kind = \"round-robin\"\ntimes = 1", &["ada", "bob"], "");
    let mut host = Host::start(folder.path());
    // Ada is absent, so bob plays against greedy and then waits.
    let bob = Client::join(host.address(), b"bob").await;
    let bob = bob.plays(|_| Act::Say(b"{\"status\":false}{\"status\":false}".repeat(100)));
    host.has_said("bob was disconnected: it sent too many messages without being asked")
        .await;
    assert!(story(bob).await.was_told_goodbye());
    let _bob = python(host.port, "bob", &["last"]);
    let _ada = daemon(host.port, folder.path(), "ada", "holes", true);
    assert_eq!(host.process.ended(), Some(0), "{}", host.said());
    let faults = faults(folder.path());
    assert!(
        faults.iter().all(|fault| fault["agent"] == "bob"),
        "{faults:?}"
    );
}

#[test]
fn what_cannot_be_hosted_is_said() {
    let told = |output: Output, code, text: &str| {
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(stderr(&output).contains(text), "{text}: {output:?}");
    };
    let folder = class("kind = \"knockout\"", &["ada"], "");
    let file = folder.path().join("class.toml");
    let file = file.to_str().expect("UTF-8");
    told(
        run(&["tournament", file]),
        2,
        "ada is remote: use turnwise host --tournament",
    );
    told(
        run(&["host", "--tournament", file, "--size", "3"]),
        2,
        "cannot be used with",
    );
    let limited = [
        "host",
        "--tournament",
        file,
        "--log",
        "x",
        "--log-limit",
        "1",
    ];
    told(run(&limited), 2, "--log-limit cannot be used with");
    told(run(&["host", "--patience", "3"]), 2, "--tournament");
    told(
        run(&["arena", "remote", "greedy"]),
        1,
        "can only take part in turnwise host --tournament",
    );
    let long = "x".repeat(100);
    let two = "[[participant]]\nname = \"one\"\nremote = true\n[[participant]]\nname = \"two\"\n";
    for (game, participants, text) in [
        (
            "halma",
            format!("{two}remote = true"),
            "Halma has no wire for daemons",
        ),
        (
            "entropy",
            format!("{two}agent = \"greedy\"\nsecret = \"x\""),
            "a secret is for remote participants",
        ),
        (
            "entropy",
            format!("{two}remote = true\nrun = \"./player\""),
            "only a name and perhaps a secret",
        ),
        (
            "entropy",
            format!("{two}remote = true\nsecret = \"{long}\""),
            "at most 100 bytes",
        ),
        (
            "entropy",
            two.replace("one", "o:e") + "remote = true",
            "a name without `:`",
        ),
        (
            "entropy",
            two.replace("remote = true", "agent = \"holes\"") + "agent = \"greedy\"",
            "`remote = true`, got none",
        ),
    ] {
        let text_of = format!("game = \"{game}\"\n[format]\nkind = \"knockout\"\n{participants}");
        let folder = folder_with("class.toml", &text_of);
        let path = folder.path().join("class.toml");
        let listen = ["--listen", "127.0.0.1:0"];
        let mut command = turnwise(&["host", "--tournament"]);
        let output = command.arg(path).args(listen).stdin(Stdio::null()).output();
        told(output.expect("it starts"), 2, text);
    }
}
