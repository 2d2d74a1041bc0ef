//! Does units of work for any coordinator that runs an identical build. A worker leases bundles of units, plays them on
//! threads, and stores the results on the server.
//!
//! Any number of results can be published at a time, while the threads continue to play. A bundle is released when its
//! result is stored.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, channel, unbounded_channel};

use crate::attachments::Programs;
use crate::build::Build;
use crate::bundle::Bundle;
use crate::figures::WorkerFigures;
use crate::job::{Done, Ending, Job};
use crate::outcome::{Origin, Outcome};
use crate::playing::Player;
use crate::server::{
    DRAIN, Error, LEASE, NEWS, PAUSE, Published, RESULTS, RunAbout, Server, UNITS, WHO, bundle_of,
    next, subject,
};
use crate::stock::{Lease, Stock, Supply};

/// The interval at which a worker extends its leases.
const EXTENDED: Duration = LEASE.checked_div(4).expect("it is no division by zero");

/// How often a worker checks for new runs, even without a notification.
///
/// To answer this request, the server counts all waiting messages, so hundreds of workers must not send
/// it every second.
const LOOKS: Duration = Duration::from_secs(10);

/// The maximum number of reports of moves that wait to be sent; further reports are dropped.
const MOST_TOLD: usize = 1000;

/// A worker's description of itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct About {
    /// The worker's name, which may contain unprintable characters.
    pub name: String,
    /// The build of the program that the worker runs.
    pub build: Build,
    /// The maximum number of units that the worker plays at a time.
    pub jobs: usize,
    /// The worker's speed in nodes per second of one job, as in [`Worker::speed`].
    pub speed: f64,
    /// The number of units that the worker is playing now.
    pub doing: usize,
    /// The number of units that the worker has done.
    pub done: u64,
}

/// A worker's name, abilities and limits.
pub struct Worker {
    /// The worker's name, without control characters.
    pub name: String,
    /// The build of the program that the worker runs. Runs with another build are rejected.
    pub build: Build,
    /// The maximum number of units that the worker plays at a time.
    pub jobs: usize,
    /// The worker's speed in nodes per second of one job.
    pub speed: f64,
    /// What the worker has counted so far.
    pub figures: WorkerFigures,
    /// The outside programs that the worker may run.
    pub programs: Programs,
    /// Plays the units.
    pub player: Arc<dyn Player>,
}

impl Worker {
    /// Returns the reason why the worker rejects a run, if it does.
    fn refusal(&self, run: &RunAbout) -> Option<String> {
        if run.build != self.build {
            return Some(format!(
                "its coordinator is {}, and this worker is {}; both must be the same program",
                run.build, self.build
            ));
        }
        self.programs.objection(run.programs).map(str::to_owned)
    }
}

/// A run whose units a worker may lease.
#[derive(Clone)]
struct Served {
    name: Arc<str>,
    is_watched: bool,
    supply: Arc<Supply>,
    units: PullConsumer,
}

/// The state that a worker's asynchronous tasks share.
struct Shared<'a> {
    server: &'a Server,
    worker: &'a Worker,
    stock: &'a Stock,
    runs: Mutex<Vec<Served>>,
    is_drained: AtomicBool,
    tell: &'a dyn Fn(&str),
}

/// Works until `is_stopped` returns true or the worker is drained, and returns the number of units done.
///
/// In the end, units in progress are finished, and units that are still waiting are returned to the server.
///
/// # Errors
///
/// Returns an error if the server rejects a subscription, or if the system cannot start a thread.
pub async fn work(
    server: &Server,
    worker: &Worker,
    is_stopped: &dyn Fn() -> bool,
    tell: &dyn Fn(&str),
) -> Result<u64, Error> {
    let listen = async |subject: &'static str| {
        let subscribed = server.client.subscribe(subject).await;
        subscribed.map_err(|error| Error::Server(error.to_string()))
    };
    let (mut drained, mut asked) = (listen(DRAIN).await?, listen(WHO).await?);
    let mut news = listen(NEWS).await?;
    let stock = Arc::new(Stock::new(worker.jobs));
    let (report, done) = unbounded_channel();
    let (announce, mut announced) = channel::<(String, String)>(MOST_TOLD);
    for _job in 0..worker.jobs {
        let job = Job {
            server: server.clone(),
            runtime: Handle::current(),
            player: worker.player.clone(),
            stock: stock.clone(),
            done: report.clone(),
            announce: announce.clone(),
        };
        let thread = thread::Builder::new().name("job".to_owned());
        thread.spawn(move || job.work()).map_err(Error::Thread)?;
    }
    drop(report);
    let shared = Shared {
        server,
        worker,
        stock: &stock,
        runs: Mutex::default(),
        is_drained: AtomicBool::new(false),
        tell,
    };
    let is_over = || is_stopped() || shared.is_drained.load(Ordering::Relaxed);
    let worked = async { tokio::join!(shared.lease(&is_over), shared.store_all(done)) };
    let tended = async {
        let mut refused = BTreeSet::new();
        loop {
            shared.look(&mut refused).await;
            let _ = tokio::time::timeout(LOOKS, news.next()).await;
        }
    };
    let asked = async {
        while let Some(message) = asked.next().await {
            if let Some(reply) = message.reply {
                let about = serde_json::to_vec(&shared.about()).unwrap_or_default();
                let _ = server.client.publish(reply, about.into()).await;
            }
        }
    };
    let drained = async {
        while drained.next().await.is_some() {
            shared.is_drained.store(true, Ordering::Relaxed);
            stock.is_news.notify_one();
        }
    };
    let announced = async {
        while let Some((subject, told)) = announced.recv().await {
            let _ = server.client.publish(subject, told.into()).await;
        }
    };
    tokio::select! {
        _ = worked => {}
        _ = async { tokio::join!(tended, asked, drained, announced, shared.extend()) } => {}
    }
    let _ = server.client.flush().await;
    Ok(worker.figures.done.get())
}

/// Returns bundles to the server, so that other workers can lease them.
async fn give_back(leases: Vec<Arc<Lease>>) {
    for lease in leases {
        let _ = lease.message.ack_with(AckKind::Nak(None)).await;
    }
}

impl Shared<'_> {
    fn about(&self) -> About {
        About {
            name: self.worker.name.clone(),
            build: self.worker.build.clone(),
            jobs: self.worker.jobs,
            speed: self.worker.speed,
            doing: self.stock.doing(),
            done: self.worker.figures.done.get(),
        }
    }

    fn runs(&self) -> MutexGuard<'_, Vec<Served>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the list of runs, and cancels units of runs that are no longer on it.
    ///
    /// Runs with another build are rejected, which is reported once for each run.
    async fn look(&self, refused: &mut BTreeSet<String>) {
        let Ok(consumers) = self.server.consumers(UNITS).await else {
            return;
        };
        let mut runs = Vec::new();
        for consumer in consumers {
            let about = consumer.config.description.as_deref().unwrap_or_default();
            let Ok(about) = serde_json::from_str::<RunAbout>(about) else {
                continue;
            };
            let name = consumer.name;
            if let Some(why) = self.worker.refusal(&about) {
                if refused.insert(name.clone()) {
                    (self.tell)(&format!("turnwise: refused: {}: {why}", about.title));
                }
                continue;
            }
            let (waiting, leased) = (consumer.num_pending, consumer.num_ack_pending);
            if waiting == 0 && consumer.num_waiting > 0 {
                give_back(self.stock.give_back(&name)).await;
            }
            let known = self.runs().iter().find(|run| *run.name == *name).cloned();
            let run = match known {
                Some(run) => Served {
                    is_watched: about.is_watched,
                    ..run
                },
                None => match self.server.units_of(&name).await {
                    Ok(units) => Served {
                        name: name.into(),
                        is_watched: about.is_watched,
                        supply: Arc::default(),
                        units,
                    },
                    Err(_) => continue,
                },
            };
            run.supply.set(waiting, leased as u64);
            runs.push(run);
        }
        self.stock
            .cancel(|name| runs.iter().any(|run| *run.name == *name));
        let names: Vec<&str> = runs.iter().map(|run| &*run.name).collect();
        self.worker.player.keep(&names);
        *self.runs() = runs;
        self.stock.is_news.notify_one();
    }

    /// Leases bundles until `is_over` returns true, and then returns all bundles that no thread has begun.
    async fn lease(&self, is_over: &dyn Fn() -> bool) {
        let mut turn = 0;
        while !is_over() {
            let runs = self.runs().clone();
            if runs.iter().all(|run| self.stock.wanted(&run.supply) == 0) {
                let _ = tokio::time::timeout(PAUSE, self.stock.is_news.notified()).await;
                continue;
            }
            turn += 1;
            let mut is_served = false;
            for at in 0..runs.len() {
                // The time is divided among the runs, because waiting for units of one run delays the others.
                let patience = PAUSE / runs.len() as u32;
                let run = &runs[(turn + at) % runs.len()];
                is_served |= self.lease_from(run, patience).await;
            }
            if !is_served {
                tokio::time::sleep(PAUSE / 5).await;
            }
        }
        give_back(self.stock.close()).await;
    }

    /// Leases as many bundles from a run as the stock wants. Returns false if the server does not answer.
    async fn lease_from(&self, run: &Served, patience: Duration) -> bool {
        let wanted = self.stock.wanted(&run.supply);
        if wanted == 0 {
            return true;
        }
        let asked = run.units.batch().max_messages(wanted).expires(patience);
        let Ok(mut messages) = asked.messages().await else {
            return false;
        };
        loop {
            match next(&mut messages).await {
                Some(Ok(message)) => self.put(run, message),
                Some(Err(_)) => return false,
                None => return true,
            }
        }
    }

    fn put(&self, run: &Served, message: Message) {
        let Some(bundle) = bundle_of(&message.subject) else {
            return;
        };
        let info = message.info().ok();
        let leases = info.as_ref().map_or(1, |info| info.delivered);
        if let Some(info) = info {
            run.supply.set_waiting(info.pending);
        }
        if leases > 1 {
            let units = bundle.count() as u64;
            self.worker.figures.leased_again.inc_by(units);
        }
        self.stock.put(Lease {
            run: run.name.clone(),
            bundle,
            times: leases.unsigned_abs(),
            is_watched: run.is_watched,
            leased: Instant::now(),
            message,
            is_cancelled: AtomicBool::new(false),
        });
    }

    /// Periodically extends all leases that are older than [`EXTENDED`]. Never returns.
    async fn extend(&self) {
        let mut extend = tokio::time::interval(EXTENDED);
        loop {
            extend.tick().await;
            for lease in self.stock.held() {
                if lease.leased.elapsed() >= EXTENDED {
                    let _ = lease.message.ack_with(AckKind::Progress).await;
                }
            }
        }
    }

    /// Stores the results of all threads on the server until all threads have ended.
    async fn store_all(&self, mut done: UnboundedReceiver<Done>) {
        let mut storing = FuturesUnordered::new();
        let mut has_ended = false;
        loop {
            tokio::select! {
                done = done.recv(), if !has_ended => match done {
                    Some(done) => storing.push(self.store(done)),
                    None => has_ended = true,
                },
                Some(()) = storing.next(), if !storing.is_empty() => {}
                else => return,
            }
        }
    }

    /// Publishes a bundle's result again and again until the server has stored it, and then releases the bundle.
    async fn store(&self, done: Done) {
        let Done { lease, ending } = done;
        let figures = &self.worker.figures;
        match ending {
            Ending::Known(bundle, outcome) => {
                if let Outcome::Done(parts) = &outcome {
                    figures.done.inc_by(parts.len() as u64);
                    let seconds = parts.iter().map(|part| part.seconds);
                    figures.seconds.inc_by(seconds.sum());
                }
                if self.publish(&lease, bundle, outcome).await {
                    // If this acknowledgement is lost, the bundle is played again, but its second result is ignored.
                    let _ = lease.message.ack().await;
                }
            }
            Ending::Cancelled => drop(figures.cancelled.inc()),
            Ending::Crashed => {
                figures.crashed.inc();
                (self.tell)(&format!("turnwise: unit {} crashed here", lease.bundle));
            }
        }
        self.stock.give_up(&lease);
        figures.held.set(self.stock.units() as i64);
    }

    /// Publishes a bundle's outcome, in one message or in several.
    ///
    /// Returns true once all messages are stored, or false if the outcome is no longer needed.
    async fn publish(&self, lease: &Lease, bundle: Bundle, outcome: Outcome) -> bool {
        let told = self.publish_at_once(lease, bundle, &outcome).await;
        let (None, Outcome::Done(parts)) = (told, outcome) else {
            return told.unwrap_or(false);
        };
        for (number, part) in bundle.numbers().zip(parts) {
            let size = part.content.len();
            let (unit, outcome) = (Bundle::alone(number), Outcome::Done(vec![part]));
            let mut told = self.publish_at_once(lease, unit, &outcome).await;
            if told.is_none() {
                let outcome = Outcome::Failed(format!(
                    "its result of {size} bytes is larger than the server's max_payload; raise it in the server's \
                     configuration"
                ));
                told = self.publish_at_once(lease, unit, &outcome).await;
            }
            if told != Some(true) {
                return false;
            }
        }
        true
    }

    /// Publishes an outcome in one message.
    ///
    /// Returns true once the message is stored, false if it is no longer needed, and `None` if it is too large.
    async fn publish_at_once(
        &self,
        lease: &Lease,
        bundle: Bundle,
        outcome: &Outcome,
    ) -> Option<bool> {
        let origin = Origin {
            worker: self.worker.name.clone(),
            speed: self.worker.speed,
            leases: lease.times,
        };
        let subject = subject(RESULTS, &lease.run, bundle);
        let (headers, payload) = outcome.message(&origin);
        loop {
            let (subject, headers) = (subject.clone(), headers.clone());
            match self.server.publish(subject, headers, payload.clone()).await {
                Published::Stands => return Some(true),
                Published::TooLarge => return None,
                Published::Not if lease.is_cancelled.load(Ordering::Relaxed) => return Some(false),
                Published::Not => tokio::time::sleep(PAUSE).await,
            }
        }
    }
}
