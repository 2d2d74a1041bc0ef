//! A host, two daemons and strangers at one port.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::task::{Context, Poll};
use std::time::Duration;

use rand::{Rng, RngExt};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::process::Signal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::sleep;
use turnwise_daemon::client::{self, Reconnect};
use turnwise_daemon::host::{self, Event, Host, HostError};
use turnwise_daemon::shutdown::Shutdown;
use turnwise_daemon::world::{ByteStream, Listener};
use turnwise_entropy::agents::BuiltIn;
use turnwise_entropy::conversation::ServerPlayer;
use turnwise_entropy::hosting::Hosting;
use turnwise_entropy::referee::RuleBook;
use turnwise_protocol::entropy::Wire;

use crate::network::{SimulatedNetwork, SimulatedStream, Weather};
use crate::run::Scene;
use crate::world::{Bug, SimulatedWorld};

/// The host's port.
const PORT: u16 = 1;

/// When a host is told to end that has not ended by itself.
const LONGEST_WAIT: Duration = Duration::from_secs(3 * 3600);

/// Our players.
const DAEMONS: [&str; 2] = ["alpha", "beta"];

/// The host's side of the network.
struct Door(mpsc::Receiver<(SimulatedStream, SocketAddr)>);

impl Listener for Door {
    fn poll_accept(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<(Box<dyn ByteStream>, SocketAddr)>> {
        self.0.poll_recv(context).map(|came| match came {
            Some((stream, address)) => Ok((Box::new(stream) as Box<dyn ByteStream>, address)),
            None => Err(io::ErrorKind::NotConnected.into()),
        })
    }
}

/// Fine weather, in which nobody of ours may lose a game by a fault, or a storm.
pub(crate) fn weather(random: &mut Xoshiro256PlusPlus) -> Weather {
    match random.random_bool(0.4) {
        true => Weather {
            faulty: 0.0,
            refused: 0.0,
            slowest: Duration::from_micros(500),
            drips: false,
        },
        false => Weather {
            faulty: random.random_range(0.0..0.9),
            refused: random.random_range(0.0..0.5),
            slowest: Duration::from_millis(random.random_range(0..200)),
            drips: random.random_bool(0.5),
        },
    }
}

/// Plays some wars.
pub(crate) async fn play(random: &mut Xoshiro256PlusPlus, scene: &Scene) {
    let weather = weather(random);
    let is_fine = weather.faulty == 0.0 && weather.refused == 0.0;
    let network = SimulatedNetwork::new(random.next_u64(), weather);
    let wire = match random.random_bool(0.7) {
        true => Wire::Json,
        false => Wire::Line,
    };
    let rules = match random.random_bool(0.5) {
        true => RuleBook::Strict,
        false => RuleBook::Server,
    };
    let hosting = Hosting {
        size: random.random_range(2..=4),
        rules,
        pass: random.random_bool(0.5),
        wire,
    };
    let config = host::Config {
        wars: random.random_range(1..=3),
        clock: Duration::from_secs_f64(random.random_range(0.5..60.0)),
        seed: random.next_u64(),
        same_chances: random.random_bool(0.5),
    };
    let strangers = random.random_range(0..4) * random.random_range(0..4);
    scene.note(format_args!(
        "{weather:?} {hosting:?} {config:?} {strangers} strangers"
    ));
    let door = Door(network.listen(PORT));
    let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT);
    let host = Host::at(Box::new(door), address, hosting, config);
    let (switch, mut shutdown) = Shutdown::manual();
    let signalled = random.random_bool(0.1);
    let after = match signalled {
        true => Duration::from_secs_f64(random.random_range(0.0..120.0)),
        // A host waits for its players for as long as it takes; one may have given up before.
        false => LONGEST_WAIT,
    };
    tokio::spawn(async move {
        sleep(after).await;
        let _ = switch.send(Some(Signal::TERM));
        std::future::pending::<()>().await;
    });
    let mut players = Vec::new();
    for name in DAEMONS {
        players.push(tokio::spawn(daemon(
            name,
            &network,
            hosting,
            config.clock,
            random,
            scene,
        )));
    }
    for _ in 0..strangers {
        let (network, seed) = (network.clone(), random.next_u64());
        tokio::spawn(stranger(network, seed));
    }
    let watched = scene.clone();
    let watch = move |event: host::EventOf<Hosting>| match event {
        Event::Turn(_) => watched.count(|report| report.moves += 1),
        Event::GameOver(result) => {
            watched.note(format_args!(
                "game over: {:?} {} {:?}",
                result.names, result.score, result.fault
            ));
            watched.count(|report| report.games += 1);
            if let Some(fault) = result.fault {
                let role = fault.role == turnwise_protocol::entropy::Role::Chaos;
                let culprit = &result.names[usize::from(role)];
                if is_fine && DAEMONS.contains(&culprit.as_str()) {
                    watched.violated(format_args!(
                        "in fine weather no daemon is at fault: {culprit}: {}",
                        fault.reason
                    ));
                }
            }
        }
        other => watched.note(format_args!("{other:?}")),
    };
    let ended = host.run(&mut shutdown, watch).await;
    scene.note(format_args!("the host ended: {ended:?}"));
    match ended {
        Err(HostError::Signal(_)) if !signalled && is_fine => {
            scene.violated("in fine weather the wars end");
        }
        Err(error @ HostError::Deserted(_)) if is_fine => {
            scene.violated(format_args!("in fine weather the daemons stay: {error}"));
        }
        _ => {}
    }
    for (player, name) in players.into_iter().zip(DAEMONS) {
        let ended = player.await;
        scene.note(format_args!("{name} ended: {ended:?}"));
        match ended {
            Ok(Ok(_)) => {}
            // Nobody was there when it came back, or it never had a seat.
            Ok(Err(client::PlayError::GaveUp(..))) => {}
            Ok(Err(error)) => scene.violated(format_args!("both speak the same wire: {error}")),
            Err(_panic) => scene.violated(format_args!("{name} does not panic")),
        }
    }
    let (connections, faults) = network.counts();
    scene.count(|report| (report.connections, report.faults) = (connections, faults));
}

/// One of our daemons, from its first attempt to connect until it has given up.
fn daemon(
    name: &'static str,
    network: &SimulatedNetwork,
    hosting: Hosting,
    clock: Duration,
    random: &mut Xoshiro256PlusPlus,
    scene: &Scene,
) -> impl Future<Output = Result<client::Finished, client::PlayError>> + use<> {
    let agents = [BuiltIn::Random, BuiltIn::Greedy];
    let player = ServerPlayer {
        wire: random.random_bool(0.5).then_some(hosting.wire),
        agent: agents[random.random_range(0..agents.len())],
        threads: NonZeroUsize::MIN,
        seed: random.next_u64(),
        clock,
        pass: hosting.pass,
    };
    let config = client::Config {
        server: "host".to_owned(),
        port: PORT,
        name: name.to_owned(),
        reconnect: match (random.random_range(0..200), scene.bug) {
            (_, Some(Bug::Forever)) => Reconnect::Forever,
            (seconds, _) => Reconnect::For(Duration::from_secs(seconds)),
        },
    };
    let world = SimulatedWorld::new(network.clone(), random.next_u64(), scene.bug);
    let late = Duration::from_secs_f64(random.random_range(0.0..2.0));
    let scene = scene.clone();
    async move {
        sleep(late).await;
        let (_switch, mut shutdown) = Shutdown::manual();
        scene.note(format_args!("{name} begins: {:?}", config.reconnect));
        client::play(&world, &config, &player, &mut shutdown).await
    }
}

/// Somebody who is no good player.
async fn stranger(network: SimulatedNetwork, seed: u64) {
    use rand::SeedableRng;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    loop {
        sleep(Duration::from_secs_f64(random.random_range(0.0..60.0))).await;
        let Ok((mut stream, _)) = network.connect(PORT).await else {
            return;
        };
        let manner = random.random_range(0..4);
        let said: &[u8] = match manner {
            0 => b"",
            1 => b"stranger",
            2 => b"{\"payload\": \"0 0\\n\", \"status\": true}",
            _ => b"\xff\n\n0 0 0 1\n{}",
        };
        let _ = stream.write_all(said).await;
        if random.random_bool(0.5) {
            for _ in 0..random.random_range(0..40) {
                if stream.write_all(said).await.is_err() {
                    break;
                }
            }
        }
        let mut heard = [0; 1024];
        let patience = Duration::from_secs_f64(random.random_range(0.0..30.0));
        let reads = async { while !matches!(stream.read(&mut heard).await, Ok(0) | Err(_)) {} };
        let _ = tokio::time::timeout(patience, reads).await;
    }
}
