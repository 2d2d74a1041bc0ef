//! Tests how daemons react to connections that are rejected or lost.

use std::io::Write;
use std::net::{TcpListener, TcpStream};

use crate::daemon::process::Daemon;
use crate::daemon::server::{KILL, RESET, Server, envelope};
use crate::referee::{self, Side};

#[test]
fn a_refused_connection_ends_the_daemon_if_it_may_not_try_again() {
    let port = {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap();
        closed.local_addr().unwrap().port()
    };
    let mut daemon = Daemon::play(port, &["--reconnect", "never"]);
    assert_eq!(daemon.exit_code(), 3);
    assert!(daemon.stderr().contains("gave up"), "{}", daemon.stderr());
    let mut daemon = Daemon::play(port, &["--reconnect", "0.5"]);
    assert_eq!(daemon.exit_code(), 3);
    assert!(daemon.log().len() > 1, "tried again for a while");
}

#[test]
fn a_server_that_dies_in_mid_game_and_comes_back_is_played_on() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--clock", "1"]);
    for seed in 0..3 {
        let mut peer = server.accept();
        assert_eq!(peer.read_once(), "turnwise");
        peer.with_next = RESET.to_owned();
        referee::play(&mut peer, Side::Order, 3, seed, 3);
    }
    let mut peer = server.accept();
    peer.read_once();
    peer.with_next = RESET.to_owned();
    referee::play(&mut peer, Side::Chaos, 3, 4, usize::MAX);
    peer.write(KILL);
    assert_eq!(daemon.exit_code(), 0);
    assert_eq!((daemon.events("abandoned"), daemon.events("game")), (3, 1));
}

#[test]
fn a_daemon_that_is_sent_away_for_a_reason_comes_back() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--clock", "1"]);
    let mut peer = server.accept();
    peer.read_once();
    peer.with_next = RESET.to_owned();
    referee::play(&mut peer, Side::Order, 3, 1, 3);
    peer.write(r#"{"purpose":"kill","comment":"it did not send an answer that was due"}"#);
    drop(peer);
    let mut peer = server.accept();
    peer.read_once();
    peer.with_next = RESET.to_owned();
    referee::play(&mut peer, Side::Chaos, 3, 2, usize::MAX);
    peer.write(KILL);
    assert_eq!(daemon.exit_code(), 0);
    assert_eq!((daemon.events("abandoned"), daemon.events("game")), (1, 1));
    let stderr = daemon.stderr();
    assert!(stderr.contains("the server disconnected us"), "{stderr}");
}

/// The server says goodbye before the first game, but invites the daemon to come again.
///
/// Without the invitation, such a goodbye would mean that the server rejects the daemon.
#[test]
fn a_daemon_that_is_told_to_come_again_before_its_first_game_does() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--reconnect", "forever"]);
    let mut peer = server.accept();
    assert_eq!(peer.read_once(), "turnwise");
    peer.write(r#"{"purpose":"kill","comment":"no name came within 5 s","again":true}"#);
    drop(peer);
    let mut peer = server.accept();
    assert_eq!(peer.read_once(), "turnwise");
    peer.write(r#"{"purpose":"kill","comment":"who are you?"}"#);
    assert_eq!(daemon.exit_code(), 1);
    let stderr = daemon.stderr();
    assert!(stderr.contains("rejected us: who are you?"), "{stderr}");
}

#[test]
fn a_server_that_dies_in_mid_thought_is_left_at_once() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--clock", "1000"]);
    let mut peer = server.accept();
    peer.read_once();
    peer.write(RESET);
    peer.write(envelope("update", "5\nCHAOS\nA\n"));
    daemon.wait_for_message("game begins");
    drop(peer);
    let mut peer = server.accept();
    peer.read_once();
    peer.write(KILL);
    assert_eq!(daemon.exit_code(), 0);
    assert_eq!(daemon.events("abandoned"), 1);
}

#[test]
fn a_server_that_hangs_up_before_it_speaks_is_tried_again() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &[]);
    drop(server.accept());
    let mut peer = server.accept();
    peer.read_once();
    drop(peer);
    let mut peer = server.accept();
    peer.read_once();
    peer.write(KILL);
    assert_eq!(daemon.exit_code(), 0);
    assert!(daemon.stderr().contains("the server closed the connection"));
}

/// The daemon keeps connecting to a server only if a move was made on one of the connections.
#[test]
fn patience_ends_with_a_server_that_begins_games_and_hangs_up_over_and_over() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let mut daemon = Daemon::play(address.port(), &["--reconnect", "0.5"]);
    let opening = envelope("update_only", "5\nORDER\n");
    let (ended, has_ended) = std::sync::mpsc::channel();
    let hanging_up = std::thread::spawn(move || {
        let mut connections = 0;
        while has_ended.try_recv().is_err() {
            let (mut stream, _) = server.accept().unwrap();
            // The daemon may already have disconnected.
            let _ = stream.write_all(format!("{RESET}{opening}").as_bytes());
            connections += 1;
        }
        connections
    });
    let code = daemon.exit_code();
    ended.send(()).unwrap();
    drop(TcpStream::connect(address));
    assert_eq!(code, 3, "{}", daemon.stderr());
    assert!(daemon.stderr().contains("gave up"), "{}", daemon.stderr());
    assert!(hanging_up.join().unwrap() > 2, "it was tried again");
}

/// Acts as a server that lets the player take at most `turns` turns as Order on a 2 by 2 board, and then hangs up.
fn play_and_hang_up(server: &Server, turns: usize) {
    let mut peer = server.accept();
    peer.read_once();
    peer.with_next = RESET.to_owned();
    referee::play(&mut peer, Side::Order, 2, 1, turns);
}

const WHOLE: usize = usize::MAX;

#[test]
fn whole_games_and_a_closed_connection_are_a_good_end() {
    for (policy, said) in [
        ("never", "the server closed the connection between games"),
        ("0.5", "reconnecting for 0.5 s in case it reopens"),
        ("0.5", "the server no longer answers"),
    ] {
        let server = Server::new();
        let mut daemon = Daemon::play(server.port(), &["--reconnect", policy, "--clock", "1"]);
        play_and_hang_up(&server, WHOLE);
        drop(server);
        assert_eq!(daemon.exit_code(), 0, "{}", daemon.stderr());
        assert_eq!((daemon.events("game"), daemon.events("abandoned")), (1, 0));
        let stderr = daemon.stderr();
        assert!(stderr.contains(said), "{stderr}");
        assert!(
            !stderr.contains("not connected"),
            "nothing is wrong: {stderr}"
        );
    }
}

#[test]
fn a_server_that_closes_after_whole_games_and_opens_again_is_played_on() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--clock", "1"]);
    for _ in 0..2 {
        play_and_hang_up(&server, WHOLE);
    }
    let mut peer = server.accept();
    peer.read_once();
    peer.write(KILL);
    assert_eq!(daemon.exit_code(), 0);
    assert_eq!(daemon.events("game"), 2);
}

/// Although earlier games were complete, the daemon must fail, because the interrupted game is missing.
#[test]
fn a_connection_lost_in_mid_game_ends_the_daemon_if_nobody_comes_back() {
    for connections in [&[2][..], &[WHOLE, 2], &[2, 0]] {
        let server = Server::new();
        let mut daemon = Daemon::play(server.port(), &["--reconnect", "0.5", "--clock", "1"]);
        for &turns in connections {
            match turns {
                0 => assert_eq!(server.accept().read_once(), "turnwise"),
                _ => play_and_hang_up(&server, turns),
            }
        }
        drop(server);
        assert_eq!(
            daemon.exit_code(),
            3,
            "{connections:?}: {}",
            daemon.stderr()
        );
        assert_eq!(daemon.events("abandoned"), 1);
        assert!(daemon.stderr().contains("gave up"), "{}", daemon.stderr());
    }
}

#[test]
fn whole_games_after_a_lost_one_make_a_good_end() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--reconnect", "0.5", "--clock", "1"]);
    play_and_hang_up(&server, 2);
    play_and_hang_up(&server, WHOLE);
    drop(server);
    assert_eq!(daemon.exit_code(), 0, "{}", daemon.stderr());
    assert_eq!((daemon.events("game"), daemon.events("abandoned")), (1, 1));
}
