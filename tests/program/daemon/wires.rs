//! Tests that players detect the server's wire (its protocol), and tests games over each wire.

use std::time::Duration;

use crate::daemon::process::Daemon;
use crate::daemon::server::{KILL, Peer, RESET, Server, envelope};
use crate::referee::{self, Side};

/// Replies at once, with a clock that even a busy machine does not overrun.
const QUICK: [&str; 6] = ["--agent", "greedy", "--clock", "60", "--reconnect", "never"];

/// Acts as a server that plays two wars with a player on one connection and then says goodbye.
fn wars_and_goodbye(mut peer: Peer, daemon: &mut Daemon) {
    for seed in 0..4 {
        let side = if seed % 2 == 0 {
            Side::Order
        } else {
            Side::Chaos
        };
        if peer.json {
            peer.with_next = RESET.to_owned();
        }
        referee::play(&mut peer, side, 3 - seed as usize % 2, seed, usize::MAX);
    }
    if peer.json {
        peer.write(KILL);
    }
    drop(peer);
    assert_eq!(daemon.exit_code(), 0, "{}", daemon.stderr());
    assert_eq!(daemon.events("game"), 4);
    assert_eq!(daemon.events("abandoned"), 0);
    assert_eq!(daemon.events("move"), 8 + 4 + 8 + 4);
    assert_eq!(daemon.stdout(), "");
    for record in daemon.log() {
        if record["event"] == "game" {
            assert_eq!(record["overrun_ms"], 0.0);
        }
    }
}

#[test]
fn auto_tells_our_name_to_a_silent_json_server() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &[&QUICK[..], &["--name", "tester"]].concat());
    let mut peer = server.accept();
    assert_eq!(peer.read_once(), "tester");
    peer.is_silent(Duration::from_millis(100));
    wars_and_goodbye(peer, &mut daemon);
}

#[test]
fn auto_hears_a_json_server_that_speaks_first() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &QUICK);
    let mut peer = server.accept();
    peer.write(" \n");
    peer.write(RESET);
    wars_and_goodbye(peer, &mut daemon);
}

#[test]
fn auto_hears_a_line_server_that_speaks_at_once() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &QUICK);
    wars_and_goodbye(server.accept().lines(), &mut daemon);
}

#[test]
fn auto_hears_a_line_server_that_waits_for_a_name() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &QUICK);
    let mut peer = server.accept().lines();
    assert_eq!(peer.read_once(), "turnwise");
    wars_and_goodbye(peer, &mut daemon);
}

#[test]
fn a_fixed_json_wire_tells_the_name_at_once() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &[&QUICK[..], &["--wire", "json"]].concat());
    let mut peer = server.accept();
    assert_eq!(peer.read_once(), "turnwise");
    wars_and_goodbye(peer, &mut daemon);
}

#[test]
fn a_fixed_line_wire_tells_no_name() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &[&QUICK[..], &["--wire", "line"]].concat());
    let mut peer = server.accept().lines();
    peer.is_silent(Duration::from_millis(500));
    wars_and_goodbye(peer, &mut daemon);
}

#[test]
fn bytes_that_drip_in_are_understood() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &QUICK);
    let mut peer = server.accept().dripping();
    peer.read_once();
    wars_and_goodbye(peer, &mut daemon);
    let mut daemon = Daemon::play(server.port(), &QUICK);
    wars_and_goodbye(server.accept().lines().dripping(), &mut daemon);
}

#[test]
fn a_whole_opening_may_come_in_one_write() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &QUICK);
    let mut peer = server.accept();
    peer.read_once();
    let told = [
        envelope("chatter", "hello"),
        RESET.to_owned(),
        envelope("update_only", "2\nORDER\n"),
        envelope("update", "0 0 A\n"),
    ];
    peer.write(told.concat());
    let reply = peer.read_once();
    assert!(reply.contains(r#""status":true"#), "{reply}");
    peer.is_silent(Duration::from_millis(100));
    wars_after_abandoned_game(peer, &mut daemon);
}

#[test]
fn a_loss_on_time_names_a_clock_that_would_have_lasted() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--clock", "40"]);
    let mut peer = server.accept();
    peer.read_once();
    peer.write(RESET);
    peer.write(envelope("update_only", "5\nORDER\n"));
    peer.write(envelope("update", "0 0 A\n"));
    peer.read_once();
    peer.write(envelope("update", "4 4 B\n"));
    // The clock is divided among the moves, so the daemon is still thinking.
    peer.is_silent(Duration::from_millis(300));
    wars_after_abandoned_game(peer, &mut daemon);
    let mut records = daemon.log().into_iter();
    let record = records.find(|record| record["event"] == "abandoned");
    let why = record.expect("a record")["why"].to_string();
    let (_, most) = why
        .split_once("the server's clock is at most ")
        .expect(&why);
    let (most, lasting) = most.split_once(" s, and --clock ").expect(&why);
    let (lasting, _) = lasting.split_once(" would have lasted").expect(&why);
    let [lasting, most] = [lasting, most].map(|text| text.parse::<f64>().expect("seconds"));
    assert!(0.1 <= lasting && lasting < most && most < 100.0, "{why}");
}

fn wars_after_abandoned_game(mut peer: Peer, daemon: &mut Daemon) {
    peer.write(RESET);
    referee::play(&mut peer, Side::Chaos, 2, 1, usize::MAX);
    peer.write(KILL);
    assert_eq!(peer.rest(), "");
    assert_eq!(daemon.exit_code(), 0);
    assert_eq!((daemon.events("game"), daemon.events("abandoned")), (1, 1));
}

#[test]
fn the_wrong_fixed_wire_is_told_apart() {
    let server = Server::new();
    let mut daemon = Daemon::play(server.port(), &["--wire", "json"]);
    let mut peer = server.accept();
    peer.read_once();
    peer.write("5\nORDER\n");
    assert!(peer.rest().contains(r#""status":false"#));
    assert_eq!(daemon.exit_code(), 1);
    assert!(
        daemon.stderr().contains("--wire line"),
        "{}",
        daemon.stderr()
    );

    let mut daemon = Daemon::play(server.port(), &["--wire", "line"]);
    let mut peer = server.accept();
    peer.write(format!("{RESET}\n"));
    assert_eq!(peer.rest(), "");
    assert_eq!(daemon.exit_code(), 1);
    assert!(
        daemon.stderr().contains("--wire json"),
        "{}",
        daemon.stderr()
    );
}

#[test]
fn an_idle_daemon_burns_no_cpu() {
    let server = Server::new();
    let daemon = Daemon::play(server.port(), &QUICK);
    let mut peer = server.accept();
    peer.read_once();
    peer.with_next = RESET.to_owned();
    referee::play(&mut peer, Side::Order, 3, 1, 2);
    std::thread::sleep(Duration::from_millis(200));
    let before = daemon.cpu_ticks();
    std::thread::sleep(Duration::from_secs(1));
    let burned = daemon.cpu_ticks() - before;
    assert!(
        burned <= 10,
        "{burned} ticks of 10 ms in a second of waiting"
    );
}
