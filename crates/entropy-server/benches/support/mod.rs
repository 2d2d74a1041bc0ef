//! Runs the daemon's player on a socket.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use tokio_util::codec::Framed;
use turnwise_daemon::shutdown::Shutdown;
use turnwise_daemon::world::System;
use turnwise_engine::agent::BoxedAgent;
use turnwise_entropy::rules::{Move, Position};
use turnwise_entropy_server::conversation::{EntropyConversation, Passing, Settings};
use turnwise_entropy_server::driver::{AtEnd, drive};
use turnwise_entropy_server::heartbeat::Heartbeat;
use turnwise_protocol::entropy::{PlayerCodec, Wire};

/// Plays games on a connection until it ends. `clock` is the player's time for each game.
pub fn play(stream: TcpStream, wire: Wire, clock: Duration, agent: BoxedAgent<Position, Move>) {
    stream.set_nonblocking(true).expect("an option");
    stream.set_nodelay(true).expect("an option");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::from_std(stream).expect("a runtime");
        let settings = Settings {
            wire,
            clock,
            pass: Passing::Never,
            latency: Duration::ZERO,
            start: None,
        };
        let (_switch, mut shutdown) = Shutdown::manual();
        drive(
            &System,
            Framed::new(stream, PlayerCodec::new(wire)),
            AtEnd::Abandon,
            Heartbeat::new(Instant::now()),
            &mut EntropyConversation::new(settings, agent),
            &mut shutdown,
            &mut drop,
        )
        .await
    });
}
