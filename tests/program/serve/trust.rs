//! Tests that the Halma shim trusts only the user's own daemon, and rejects impossible answers.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::process::Output;

use tempfile::TempDir;
use turnwise_engine::own_socket::OwnFolder;
use turnwise_halma::budget::{Forecast, budget};
use turnwise_halma::files::output;

use crate::support::stderr;

use super::*;

/// A user's folder for sockets, and another folder in which shims run.
struct User {
    runtime: TempDir,
    game: TempDir,
}

impl User {
    fn new() -> Self {
        let [runtime, game] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        Self { runtime, game }
    }

    fn turnwise(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(TURNWISE);
        command.args(arguments);
        command.env("XDG_RUNTIME_DIR", self.runtime.path());
        command
    }

    fn halma(&self, arguments: &[&str], input: &Input) -> Output {
        let mut command = self.turnwise(&["halma"]);
        run_shim(command.args(arguments), self.game.path(), input)
    }

    fn sockets(&self) -> OwnFolder {
        OwnFolder::at(self.runtime.path().join("turnwise"))
    }

    /// Starts a daemon on the user's own socket.
    fn serve(&self) -> Child {
        let mut command = self.turnwise(&["halma", "serve"]);
        let daemon = command.stderr(Stdio::null()).spawn();
        let connect = || self.sockets().connect("halma").ok().flatten();
        let daemon = daemon.expect("the program can be started");
        until(connect);
        daemon
    }

    /// Starts a fake daemon on the user's own socket, which answers every question with these words.
    fn impostor(&self, words: String) {
        // While another test starts a process, that process may briefly hold the previous lock.
        let listener = until(|| self.sockets().listen("halma").ok());
        std::thread::spawn(move || {
            let mut open = Vec::new();
            for stream in listener.listener().incoming() {
                let mut stream: UnixStream = stream.expect("a connection");
                // The client may already have disconnected.
                let mut question = String::new();
                let _ = BufReader::new(&stream).read_line(&mut question);
                let _ = stream.write_all(words.as_bytes());
                open.push(stream);
            }
        });
    }

    /// Runs a shim repeatedly until it prints these words.
    ///
    /// On a busy machine, one run may not suffice, because an answer may come too late.
    fn until_told(&self, input: &Input, words: &str) {
        let playdata = self.game.path().join("playdata.txt");
        until(|| {
            let _ = fs::remove_file(&playdata);
            stderr(&self.halma(&[], input))
                .contains(words)
                .then_some(())
        });
    }

    /// Asserts that the answer that the shim has written into its folder is a legal move in this position.
    fn has_moved(&self, at: &Position) {
        let bytes = fs::read_to_string(self.game.path().join("output.txt")).expect("an answer");
        after(at, &json!({ "output": bytes }));
    }
}

fn start() -> Position {
    Position::start(Color::White, Rules::Addendum)
}

/// Returns an answer with a legal move, which claims that the daemon has used this CPU time for the game.
fn answer(at: &Position, game_cpu: f64) -> String {
    let output = output(at, at.moves()[0]).expect("it is legal").to_string();
    let answer = json!({
        "answer": "move", "output": output, "cpu_s": 0, "game_cpu_s": game_cpu,
        "known": false, "value": 0, "depth": 0, "nodes": 0,
    });
    format!("{answer}\n")
}

#[test]
fn the_users_own_daemon_is_asked_and_nobody_else_can_reach_it() {
    let user = User::new();
    let question = input(&start(), Mode::Game, 1.0);
    // Without a daemon, the shim prints no message.
    assert_eq!(stderr(&user.halma(&[], &question)), "");
    let mut daemon = user.serve();
    let folder = user.runtime.path().join("turnwise");
    let mode = fs::metadata(&folder).expect("it is there").permissions();
    assert_eq!(mode.mode() & 0o777, 0o700);
    let second = user
        .turnwise(&["halma", "serve"])
        .output()
        .expect("it starts");
    assert_eq!(second.status.code(), Some(1));
    assert!(stderr(&second).contains("listens on"), "{second:?}");
    // A killed daemon leaves its socket behind, and the next daemon replaces it.
    daemon.kill().expect("it runs");
    daemon.wait().expect("it ends");
    assert!(folder.join("halma.sock").exists());
    let mut daemon = user.serve();
    fs::remove_file(user.game.path().join("playdata.txt")).expect("it is there");
    hand_over(user.game.path(), || user.halma(&[], &question));
    user.has_moved(&start());
    assert!(spent_elsewhere(user.game.path()) > 0.0);
    let id = daemon.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &id]).status();
    assert!(sent.expect("kill can be started").success());
    assert_eq!(daemon.wait().expect("it ends").code(), Some(143));
    assert!(!folder.join("halma.sock").exists());
}

#[test]
fn a_stranger_on_the_port_is_not_asked() {
    let user = User::new();
    // Other programs on this machine may also listen there and ask questions, but not about this position.
    let at = some_reply(&some_reply(&some_reply(&start(), 7), 11), 13);
    let question = input(&at, Mode::Single, 0.2);
    let stranger = until(|| TcpListener::bind("127.0.0.1:7361").ok());
    stranger.set_nonblocking(true).expect("a socket");
    std::thread::scope(|scope| {
        let shim = scope.spawn(|| user.halma(&[], &question));
        while !shim.is_finished() {
            if let Ok((stream, _)) = stranger.accept() {
                stream.set_nonblocking(false).expect("a socket");
                let mut heard = String::new();
                let _ = BufReader::new(&stream).read_line(&mut heard);
                let line = super::question(&question.to_string());
                let line = String::from_utf8(line).expect("text");
                let board = &line[line.len() - 100..line.len() - 10];
                assert!(!heard.contains(board), "{heard}");
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    user.has_moved(&at);
}

#[test]
fn a_lie_about_time_is_refused_and_nothing_of_it_is_kept() {
    let user = User::new();
    let at = start();
    user.impostor(answer(&at, 99_999_999.0));
    user.until_told(
        &input(&at, Mode::Game, 1.0),
        "the daemon's answer cannot be used: its game_cpu_s claims 99999999 s of computing",
    );
    user.has_moved(&at);
    assert_eq!(spent_elsewhere(user.game.path()), 0.0);
}

#[test]
fn a_daemon_that_stalls_is_left_after_a_tenth_of_a_second() {
    let user = User::new();
    let at = start();
    let question = input(&at, Mode::Game, 1.0);
    let stalled = user.sockets().listen("halma").expect("it is free");
    let silent = "the daemon did not answer: it was silent for 0.1 s";
    user.until_told(&question, silent);
    user.has_moved(&at);
    assert_eq!(spent_elsewhere(user.game.path()), 0.0);
    drop(stalled);
    // With the blank, this daemon has promised an answer, and may have computed for the whole waiting time.
    user.impostor(" ".to_owned());
    let broken = "the daemon did not finish: it was silent for 0.1 s";
    user.until_told(&question, broken);
    user.has_moved(&at);
    assert!(spent_elsewhere(user.game.path()) >= 0.1);
}

#[test]
fn a_daemon_that_drips_blanks_costs_a_game_little_more_than_one_search() {
    let user = User::new();
    let at = start();
    let question = input(&at, Mode::Game, 8.0);
    let listener = until(|| user.sockets().listen("halma").ok());
    let (asked, questions) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.listener().incoming() {
            let mut stream: UnixStream = stream.expect("a connection");
            let _ = asked.send(());
            std::thread::spawn(move || {
                // Send one byte at a time until the client disconnects.
                while stream.write_all(b" ").is_ok() {
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
        }
    });
    let longest: f64 = until(|| {
        let _ = fs::remove_file(user.game.path().join("playdata.txt"));
        let told = stderr(&user.halma(&[], &question));
        let longer = told.split_once("the daemon did not finish: it took longer than ")?;
        longer.1.split(' ').next()?.parse().ok()
    });
    user.has_moved(&at);
    let (_, hard) = budget(Duration::from_secs(8), Mode::Game, &at, Forecast::default());
    assert!(longest <= hard.as_secs_f64() + 0.5, "{longest} s, {hard:?}");
    let waited = spent_elsewhere(user.game.path());
    assert!(waited >= longest, "{waited} of {longest} s are charged");
    // From now on, the shim asks the daemon no further question in this game.
    while questions.try_recv().is_ok() {}
    let own = fs::read_to_string(user.game.path().join("output.txt")).expect("an answer");
    let next = some_reply(&after(&at, &json!({ "output": own })), 7);
    assert_eq!(stderr(&user.halma(&[], &input(&next, Mode::Game, 6.0))), "");
    user.has_moved(&next);
    assert!(questions.try_recv().is_err(), "it was asked again");
    assert_eq!(spent_elsewhere(user.game.path()), waited);
}

#[test]
fn a_folder_that_others_can_enter_is_told_and_not_used() {
    let user = User::new();
    let question = input(&start(), Mode::Game, 0.5);
    user.impostor(answer(&start(), 0.0));
    let folder = user.runtime.path().join("turnwise");
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).expect("it is ours");
    let told = stderr(&user.halma(&[], &question));
    assert!(told.contains("the daemon is not trusted"), "{told}");
    assert!(told.contains("with mode 0700"), "{told}");
    user.has_moved(&start());
    let refused = user
        .turnwise(&["halma", "serve"])
        .output()
        .expect("it starts");
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("with mode 0700"), "{refused:?}");
}
