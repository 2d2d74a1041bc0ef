//! Tests how daemons react to SIGINT, SIGTERM and SIGHUP. The tests may assert that time passes, but not how much.

use std::io::{Read, Write};
use std::time::Duration;

use rustix::process::Signal;

use crate::daemon::process::Daemon;
use crate::daemon::server::{Peer, RESET, Server, envelope};
use crate::referee::{self, Player, Side};
use crate::support::{TURNWISE, on_a_terminal, until_a_game_is_logged};

/// Returns a daemon in the middle of a search that takes half a minute, and the server's end of the connection.
fn in_mid_search(size: u8) -> (Daemon, Peer) {
    let server = Server::new();
    let daemon = Daemon::play(server.port(), &["--clock", "1000"]);
    let mut peer = server.accept();
    peer.read_once();
    peer.write(RESET);
    peer.write(envelope("update", &format!("{size}\nCHAOS\nA\n")));
    daemon.wait_for_message("game begins");
    (daemon, peer)
}

#[test]
fn a_signal_in_mid_search_ends_it_with_a_whole_log() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        for size in [5, 26] {
            let (mut daemon, mut peer) = in_mid_search(size);
            daemon.signal(signal);
            assert_eq!(daemon.exit_code(), code);
            assert_eq!(peer.rest(), "", "no answer to a game that is left");
            let log = daemon.log();
            let last = log.last().unwrap();
            assert_eq!(last["event"], "abandoned");
            assert_eq!(last["why"], "a signal requested the end");
        }
    }
}

#[test]
fn a_hangup_of_the_terminal_ends_a_daemon_unless_nohup_started_it() {
    for (before, signals, code) in [("", "HUP", 129), ("nohup ", "HUP TERM", 143)] {
        let folder = tempfile::tempdir().expect("a folder");
        let script = format!(
            "cd {}; mkfifo input; exec 3<>input; printf '5\\nCHAOS\\nA\\n' >&3; \
             {before}{TURNWISE} stdio entropy --clock 1000 --log games.jsonl <input >answer 2>events & \
             until grep -q 'game begins' events; do sleep 0.1; done; \
             for signal in {signals}; do kill -$signal $!; sleep 0.5; done; wait $!; echo code $?",
            folder.path().display()
        );
        let (shown, _) = on_a_terminal(&script, &[("TURNWISE_LOG_FORMAT", "json")]);
        assert!(shown.contains(&format!("code {code}")), "{before}: {shown}");
        let log = std::fs::read_to_string(folder.path().join("games.jsonl")).expect("a log");
        let last = log.lines().last().expect("a record");
        assert!(last.contains("\"event\":\"abandoned\""), "{last}");
    }
}

#[test]
fn a_hangup_without_a_terminal_ends_nothing_and_a_moved_log_is_begun_anew() {
    let server = Server::new();
    let options = ["--clock", "60", "--reconnect", "never"];
    let mut daemon = Daemon::play_without_terminal(server.port(), &options);
    let mut peer = server.accept();
    peer.read_once();
    let moved = daemon.games_path().with_extension("1");
    for number in 0..2 {
        peer.write(RESET);
        referee::play(&mut peer, Side::Chaos, 2, 1, usize::MAX);
        if number == 0 {
            // The game is logged after the last reply.
            until_a_game_is_logged(&daemon.games_path());
            std::fs::rename(daemon.games_path(), &moved).expect("there is a log");
        }
        daemon.signal(Signal::HUP);
    }
    drop(peer);
    daemon.exit_code();
    let old = std::fs::read_to_string(moved).expect("the moved log");
    let new = std::fs::read_to_string(daemon.games_path()).expect("a new log");
    for log in [&old, &new] {
        assert!(log.starts_with("{\"event\":\"match\""), "{log}");
        assert!(log.contains("\"event\":\"move\""), "{log}");
    }
    let games = [old, new].concat();
    assert_eq!(games.matches("\"event\":\"game\"").count(), 2, "{games}");
}

#[test]
fn a_signal_ends_a_daemon_that_waits_for_a_server() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &[]);
    let mut peer = server.accept();
    peer.read_once();
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.exit_code(), 143);

    let port = Server::new().port();
    let mut daemon = Daemon::play(port, &["--reconnect", "forever"]);
    daemon.wait_for_message("not connected");
    daemon.signal(Signal::INT);
    assert_eq!(daemon.exit_code(), 130);
}

#[test]
fn a_second_signal_ends_it_all_the_same() {
    let (mut daemon, _peer) = in_mid_search(5);
    daemon.signal(Signal::INT);
    daemon.signal(Signal::TERM);
    // The system decides which signal arrives first.
    assert!([130, 143].contains(&daemon.exit_code()));
    daemon.log();
}

#[test]
fn a_signal_ends_a_player_on_stdin_and_stdout() {
    let mut daemon = Daemon::start(&["stdio", "entropy", "--clock", "1000"]);
    let mut stdin = daemon.child.stdin.take().unwrap();
    stdin.write_all(b"5\nCHAOS\nA\n").unwrap();
    daemon.wait_for_message("game begins");
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.exit_code(), 143);
    assert_eq!(daemon.stdout(), "");
}

#[test]
fn a_signal_is_heard_while_nobody_reads_our_answers() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--clock", "1"]);
    let mut peer = server.accept();
    peer.read_once();
    // The daemon answers each question with a concession. Nobody reads the answers, so the buffers between both ends
    // fill up.
    peer.stream.set_nonblocking(true).unwrap();
    let question = envelope("update", "").repeat(100);
    let mut since_progress = 0;
    while since_progress < 100 {
        match peer.stream.write(question.as_bytes()) {
            Ok(_) => since_progress = 0,
            Err(_full) => since_progress += 1,
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.exit_code(), 143);
    drop(peer.stream.read(&mut [0]));
}

/// A server that stops the player's process before each question.
struct Freezing<'a> {
    peer: Peer,
    daemon: &'a Daemon,
}

impl Player for Freezing<'_> {
    fn tell(&mut self, lines: &str, asked: bool) {
        self.daemon.signal(Signal::STOP);
        self.peer.tell(lines, asked);
        std::thread::sleep(Duration::from_millis(700));
        self.daemon.signal(Signal::CONT);
    }

    fn answer(&mut self) -> Vec<usize> {
        self.peer.answer()
    }
}

#[test]
fn what_passes_while_a_question_waits_for_a_stopped_player_is_its_time() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--clock", "60", "--reconnect", "never"]);
    let mut peer = server.accept();
    peer.read_once();
    peer.write(RESET);
    daemon.wait_for_message("the wire is settled");
    // The daemon reads from its connection a moment later.
    std::thread::sleep(Duration::from_millis(300));
    let mut freezing = Freezing {
        peer,
        daemon: &daemon,
    };
    referee::play(&mut freezing, Side::Chaos, 2, 1, usize::MAX);
    drop(freezing);
    daemon.exit_code();
    let log = daemon.log();
    let moves = log.iter().filter(|record| record["event"] == "move");
    let used: Vec<_> = moves.map(|record| record["used_ms"].as_f64()).collect();
    assert_eq!(used.len(), 4);
    assert!(used.iter().all(|&used| used >= Some(600.0)), "{used:?}");
}
