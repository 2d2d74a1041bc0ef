//! Runs our daemons as players of a host. Their processes may be suspended, or may die and be replaced.

use std::time::Duration;

use rand::{Rng, RngExt};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::time::{Instant, sleep, timeout_at};
use turnwise_daemon::shutdown::Shutdown;
use turnwise_engine::guest::Secret;
use turnwise_entropy::agents::{BuiltIn, Resources};
use turnwise_entropy_server::client::ServerPlayer;
use turnwise_entropy_server::client::{self, Reconnect};
use turnwise_entropy_server::conversation::Passing;
use turnwise_protocol::entropy::Wire;

use crate::bugs::Bug;
use crate::network::SimulatedNetwork;
use crate::run::Scene;
use crate::stops::Stops;
use crate::world::{Process, SimulatedWorld};

/// The time after which a daemon leaves if [`Bug::Leaves`] is planted.
const LEAVES: Duration = Duration::from_secs(5);
const LONG: Duration = Duration::from_secs(3 * 3600);

/// The maximum time until a host notices that a player's process has died.
const HEARD_WITHIN: Duration = Duration::from_secs(1);

/// The minimum number of seconds for which a daemon that is sometimes suspended tries to reconnect.
const COMES_BACK_FOR: u64 = 15;

/// The fate of a daemon's process, in addition to failures of the network.
#[derive(Debug, Clone)]
pub(crate) enum Fate {
    /// The process runs without interruption until it exits.
    Well,
    /// The process is suspended for a while, once or several times.
    Stopped(Stops),
    /// The process dies after the first duration. A new process replaces it after the second duration.
    Replaced(Duration, Duration),
}

impl Fate {
    pub(crate) fn some(random: &mut Xoshiro256PlusPlus) -> Self {
        match random.random_range(0..5) {
            0 => Self::Stopped(Stops::some(random)),
            1 => {
                let dies = Duration::from_secs_f64(random.random_range(0.0..60.0));
                let back = Duration::from_secs_f64(random.random_range(0.0..10.0));
                Self::Replaced(dies, back)
            }
            _ => Self::Well,
        }
    }

    /// Returns true if the process was suspended at any time since `since`.
    pub(crate) fn stopped_since(&self, since: Instant) -> bool {
        matches!(self, Self::Stopped(stops) if stops.any_since(since))
    }

    /// Returns true if the daemon's fate explains a fault of the daemon with the reason `reason`.
    ///
    /// The process started at `start`, the game began at `began`, and its last question was asked at `asked`.
    pub(crate) fn excuses(
        &self,
        reason: &str,
        start: Instant,
        began: Instant,
        asked: Instant,
    ) -> bool {
        match self {
            Self::Well => false,
            // A daemon knows how much time it lost at earlier moves, so only a stop since the last question excuses it.
            Self::Stopped(_) => self.stopped_since(asked),
            Self::Replaced(..) => self.died_since(start, began) && reason == "it has left",
        }
    }

    /// Returns true if the process died after `since`, or so shortly before that no peer could have noticed.
    ///
    /// The process started at `start`.
    pub(crate) fn died_since(&self, start: Instant, since: Instant) -> bool {
        matches!(self, Self::Replaced(dies, _)
            if *dies <= start.elapsed() && *dies + HEARD_WITHIN >= since - start)
    }
}

/// The settings of a daemon that runs our code, and of the host for which it plays.
pub(crate) struct Daemon {
    /// The name under which the daemon plays.
    pub(crate) name: &'static str,
    /// The secret with which the daemon proves its name; `None` if the host requires no secret.
    pub(crate) secret: Option<Secret>,
    /// The fate of the daemon's process.
    pub(crate) fate: Fate,
    /// The host's port in the simulated network.
    pub(crate) port: u16,
    /// The wire protocol that the host uses. The daemon is either started with this wire or has to detect it.
    pub(crate) wire: Wire,
    /// Whether the rules of the host's games allow Order to pass.
    pub(crate) pass: bool,
    /// The daemon's time for each game.
    pub(crate) clock: Duration,
}

impl Daemon {
    /// Runs the daemon until it gives up, or until the process that replaces it gives up.
    pub(crate) fn lives(
        self,
        network: &SimulatedNetwork,
        random: &mut Xoshiro256PlusPlus,
        scene: &Scene,
    ) -> impl Future<Output = Result<client::Finished, client::PlayError>> + use<> {
        let Self { name, fate, .. } = self;
        let agents = [BuiltIn::Random, BuiltIn::Greedy];
        let player = ServerPlayer {
            wire: random.random_bool(0.5).then_some(self.wire),
            agent: agents[random.random_range(0..agents.len())],
            resources: Resources::default(),
            seed: random.next_u64(),
            clock: self.clock,
            pass: self.pass.then_some(Passing::Always),
        };
        let config = client::Config {
            server: "host".to_owned(),
            port: self.port,
            name: name.to_owned(),
            secret: self.secret,
            reconnect: match (random.random_range(0..200), scene.bug) {
                (_, Some(Bug::Forever)) => Reconnect::Forever,
                (_, Some(Bug::StaysAway)) => Reconnect::Never,
                (seconds, _) => {
                    let least = match fate {
                        Fate::Stopped(_) => COMES_BACK_FOR,
                        Fate::Well | Fate::Replaced(..) => 0,
                    };
                    Reconnect::For(Duration::from_secs(seconds.max(least)))
                }
            },
        };
        let stops = match &fate {
            Fate::Stopped(stops) => stops.clone(),
            Fate::Well | Fate::Replaced(..) => Stops::none(),
        };
        let process = Process {
            scene: scene.clone(),
            name,
            stops: stops.clone(),
        };
        let world = SimulatedWorld::new(network.clone(), random.next_u64(), process);
        let late = Duration::from_secs_f64(random.random_range(0.0..2.0));
        let scene = scene.clone();
        let bug = scene.bug;
        let start = Instant::now();
        let lives = async move {
            sleep(late).await;
            scene.note(format_args!("{name} begins: {:?}", config.reconnect));
            let fate = match bug {
                Some(Bug::Leaves) => Fate::Replaced(LEAVES, LONG),
                _ => fate,
            };
            if let Fate::Replaced(dies, back) = fate {
                let (world, config, player) = (world.clone(), config.clone(), player.clone());
                let mut life = Box::pin(async move {
                    let (_switch, mut shutdown) = Shutdown::manual();
                    client::play(&world, &config, &player, &mut shutdown, drop).await
                });
                if let Ok(ended) = timeout_at(start + dies, &mut life).await {
                    return ended;
                }
                scene.note(format_args!("{name} dies"));
                match bug {
                    Some(Bug::Zombie) => std::mem::forget(life),
                    _ => drop(life),
                }
                sleep(back).await;
                scene.note(format_args!("{name} is back"));
            }
            let (_switch, mut shutdown) = Shutdown::manual();
            client::play(&world, &config, &player, &mut shutdown, drop).await
        };
        match bug {
            Some(Bug::Unnoticed) => Stops::none().within(lives),
            _ => stops.within(lives),
        }
    }
}
