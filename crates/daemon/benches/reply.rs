//! What a reply costs besides the search: from the frame that asks for a move to the frame with the
//! move, through a loopback socket, driver, conversation and worker, with an agent that knows at once.
//!
//! `cargo bench --bench reply`; the bare echo over the same kind of socket is there to compare with.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use divan::Bencher;
use tokio_util::codec::Framed;
use turnwise_daemon::driver::{AtEnd, drive};
use turnwise_daemon::heartbeat::Heartbeat;
use turnwise_daemon::shutdown::Shutdown;
use turnwise_daemon::world::System;
use turnwise_engine::agent::Agent;
use turnwise_engine::search::{Control, Found, Limits};
use turnwise_entropy::conversation::{EntropyConversation, Settings};
use turnwise_entropy::rules::{Move, Position};
use turnwise_protocol::entropy::{PlayerCodec, Wire};

fn main() {
    divan::main();
}

/// Places each tile on the first free cell without thinking.
struct FirstFreeCell;

impl Agent for FirstFreeCell {
    type Position = Position;
    type Move = Move;

    fn think(&mut self, position: &Position, _: Limits, control: &Control<Move>) -> Found<Move> {
        let mut moves = Vec::new();
        position.placements(&mut moves);
        control.publish(moves[0]);
        Found {
            best: moves[0],
            value: 0.0,
            depth: 0,
            value_depth: 0,
            solved: false,
            nodes: 0,
            principal_variation: Vec::new(),
        }
    }
}

/// A player with that agent on the other end of a socket.
fn player() -> TcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let stream = TcpStream::connect(address).expect("a server");
        stream.set_nonblocking(true).expect("an option");
        stream.set_nodelay(true).expect("an option");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let stream = tokio::net::TcpStream::from_std(stream).expect("a runtime");
            let settings = Settings {
                wire: Wire::Json,
                clock: Duration::from_secs(1_000_000),
                pass: false,
                latency: Duration::ZERO,
                start: None,
            };
            let mut conversation = EntropyConversation::new(settings, Box::new(FirstFreeCell));
            let (_switch, mut shutdown) = Shutdown::manual();
            let framed = Framed::new(stream, PlayerCodec::new(Wire::Json));
            drive(
                &System,
                framed,
                AtEnd::Abandon,
                Heartbeat::new(Instant::now()),
                &mut conversation,
                &mut shutdown,
            )
            .await
        });
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

/// The first move of a game as Chaos: the reset before it is answered by nothing.
#[divan::bench(sample_count = 500)]
fn first_move_of_a_game(bencher: Bencher) {
    let mut stream = player();
    let question = br#"{"purpose":"reset"}{"purpose":"update","payload":"5\nCHAOS\nA\n"}"#;
    bencher.bench_local(|| exchange(&mut stream, question));
}

/// The same bytes both ways without anything between.
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
