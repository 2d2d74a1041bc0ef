//! Tests a tournament whose participants are daemons. They join under their names, are called to their games, and may
//! leave and return. Strangers try to join under the participants' names.

mod strings;

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use turnwise_arena::records::{Contestant, Fault, GameSettings, Settings};
use turnwise_arena::schedule::{Pair, pairings};
use turnwise_engine::guest::{BEFORE_SECRET, Guest, Presence, Secret, with_secret};
use turnwise_engine::player::{FaultKind, TimeControl};
use turnwise_engine::plugin::Plugin;
use turnwise_entropy::match_game::Entropy;
use turnwise_entropy_server::client::Finished;
use turnwise_entropy_server::host::lobby::{Event, Lobby};
use turnwise_protocol::entropy::Wire;

use crate::bugs::Bug;
use crate::daemons::{Daemon, Fate};
use crate::network::{Door, SimulatedNetwork, Weather};
use crate::run::Scene;
use strings::PlayedGame;

static ENTROPY: Plugin = Plugin::of::<Entropy>();

const PORT: u16 = 1;

/// The names of the possible participants.
const DAEMONS: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

/// The name of a participant that never joins.
const GHOST: &str = "ghost";

/// The network address from which all strangers connect.
const ELSEWHERE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);

/// The time after which a tournament is ended, because all its participants must have given up.
const LONGEST_WAIT: Duration = Duration::from_secs(3 * 3600);

/// How long a lobby waits for a participant if [`Bug::Forever`] is planted.
const LONG: Duration = Duration::from_secs(3600);

/// The maximum time that a lobby may still take to call a participant to a game once its patience has run out.
///
/// A call is delayed if the participant still owes an answer, has stopped reading for a while, or has its connection
/// replaced by another one.
const SETTLED_WITHIN: Duration = Duration::from_secs(30);

/// The maximum time in which a daemon returns after its process was stopped.
///
/// The lobby may have disconnected the daemon during the stop, because the daemon was silent.
const BACK_WITHIN: Duration = Duration::from_secs(10);

/// The time after which the lobby has noticed every departure, whatever the network does.
const HEARD_OF: Duration = Duration::from_secs(300);

/// The participants of a run, and the faults of their processes.
struct Class {
    settings: Settings,
    /// The fates of the processes of the participants that are daemons.
    fates: BTreeMap<&'static str, Fate>,
    is_fine: bool,
    patience: Duration,
    start: Instant,
}

impl Class {
    fn some(random: &mut Xoshiro256PlusPlus, is_fine: bool) -> Self {
        let count = random.random_range(2..=DAEMONS.len());
        let fates = DAEMONS.into_iter().take(count);
        let mut fates: BTreeMap<_, _> = fates.map(|name| (name, Fate::some(random))).collect();
        // The first daemon has no trouble, because no game is played while nobody is present.
        fates.insert(DAEMONS[0], Fate::Well);
        let ghost = random.random_bool(0.3).then_some(GHOST);
        let names = fates.keys().copied().chain(ghost);
        let agents = names.map(|name| Contestant {
            name: name.to_owned(),
            spec: "remote".to_owned(),
            folder: None,
        });
        let size = random.random_range(2..=3).to_string();
        let by_size = |name: &str| (name == "size").then(|| size.clone());
        let game = GameSettings(ENTROPY.by_options(&by_size).expect("a size that there is"));
        let clock = Duration::from_secs_f64(random.random_range(0.5..60.0));
        Self {
            settings: Settings::new(game, agents.collect(), TimeControl::clock(clock)),
            fates,
            is_fine,
            patience: Duration::from_secs(random.random_range(15..90)),
            start: Instant::now(),
        }
    }

    fn clock(&self) -> Duration {
        match self.settings.time {
            TimeControl::Clock { seconds, .. } => Duration::from_secs_f64(seconds),
            TimeControl::MoveTime { .. } | TimeControl::Nodes { .. } => Duration::ZERO,
        }
    }

    /// Returns true if neither the network nor its own process disturbs this participant.
    fn is_well(&self, name: &str) -> bool {
        self.is_fine && matches!(self.fates.get(name), Some(Fate::Well))
    }

    /// Returns true if the fate of the agent's process explains this fault in a game that began at `began`.
    fn excuses(&self, fault: &Fault, began: Instant) -> bool {
        match self.fates.get(&*fault.agent) {
            None => fault.kind == FaultKind::Absent,
            Some(Fate::Well) => false,
            Some(fate @ Fate::Stopped(_)) => fate.stopped_since(began - BACK_WITHIN),
            Some(fate @ Fate::Replaced(..)) => {
                fate.died_since(self.start, began) && fault.kind == FaultKind::Crash
            }
        }
    }

    /// Records a finished game. If the network has no failures, reports a fault that its agent's fate does not explain.
    fn check(&self, scene: &Scene, game: &PlayedGame) {
        scene.note(format_args!(
            "game over: {:?} {:?}",
            game.record.result.players, game.record.fault
        ));
        scene.change(|report| {
            report.games += 1;
            report.moves += game.record.moves.len() as u32;
        });
        let Some(fault) = &game.record.fault else {
            return;
        };
        if self.is_fine && !self.excuses(fault, game.began) {
            scene.violated(format_args!(
                "in fine weather whoever is there is not charged: {}: {:?}: {}",
                fault.agent, fault.kind, fault.reason
            ));
        }
    }

    /// Checks that the ghost is absent, and that all participants without trouble are present.
    fn check_presence(&self, scene: &Scene, lobby: &Lobby) {
        let everybody = lobby.everybody();
        scene.note(format_args!("{everybody:?}"));
        for (name, presence) in everybody {
            let is_expected = match self.fates.get(&*name) {
                None => presence != Presence::Here,
                Some(_) => presence == Presence::Here || !self.is_well(&name),
            };
            if !is_expected {
                scene.violated(format_args!(
                    "who is connected is here, and nobody else: {name}: {presence:?}"
                ));
            }
        }
    }
}

/// Plays a tournament in which each participant meets every other participant.
pub(crate) async fn play(random: &mut Xoshiro256PlusPlus, scene: &Scene) {
    let weather = Weather::some(random);
    let network = SimulatedNetwork::new(random.next_u64(), weather);
    let class = Arc::new(Class::some(random, weather.is_fine()));
    scene.note(format_args!(
        "{weather:?} {:?} {:?} {:?}",
        class.settings.time, class.patience, class.fates
    ));
    let guests: Vec<Guest> = (class.settings.agents.iter())
        .map(|agent| Guest {
            name: agent.name.clone(),
            secret: (random.random_bool(0.7)).then(|| Secret::new(random.next_u64().to_string())),
        })
        .collect();
    let shortage = match class.is_fine {
        true => 0.0,
        false => random.random_range(0.0..0.5),
    };
    let door = Door::at(&network, PORT, random.next_u64(), shortage, None);
    let watched = scene.clone();
    let patience = match scene.bug {
        Some(Bug::Forever) => LONG,
        _ => class.patience,
    };
    let lobby = Lobby::open(Box::new(door), guests.clone(), patience, move |event| {
        hear(&watched, event)
    });
    let mut daemons = Vec::new();
    for guest in &guests {
        let Some((&name, fate)) = class.fates.get_key_value(&*guest.name) else {
            continue;
        };
        let daemon = Daemon {
            name,
            secret: guest.secret.clone(),
            fate: fate.clone(),
            port: PORT,
            wire: Wire::Json,
            pass: false,
            clock: class.clock(),
        };
        daemons.push((name, tokio::spawn(daemon.lives(&network, random, scene))));
    }
    for _ in 0..random.random_range(0..4) * random.random_range(0..3) {
        let known = known_to_strangers(&guests, scene.bug);
        let network = network.from_address(ELSEWHERE);
        let (scene, seed) = (scene.clone(), random.next_u64());
        tokio::spawn(stranger(network, known, seed, scene));
    }
    let played = play_all(&class, &lobby, random, scene);
    let is_over = timeout(LONGEST_WAIT, played).await.is_ok();
    class.check_presence(scene, &lobby);
    if is_over {
        lobby.say_goodbye().await;
    } else if class.is_fine {
        scene.violated("in fine weather the games end");
    }
    for (name, daemon) in daemons {
        let life = daemon.abort_handle();
        // A time limit is needed, because a daemon that has missed the goodbye may wait forever.
        let ended = timeout(LONGEST_WAIT, daemon).await;
        life.abort();
        scene.note(format_args!("{name} ended: {ended:?}"));
        match ended {
            Ok(Err(_panic)) => scene.violated(format_args!("{name} does not panic")),
            Ok(Ok(Ok(Finished::ByServer))) => {}
            Err(_elapsed) if !is_over => {}
            other if class.is_well(name) => scene.violated(format_args!(
                "in fine weather the daemons stay until goodbye: {name}: {other:?}"
            )),
            _ => {}
        }
    }
    if is_over {
        sleep(HEARD_OF).await;
        let is_here = |presence: Presence| presence == Presence::Here;
        for (name, _) in lobby.everybody().into_iter().filter(|&(_, it)| is_here(it)) {
            scene.violated(format_args!("whoever is gone has no place: {name}"));
        }
    }
    scene.change(|report| (report.connections, report.faults) = network.counts());
}

/// Plays all pairs. Pairs that have no participant in common are played in parallel.
async fn play_all(
    class: &Arc<Class>,
    lobby: &Lobby,
    random: &mut Xoshiro256PlusPlus,
    scene: &Scene,
) {
    let mut left = pairings(class.settings.agents.len(), None);
    for _ in 0..random.random_range(0..2) {
        left.extend(pairings(class.settings.agents.len(), None));
    }
    left.shuffle(random);
    let mut number = 0;
    let mut playing = JoinSet::new();
    let mut busy: Vec<usize> = Vec::new();
    loop {
        while let Some(at) =
            (left.iter()).position(|(one, other)| !busy.contains(one) && !busy.contains(other))
        {
            let (first, second) = left.remove(at);
            busy.extend([first, second]);
            number += 1;
            let pair = Pair::between(number, first, second, random.next_u64());
            let (class, lobby, scene) = (Arc::clone(class), lobby.clone(), scene.clone());
            playing.spawn(async move {
                for game in strings::play(&class, pair, &lobby, &scene).await {
                    class.check(&scene, &game);
                }
                [first, second]
            });
        }
        match playing.join_next().await {
            Some(Ok(over)) => busy.retain(|place| !over.contains(place)),
            Some(Err(_panic)) => return,
            None => return,
        }
    }
}

/// Records an event of the lobby, and reports a stranger that has joined under a participant's name.
fn hear(scene: &Scene, event: Event) {
    scene.note(format_args!("{event:?}"));
    if let Event::Joined { name, address, .. } = event
        && address.ip() == ELSEWHERE
    {
        scene.violated(format_args!(
            "nobody comes in who does not know the secret: {name}"
        ));
    }
}

/// Returns the words that strangers try: names of participants, and guesses of their secrets.
///
/// Names without a secret are left out, because anybody may join under them.
fn known_to_strangers(guests: &[Guest], bug: Option<Bug>) -> Vec<String> {
    let mut known = vec!["eve".to_owned()];
    for Guest { name, secret } in guests {
        let Some(secret) = secret else { continue };
        known.push(name.clone());
        known.push(format!("{name}{BEFORE_SECRET}sesame"));
        if bug == Some(Bug::Told) {
            known.push(with_secret(name, secret));
        }
    }
    known
}

/// Acts as a stranger that tries to join, or that only disturbs.
async fn stranger(network: SimulatedNetwork, known: Vec<String>, seed: u64, scene: Scene) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    loop {
        sleep(Duration::from_secs_f64(random.random_range(0.0..30.0))).await;
        let Ok((mut stream, _)) = network.connect(PORT).await else {
            continue;
        };
        let said: &[u8] = match random.random_range(0..6) {
            0 => b"",
            1 => b"\xff\n\n:::\n{}",
            _ => known[random.random_range(0..known.len())].as_bytes(),
        };
        let _ = stream.write_all(said).await;
        if random.random_bool(0.2) {
            for _ in 0..random.random_range(0..40) {
                if stream.write_all(said).await.is_err() {
                    break;
                }
            }
        }
        let patience = Duration::from_secs_f64(random.random_range(0.0..30.0));
        if random.random_bool(0.2) {
            // This stranger does not read what the lobby sends.
            sleep(patience).await;
            continue;
        }
        let mut heard = Vec::new();
        let _ = timeout(patience, stream.read_to_end(&mut heard)).await;
        let heard = String::from_utf8_lossy(&heard);
        if heard.contains("reset") || heard.contains("payload") {
            scene.violated("whoever does not know the secret is told of no game");
        }
    }
}
