//! Hands out units of work, and takes in their results.

use std::hash::{DefaultHasher, Hasher};
use std::path::Path;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, timeout_at};

use turnwise_arena::records::Settings;

use crate::attachments::{self, Attachments, Programs};
use crate::build::Build;
use crate::bundle::Bundle;
use crate::figures::RunFigures;
use crate::files::{FilesError, LARGEST};
use crate::outcome::Outcome;
use crate::outstanding::Outstanding;
use crate::ready::Task;
use crate::server::{
    BEGUN, Error, LATE, MOST_OUTSTANDING, NEWS, PAUSE, Published, RESULTS, RunAbout, Server, UNITS,
    bundle_of, subject,
};
use crate::units::Units;

/// Messages that are published before the first of them is acknowledged. Many more at once overrun a server.
const MOST_UNACKNOWLEDGED: usize = 250;

/// Results that are asked for at once.
const MOST_RESULTS: usize = 500;

/// Results are made safe so often, all together, and only then acknowledged.
const SYNCED: Duration = Duration::from_millis(200);

/// When nothing has come for so long, units are offered again: a server that lost its disk has lost them.
const OFFERED_AGAIN: Duration = Duration::from_secs(30);

/// What is to be done for a log or another file that comes of it.
pub struct Run {
    /// Its name among the runs of a server: the same whenever this file is gone on with by this build.
    name: String,
    about: RunAbout,
    /// What its workers fetch, the task among it.
    files: Attachments,
    /// The hash of the task, by which each unit names it.
    task: String,
    /// How the user has units tried again that were set apart.
    again: &'static str,
    /// What its coordinator has seen.
    pub figures: RunFigures,
}

impl Run {
    /// The match of these settings, whose log is there, by a coordinator of this build, with the files that its
    /// participants need. `again` is how the user goes on with it.
    ///
    /// # Errors
    ///
    /// If it cannot be played elsewhere.
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
        };
        Self::of(&task, about, files, log, again)
    }

    /// So many batches of what `order` says, for a file that is to be there, by a coordinator of this build.
    /// `title` names it in words; `file` is the content of a file that workers need.
    ///
    /// # Errors
    ///
    /// If that file is too large to travel, or there is no room for it.
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
        };
        Self::of(&task, about, files, out, "the same command")
    }

    fn of(
        task: &Task<&Settings>,
        about: RunAbout,
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
        Ok(Self {
            name: format!("{:016x}", hasher.finish()),
            about,
            task: files.add_task(&task).map_err(Error::Room)?,
            files,
            again,
            figures: RunFigures::default(),
        })
    }

    /// The same run, with workers telling of the moves as they are made.
    pub fn watched(mut self) -> Self {
        self.about.is_watched = true;
        self
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// Has units done by whatever workers there are, until there are no more or `is_stopped`. Results that have
/// come by then are taken in. A run that is gone on with takes in what was done for it meanwhile.
///
/// # Errors
///
/// If the log cannot be written, a worker could not do a unit, or no worker has survived one.
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

/// What a coordinator knows of its run.
struct State<'a> {
    run: &'a Run,
    units: &'a mut dyn Units,
    outstanding: Outstanding,
    /// Results that were taken in, and are not safe yet.
    unsynced: Vec<Message>,
    /// Units that no worker has survived.
    set_apart: Vec<u32>,
    tell: &'a dyn Fn(&str),
}

impl State<'_> {
    /// True if nothing is left to wait for, once as much as possible has been begun. What waits for a unit
    /// that is set apart waits for good.
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
            // The server was there a moment ago, and may be restarted.
            match set_up(server, self.run, is_resumed).await {
                Ok(results) => break results,
                Err(error) if is_stopped() => return Err(error),
                Err(error) => (self.tell)(&format!("turnwise: {error}; trying again")),
            }
            tokio::time::sleep(PAUSE).await;
        };
        let mut offering = FuturesUnordered::new();
        let mut offered_from = Instant::now();
        let mut sync = tokio::time::interval(SYNCED);
        let mut heard = Instant::now();
        // What has been done before this coordinator came is not offered again.
        let mut is_caught_up = !is_resumed;
        loop {
            // Asked before the results are: what is done in between still stands in this answer, and the result of what
            // was done before is among them.
            let standing = match is_caught_up {
                true => None,
                false => server.standing(&self.run.name).await.ok(),
            };
            let asked = results.batch().max_messages(MOST_RESULTS).expires(PAUSE);
            let asked = asked.messages().await;
            let mut has_heard = false;
            // A server that was restarted meanwhile does not say so.
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
                    && let Some(bundle) = self.outstanding.next(&self.run.task)
                {
                    offering.push(self.offer(server, bundle));
                }
                tokio::select! {
                    message = timeout_at(patience, messages.next()) => match message {
                        Ok(Some(message)) => {
                            has_heard = true;
                            patience = Instant::now() + PAUSE + LATE;
                            // What is none says that nothing more comes.
                            if let Ok(message) = message {
                                self.take_in(message)?;
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
                // While there is no server, nothing is lost by asking it later.
                if server.lay_out().await.is_ok()
                    && server
                        .deposit(&self.run.name, &self.run.files)
                        .await
                        .is_ok()
                    && let Ok(anew) = consumers(server, self.run).await
                {
                    results = anew;
                    is_caught_up = false;
                }
            }
        }
    }

    /// Begins as many units as may be outstanding.
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

    /// Publishes a bundle, and says whether it stands.
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

    /// A unit has a result, or will have none; false if it was not outstanding.
    fn settle(&mut self, number: u32) -> bool {
        let was_outstanding = self.outstanding.settle(number);
        self.count_outstanding();
        was_outstanding
    }

    /// Takes in a result; that of a unit that has one already changes nothing.
    fn take_in(&mut self, message: Message) -> Result<(), Error> {
        let bundle = bundle_of(&message.subject);
        let units = bundle.map_or(0, |bundle| bundle.count());
        let (origin, outcome) = Outcome::of(&message, units);
        self.unsynced.push(message);
        let Some(bundle) = bundle else {
            return Ok(());
        };
        let first = self.outstanding.left_of(bundle).len();
        self.run.figures.count(&origin, first, units - first);
        if first == 0 {
            return Ok(());
        }
        match outcome {
            Outcome::Done(parts) => {
                for (number, part) in bundle.numbers().zip(parts) {
                    if self.settle(number) {
                        self.outstanding.took(part.seconds);
                        self.units.take_in(number, &origin, part)?;
                    }
                }
                Ok(())
            }
            // One of them is the reason, or none.
            Outcome::SetApart if units > 1 => {
                self.outstanding.part(bundle);
                Ok(())
            }
            Outcome::SetApart => {
                (self.tell)(&format!(
                    "turnwise: {} {bundle} is set apart: three workers were lost in the middle of it",
                    self.units.word()
                ));
                for number in bundle.numbers() {
                    self.settle(number);
                    self.set_apart.push(number);
                }
                self.run.figures.set_apart.inc();
                Ok(())
            }
            Outcome::Failed(reason) => Err(Error::Failed {
                unit: format!("{} {bundle}", self.units.word()),
                worker: origin.worker,
                reason,
            }),
        }
    }

    /// Makes safe what was taken in, and lets the server forget it.
    async fn sync(&mut self) -> Result<(), Error> {
        if self.unsynced.is_empty() {
            return Ok(());
        }
        self.units.sync()?;
        for message in self.unsynced.drain(..) {
            // One whose acknowledgement is lost comes again, and is known then.
            let _ = message.ack().await;
        }
        Ok(())
    }
}

/// What a run needs on a server; its consumer of results is returned.
async fn set_up(server: &Server, run: &Run, is_resumed: bool) -> Result<PullConsumer, Error> {
    server.forget(BEGUN, &run.name).await?;
    if !is_resumed {
        // Of another log that was here before.
        server.forget(UNITS, &run.name).await?;
        server.forget(RESULTS, &run.name).await?;
    }
    // Before any worker can hear of the run.
    server.deposit(&run.name, &run.files).await?;
    consumers(server, run).await
}

/// The consumers of a run; that of results is returned.
async fn consumers(server: &Server, run: &Run) -> Result<PullConsumer, Error> {
    server.consumer(UNITS, &run.name, Some(&run.about)).await?;
    let results = server.consumer(RESULTS, &run.name, None).await?;
    tell_workers(server).await;
    Ok(results)
}

/// Takes away what nobody needs any more; results of units that are under way wait for whoever goes on
/// with a run that is not whole. What cannot be taken away now grows old.
async fn leave(server: &Server, run: &Run, is_whole: bool) {
    let _ = server.forget(UNITS, &run.name).await;
    if is_whole {
        for stream in [UNITS, RESULTS] {
            if let Ok(stream) = server.context.get_stream_no_info(stream).await {
                let _ = stream.delete_consumer(&run.name).await;
            }
        }
        for stream in [RESULTS, BEGUN] {
            let _ = server.forget(stream, &run.name).await;
        }
        server.remove_files(&run.name).await;
        tell_workers(server).await;
    }
    let _ = server.client.flush().await;
}

/// Has workers look which runs there are. Those who do not hear it look now and then.
async fn tell_workers(server: &Server) {
    let _ = server.client.publish(NEWS, Bytes::new()).await;
}
