//! The connection to a NATS server, the streams, and what is in them.
//!
//! Units are at `turnwise.unit.RUN.BUNDLE` and results at `turnwise.result.RUN.BUNDLE`, where a run is a match
//! with its log, and a bundle one unit or several. At most one message stands at each, so nothing is queued twice however often it is published,
//! and no window of time matters. Each run has a consumer of either stream; the description of the one of
//! units says what is played, and by which build.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::consumer::pull::Batch;
use async_nats::jetstream::consumer::{self, AckPolicy, PullConsumer};
use async_nats::jetstream::context::{CreateStreamErrorKind, GetStreamErrorKind, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{self, RetentionPolicy};
use async_nats::jetstream::{self, Context, ErrorCode, Message};
use async_nats::{Client, ConnectOptions, Event, HeaderMap};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use turnwise_arena::log::LogError;

use crate::access::Access;
use crate::attachments::Programs;
use crate::build::Build;
use crate::bundle::Bundle;

/// The stream of what is to be played.
pub const UNITS: &str = "turnwise-units";

/// The stream of what has been played.
pub const RESULTS: &str = "turnwise-results";

/// The stream of bundles that were begun again after a lease was lost. What is there is counted, never read.
pub(crate) const BEGUN: &str = "turnwise-begun";

/// All streams, of which [`Server::connect`] makes those that are missing.
pub(crate) const STREAMS: [&str; 3] = [UNITS, RESULTS, BEGUN];

/// Here workers hear that there is a new run, or one less.
pub(crate) const NEWS: &str = "turnwise.news";

/// Here workers say who they are.
pub(crate) const WHO: &str = "turnwise.who";

/// Here workers are sent home.
pub(crate) const DRAIN: &str = "turnwise.drain";

/// A worker that says nothing for so long has lost its bundle to another one.
pub(crate) const LEASE: Duration = Duration::from_secs(5);

/// What is left of a run that nobody goes on with is forgotten after so long.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Units of a run that wait or are played at the same time.
pub(crate) const MOST_OUTSTANDING: usize = 5000;

/// So many workers may ask for units of a run at the same time.
const MOST_ASKING: i64 = 20_000;

/// So often a server is asked for a stream; it may take five seconds each time not to answer.
const MOST_TRIES: u32 = 3;

/// How long to wait before something is tried again that the server has not done.
pub(crate) const PAUSE: Duration = Duration::from_millis(500);

/// Why a match is not played by a cluster, or a worker does not work.
#[derive(Debug, Error)]
pub enum Error {
    /// No address of a server, or not all that belongs to it.
    #[error("expected {0}")]
    Address(String),
    /// Another user or password is needed.
    #[error(
        "the NATS server at {url} does not let us in: user or password are missing or wrong; say \
         nats://USER:PASSWORD@HOST, or set NATS_USER and NATS_PASSWORD"
    )]
    NotLetIn {
        /// The server's address, without user and password.
        url: String,
    },
    /// Other certificates are needed.
    #[error(
        "no TLS with the NATS server at {url}: {cause}; NATS_CA names the file with the certificate of its \
         authority, NATS_CERT and NATS_KEY those of our own"
    )]
    Tls {
        /// The server's address, without user and password.
        url: String,
        /// What the connection says.
        cause: String,
    },
    /// The connection fails for another reason, mostly because no server listens there.
    #[error(
        "no NATS server at {url}: {cause}; nats-server --jetstream --store_dir FOLDER starts one"
    )]
    Unreachable {
        /// Where it was looked for.
        url: String,
        /// What the connection says.
        cause: String,
    },
    /// The server refuses, or has no JetStream.
    #[error("the NATS server: {0}; is JetStream switched on (nats-server --jetstream)?")]
    Server(String),
    /// The log cannot be written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// This match cannot be played elsewhere.
    #[error("{0}")]
    Unsupported(String),
    /// Files that are to travel cannot be kept on this machine.
    #[error("no place for the files that are to travel: {0}")]
    Room(io::Error),
    /// The system refuses to start a thread for playing.
    #[error("cannot start a thread to play on (see the limits of ulimit -u and -v): {0}")]
    Thread(io::Error),
    /// A worker could not do a unit.
    #[error("stopped; what is on disk is whole: {unit}, {worker}: {reason}")]
    Failed {
        /// The unit, in words.
        unit: String,
        /// The name that the worker gave with the result.
        worker: String,
        /// Why it could not do the unit, in the worker's words.
        reason: String,
    },
    /// A result that is none.
    #[error("stopped; what is on disk is whole: {unit}, {worker} has sent no result, but {got}")]
    Malformed {
        /// The unit, in words.
        unit: String,
        /// The name that the worker gave with the result.
        worker: String,
        /// What came, in words.
        got: String,
    },
    /// Units that no worker has survived.
    #[error(
        "{word} {} set apart, because three workers were lost in the middle of each; what is on disk is whole \
         without, and {again} tries again",
        list(numbers)
    )]
    SetApart {
        /// What they are called.
        word: &'static str,
        /// The numbers of the units that were set apart, from 1.
        numbers: Vec<u32>,
        /// What tries them again.
        again: &'static str,
    },
}

/// What a server says that does not do what it is asked for.
pub(crate) fn refused(error: impl ToString) -> Error {
    Error::Server(error.to_string())
}

fn list(numbers: &[u32]) -> String {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    words.join(", ")
}

/// What a consumer's description says of its run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunAbout {
    /// The coordinator's program; workers with another build refuse the run.
    pub build: Build,
    /// The match, in words.
    pub title: String,
    /// How many units it has, as far as that is known.
    pub units: u32,
    /// True if workers are to tell of the moves as they are made.
    #[serde(default)]
    pub is_watched: bool,
    /// What it asks of workers besides agents of the program.
    #[serde(default)]
    pub programs: Programs,
}

/// A NATS server with JetStream.
#[derive(Debug, Clone)]
pub struct Server {
    pub(crate) client: Client,
    pub(crate) context: Context,
    address: Arc<str>,
}

/// Whether a message has been stored.
pub(crate) enum Published {
    /// It stands in its stream, or one of its subject does already.
    Stands,
    /// The server takes no message of this size.
    TooLarge,
    /// There is no server at the moment, or it has lost its streams.
    Not,
}

impl Server {
    /// Connects, and sees to it that there are all streams. `tell` hears when the server is lost and
    /// found again later.
    ///
    /// # Errors
    ///
    /// If there is no server, or none with JetStream that may be used.
    pub async fn connect(
        access: &Access,
        name: &str,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let tell = Arc::new(tell);
        let was_lost = Arc::new(AtomicBool::new(false));
        let options = ConnectOptions::new()
            .name(name)
            .event_callback(move |event| {
                let (tell, was_lost) = (tell.clone(), was_lost.clone());
                async move {
                    match event {
                        Event::Disconnected if !was_lost.swap(true, Ordering::Relaxed) => {
                            tell("turnwise: the NATS server is lost; waiting for it");
                        }
                        Event::Connected if was_lost.swap(false, Ordering::Relaxed) => {
                            tell("turnwise: the NATS server is back");
                        }
                        _ => {}
                    }
                }
            });
        let (address, options) = access.with(options);
        let client = options.connect(address).await;
        let client = client.map_err(|error| access.refused(&error))?;
        let server = Self {
            context: jetstream::new(client.clone()),
            client,
            address: access.to_string().into(),
        };
        server.lay_out().await?;
        Ok(server)
    }

    /// Where it is, without a password.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Sees to it that there are all streams.
    pub(crate) async fn lay_out(&self) -> Result<(), Error> {
        for name in STREAMS {
            let stream = stream::Config {
                name: name.to_owned(),
                subjects: vec![subject(name, "*", "*")],
                retention: match name {
                    BEGUN => RetentionPolicy::Limits,
                    _ => RetentionPolicy::WorkQueue,
                },
                max_age: KEPT,
                ..stream::Config::default()
            };
            let mut tries = 1;
            while let Err(error) = self.context.get_or_create_stream(stream.clone()).await {
                // Somebody else may just make the same one, or the server is slow.
                if tries == MOST_TRIES
                    || error.kind() == CreateStreamErrorKind::JetStreamUnavailable
                {
                    return Err(refused(error));
                }
                tries += 1;
                tokio::time::sleep(PAUSE).await;
            }
        }
        Ok(())
    }

    /// The consumers of a stream, of which there are none if there is no such stream.
    pub(crate) async fn consumers(&self, stream: &str) -> Result<Vec<consumer::Info>, Error> {
        let stream = match self.context.get_stream(stream).await {
            Ok(stream) => stream,
            Err(error) => {
                return match error.kind() {
                    GetStreamErrorKind::JetStream(why)
                        if why.error_code() == ErrorCode::STREAM_NOT_FOUND =>
                    {
                        Ok(Vec::new())
                    }
                    _ => Err(refused(error)),
                };
            }
        };
        stream.consumers().try_collect().await.map_err(refused)
    }

    /// The consumer of a run's units.
    pub(crate) async fn units_of(&self, run: &str) -> Result<PullConsumer, Error> {
        let stream = self.context.get_stream_no_info(UNITS).await;
        let consumer = stream.map_err(refused)?.get_consumer(run).await;
        consumer.map_err(refused)
    }

    /// A run's consumer of a stream.
    pub(crate) async fn consumer(
        &self,
        stream: &str,
        run: &str,
        about: Option<&RunAbout>,
    ) -> Result<PullConsumer, Error> {
        let about = about.map(|about| serde_json::to_string(about).unwrap_or_default());
        let config = consumer::pull::Config {
            durable_name: Some(run.to_owned()),
            description: about,
            ack_policy: AckPolicy::Explicit,
            ack_wait: LEASE,
            max_ack_pending: MOST_OUTSTANDING as i64,
            max_waiting: MOST_ASKING,
            filter_subject: subject(stream, run, "*"),
            ..consumer::pull::Config::default()
        };
        let made = self.context.create_consumer_on_stream(config, stream);
        made.await.map_err(refused)
    }

    /// Publishes what is to stand once at its subject, until somebody takes it away.
    pub(crate) async fn publish(
        &self,
        subject: String,
        headers: HeaderMap,
        payload: Bytes,
    ) -> Published {
        let message = PublishMessage::build()
            .headers(headers)
            .payload(payload)
            .expected_last_subject_sequence(0);
        let published = match self.context.send_publish(subject, message).await {
            Ok(acknowledgement) => acknowledgement.await.map(drop),
            Err(error) => Err(error),
        };
        match published {
            Ok(()) => Published::Stands,
            Err(error) => match error.kind() {
                PublishErrorKind::WrongLastSequence => Published::Stands,
                PublishErrorKind::MaxPayloadExceeded => Published::TooLarge,
                _ => Published::Not,
            },
        }
    }

    /// The units of a run that wait or are leased.
    pub(crate) async fn standing(&self, run: &str) -> Result<BTreeSet<u32>, Error> {
        let stream = self.context.get_stream_no_info(UNITS).await;
        let listed = stream.map_err(refused)?;
        let listed = listed.info_with_subjects(subject(UNITS, run, "*")).await;
        let subjects: Vec<(String, usize)> = (listed.map_err(refused)?)
            .try_collect()
            .await
            .map_err(refused)?;
        let bundles = subjects
            .iter()
            .filter_map(|(subject, _)| bundle_of(subject));
        Ok(bundles.flat_map(|bundle| bundle.numbers()).collect())
    }

    /// Says that a bundle is begun that was leased before; how often that has been said before now. Nothing where
    /// the server does not answer: then the bundle is played once too often rather than not at all.
    pub(crate) async fn begin_again(&self, run: &str, bundle: Bundle) -> u64 {
        let subject = subject(BEGUN, run, bundle);
        let said = async {
            let sent = self.context.publish(subject.clone(), Bytes::new()).await;
            sent.ok()?.await.ok()?;
            let stream = self.context.get_stream_no_info(BEGUN).await.ok()?;
            let mut counts = stream.info_with_subjects(&subject).await.ok()?;
            let (_, count) = counts.try_next().await.ok()??;
            Some(count as u64 - 1)
        };
        said.await.unwrap_or(0)
    }

    /// Takes away what waits in a stream for a run.
    pub(crate) async fn forget(&self, stream: &str, run: &str) -> Result<(), Error> {
        let found = self.context.get_stream_no_info(stream).await;
        let purged = (found.map_err(refused)?)
            .purge()
            .filter(subject(stream, run, "*"));
        purged.await.map(drop).map_err(refused)
    }
}

/// Where a run's message about a bundle stands in a stream.
pub(crate) fn subject(stream: &str, run: &str, bundle: impl Display) -> String {
    let kind = match stream {
        UNITS => "unit",
        RESULTS => "result",
        _ => "begun",
    };
    format!("turnwise.{kind}.{run}.{bundle}")
}

/// How much later than asked for a message may come, which a busy server needs. Whoever waits no longer loses
/// what is on its way, and a lease with it.
pub(crate) const LATE: Duration = Duration::from_secs(3);

/// The next of messages that were asked for, for [`PAUSE`] at most; nothing if there is none. A server that was
/// restarted meanwhile does not say so.
pub(crate) async fn next(messages: &mut Batch) -> Option<Result<Message, async_nats::Error>> {
    let next = tokio::time::timeout(PAUSE + LATE, messages.next());
    next.await.ok().flatten()
}

/// The bundle that a subject ends with.
pub(crate) fn bundle_of(subject: &str) -> Option<Bundle> {
    subject.rsplit('.').next()?.parse().ok()
}
