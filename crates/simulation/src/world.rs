//! A player's world: the simulated network, and searches that end when the seed wants.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::time::sleep;
use turnwise_daemon::worker::Thinking;
use turnwise_daemon::world::{ByteStream, Link, World, now};
use turnwise_engine::agent::Agent;
use turnwise_engine::search::{Control, Limits};
use turnwise_engine::thought::{Finished, think};

use crate::network::{SimulatedNetwork, SimulatedStream};

/// Nodes of a search: enough for a move that makes sense.
const NODES: u64 = 30;

/// How late a search with [`Bug::Late`] is.
const LATE: Duration = Duration::from_secs(10);

/// How soon a search notices that it is to stop.
const NOTICES: Duration = Duration::from_millis(2);

/// A bug in a player's world, to see that an invariant catches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// The thread that thinks panics where nobody catches it.
    Panic,
    /// A search never comes back, not even when it is told to.
    Hang,
    /// A search comes back ten seconds after it was told to.
    Late,
    /// Every reply is sent twice.
    Twice,
    /// The daemon never gives up.
    Forever,
    /// A page of log for every thought.
    Chatter,
    /// Half of each line of the log is lost.
    Torn,
    /// Chance that does not come from the seed.
    Chance,
}

/// What one player sees of the world.
#[derive(Clone)]
pub struct SimulatedWorld {
    bug: Option<Bug>,
    network: SimulatedNetwork,
    random: Arc<Mutex<Xoshiro256PlusPlus>>,
}

impl SimulatedWorld {
    /// A player's world on a network; the seed decides how long it thinks.
    pub fn new(network: SimulatedNetwork, seed: u64, bug: Option<Bug>) -> Self {
        Self {
            bug,
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
        let stream: Box<dyn ByteStream> = match self.bug {
            Some(Bug::Twice) => Box::new(Twice(stream)),
            _ => Box::new(stream),
        };
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
        let bug = self.bug;
        let task = tokio::spawn(async move {
            assert_ne!(bug, Some(Bug::Panic), "as planted");
            if bug == Some(Bug::Chatter) {
                tracing::info!("{}", "chatter ".repeat(16 * 1024));
            }
            let mut finished = thought(agent, &position, &shared);
            if panics {
                finished.outcome = Err(shared.best());
            }
            tokio::select! {
                biased;
                () = heard.notified() => sleep(NOTICES).await,
                () = sleep(takes) => {}
            }
            match bug {
                Some(Bug::Hang) => std::future::pending().await,
                Some(Bug::Late) => sleep(LATE).await,
                _ => {}
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
        match self.bug {
            Some(Bug::Chance) => turnwise_daemon::client::seed_of_now(),
            _ => self.random().next_u64(),
        }
    }
}

/// A stream that sends everything twice.
struct Twice(SimulatedStream);

impl AsyncRead for Twice {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Twice {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let twice = [bytes, bytes].concat();
        let written = ready!(Pin::new(&mut self.0).poll_write(context, &twice))?;
        Poll::Ready(Ok(written.min(bytes.len())))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
