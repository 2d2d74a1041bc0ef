//! Measures the time that a reply takes apart from the search.
//!
//! The time is measured from sending the frame that requests a move to receiving the frame with the move. The move
//! passes through a loopback socket, the driver, the conversation and the worker. The agent answers at once.
//!
//! Run it with `cargo bench --bench reply`, and compare the time with the bare echo over a similar socket.

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

/// Creates an agent that places each tile on the first free cell without any search.
fn first_free_cell() -> BoxedAgent<Position, Move> {
    by_function(|position: &Position, control| {
        let mut moves = Vec::new();
        position.placements(&mut moves);
        control.publish(moves[0]);
        Found::without_answer(moves[0], 0.0, 0, 0)
    })
}

/// Starts a player with the agent [`first_free_cell`], and returns the server's end of its connection.
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

/// Measures the time for the player's first move of a game as Chaos.
///
/// The question begins with a reset, which gets no answer.
#[divan::bench(sample_count = 500)]
fn first_move_of_a_game(bencher: Bencher) {
    let mut stream = player();
    let question = br#"{"purpose":"reset"}{"purpose":"update","payload":"5\nCHAOS\nA\n"}"#;
    bencher.bench_local(|| exchange(&mut stream, question));
}

/// Measures an exchange of equally many bytes in both directions with an echo server instead of a player.
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
