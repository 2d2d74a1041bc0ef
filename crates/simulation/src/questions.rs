//! Tests a daemon that answers single questions from shims, while strangers violate the protocol in every way.

mod shim;
mod strangers;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rand::{Rng, RngExt};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::process::Signal;
use tokio::task::JoinSet;
use tokio::time::timeout;
use turnwise_daemon::serve::{Entrance, Server};
use turnwise_daemon::shutdown::Shutdown;
use turnwise_engine::service::{Service, Step, StepOf};
use turnwise_engine::thought::Finished;
use turnwise_halma::search_agent::SearchAgent;
use turnwise_halma::service::games::{Games, Limits, Ticket};
use turnwise_protocol::frame::Item;
use turnwise_protocol::halma_serve::{Answer, Ask, Asks};

use crate::bugs::Bug;
use crate::network::{Door, SimulatedNetwork, Weather};
use crate::run::Scene;
use crate::stops::Stops;
use crate::world::{Process, SimulatedWorld};
use shim::Shim;

const PORT: u16 = 1;

/// How long a daemon may take to exit after a signal.
const ENDS_WITHIN: Duration = Duration::from_secs(15);

/// Runs the daemon and its clients until all clients have finished.
pub(crate) async fn play(random: &mut Xoshiro256PlusPlus, scene: &Scene) {
    let storm = Weather::storm(random);
    let limits = Limits {
        games: random.random_range(1..=4),
        idle: Duration::from_secs(random.random_range(1..600)),
        table: 1 << 16,
    };
    // If file descriptors are short, or if there is a crowd of clients, the daemon cannot promise prompt answers.
    let is_crowded = random.random_bool(0.2);
    let shortage = match is_crowded {
        true => random.random_range(0.0..0.7),
        false => 0.0,
    };
    let network = SimulatedNetwork::new(random.next_u64(), Weather::FINE);
    let (shims, strangers) = (random.random_range(1..4), random.random_range(0..6));
    scene.note(format_args!(
        "{limits:?} {storm:?} {shims} shims, {strangers} strangers, {shortage} of descriptors short"
    ));
    let process = Process {
        scene: scene.clone(),
        name: "serve",
        stops: Stops::none(),
    };
    let world = SimulatedWorld::new(network.clone(), random.next_u64(), process);
    let door = Door::at(&network, PORT, random.next_u64(), shortage, scene.bug);
    let counter = Counter {
        games: Games::new(limits),
        most: limits.games,
        scene: scene.clone(),
        away: Arc::default(),
        last_output: String::new(),
    };
    let away = Arc::clone(&counter.away);
    let server = Server::new(world, Entrance::Port(Box::new(door)), counter);
    let (switch, mut shutdown) = Shutdown::manual();
    let mut serving = tokio::spawn(async move { server.run(&mut shutdown).await });
    let mut clients = JoinSet::new();
    let is_over = Arc::new(AtomicBool::new(false));
    for number in 0..shims + strangers {
        let is_shim = number < shims;
        let seed = random.next_u64();
        let (network, scene) = (network.clone(), scene.clone());
        match random.random_range(0..6) {
            _ if is_shim => {
                let sheltered = (!is_crowded).then(|| Arc::clone(&is_over));
                clients.spawn(Shim::new(network, seed, sheltered, scene).play());
            }
            0 | 1 => {
                let network = network.under(storm);
                clients.spawn(Shim::new(network, seed, None, scene).play());
            }
            2 => drop(clients.spawn(strangers::silent(network, seed, is_crowded, scene))),
            3 => drop(clients.spawn(strangers::deaf(network, seed, scene))),
            4 => drop(clients.spawn(strangers::endless(network, seed))),
            _ if is_crowded => drop(clients.spawn(strangers::crowd(network, seed))),
            _ => drop(clients.spawn(strangers::fickle(network, seed))),
        }
    }
    let all = async {
        while let Some(ended) = clients.join_next().await {
            if ended.is_err_and(|error| error.is_panic()) {
                scene.violated("no client panics");
            }
        }
    };
    // In some runs, a signal stops the daemon while it answers questions.
    let most = match random.random_bool(0.1) {
        true => Duration::from_secs_f64(random.random_range(0.0..10.0)),
        false => Duration::MAX,
    };
    let _ = timeout(most, all).await;
    is_over.store(true, Ordering::Relaxed);
    let _ = switch.send(Some(Signal::TERM));
    match timeout(ENDS_WITHIN, &mut serving).await {
        Ok(Ok(_signal)) => {
            let away = away.load(Ordering::Relaxed);
            if away > 0 {
                scene.violated(format_args!("every search comes back: {away} did not"));
            }
        }
        Ok(Err(_panic)) => scene.violated("the daemon does not panic"),
        Err(_late) => scene.violated("the run ends: the daemon was told to end and does not"),
    }
    clients.shutdown().await;
    scene.change(|report| (report.connections, report.faults) = network.counts());
}

/// The service that answers questions, with checks for the numbers of games and searches.
struct Counter {
    games: Games,
    /// The maximum number of games that the service may hold.
    most: usize,
    scene: Scene,
    /// The number of searches that have not returned.
    away: Arc<AtomicUsize>,
    /// The output in the last answer, which [`Bug::Mixed`] returns as the next answer.
    last_output: String,
}

impl Counter {
    fn check(&self) {
        let (games, away) = (self.games.count(), self.away.load(Ordering::Relaxed));
        let most = self.most;
        // Searches may outnumber games, because searches for single moves belong to no game.
        if games > most || away > 2 * most {
            self.scene.violated(format_args!(
                "games and searches are bounded: {games} games and {away} searches, {most} may be"
            ));
        }
    }
}

impl Service for Counter {
    type Codec = Asks;
    type Question = Item<Ask>;
    type Answer = Answer;
    type Agent = SearchAgent;
    type Ticket = Ticket;

    fn ask(&mut self, question: Item<Ask>, now: Instant) -> StepOf<Self> {
        let step = Service::ask(&mut self.games, question, now);
        if matches!(step, Step::Think { .. }) {
            self.away.fetch_add(1, Ordering::Relaxed);
        }
        self.check();
        step
    }

    fn finished(
        &mut self,
        ticket: Ticket,
        finished: Finished<SearchAgent>,
        now: Instant,
    ) -> Answer {
        self.away.fetch_sub(1, Ordering::Relaxed);
        let mut answer = self.games.finished(ticket, finished, now);
        self.scene.change(|report| report.moves += 1);
        if let Answer::Move { output, .. } = &mut answer
            && self.scene.bug == Some(Bug::Mixed)
        {
            std::mem::swap(output, &mut self.last_output);
        }
        self.check();
        answer
    }

    fn cancelled(&mut self, ticket: Ticket, finished: Finished<SearchAgent>) {
        if self.scene.bug == Some(Bug::Leak) {
            return;
        }
        self.away.fetch_sub(1, Ordering::Relaxed);
        self.games.cancelled(ticket, finished);
        self.check();
    }

    fn expire(&mut self, now: Instant) {
        self.games.expire(now);
    }

    fn too_many_connections(most: usize) -> Answer {
        Games::too_many_connections(most)
    }

    fn error(answer: &Answer) -> Option<&str> {
        Games::error(answer)
    }
}
