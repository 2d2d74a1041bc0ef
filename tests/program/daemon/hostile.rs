//! Tests how daemons react to servers that send invalid data.

use std::io::Read;
use std::time::Duration;

use crate::daemon::process::Daemon;
use crate::daemon::server::{KILL, RESET, Server, envelope};
use crate::referee::{self, Side};

#[test]
fn frames_of_garbage_are_survived_and_the_game_goes_on() {
    let garbage: [Vec<u8>; 8] = [
        vec![b'x'; 64 * 1024],
        [b"{".to_vec(), vec![b' '; 70_000], b"}".to_vec()].concat(),
        [vec![b'['; 1000], vec![b']'; 1000]].concat(),
        [
            br#"{"purpose":"#.to_vec(),
            vec![b'['; 50],
            vec![b']'; 50],
            b"}".to_vec(),
        ]
        .concat(),
        b"\xff\xfe\x00\n{\"purpose\":\"\xc3\x28\"}".to_vec(),
        br#"{"purpose":"update","payload":NaN}{"purpose":Infinity}"#.to_vec(),
        br#"{"purpose":"update_only","payload":7}{]{"purpose":"\u0000"}}"#.to_vec(),
        envelope("update_only", &"?\n".repeat(3000)).into_bytes(),
    ];
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--clock", "1", "--reconnect", "never"]);
    let mut peer = server.accept();
    peer.read_once();
    for (seed, bytes) in garbage.iter().enumerate() {
        peer.write(RESET);
        peer.write(bytes);
        let side = if seed % 2 == 0 {
            Side::Order
        } else {
            Side::Chaos
        };
        referee::play(&mut peer, side, 2, seed as u64, usize::MAX);
        peer.write(bytes);
    }
    peer.write(KILL);
    assert_eq!(peer.rest(), "");
    assert_eq!(daemon.exit_code(), 0, "{}", daemon.stderr());
    assert_eq!(daemon.events("game"), garbage.len());
}

#[test]
fn lines_of_garbage_are_survived_and_the_game_goes_on() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--clock", "1", "--wire", "line"]);
    let mut peer = server.accept().lines();
    let garbage: [&[u8]; 4] = [
        b"\xff\xfe\n",
        &[b'7'; 70_000],
        b"\nNaN\n-1 0 A\n",
        b"300 0 A\n",
    ];
    for (seed, bytes) in garbage.iter().enumerate() {
        peer.write(bytes);
        peer.write("\n");
        referee::play(&mut peer, Side::Chaos, 2, seed as u64, usize::MAX);
    }
    drop(peer);
    assert_eq!(daemon.exit_code(), 0, "{}", daemon.stderr());
    assert_eq!(daemon.events("game"), garbage.len());
}

#[test]
fn a_flood_of_messages_that_nobody_knows_does_not_fill_the_log() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--reconnect", "never"]);
    let mut peer = server.accept();
    peer.read_once();
    for message in [envelope("chatter", "hello"), RESET.to_owned()] {
        peer.write(message.repeat(10_000));
    }
    peer.write(KILL);
    assert_eq!(peer.rest(), "");
    assert_eq!(daemon.exit_code(), 0, "{}", daemon.stderr());
    let records = daemon.log().len();
    assert!((50..=300).contains(&records), "{records}");
}

#[test]
fn a_flood_in_mid_thought_delays_neither_the_answer_nor_a_signal() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--clock", "3", "--reconnect", "never"]);
    let mut peer = server.accept();
    peer.read_once();
    peer.write(RESET);
    peer.write(envelope("update", "5\nCHAOS\nA\n"));
    let stream = peer.stream.try_clone().unwrap();
    let flood = std::thread::spawn(move || {
        let mut stream = stream;
        // Send lines until the daemon has disconnected.
        while std::io::Write::write_all(&mut stream, b"x\ny\n\n z\n\n").is_ok() {}
    });
    assert!(peer.read_once().contains(r#""status":true"#));
    daemon.signal(rustix::process::Signal::TERM);
    assert_eq!(daemon.exit_code(), 143);
    flood.join().unwrap();
}

#[test]
fn a_server_that_does_not_wait_for_answers_is_left() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--clock", "1000", "--reconnect", "never"]);
    let mut peer = server.accept();
    peer.read_once();
    peer.write(RESET);
    peer.write(envelope("update", "5\nCHAOS\nA\n"));
    peer.write(envelope("update", "0 0 0 1\nA\n").repeat(1000));
    assert_eq!(daemon.exit_code(), 3);
    assert!(daemon.stderr().contains("more data than a game can need"));
}

#[test]
fn a_log_reader_that_went_away_costs_no_game() {
    let server = Server::new();
    let port = server.port().to_string();
    let arguments = ["play", "127.0.0.1", &port, "--clock", "1"];
    let mut daemon = Daemon::start_with_piped_stderr(&arguments);
    let mut peer = server.accept();
    peer.read_once();
    let mut reader = daemon.child.stderr.take().unwrap();
    reader.read_exact(&mut [0]).unwrap();
    drop(reader);
    peer.with_next = RESET.to_owned();
    referee::play(&mut peer, Side::Order, 3, 1, usize::MAX);
    peer.is_silent(Duration::from_millis(50));
    peer.write(KILL);
    assert_eq!(peer.rest(), "");
    assert_eq!(daemon.exit_code(), 0);
}

#[test]
fn a_log_reader_that_stops_reading_costs_no_game() {
    let server = Server::new();
    let port = server.port().to_string();
    let arguments = ["play", "127.0.0.1", &port, "--clock", "5"];
    let mut daemon = Daemon::start_with_piped_stderr(&arguments);
    let reader = daemon.child.stderr.take().unwrap();
    // The minimum capacity of a pipe is a page; the lines of a game exceed this size.
    let size = rustix::pipe::fcntl_setpipe_size(&reader, 4096).unwrap();
    let mut peer = server.accept();
    peer.read_once();
    peer.with_next = RESET.to_owned();
    for seed in 1..=3 {
        referee::play(&mut peer, Side::Order, 5, seed, usize::MAX);
    }
    assert!(rustix::io::ioctl_fionread(&reader).unwrap() > size as u64 / 2);
    daemon.signal(rustix::process::Signal::TERM);
    assert_eq!(daemon.exit_code(), 143);
}
