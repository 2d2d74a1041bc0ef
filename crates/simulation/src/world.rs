//! A player's world: the simulated network, and searches that end when the seed wants.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::sync::Notify;
use tokio::time::sleep;
use turnwise_daemon::worker::Thinking;
use turnwise_daemon::world::{Link, World, now};
use turnwise_engine::agent::Agent;
use turnwise_engine::search::{Control, Limits};
use turnwise_engine::thought::{Finished, think};

use crate::network::SimulatedNetwork;

/// Nodes of a search: enough for a move that makes sense.
const NODES: u64 = 30;

/// How soon a search notices that it is to stop.
const NOTICES: Duration = Duration::from_millis(2);

/// What one player sees of the world.
#[derive(Clone)]
pub struct SimulatedWorld {
    network: SimulatedNetwork,
    random: Arc<Mutex<Xoshiro256PlusPlus>>,
}

impl SimulatedWorld {
    /// A player's world on a network; the seed decides how long it thinks.
    pub fn new(network: SimulatedNetwork, seed: u64) -> Self {
        Self {
            network,
            random: Arc::new(Mutex::new(Xoshiro256PlusPlus::seed_from_u64(seed))),
        }
    }

    fn random(&self) -> MutexGuard<'_, Xoshiro256PlusPlus> {
        self.random.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The agent's move at once; virtual time tells when it is known.
fn thought<A: Agent<Move: Copy>>(
    agent: A,
    position: &A::Position,
    control: &Control<A::Move>,
) -> Finished<A> {
    let limits = Limits {
        nodes: NODES,
        ..Limits::default()
    };
    let mut finished = think(agent, position, limits, control);
    finished.delay = Duration::ZERO;
    if let Ok(thought) = &mut finished.outcome {
        (thought.wall, thought.cpu) = (Duration::ZERO, Duration::ZERO);
    }
    finished
}

impl World for SimulatedWorld {
    async fn connect(&self, _server: &str, port: u16) -> io::Result<Link> {
        let (stream, latency) = self.network.connect(port).await?;
        let stream = Box::new(stream);
        Ok(Link { stream, latency })
    }

    fn think<A>(&self, agent: A, position: A::Position, limits: Limits) -> Thinking<A>
    where
        A: Agent<Position: Send + 'static, Move: Copy + Send + 'static> + 'static,
    {
        let began = now();
        let until = |limit: Option<std::time::Instant>| {
            limit.map_or(Duration::ZERO, |limit| {
                limit.saturating_duration_since(began)
            })
        };
        let (soft, hard) = (until(limits.soft), until(limits.hard));
        // Mostly it ends in time; it may be late, hang until it is told to stop, and panic.
        let (takes, panics) = {
            let mut random = self.random();
            let takes = match random.random_range(0..10) {
                0..6 => random.random_range(Duration::ZERO..=soft),
                6..9 => hard,
                _ => hard + random.random_range(Duration::ZERO..Duration::from_secs(60)),
            };
            (takes, random.random_bool(0.02))
        };
        let control = Arc::new(Control::new());
        let shared = Arc::clone(&control);
        let stopped = Arc::new(Notify::new());
        let heard = Arc::clone(&stopped);
        let task = tokio::spawn(async move {
            let mut finished = thought(agent, &position, &shared);
            if panics {
                finished.outcome = Err(shared.best());
            }
            tokio::select! {
                biased;
                () = heard.notified() => sleep(NOTICES).await,
                () = sleep(takes) => {}
            }
            (finished, now())
        });
        Thinking::new(control, stopped, task)
    }

    fn think_here<A>(&self, agent: A, position: &A::Position, _limits: Limits) -> Finished<A>
    where
        A: Agent<Move: Copy>,
    {
        thought(agent, position, &Control::new())
    }

    fn chance(&self) -> u64 {
        self.random().next_u64()
    }
}
