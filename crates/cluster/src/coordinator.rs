//! The coordinator of a run: distributes units of work to workers, and collects the results.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, timeout_at};

use turnwise_arena::records::Settings;
use turnwise_engine::player::TimeControl;
use turnwise_engine::words::printable;

use crate::attachments::{self, Attachments, Programs};
use crate::build::Build;
use crate::bundle::Bundle;
use crate::failures::{Failures, why_waiting};
use crate::figures::RunFigures;
use crate::files::{FilesError, LARGEST};
use crate::outcome::{Failure, Origin, Outcome};
use crate::outstanding::Outstanding;
use crate::ready::Task;
use crate::server::{
    ASIDE, BEGUN, Error, LATE, MOST_OUTSTANDING, NEWS, PAUSE, Published, RESULTS, RunAbout, Server,
    UNITS, bundle_of, subject,
};
use crate::tending;
use crate::units::Units;
use crate::worker::{About, Verdict};

/// The maximum number of published messages without an acknowledgement. Many more at once overload a server.
const MOST_UNACKNOWLEDGED: usize = 250;

/// The maximum number of results that one request to the server returns.
const MOST_RESULTS: usize = 500;

/// The maximum number of messages about workers that a run prints.
const MOST_TOLD: usize = 1000;

/// The number of moves of each player for which a unit has time.
const MOST_MOVES: f64 = 1000.0;

/// The interval at which all new results are synchronized to disk together, and then acknowledged to the server.
const SYNCED: Duration = Duration::from_millis(200);

/// After this time without a result, units are offered again, because the server may have lost its disk with them.
const OFFERED_AGAIN: Duration = Duration::from_secs(30);

/// A run: all units of work whose results go into one log or one other output file.
pub struct Run {
    /// The name of the run on the server. It stays unchanged when this build resumes the output file.
    name: String,
    about: RunAbout,
    /// The number of participants.
    agents: usize,
    /// The files that workers fetch from the server, including the task.
    files: Attachments,
    /// The option or command with which the user can retry the units that the run has given up (set apart).
    again: &'static str,
    /// The counters of the run's coordinator.
    pub figures: RunFigures,
}

impl Run {
    /// Creates the run of a match with these settings and an existing log.
    ///
    /// `build` identifies this program, and `files` contains the files that the participants need. `again` is the
    /// option or command with which the user resumes the match.
    ///
    /// # Errors
    ///
    /// Returns an error if the match cannot be played on other machines.
    pub fn of_match(
        settings: &Settings,
        files: Attachments,
        log: &Path,
        build: Build,
        again: &'static str,
    ) -> Result<Self, Error> {
        attachments::check(settings)?;
        let task = Task::Match {
            settings,
            files: files.hashes.clone(),
        };
        let names: Vec<&str> = settings.agents.iter().map(|agent| &*agent.name).collect();
        let about = RunAbout {
            build,
            title: names.join(", ").chars().take(200).collect(),
            units: settings.pairs,
            is_watched: false,
            programs: Programs::of(settings),
            task: String::new(),
            clocks_s: clocks(settings),
            blamed: Vec::new(),
        };
        let run = Self::of(&task, about, files, log, again)?;
        Ok(Self {
            agents: settings.agents.len(),
            ..run
        })
    }

    /// Creates a run that divides the work `order` into `units` batches, for an output file at `out`.
    ///
    /// `title` describes the run to users, `file` is the content of a file that workers need, and `build` identifies
    /// this program.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is too large to be sent, or if this machine cannot store it.
    pub fn of_batches(
        order: serde_json::Value,
        (title, units): (String, u32),
        file: Option<&[u8]>,
        out: &Path,
        build: Build,
    ) -> Result<Self, Error> {
        if file.is_some_and(|content| content.len() as u64 > LARGEST) {
            return Err(Error::Unsupported(FilesError::TooLarge.to_string()));
        }
        let files = Attachments::of_content(file).map_err(Error::Room)?;
        let task: Task<&Settings> = Task::Batches {
            order,
            file: files.hashes.first().cloned().flatten(),
        };
        let about = RunAbout {
            build,
            title,
            units,
            is_watched: false,
            programs: Programs::None,
            task: String::new(),
            clocks_s: 0.0,
            blamed: Vec::new(),
        };
        Self::of(&task, about, files, out, "the same command")
    }

    fn of(
        task: &Task<&Settings>,
        mut about: RunAbout,
        mut files: Attachments,
        file: &Path,
        again: &'static str,
    ) -> Result<Self, Error> {
        let task = serde_json::to_vec(task);
        let task = task.map_err(|error| Error::Unsupported(error.to_string()))?;
        let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let machine = rustix::system::uname();
        let mut hasher = DefaultHasher::new();
        for part in [
            &*task,
            path.as_os_str().as_encoded_bytes(),
            machine.nodename().to_bytes(),
            about.build.hash.as_bytes(),
        ] {
            hasher.write(part);
            hasher.write_u8(0);
        }
        about.task = files.add_task(&task).map_err(Error::Room)?;
        Ok(Self {
            name: format!("{:016x}", hasher.finish()),
            about,
            agents: 0,
            files,
            again,
            figures: RunFigures::default(),
        })
    }

    /// Marks these participants as not playing, so that workers that cannot start them still play. Returns the changed
    /// run.
    pub fn without(mut self, absent: Vec<usize>) -> Self {
        self.about.blamed = absent;
        self
    }

    /// Requests that workers report each move of the run's games. Returns the changed run.
    pub fn watched(mut self) -> Self {
        self.about.is_watched = true;
        self
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// Returns the number of seconds that the players' clocks allow for a pair of a match.
fn clocks(settings: &Settings) -> f64 {
    let move_s = match settings.time {
        TimeControl::Clock { seconds, increment } => seconds / MOST_MOVES + increment,
        TimeControl::MoveTime { seconds } => seconds,
        TimeControl::Nodes { .. } => 0.0,
    };
    let seats = settings.game.0.seats() as f64;
    move_s * MOST_MOVES * seats * seats
}

/// Distributes units to the available workers until no unit is left or `is_stopped` returns true.
///
/// Results that have arrived by then are collected. A resumed run (`is_resumed`) also collects the results that arrived
/// while no coordinator was running.
///
/// # Errors
///
/// Returns an error if the log cannot be written, or if several workers failed or did not survive a unit.
pub async fn conduct(
    server: &Server,
    run: &Run,
    is_resumed: bool,
    units: &mut dyn Units,
    is_stopped: &dyn Fn() -> bool,
    tell: &dyn Fn(&str),
) -> Result<(), Error> {
    let mut state = State {
        run,
        units,
        outstanding: Outstanding::default(),
        unsynced: Vec::new(),
        set_apart: Vec::new(),
        about: run.about.clone(),
        failures: Failures::new(),
        told: BTreeSet::new(),
        tell,
    };
    let done = state.until_done(server, is_resumed, is_stopped).await;
    let synced = state.sync().await;
    let is_whole = done.is_ok() && synced.is_ok() && state.is_over();
    leave(server, run, is_whole).await;
    tell(&format!("turnwise: {}", run.figures));
    let done = done.and(synced);
    match state.set_apart.is_empty() {
        true => done,
        false => done.and(Err(Error::SetApart {
            word: state.units.word(),
            numbers: state.set_apart,
            again: run.again,
        })),
    }
}

/// The state of a coordinator that conducts a run.
struct State<'a> {
    run: &'a Run,
    units: &'a mut dyn Units,
    outstanding: Outstanding,
    /// The messages with results that were collected but are not yet on disk.
    unsynced: Vec<Message>,
    /// The units that were set apart, because several workers were lost while they played them.
    set_apart: Vec<u32>,
    /// The run's description on the server, with the participants that are at fault.
    about: RunAbout,
    failures: Failures,
    /// The messages about workers that were already shown.
    told: BTreeSet<String>,
    tell: &'a dyn Fn(&str),
}

impl State<'_> {
    /// Returns true if the coordinator has nothing left to wait for. Call it only after as many units as possible were
    /// started.
    ///
    /// A unit that depends on the result of a unit that was set apart is never started.
    fn is_over(&self) -> bool {
        self.outstanding.count() == 0 || self.units.is_decided()
    }

    async fn until_done(
        &mut self,
        server: &Server,
        is_resumed: bool,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        let mut results = loop {
            // After an error, the setup is tried again: the server was reachable a moment ago, so it may be restarting.
            match set_up(server, self.run, is_resumed).await {
                Ok(results) => break results,
                Err(error) if is_stopped() => return Err(error),
                Err(error) => (self.tell)(&format!("turnwise: {error}; trying again")),
            }
            tokio::time::sleep(PAUSE).await;
        };
        let mut called = pin!(tending::roll_calls(server));
        let mut offering = FuturesUnordered::new();
        let mut offered_from = Instant::now();
        let mut sync = tokio::time::interval(SYNCED);
        let mut heard = Instant::now();
        // A resumed run first collects results, so that units that were already done are not offered again.
        let mut is_caught_up = !is_resumed;
        loop {
            // The list of units is requested before the results, so that no unit is missing from both: a unit that is
            // done between the two requests is on the list, and a unit that was done earlier has its result among the
            // results.
            let standing = match is_caught_up {
                true => None,
                false => server.standing(&self.run.name).await.ok(),
            };
            let asked = results.batch().max_messages(MOST_RESULTS);
            let asked = asked.max_bytes(server.most_bytes()).expires(PAUSE);
            let asked = asked.messages().await;
            let mut has_heard = false;
            // A timeout is needed, because a server that is restarted does not report the end of the request.
            let mut patience = Instant::now() + PAUSE + LATE;
            let mut messages = match asked {
                Ok(messages) => messages.left_stream(),
                Err(_) => futures_util::stream::pending().right_stream(),
            };
            loop {
                self.refill()?;
                if self.is_over() || is_stopped() {
                    return Ok(());
                }
                while is_caught_up
                    && offered_from <= Instant::now()
                    && offering.len() < MOST_UNACKNOWLEDGED
                    && let Some(bundle) = self.outstanding.next(&self.run.about.task)
                {
                    offering.push(self.offer(server, bundle));
                }
                tokio::select! {
                    message = timeout_at(patience, messages.next()) => match message {
                        Ok(Some(message)) => {
                            has_heard = true;
                            patience = Instant::now() + PAUSE + LATE;
                            // After an error, the stream ends, and the next request follows.
                            if let Ok(message) = message {
                                self.take_in(server, message).await?;
                            }
                        }
                        Ok(None) | Err(_) => break,
                    },
                    Some((bundle, published)) = offering.next() => match published {
                        Published::Stands => {}
                        Published::Not => {
                            self.outstanding.offer_again(bundle);
                            offered_from = Instant::now() + PAUSE;
                        }
                        Published::TooLarge if bundle.count() > 1 => self.outstanding.part(bundle),
                        Published::TooLarge => {
                            let why = "a unit of work is larger than the server's max_payload";
                            return Err(Error::Unsupported(why.to_owned()));
                        }
                    },
                    Some(workers) = called.next() => self.look_at(server, &workers).await,
                    _ = sync.tick() => self.sync().await?,
                }
            }
            if has_heard {
                heard = Instant::now();
                continue;
            }
            if let Some(standing) = standing {
                self.outstanding.offer_all_but(&standing);
                is_caught_up = true;
            }
            if heard.elapsed() >= OFFERED_AGAIN {
                heard = Instant::now();
                self.tell_once(
                    "no result for half a minute; checking that the server has all units",
                );
                // If the server is unreachable, the streams are restored at a later attempt.
                if server.lay_out().await.is_ok()
                    && server
                        .deposit(&self.run.name, &self.run.files)
                        .await
                        .is_ok()
                    && let Ok(anew) = consumers(server, self.run, &self.about).await
                {
                    results = anew;
                    is_caught_up = false;
                }
            }
        }
    }

    /// Begins units until the maximum number of units is outstanding, or no further unit can begin.
    fn refill(&mut self) -> Result<(), Error> {
        while self.outstanding.count() < MOST_OUTSTANDING {
            let Some((number, line)) = self.units.next()? else {
                break;
            };
            self.outstanding.begin(number, line);
            self.count_outstanding();
        }
        Ok(())
    }

    fn count_outstanding(&self) {
        let outstanding = &self.run.figures.outstanding;
        outstanding.set(self.outstanding.count() as i64);
    }

    /// Publishes a bundle, and returns whether the server has stored it.
    fn offer<'s>(
        &self,
        server: &'s Server,
        (bundle, contents): (Bundle, Bytes),
    ) -> impl Future<Output = (Bundle, Published)> + use<'s> {
        let subject = subject(UNITS, &self.run.name, bundle);
        async move {
            let published = server.publish(subject, HeaderMap::new(), contents).await;
            (bundle, published)
        }
    }

    /// Marks a unit as settled, because it has a result or will never have one. Returns false if it was not
    /// outstanding.
    fn settle(&mut self, number: u32) -> bool {
        let was_outstanding = self.outstanding.settle(number);
        self.count_outstanding();
        was_outstanding
    }

    /// Processes the result of a bundle. If a unit already has a result, its second result is ignored.
    async fn take_in(&mut self, server: &Server, message: Message) -> Result<(), Error> {
        let bundle = bundle_of(&message.subject);
        let units = bundle.map_or(0, |bundle| bundle.count());
        let (origin, outcome) = Outcome::of(&message, units);
        let first = bundle.map_or(0, |bundle| self.outstanding.left_of(bundle).len());
        if !matches!(outcome, Outcome::Failed(_)) {
            self.run.figures.count(&origin, first, units - first);
        }
        let (Some(bundle), 1..) = (bundle, first) else {
            self.unsynced.push(message);
            return Ok(());
        };
        let failed = match outcome {
            Outcome::Done(parts) => {
                let mut invalid = None;
                for (number, part) in bundle.numbers().zip(parts) {
                    if !self.outstanding.has(number) {
                        continue;
                    }
                    let seconds = part.seconds;
                    match self.units.take_in(number, &origin, part) {
                        Ok(()) => {
                            self.settle(number);
                            self.outstanding.took(seconds);
                        }
                        Err(error @ Error::Malformed(_)) => {
                            invalid = Some(error.to_string().into())
                        }
                        Err(error) => return Err(error),
                    }
                }
                invalid
            }
            // Perhaps only one unit in the bundle makes workers crash, so each unit is offered alone.
            Outcome::SetApart if units > 1 => {
                self.outstanding.part(bundle);
                None
            }
            Outcome::SetApart => {
                self.set_apart(bundle, "three workers were lost while running it");
                None
            }
            Outcome::Failed(failure) => Some(failure),
        };
        match failed {
            Some(failure) => {
                self.fail(server, (message, bundle), &origin, &failure)
                    .await
            }
            None => {
                self.unsynced.push(message);
                Ok(())
            }
        }
    }

    /// Sets a bundle's outstanding units apart, so that the run ends without them.
    fn set_apart(&mut self, bundle: Bundle, why: &str) {
        let word = self.units.word();
        (self.tell)(&format!("turnwise: {word} {bundle} is set apart: {why}"));
        for number in bundle.numbers() {
            self.settle(number);
            self.set_apart.push(number);
        }
        self.run.figures.set_apart.inc();
    }

    /// Returns a bundle that a worker failed to the queue, and draws the conclusions about the worker.
    async fn fail(
        &mut self,
        server: &Server,
        (message, bundle): (Message, Bundle),
        origin: &Origin,
        failure: &Failure,
    ) -> Result<(), Error> {
        let (worker, why) = (printable(&origin.worker), failure.in_short());
        self.tell_once(&format!(
            "{worker} failed {} {bundle}: {why}",
            self.units.word()
        ));
        // Results of other units in this message must be on disk before the message is deleted. Until both messages are
        // deleted, the server would ignore the bundle's next offer and its next result.
        self.units.sync()?;
        let sequence = message.info().map_or(0, |info| info.stream_sequence);
        let _ = message.double_ack().await;
        server.withdraw(&self.run.name, bundle).await;
        self.outstanding.part(bundle);
        let unit = *bundle.numbers().start();
        if self.failures.add(&origin.worker, (sequence, unit), failure) {
            self.tell_once(&format!("{worker} gets no more units of this run: {why}"));
            self.judge(server, &origin.worker, Some(failure.clone()))
                .await;
        }
        self.conclude(server).await;
        Ok(())
    }

    /// Updates the list of connected workers, and reports the workers that do not play this run.
    async fn look_at(&mut self, server: &Server, workers: &[About]) {
        let mut refusing = BTreeMap::new();
        for about in workers {
            let refused = about.refused.iter();
            for refused in refused.filter(|refused| refused.run == self.run.name) {
                let (name, why) = (printable(&about.name), refused.failure.in_short());
                self.tell_once(&format!("{name} does not play this run: {why}"));
                refusing.insert(about.name.clone(), refused.failure.clone());
            }
        }
        let same = workers
            .iter()
            .filter(|about| about.build == self.about.build);
        self.failures.set_connected(same.count(), refusing);
        match why_waiting(&self.run.name, workers) {
            Some(why) => self.tell_once(&format!("waiting: {why}")),
            None => self.told.retain(|told| !told.starts_with("waiting: ")),
        }
        self.conclude(server).await;
    }

    /// Excuses workers if a unit or a participant is at fault, and draws the conclusions about these.
    async fn conclude(&mut self, server: &Server) {
        for unit in self.failures.failed_units() {
            if self.outstanding.has(unit) {
                self.set_apart(Bundle::alone(unit), "several workers failed it");
            }
            self.excuse(server, |number, _| number == unit).await;
        }
        let agents = self.failures.failed_agents();
        let known = self.about.blamed.len();
        let blamed = agents.iter().copied().filter(|agent| {
            // A forged report may name a participant that does not exist.
            *agent < self.run.agents && !self.about.blamed.contains(agent)
        });
        let blamed: Vec<usize> = blamed.collect();
        self.about.blamed.extend(blamed);
        if self.about.blamed.len() > known {
            let text = "several workers cannot start a participant's program; from now on, this is the participant's \
                        fault";
            self.tell_once(text);
            // If this fails, the next roll call tries it again.
            if consumers(server, self.run, &self.about).await.is_err() {
                self.about.blamed.truncate(known);
            }
        }
        self.excuse(server, |_, failure| {
            failure.agent.is_some_and(|agent| agents.contains(&agent))
        })
        .await;
    }

    async fn excuse(&mut self, server: &Server, is_excused: impl Fn(u32, &Failure) -> bool) {
        for worker in self.failures.forgive(is_excused) {
            self.judge(server, &worker, None).await;
        }
    }

    /// Notifies a worker that it is set aside for this reason, or that it may play again.
    async fn judge(&self, server: &Server, worker: &str, aside: Option<Failure>) {
        let verdict = Verdict {
            run: self.run.name.clone(),
            worker: worker.to_owned(),
            aside,
        };
        let verdict = serde_json::to_vec(&verdict).unwrap_or_default();
        // If the message is lost, the worker's next failure repeats it.
        let _ = server.client.publish(ASIDE, verdict.into()).await;
    }

    /// Shows a message, unless it was shown before.
    fn tell_once(&mut self, text: &str) {
        if self.told.len() < MOST_TOLD && self.told.insert(text.to_owned()) {
            (self.tell)(&format!("turnwise: {text}"));
        }
    }

    /// Synchronizes the collected results to disk, and then acknowledges them, so that the server deletes them.
    async fn sync(&mut self) -> Result<(), Error> {
        if self.unsynced.is_empty() {
            return Ok(());
        }
        self.units.sync()?;
        for message in self.unsynced.drain(..) {
            // If the acknowledgement is lost, the server sends the result again, which is then ignored.
            let _ = message.ack().await;
        }
        Ok(())
    }
}

/// Prepares a server for a run, and returns the consumer of results.
async fn set_up(server: &Server, run: &Run, is_resumed: bool) -> Result<PullConsumer, Error> {
    server.forget(BEGUN, &run.name).await?;
    server.sweep().await?;
    if !is_resumed {
        // An earlier run with another log at this path may have left these messages.
        server.forget(UNITS, &run.name).await?;
        server.forget(RESULTS, &run.name).await?;
    }
    // The files must be on the server before any worker can see the run.
    server.deposit(&run.name, &run.files).await?;
    consumers(server, run, &run.about).await
}

/// Creates or updates a run's consumers of units and of results, and returns the consumer of results.
async fn consumers(server: &Server, run: &Run, about: &RunAbout) -> Result<PullConsumer, Error> {
    server.consumer(UNITS, &run.name, Some(about)).await?;
    let results = server.consumer(RESULTS, &run.name, None).await?;
    tell_workers(server).await;
    Ok(results)
}

/// Deletes a run's data from the server if it is no longer needed. If this fails, the data expires.
///
/// Workers stop to play the run. If `is_whole` is false, the results that have already arrived stay, for a coordinator
/// that resumes the run.
async fn leave(server: &Server, run: &Run, is_whole: bool) {
    let streams: &[&str] = match is_whole {
        true => &[UNITS, RESULTS],
        false => &[UNITS],
    };
    for &name in streams {
        if let Ok(stream) = server.context.get_stream_no_info(name).await {
            let _ = stream.delete_consumer(&run.name).await;
        }
        let _ = server.forget(name, &run.name).await;
    }
    if is_whole {
        let _ = server.forget(BEGUN, &run.name).await;
        server.remove_files(&run.name).await;
    }
    tell_workers(server).await;
    server.flush().await;
}

/// Notifies workers that the list of runs has changed. Workers that miss this message check the list periodically.
async fn tell_workers(server: &Server) {
    let _ = server.client.publish(NEWS, Bytes::new()).await;
}
