//! Tests the log to which a player appends its games, and the commands that read this log.

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use serde_json::Value;

use crate::daemon::process::Daemon;
use crate::daemon::server::{KILL, RESET, Server, envelope};
use crate::referee::{self, Side};
use crate::support::{run, run_with_input, stderr, stdout, turnwise};

/// Plays a war of two games on this board, so that the log contains a pair.
fn war(port_of: &Server, daemon: &mut Daemon, size: usize) {
    let mut peer = port_of.accept();
    peer.read_once();
    for (seed, side) in [(1, Side::Order), (2, Side::Chaos)] {
        peer.with_next = RESET.to_owned();
        referee::play(&mut peer, side, size, seed, usize::MAX);
    }
    peer.write(KILL);
    assert_eq!(peer.rest(), "");
    assert_eq!(daemon.exit_code(), 0, "{}", daemon.stderr());
}

fn events(records: &[Value]) -> Vec<&str> {
    let kinds = records.iter().map(|record| record["event"].as_str());
    let mut kinds: Vec<&str> = kinds.map(Option::unwrap).collect();
    kinds.dedup();
    kinds
}

/// Runs a command on a log, which must contain no line that the command cannot use.
fn reads(words: &[&str], log: &Path) -> String {
    let output = run(&[words, &[log.to_str().expect("text")]].concat());
    assert!(output.status.success(), "{words:?}: {output:?}");
    assert_eq!(stderr(&output), "", "{words:?}");
    stdout(&output)
}

#[test]
fn every_reader_of_logs_reads_the_games_of_a_player() {
    let server = Server::new();
    let options = ["--clock", "1", "--reconnect", "never", "--name", "ada"];
    let mut daemon = Daemon::play(server.port(), &options);
    war(&server, &mut daemon, 3);
    let games = daemon.games();
    assert_eq!(events(&games), ["match", "move", "game", "move", "game"]);
    let moves: Vec<&Value> = games.iter().filter(|it| it["event"] == "move").collect();
    assert_eq!(moves.len(), 17 + 17);
    for mv in &moves {
        assert_eq!(mv["depth"].is_null(), mv["agent"] == "opponent", "{mv}");
    }
    let log = &daemon.games_path();
    let report = reads(&["report"], log);
    assert!(report.contains("ada against opponent"), "{report}");
    assert!(report.contains("2 games"), "{report}");
    let replay = reads(&["replay", "--game", "2"], log);
    assert!(replay.contains("ada"), "{replay}");
    let budget = reads(&["budget"], log);
    assert!(
        budget.contains("ada") && budget.contains("opponent"),
        "{budget}"
    );
    let review = reads(&["review", "--nodes", "100"], log);
    assert!(review.contains("ada"), "{review}");
}

#[test]
fn another_board_and_another_process_begin_another_part_of_the_log() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--clock", "1", "--reconnect", "never"]);
    let mut peer = server.accept();
    peer.read_once();
    for (seed, size) in [(1, 2), (2, 3)] {
        peer.with_next = RESET.to_owned();
        referee::play(&mut peer, Side::Chaos, size, seed, usize::MAX);
    }
    peer.write(KILL);
    assert_eq!(daemon.exit_code(), 0);
    let log = daemon.games_path();
    let path = log.to_str().expect("text");
    let mut player = turnwise(&["stdio", "entropy", "--clock", "1", "--log", path]);
    let output = run_with_input(&mut player, b"2\nCHAOS\nA\n");
    assert!(output.status.success(), "{output:?}");
    let games = daemon.games();
    let whole = ["match", "move", "game"];
    assert_eq!(
        events(&games),
        [&whole[..], &whole, &["match", "move", "abandoned"]].concat()
    );
    let output = run(&["report", path]);
    assert!(output.status.success(), "{output:?}");
    assert!(
        stderr(&output).contains("abandoned after 1 ply: the input ended"),
        "{output:?}"
    );
    let sizes = stdout(&output).matches("1 game\n").count();
    assert_eq!(sizes, 2, "{output:?}");
}

#[test]
fn a_log_that_another_player_writes_and_a_file_that_is_no_log_are_refused() {
    let server = Server::new();
    let daemon = Daemon::play(server.port(), &[]);
    daemon.wait_for_message("connect");
    let refused = |path: &Path, why: &str| {
        let path = path.to_str().expect("text");
        let mut player = turnwise(&["stdio", "entropy", "--log", path]);
        let output: Output = run_with_input(&mut player, b"2\nCHAOS\nA\n");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(stderr(&output).contains(why), "{output:?}");
    };
    refused(&daemon.games_path(), "is being written by another");
    let folder = tempfile::tempdir().expect("a folder");
    let notes = folder.path().join("notes");
    std::fs::write(&notes, "my notes\n").expect("there is room");
    refused(&notes, "expected the header of a match, got my notes");
    assert_eq!(
        std::fs::read_to_string(&notes).expect("it is there"),
        "my notes\n"
    );
}

#[test]
fn a_game_that_is_killed_leaves_its_moves() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--clock", "1000"]);
    let mut peer = server.accept();
    peer.read_once();
    peer.write(RESET);
    peer.write(envelope("update", "2\nCHAOS\nA\n"));
    peer.read_once();
    let deadline = std::time::Instant::now() + crate::daemon::process::PATIENCE;
    while events(&daemon.games()) != ["match", "move"] {
        assert!(std::time::Instant::now() < deadline, "no move is logged");
        std::thread::sleep(Duration::from_millis(5));
    }
    daemon.child.kill().expect("it runs");
    daemon.wait();
    let output = run(&["report", daemon.games_path().to_str().expect("text")]);
    assert!(output.status.success(), "{output:?}");
    assert!(
        stderr(&output).contains("moves without a game: 1"),
        "{output:?}"
    );
}
