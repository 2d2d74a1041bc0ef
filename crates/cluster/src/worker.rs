//! Does units of work for any coordinator that runs an identical build. A worker leases bundles of units, plays them on
//! threads, and stores the results on the server.
//!
//! Any number of results can be published at a time, while the threads continue to play. A bundle is released when its
//! result is stored.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, channel, unbounded_channel};
use turnwise_engine::player::FOREVER;
use turnwise_engine::search::Stop;

use crate::attachments::Programs;
use crate::build::Build;
use crate::bundle::Bundle;
use crate::figures::WorkerFigures;
use crate::job::{Done, Ending, Job};
use crate::outcome::{Failure, Origin, Outcome};
use crate::playing::Player;
use crate::server::{
    ASIDE, DRAIN, Error, KICK, LEASE, NEWS, PAUSE, Published, RESULTS, RunAbout, Server, UNITS,
    WHO, bundle_of, next, subject,
};
use crate::stock::{Lease, Stock, Stopped, Supply};

/// The interval at which a worker extends its leases.
const EXTENDED: Duration = LEASE.checked_div(4).expect("it is no division by zero");

/// How often a worker checks for new runs, even without a notification.
///
/// To answer this request, the server counts all waiting messages, so hundreds of workers must not send
/// it every second.
const LOOKS: Duration = Duration::from_secs(10);
/// The time that a worker that ends has for its last messages. Without a server, other workers play its units again.
const LAST: Duration = Duration::from_secs(5);

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
    /// The runs of which the worker plays no units.
    #[serde(default)]
    pub refused: Vec<Refused>,
    /// The reason why the worker is paused, if it is.
    #[serde(default)]
    pub paused: Option<String>,
}

/// A run of which a worker plays no units.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Refused {
    /// The name of the run on the server.
    pub run: String,
    /// The title of the run.
    pub title: String,
    /// The reason, which may contain unprintable characters.
    pub failure: Failure,
}

/// A coordinator's message to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Verdict {
    /// The name of the run on the server.
    pub run: String,
    /// The name of the worker.
    pub worker: String,
    /// The reason why the worker may not play the run; `None` if it may play again.
    pub aside: Option<Failure>,
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
    /// The worker's counters.
    pub figures: WorkerFigures,
    /// The outside programs that the worker may run.
    pub programs: Programs,
    /// The maximum time for a unit, in addition to the players' clocks. A unit that takes longer counts as failed.
    pub lifetime: Duration,
    /// How long running units may continue after the worker was stopped or drained. Then other workers get them.
    pub farewell: Duration,
    /// Returns the reason why the worker must not use the machine now, if any.
    pub why_paused: Box<dyn Fn() -> Option<String> + Send + Sync>,
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
    lifetime: Duration,
    supply: Arc<Supply>,
    units: PullConsumer,
}

/// Whether a worker plays a run.
enum Standing {
    /// The worker has not checked yet whether this machine can play the run.
    New,
    /// A thread prepares the run, and checks whether this machine can play it.
    Checking,
    Ready,
    /// This machine cannot play the run. The worker checks again later.
    Unready(Failure, Instant),
    /// The worker rejects the run, or the coordinator has set the worker aside.
    Out(Failure),
}

/// A run on the server, from the worker's point of view.
struct Known {
    title: String,
    blamed: Vec<usize>,
    standing: Standing,
    /// The reason that was shown last.
    told: String,
    /// Stops the check.
    stop: Stop,
}

impl Known {
    fn new(about: &RunAbout) -> Self {
        Self {
            title: about.title.clone(),
            blamed: Vec::new(),
            standing: Standing::New,
            told: String::new(),
            stop: Stop::default(),
        }
    }

    fn failure(&self) -> Option<&Failure> {
        match &self.standing {
            Standing::Unready(failure, _) | Standing::Out(failure) => Some(failure),
            Standing::New | Standing::Checking | Standing::Ready => None,
        }
    }

    /// Returns true if the machine must be checked now.
    fn is_due(&self, about: &RunAbout) -> bool {
        match &self.standing {
            Standing::New => true,
            Standing::Ready => self.blamed != about.blamed,
            Standing::Unready(_, since) => self.blamed != about.blamed || since.elapsed() >= LOOKS,
            Standing::Checking | Standing::Out(_) => false,
        }
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// The result of a check: the run's name, and the reason why this machine cannot play the run, if any.
type Checked = (String, Result<(), Failure>);

/// The state that a worker's asynchronous tasks share.
struct Shared<'a> {
    server: &'a Server,
    worker: &'a Worker,
    stock: &'a Stock,
    runs: Mutex<Vec<Served>>,
    /// The reason why the worker is paused, if it is.
    paused: Mutex<Option<String>>,
    /// All runs on the server, keyed by name.
    known: Mutex<BTreeMap<String, Known>>,
    /// Receives the results of checks.
    checked: UnboundedSender<Checked>,
    is_drained: AtomicBool,
    tell: &'a dyn Fn(&str),
}

/// Works until `is_stopped` returns true or the worker is drained, and returns the number of units done.
///
/// In the end, units in progress are finished if that takes no longer than [`Worker::farewell`]. All other units are
/// returned to the server.
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
    let (mut news, mut kicked) = (listen(NEWS).await?, listen(KICK).await?);
    let mut verdicts = listen(ASIDE).await?;
    let (checked, mut checks) = unbounded_channel();
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
        paused: Mutex::default(),
        known: Mutex::default(),
        checked,
        is_drained: AtomicBool::new(false),
        tell,
    };
    let is_over = || is_stopped() || shared.is_drained.load(Ordering::Relaxed);
    let left = async {
        shared.lease(&is_over).await;
        tokio::time::sleep(worker.farewell).await;
        stock.return_all();
        tokio::time::sleep(LAST).await;
    };
    let worked = async {
        tokio::select! {
            () = shared.store_all(done) => {}
            () = left => {}
        }
    };
    let tended = async {
        loop {
            shared.look().await;
            tokio::select! {
                _ = tokio::time::timeout(LOOKS, news.next()) => {}
                Some((run, checked)) = checks.recv() => shared.note(&run, checked),
                Some(message) = verdicts.next() => shared.obey(&message.payload).await,
            }
        }
    };
    let kicked = async {
        while let Some(message) = kicked.next().await {
            if message.payload == worker.name.as_bytes() {
                shared.is_drained.store(true, Ordering::Relaxed);
                give_back(stock.close()).await;
                stock.return_all();
                stock.is_news.notify_one();
            }
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
        _ = async { tokio::join!(tended, asked, drained, kicked, announced, shared.extend()) } => {}
    }
    server.flush().await;
    Ok(worker.figures.done.get())
}

/// Returns the time that the players' clocks allow for a unit of a run, at most a day.
fn clocks(about: &RunAbout) -> Duration {
    let seconds = about.clocks_s.clamp(0.0, FOREVER.as_secs_f64());
    Duration::try_from_secs_f64(seconds).unwrap_or(FOREVER)
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
            refused: self.refused(),
            paused: self.paused().clone(),
        }
    }

    fn refused(&self) -> Vec<Refused> {
        let known = self.known();
        let refused = known.iter().filter_map(|(run, known)| {
            Some(Refused {
                run: run.clone(),
                title: known.title.clone(),
                failure: known.failure()?.clone(),
            })
        });
        refused.collect()
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn runs(&self) -> MutexGuard<'_, Vec<Served>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides whether the worker may lease units of a run now. Shows the reason if it may not.
    ///
    /// Before the first unit of a run, a thread checks whether this machine can play the run.
    fn may_lease(&self, name: &str, about: &RunAbout) -> bool {
        let mut known = self.known();
        let known = (known.entry(name.to_owned())).or_insert_with(|| Known::new(about));
        if let Some(why) = self.worker.refusal(about) {
            known.standing = Standing::Out(why.into());
        } else if known.is_due(about) {
            known.blamed.clone_from(&about.blamed);
            known.standing = match self.check(name, about, &known.stop) {
                Ok(()) => Standing::Checking,
                Err(error) => Standing::Unready(error.to_string().into(), Instant::now()),
            };
        }
        let why = known.failure().map(|failure| failure.reason.clone());
        if let Some(why) = why
            && known.told != why
        {
            (self.tell)(&format!("turnwise: refused: {}: {why}", about.title));
            known.told = why;
        }
        matches!(known.standing, Standing::Ready)
    }

    /// Starts a thread that checks whether this machine can play a run.
    fn check(&self, run: &str, about: &RunAbout, stop: &Stop) -> io::Result<()> {
        let (player, checked) = (self.worker.player.clone(), self.checked.clone());
        let (run, about, stop) = (run.to_owned(), about.clone(), stop.clone());
        let check = move || {
            let check = || player.check(&run, &about.task, &about.blamed, &stop);
            let result = catch_unwind(AssertUnwindSafe(|| stop.during(check)));
            let result = result.unwrap_or_else(|_| Err("the check of this machine crashed".into()));
            // If the receiver is closed, the worker has ended.
            let _ = checked.send((run, result));
        };
        let thread = thread::Builder::new().name("check".to_owned());
        thread.spawn(check).map(drop)
    }

    /// Records the result of a check.
    fn note(&self, run: &str, checked: Result<(), Failure>) {
        if let Some(known) = self.known().get_mut(run)
            && let Standing::Checking = known.standing
        {
            known.standing = match checked {
                Ok(()) => Standing::Ready,
                Err(failure) => Standing::Unready(failure, Instant::now()),
            };
        }
    }

    /// Follows a coordinator's message, if it is for this worker.
    async fn obey(&self, message: &[u8]) {
        let Ok(verdict) = serde_json::from_slice::<Verdict>(message) else {
            return;
        };
        if verdict.worker != self.worker.name {
            return;
        }
        if let Some(known) = self.known().get_mut(&verdict.run) {
            known.standing = verdict.aside.map_or(Standing::New, Standing::Out);
        }
        give_back(self.stock.withdraw(|run| run == verdict.run)).await;
    }

    /// Updates the list of runs, and cancels units of runs that are no longer on it.
    async fn look(&self) {
        let Ok(consumers) = self.server.consumers(UNITS).await else {
            return;
        };
        let names: BTreeSet<&str> = consumers.iter().map(|run| &*run.name).collect();
        self.known().retain(|name, _| names.contains(&**name));
        self.stock.cancel(|name| names.contains(name));
        let listed: Vec<&str> = names.iter().copied().collect();
        self.worker.player.keep(&listed);
        let mut runs = Vec::new();
        for consumer in &consumers {
            let about = consumer.config.description.as_deref().unwrap_or_default();
            let Ok(about) = serde_json::from_str::<RunAbout>(about) else {
                continue;
            };
            let name = &*consumer.name;
            if !self.may_lease(name, &about) {
                continue;
            }
            let (waiting, leased) = (consumer.num_pending, consumer.num_ack_pending);
            if waiting == 0 && consumer.num_waiting > 0 && self.stock.is_slow() {
                give_back(self.stock.withdraw(|run| run == name)).await;
            }
            let known = self.runs().iter().find(|run| *run.name == *name).cloned();
            let run = match known {
                Some(run) => Served {
                    is_watched: about.is_watched,
                    ..run
                },
                None => match self.server.units_of(name).await {
                    Ok(units) => Served {
                        name: name.into(),
                        is_watched: about.is_watched,
                        lifetime: (self.worker.lifetime).saturating_add(clocks(&about)),
                        supply: Arc::default(),
                        units,
                    },
                    Err(_) => continue,
                },
            };
            run.supply.set(waiting, leased as u64);
            runs.push(run);
        }
        *self.runs() = runs;
        self.stock.is_news.notify_one();
    }

    fn paused(&self) -> MutexGuard<'_, Option<String>> {
        self.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the worker must not use the machine now. Then other workers get its bundles.
    async fn must_pause(&self) -> bool {
        let why = (self.worker.why_paused)();
        let before = std::mem::replace(&mut *self.paused(), why.clone());
        match &why {
            Some(why) if before.is_none() => (self.tell)(&format!("turnwise: pausing: {why}")),
            None if before.is_some() => (self.tell)("turnwise: playing again"),
            _ => {}
        }
        if why.is_some() {
            give_back(self.stock.withdraw(|_run| true)).await;
            self.stock.return_all();
        }
        why.is_some()
    }

    /// Leases bundles until `is_over` returns true, and then returns all bundles that no thread has started.
    async fn lease(&self, is_over: &dyn Fn() -> bool) {
        let mut turn = 0;
        while !is_over() {
            if self.must_pause().await {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
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
        let asked = run.units.batch().max_messages(wanted);
        let asked = asked.max_bytes(self.server.most_bytes()).expires(patience);
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
            begun: OnceLock::new(),
            lifetime: run.lifetime,
            message,
            stop: Stop::default(),
            why: OnceLock::new(),
        });
    }

    /// Periodically extends all leases that are older than [`EXTENDED`], and stops bundles that have taken too long.
    /// Never returns.
    async fn extend(&self) {
        let mut extend = tokio::time::interval(EXTENDED);
        loop {
            extend.tick().await;
            for lease in self.stock.held() {
                if lease.is_over() {
                    lease.stop(Stopped::Expired);
                }
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
        let bytes = ending.bytes();
        match ending {
            Ending::Known(outcome) => {
                if let Outcome::Done(parts) = &outcome {
                    figures.done.inc_by(parts.len() as u64);
                    let seconds = parts.iter().map(|part| part.seconds);
                    figures.seconds.inc_by(seconds.sum());
                }
                if self.publish(&lease, outcome).await {
                    // If this acknowledgement is lost, the bundle is played again, but its second result is ignored.
                    let _ = lease.message.ack().await;
                }
            }
            Ending::Cancelled => {
                figures.cancelled.inc();
                if lease.why.get() == Some(&Stopped::Returned) {
                    self.put_back(&lease).await;
                }
            }
            Ending::Crashed => {
                figures.crashed.inc();
                (self.tell)(&format!("turnwise: unit {} crashed here", lease.bundle));
            }
        }
        self.stock.give_up(&lease, bytes);
        figures.held.set(self.stock.units() as i64);
    }

    /// Returns a bundle that this worker has started to the server.
    ///
    /// It becomes a new message, because a lease that is only returned counts as lost.
    async fn put_back(&self, lease: &Lease) {
        let Message { message, .. } = &lease.message;
        if lease.message.double_ack().await.is_ok() {
            // If this fails, the coordinator offers the units again later.
            let (subject, units) = (message.subject.to_string(), message.payload.clone());
            let _ = self.server.publish(subject, HeaderMap::new(), units).await;
        }
    }

    /// Publishes a bundle's outcome, in one message or in several.
    ///
    /// Returns true once all messages are stored, or false if the outcome is no longer needed.
    async fn publish(&self, lease: &Lease, outcome: Outcome) -> bool {
        let bundle = lease.bundle;
        let told = self.publish_at_once(lease, bundle, &outcome).await;
        let (None, Outcome::Done(parts)) = (told, outcome) else {
            return told.unwrap_or(false);
        };
        for (number, part) in bundle.numbers().zip(parts) {
            let size = part.content.len();
            let (unit, outcome) = (Bundle::alone(number), Outcome::Done(vec![part]));
            let mut told = self.publish_at_once(lease, unit, &outcome).await;
            if told.is_none() {
                let reason = format!(
                    "its result of {size} bytes is larger than the server's max_payload; raise it in the server's \
                     configuration"
                );
                let outcome = Outcome::Failed(reason.into());
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
            // A result of a run that has ended would stay on the server.
            if lease.why.get() == Some(&Stopped::Unneeded) {
                return Some(false);
            }
            match self.server.publish(subject, headers, payload.clone()).await {
                Published::Stands => return Some(true),
                Published::TooLarge => return None,
                Published::Not => tokio::time::sleep(PAUSE).await,
            }
        }
    }
}
