//! The world in which our processes run: the simulated network, and searches whose durations come from the seed.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::sync::Notify;
use tokio::time::sleep;
use turnwise_daemon::worker::Thinking;
use turnwise_daemon::world::{Link, World, now};
use turnwise_engine::agent::{Agent, ThreadAgent};
use turnwise_engine::search::{Control, Limits};
use turnwise_engine::thought::{Finished, think};

use crate::bugs::{Bug, planted};
use crate::network::SimulatedNetwork;
use crate::run::Scene;
use crate::stops::{Stops, withheld};

/// The number of nodes that a search visits, which is enough for a sensible move.
const NODES: u64 = 30;

/// The delay with which a search returns if [`Bug::Late`] is planted.
const LATE: Duration = Duration::from_secs(10);

/// The maximum time for which other processes use the core on which a search runs.
pub(crate) const BUSY: Duration = Duration::from_millis(100);

/// The maximum duration of a search on the task that reads the network. Meanwhile, no message is read.
const SHORT: Duration = Duration::from_millis(50);

/// How long it takes until a search notices a stop request.
const NOTICES: Duration = Duration::from_millis(2);

/// The maximum time for which a search may run after the player's clock has run out.
///
/// Some time is allowed because the question and the answer are on their way through the network for a while.
const ON_THE_WAY: Duration = Duration::from_millis(20);

/// How long the arena still waits for an answer after a player's time is over.
///
/// If the answer comes within this time, the player's fault is lateness, otherwise silence.
pub(crate) const GRACE: Duration = Duration::from_secs(1);

/// A process that runs our code in the simulated world, for example a daemon.
#[derive(Clone)]
pub(crate) struct Process {
    /// The running scenario, with its planted bug and its report.
    pub(crate) scene: Scene,
    /// The name under which the process plays.
    pub(crate) name: &'static str,
    /// When the process is suspended.
    pub(crate) stops: Stops,
}

/// The simulated world, as one of the processes that run our code sees it.
#[derive(Clone)]
pub struct SimulatedWorld {
    process: Process,
    network: SimulatedNetwork,
    random: Arc<Mutex<Xoshiro256PlusPlus>>,
    /// If set, random numbers come from a wall clock that is set back to this value again and again.
    set_back: Option<u64>,
    /// With [`Bug::Queue`], each search locks this, so that searches wait for each other.
    queue: Arc<tokio::sync::Mutex<()>>,
}

/// The planned course of a search: how long it takes, and how much CPU time it reports.
struct SearchPlan {
    /// How long the search takes, unless it is stopped.
    takes: Duration,
    /// The maximum CPU time that the search reports, if CPU time counts.
    cpu: Option<Duration>,
    panics: bool,
}

impl SimulatedWorld {
    /// Creates the world of a process, with access to a network. The seed determines how long searches take.
    pub(crate) fn new(network: SimulatedNetwork, seed: u64, process: Process) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self {
            process,
            network,
            set_back: random.random_bool(0.2).then(|| random.next_u64()),
            random: Arc::new(Mutex::new(random)),
            queue: Arc::default(),
        }
    }

    fn random(&self) -> MutexGuard<'_, Xoshiro256PlusPlus> {
        self.random.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports a violation if a search on the task that reads the network may take longer than [`SHORT`].
    fn check_short(&self, limits: Limits) {
        let longest = limits
            .hard
            .map(|hard| hard.saturating_duration_since(now()));
        if longest.is_none_or(|longest| longest > SHORT) {
            self.process.scene.violated(format_args!(
                "a daemon listens while it thinks: not for {longest:?}"
            ));
        }
    }

    /// Starts a task of the process in which an agent searches.
    fn start<A: ThreadAgent>(
        &self,
        agent: A,
        position: A::Position,
        plan: SearchPlan,
    ) -> Thinking<A> {
        let control = Arc::new(Control::new());
        let shared = Arc::clone(&control);
        let stopped = Arc::new(Notify::new());
        let heard = Arc::clone(&stopped);
        let bug = self.process.scene.bug;
        let queue = Arc::clone(&self.queue);
        let task = self.process.stops.within(async move {
            assert_ne!(bug, Some(Bug::Panic), "as planted");
            if bug == Some(Bug::Chatter) {
                tracing::info!("{}", "chatter ".repeat(16 * 1024));
            }
            let _turn = match bug {
                Some(Bug::Queue) => Some(queue.lock().await),
                _ => None,
            };
            let began = now();
            let mut finished = thought(agent, &position, &shared);
            if plan.panics {
                finished.outcome = Err(shared.best());
            }
            tokio::select! {
                biased;
                () = heard.notified() => sleep(NOTICES).await,
                () = sleep(plan.takes) => {}
            }
            match bug {
                Some(Bug::Hang) => std::future::pending().await,
                Some(Bug::Late) => sleep(LATE).await,
                _ => {}
            }
            if let (Ok(thought), Some(most)) = (&mut finished.outcome, plan.cpu) {
                thought.cpu = most.min(now() - began);
            }
            (finished, now())
        });
        Thinking::new(control, stopped, tokio::spawn(task))
    }
}

/// Computes an agent's move at once. The caller decides when, in virtual time, the move becomes known.
pub(crate) fn thought<A: Agent<Move: Copy>>(
    agent: A,
    position: &A::Position,
    control: &Control<A::Move>,
) -> Finished<A> {
    let limits = Limits::of_nodes(NODES);
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
        let bug = self.process.scene.bug;
        let mut stream = planted(stream, bug);
        if bug == Some(Bug::Unnoticed) {
            stream = withheld(stream, self.process.stops.clone());
        }
        Ok(Link { stream, latency })
    }

    fn queued(&self) -> Duration {
        Duration::ZERO
    }

    fn think<A: ThreadAgent>(
        &self,
        agent: A,
        position: A::Position,
        limits: Limits,
    ) -> Thinking<A> {
        let began = now();
        let until = |limit: Option<std::time::Instant>| {
            limit.map_or(Duration::ZERO, |limit| {
                limit.saturating_duration_since(began)
            })
        };
        let (soft, hard) = (until(limits.soft), until(limits.hard));
        if self.process.scene.bug == Some(Bug::Deaf) {
            self.check_short(limits);
        }
        let Process { scene, name, .. } = &self.process;
        if let Some(over) = scene
            .clock_of(name)
            .map(|ends| (began + hard).saturating_duration_since(ends))
            && over > ON_THE_WAY
        {
            scene.violated(format_args!(
                "a daemon thinks no longer than its clock lasts: {name} {over:?} longer"
            ));
        }
        // Most searches end in time, but some are late, continue until a stop request, or panic.
        let plan = {
            let mut random = self.random();
            let takes = match random.random_range(0..10) {
                0..6 => random.random_range(Duration::ZERO..=soft),
                6..9 => hard,
                _ => hard + random.random_range(Duration::ZERO..Duration::from_secs(60)),
            };
            SearchPlan {
                takes,
                cpu: None,
                panics: random.random_bool(0.02),
            }
        };
        self.start(agent, position, plan)
    }

    fn think_on_cpu<A: ThreadAgent>(
        &self,
        agent: A,
        position: A::Position,
        (_soft, hard): (Duration, Duration),
    ) -> Thinking<A> {
        // Other processes may use the core for a while.
        let plan = {
            let mut random = self.random();
            SearchPlan {
                takes: random.random_range(Duration::ZERO..=hard)
                    + random.random_range(Duration::ZERO..BUSY),
                cpu: Some(hard),
                panics: random.random_bool(0.02),
            }
        };
        self.start(agent, position, plan)
    }

    fn think_here<A>(&self, agent: A, position: &A::Position, limits: Limits) -> Finished<A>
    where
        A: Agent<Move: Copy>,
    {
        self.check_short(limits);
        thought(agent, position, &Control::new())
    }

    fn chance(&self) -> u64 {
        match self.process.scene.bug {
            Some(Bug::Chance) => turnwise_daemon::world::seed_of_now(),
            _ => self.set_back.unwrap_or_else(|| self.random().next_u64()),
        }
    }
}
