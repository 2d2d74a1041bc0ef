//! Tests a host with two daemons and with strangers, which all connect to one port.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use rand::{Rng, RngExt};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::process::Signal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep};
use turnwise_daemon::shutdown::Shutdown;
use turnwise_entropy::referee::RuleBook;
use turnwise_entropy_server::client;
use turnwise_entropy_server::host::{self, Event, Host, HostError, Hosting};
use turnwise_protocol::entropy::Wire;

use crate::daemons::{Daemon, Fate};
use crate::network::{Door, SimulatedNetwork, Weather};
use crate::run::Scene;

const PORT: u16 = 1;

/// The time after which a host that still runs is stopped with a signal.
const LONGEST_WAIT: Duration = Duration::from_secs(3 * 3600);

/// The names of our two daemons.
const DAEMONS: [&str; 2] = ["alpha", "beta"];

/// How much of a player's clock may pass in a game while messages are on their way through the network.
///
/// If a player has less time than this left after its process was stopped, it may lose on time without a fault of its
/// own.
const WAYS: Duration = Duration::from_millis(50);

/// Plays wars between two daemons, while strangers disturb them, until the wars end or a signal stops the host.
pub(crate) async fn play(random: &mut Xoshiro256PlusPlus, scene: &Scene) {
    let weather = Weather::some(random);
    let is_fine = weather.is_fine();
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
    let fates = DAEMONS.map(|_| Fate::some(random));
    scene.note(format_args!("{fates:?}"));
    let are_well = fates.iter().all(|fate| matches!(fate, Fate::Well));
    let shortage = match is_fine {
        true => 0.0,
        false => random.random_range(0.0..0.5),
    };
    let door = Door::at(&network, PORT, random.next_u64(), shortage, None);
    let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT);
    let host = Host::at(Box::new(door), address, hosting, config);
    let (switch, mut shutdown) = Shutdown::manual();
    let signalled = random.random_bool(0.1);
    let after = match signalled {
        true => Duration::from_secs_f64(random.random_range(0.0..120.0)),
        // A time limit is needed: a host waits for its players indefinitely, and a player may have given up.
        false => LONGEST_WAIT,
    };
    tokio::spawn(async move {
        sleep(after).await;
        let _ = switch.send(Some(Signal::TERM));
        std::future::pending::<()>().await;
    });
    let mut players = Vec::new();
    for (name, fate) in DAEMONS.into_iter().zip(&fates) {
        let daemon = Daemon {
            name,
            secret: None,
            fate: fate.clone(),
            port: PORT,
            wire: hosting.wire,
            pass: hosting.pass,
            clock: config.clock,
        };
        players.push(tokio::spawn(daemon.lives(&network, random, scene)));
    }
    for _ in 0..strangers {
        let (network, seed) = (network.clone(), random.next_u64());
        tokio::spawn(stranger(network, seed));
    }
    let watch = watch(scene, is_fine.then_some(fates));
    let ended = host.run(&mut shutdown, watch).await;
    scene.note(format_args!("the host ended: {ended:?}"));
    match ended {
        Err(HostError::Signal(_)) if !signalled && is_fine && are_well => {
            scene.violated("in fine weather the wars end");
        }
        Err(error @ HostError::Deserted(_)) if is_fine && are_well => {
            scene.violated(format_args!("in fine weather the daemons stay: {error}"));
        }
        _ => {}
    }
    for (player, name) in players.into_iter().zip(DAEMONS) {
        let ended = player.await;
        scene.note(format_args!("{name} ended: {ended:?}"));
        match ended {
            Ok(Ok(_)) => {}
            // The host was gone when the daemon came back, or the daemon never had a seat.
            Ok(Err(client::PlayError::GaveUp { .. })) => {}
            // The message with the daemon's name took too long to arrive, and the host has rejected the daemon.
            Ok(Err(client::PlayError::Refused(_))) => {}
            Ok(Err(error)) => scene.violated(format_args!("both speak the same wire: {error}")),
            Err(_panic) => scene.violated(format_args!("{name} does not panic")),
        }
    }
    scene.change(|report| (report.connections, report.faults) = network.counts());
}

/// Returns a function that records the host's events.
///
/// If the network has no failures, `fates` are given. The function then also reports faults that the fates of the
/// daemons do not explain.
fn watch(scene: &Scene, fates: Option<[Fate; 2]>) -> impl FnMut(host::Event) + use<> {
    let scene = scene.clone();
    let start = Instant::now();
    let (mut began, mut asked) = (start, start);
    // The names under which the host knows the daemons. A daemon that returns while its old seat is taken gets a new
    // name.
    let mut called = DAEMONS.map(str::to_owned);
    let mut is_starved = DAEMONS.map(|_| false);
    move |event| match event {
        Event::Joined { ref name, .. } => {
            let newcomer = name.strip_suffix(" (2)").unwrap_or(name);
            if let Some(at) = DAEMONS.iter().position(|daemon| *daemon == newcomer) {
                called[at] = name.clone();
            }
            scene.note(format_args!("{event:?}"));
        }
        Event::Turn(turn) => {
            scene.change(|report| report.moves += 1);
            asked = Instant::now();
            if fates.is_some() {
                let role = turn.role.side();
                if let Some(at) = called.iter().position(|name| *name == turn.names[role]) {
                    scene.is_to_move(DAEMONS[at], turn.timers[role]);
                    let was_stopped =
                        (fates.as_ref()).is_some_and(|it| it[at].stopped_since(began));
                    is_starved[at] |= was_stopped && turn.timers[role] < WAYS;
                }
            }
        }
        Event::GameOver(result) => {
            scene.note(format_args!(
                "game over: {:?} {} {:?}",
                result.names, result.score, result.fault
            ));
            scene.change(|report| report.games += 1);
            if let (Some(fault), Some(fates)) = (result.fault, &fates) {
                let culprit = &result.names[fault.role.side()];
                let at = called.iter().position(|name| name == culprit);
                let at = at.filter(|&at| !is_starved[at]);
                if at.is_some_and(|at| !fates[at].excuses(&fault.reason, start, began, asked)) {
                    scene.violated(format_args!(
                        "in fine weather no daemon is at fault: {culprit}: {}",
                        fault.reason
                    ));
                }
            }
            began = Instant::now();
            is_starved = DAEMONS.map(|_| false);
        }
        other => scene.note(format_args!("{other:?}")),
    }
}

/// Acts as a stranger that connects to the host and misbehaves.
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
        if random.random_bool(0.2) {
            // This stranger does not read what the host sends.
            sleep(patience).await;
            continue;
        }
        let reads = async { while !matches!(stream.read(&mut heard).await, Ok(0) | Err(_)) {} };
        let _ = tokio::time::timeout(patience, reads).await;
    }
}
