//! The cost of a reply apart from the search: from the frame that requests a move to the frame with the move, through a
//! loopback socket, driver, conversation and worker, with an agent that answers at once.
//!
//! `cargo bench --bench reply`; compare with the bare echo over a similar socket.

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use divan::Bencher;
use turnwise_engine::agent::{BoxedAgent, by_function};
use turnwise_engine::search::Found;
use turnwise_entropy::rules::{Move, Position};
use turnwise_protocol::entropy::Wire;

fn main() {
    divan::main();
}

/// Places each tile on the first free cell without thinking.
fn first_free_cell() -> BoxedAgent<Position, Move> {
    by_function(|position: &Position, control| {
        let mut moves = Vec::new();
        position.placements(&mut moves);
        control.publish(moves[0]);
        Found::without_answer(moves[0], 0.0, 0, 0)
    })
}

/// Starts a player with that agent at the other end of a socket.
fn player() -> TcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let stream = TcpStream::connect(address).expect("a server");
        let clock = Duration::from_secs(1_000_000);
        support::play(stream, Wire::Json, clock, first_free_cell());
    });
    let (stream, _) = listener.accept().expect("a player");
    stream.set_nodelay(true).expect("an option");
    stream
}

fn exchange(stream: &mut TcpStream, question: &[u8]) -> usize {
    stream.write_all(question).expect("a player");
    let mut answer = [0; 1024];
    stream.read(&mut answer).expect("an answer")
}

/// Measures the first move of a game as Chaos; the reset before it gets no answer.
#[divan::bench(sample_count = 500)]
fn first_move_of_a_game(bencher: Bencher) {
    let mut stream = player();
    let question = br#"{"purpose":"reset"}{"purpose":"update","payload":"5\nCHAOS\nA\n"}"#;
    bencher.bench_local(|| exchange(&mut stream, question));
}

/// Sends equal numbers of bytes both ways without a player in between.
#[divan::bench(sample_count = 500)]
fn bare_echo(bencher: Bencher) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let (mut peer, _) = listener.accept().expect("a peer");
        peer.set_nodelay(true).expect("an option");
        let mut bytes = [0; 1024];
        while let Ok(1..) = peer.read(&mut bytes) {
            peer.write_all(br#"{"payload":"0 0\n","status":true}"#)
                .expect("a peer");
        }
    });
    let mut stream = TcpStream::connect(address).expect("a listener");
    stream.set_nodelay(true).expect("an option");
    let question = br#"{"purpose":"reset"}{"purpose":"update","payload":"5\nCHAOS\nA\n"}"#;
    bencher.bench_local(|| exchange(&mut stream, question));
}
