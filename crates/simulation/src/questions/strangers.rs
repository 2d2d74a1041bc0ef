//! Simulates clients that violate the daemon's protocol.

use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep, timeout};
use turnwise_halma::files;
use turnwise_halma::rules::{Color, Position};
use turnwise_protocol::halma::{Input, Mode};
use turnwise_protocol::halma_serve::{Ask, Rules};

use super::PORT;
use crate::network::{SimulatedNetwork, SimulatedStream};
use crate::run::Scene;

/// The maximum time for which the daemon keeps a connection without a complete question.
///
/// The daemon should close such a connection after a minute.
const CLOSED_WITHIN: Duration = Duration::from_secs(65);

/// The maximum number of bytes that the daemon accepts from a client that reads no answers.
///
/// The daemon accepts questions until their answers fill its buffers. Each question is a few times as long as its
/// answer.
const MOST_TAKEN: usize = 512 * 1024;

async fn connect(network: &SimulatedNetwork) -> Option<SimulatedStream> {
    network.connect(PORT).await.ok().map(|(stream, _)| stream)
}

fn first_question(seconds: f64) -> Vec<u8> {
    let position = Position::start(Color::White, Rules::default());
    let input = Input {
        mode: Mode::Game,
        player: files::player(position.to_move()),
        seconds,
        board: files::board(&position),
    };
    let ask = Ask::Move {
        rules: position.rules(),
        input: input.to_string(),
        spent_s: 0.0,
    };
    ask.to_line().expect("a question is JSON")
}

/// Sends half a question at once or byte by byte, and then waits.
pub(super) async fn silent(network: SimulatedNetwork, seed: u64, is_crowded: bool, scene: Scene) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let Some(mut stream) = connect(&network).await else {
        return;
    };
    let came = Instant::now();
    // If file descriptors are short, the client may have to wait for a long time until it is accepted.
    let within = CLOSED_WITHIN * if is_crowded { 10 } else { 1 };
    let question = first_question(1.0);
    let most = question.len() - 1;
    let step = match random.random_bool(0.5) {
        true => 1,
        false => random.random_range(1..=most),
    };
    let mut said = 0;
    let mut heard = [0; 64];
    loop {
        let next = (said + step).min(most);
        if stream.write_all(&question[said..next]).await.is_err() {
            return;
        }
        said = next;
        let hears = async { while !matches!(stream.read(&mut heard).await, Ok(0) | Err(_)) {} };
        if timeout(Duration::from_secs(5), hears).await.is_ok() {
            return;
        }
        if came.elapsed() > within {
            scene.violated("a connection without a question is closed");
            return;
        }
    }
}

/// Sends question after question, and reads no answer.
pub(super) async fn deaf(network: SimulatedNetwork, seed: u64, scene: Scene) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let Some(mut stream) = connect(&network).await else {
        return;
    };
    let line = [vec![b'?'; random.random_range(1..1000)], b"\n".to_vec()].concat();
    let mut taken = 0;
    while stream.write_all(&line).await.is_ok() {
        taken += line.len();
        if taken > MOST_TAKEN {
            scene.violated(format_args!(
                "whoever takes no answers is not listened to: {taken} bytes"
            ));
            return;
        }
    }
}

/// Sends a line that never ends.
pub(super) async fn endless(network: SimulatedNetwork, seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let Some(mut stream) = connect(&network).await else {
        return;
    };
    let part = vec![b'['; random.random_range(1..20_000)];
    for _ in 0..random.random_range(1..20) {
        if stream.write_all(&part).await.is_err() {
            return;
        }
    }
}

/// Begins games, and disconnects before their first move.
pub(super) async fn fickle(network: SimulatedNetwork, seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    for _ in 0..random.random_range(1..10) {
        let Some(mut stream) = connect(&network).await else {
            return;
        };
        let question = first_question(random.random_range(1.0..1000.0));
        for _ in 0..random.random_range(1..4) {
            let _ = stream.write_all(&question).await;
        }
        sleep(Duration::from_secs_f64(random.random_range(0.0..2.0))).await;
    }
}

/// Opens many connections in quick succession, and keeps them open for a while.
pub(super) async fn crowd(network: SimulatedNetwork, seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut streams = Vec::new();
    for _ in 0..random.random_range(1..120) {
        streams.extend(connect(&network).await);
    }
    sleep(Duration::from_secs_f64(random.random_range(0.0..30.0))).await;
}
