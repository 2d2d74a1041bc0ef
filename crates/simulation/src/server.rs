//! Tests a daemon with a server that sends anything: games, halves of games, garbage, floods, or nothing.

use std::time::Duration;

use rand::{Rng, RngExt};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep};
use turnwise_daemon::shutdown::Shutdown;
use turnwise_entropy::agents::{BuiltIn, Resources};
use turnwise_entropy_server::client::ServerPlayer;
use turnwise_entropy_server::client::{self, Reconnect};
use turnwise_entropy_server::conversation::Passing;

use crate::bugs::Bug;
use crate::network::{SimulatedNetwork, SimulatedStream, Weather};
use crate::run::Scene;
use crate::stops::Stops;
use crate::world::{Process, SimulatedWorld};

const PORT: u16 = 1;

/// The maximum time, in addition to its patience, until the daemon has noticed a dead connection and given up.
const NOTICE: Duration = Duration::from_secs(300);

/// Runs the server and the daemon until the server is gone and the daemon has given up.
pub(crate) async fn play(random: &mut Xoshiro256PlusPlus, scene: &Scene) {
    let weather = Weather::some(random);
    let network = SimulatedNetwork::new(random.next_u64(), weather);
    let patience = Duration::from_secs(random.random_range(0..60));
    let player = ServerPlayer {
        wire: None,
        agent: BuiltIn::Random,
        resources: Resources::default(),
        seed: random.next_u64(),
        clock: Duration::from_secs_f64(random.random_range(0.1..30.0)),
        pass: random.random_bool(0.5).then_some(Passing::Always),
    };
    let config = client::Config {
        server: "server".to_owned(),
        port: PORT,
        name: "alpha".to_owned(),
        secret: None,
        reconnect: match scene.bug {
            Some(Bug::Forever) => Reconnect::Forever,
            _ => Reconnect::For(patience),
        },
    };
    let process = Process {
        scene: scene.clone(),
        name: "alpha",
        stops: Stops::none(),
    };
    let world = SimulatedWorld::new(network.clone(), random.next_u64(), process);
    scene.note(format_args!("{weather:?} {:?} {patience:?}", player.clock));
    let mut door = network.listen(PORT);
    let playing = tokio::spawn(async move {
        let (_switch, mut shutdown) = Shutdown::manual();
        client::play(&world, &config, &player, &mut shutdown, drop).await
    });
    let connections = random.random_range(1..6);
    for _ in 0..connections {
        let came = tokio::time::timeout(Duration::from_secs(30), door.recv()).await;
        let Ok(Some((stream, _))) = came else {
            break;
        };
        scene.note("connected");
        speak(stream, random, scene).await;
    }
    scene.change(|report| (report.connections, report.faults) = network.counts());
    drop(door);
    let gone = Instant::now();
    match playing.await {
        Ok(ended) => scene.note(format_args!("the daemon ended: {ended:?}")),
        Err(_panic) => scene.violated("the daemon does not panic"),
    }
    let took = gone.elapsed();
    if took > patience + NOTICE {
        scene.violated(format_args!("patience ends: {took:?} after the server"));
    }
}

/// Sends valid and invalid messages to the daemon on a connection, and counts the questions and the answers.
async fn speak(mut stream: SimulatedStream, random: &mut Xoshiro256PlusPlus, scene: &Scene) {
    let mut questions = 0;
    let mut answers = 0;
    for _ in 0..random.random_range(0..30) {
        let size = random.random_range(0..9);
        let tile = char::from(b'A' + random.random_range(0..5));
        let cell = |random: &mut Xoshiro256PlusPlus| random.random_range(0..4);
        let payload = match random.random_range(0..6) {
            0 => format!("{size}\\nCHAOS\\n{tile}\\n"),
            1 => format!("{size}\\nORDER\\n"),
            2 => format!("{} {} {tile}\\n", cell(random), cell(random)),
            3 => format!(
                "{} {} {} {}\\n{tile}\\n",
                cell(random),
                cell(random),
                cell(random),
                cell(random)
            ),
            4 => "7 7 Z\\n".repeat(random.random_range(0..50)),
            _ => format!("{tile}\\n"),
        };
        let message = match random.random_range(0..12) {
            0 | 1 => r#"{"purpose":"reset"}"#.to_owned(),
            2..6 => {
                questions += 1;
                format!(r#"{{"purpose":"update","payload":"{payload}"}}"#)
            }
            6 | 7 => format!(r#"{{"purpose":"update_only","payload":"{payload}"}}"#),
            8 => format!(
                r#"{{"purpose":"{}"}}"#,
                "x".repeat(random.random_range(0..2000))
            ),
            9 => "}{]garbage[".repeat(random.random_range(0..200)),
            10 => r#"{"purpose":"nothing"}"#.repeat(random.random_range(0..300)),
            // This choice draws no random number, so that existing seeds give the runs that they gave before.
            _ if payload.len().is_multiple_of(2) => r#"{"purpose":"kill","again":true}"#.to_owned(),
            _ => r#"{"purpose":"kill"}"#.to_owned(),
        };
        if stream.write_all(message.as_bytes()).await.is_err() {
            break;
        }
        if random.random_bool(0.5) {
            sleep(Duration::from_secs_f64(random.random_range(0.0..3.0))).await;
        }
        let mut heard = [0; 4096];
        let listen = stream.read(&mut heard);
        if let Ok(Ok(length)) = tokio::time::timeout(Duration::from_millis(100), listen).await {
            answers += String::from_utf8_lossy(&heard[..length])
                .matches("\"status\"")
                .count();
            scene.change(|report| report.moves += 1);
            if length == 0 {
                break;
            }
        }
    }
    if answers > questions {
        scene.violated(format_args!(
            "no question is answered twice: {answers} answers to {questions}"
        ));
    }
}
