//! The connection to a NATS server, and the streams and messages on it.
//!
//! Units have the subjects `turnwise.unit.RUN.BUNDLE`, and results have the subjects `turnwise.result.RUN.BUNDLE`. A
//! run is a match with its log, and a bundle is one unit or several. A stream holds at most one message for each
//! subject, so a message that is published twice is stored once, regardless of timing. Each run has a consumer of units
//! and a consumer of results. The description of the consumer of units contains the run's title and build.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
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

/// The name of the stream that contains the units to play.
pub const UNITS: &str = "turnwise-units";

/// The name of the stream that contains the results of units.
pub const RESULTS: &str = "turnwise-results";

/// The name of the stream of bundles that were restarted after a lost lease. Its messages are counted, never read.
pub(crate) const BEGUN: &str = "turnwise-begun";

/// The names of all streams. [`Server::connect`] creates missing streams.
pub(crate) const STREAMS: [&str; 3] = [UNITS, RESULTS, BEGUN];

/// The subject of messages that notify workers of new and ended runs.
pub(crate) const NEWS: &str = "turnwise.news";

/// The subject of requests to which workers answer with [`About`](crate::worker::About).
pub(crate) const WHO: &str = "turnwise.who";

/// The subject of messages that drain workers: each worker finishes its current pairs, and then exits.
pub(crate) const DRAIN: &str = "turnwise.drain";

/// The subject of messages with a worker's name: this worker returns its pairs and exits.
pub(crate) const KICK: &str = "turnwise.kick";

/// The subject of messages with which a coordinator [sets a worker aside](crate::worker::Verdict).
pub(crate) const ASIDE: &str = "turnwise.aside";

/// The duration of a lease. When it is over, another worker may lease the bundle.
pub(crate) const LEASE: Duration = Duration::from_secs(5);

/// How long the server keeps the data of an abandoned run.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// The maximum number of outstanding units of a run, which have been started and have no result yet.
pub(crate) const MOST_OUTSTANDING: usize = 5000;

/// The maximum number of requests for units of a run that may wait on the server.
const MOST_ASKING: i64 = 20_000;

/// The usual maximum number of bytes of one request for messages. A server that allows larger messages gets more.
const MOST_BYTES: usize = 4 << 20;

/// The maximum size of a message's subjects, which do not count as its payload.
const MOST_SUBJECTS: usize = 4 << 10;

/// The maximum number of attempts to create a stream. Each attempt may take five seconds.
const MOST_TRIES: u32 = 3;

/// How long to wait before a failed request is repeated.
pub(crate) const PAUSE: Duration = Duration::from_millis(500);

/// The reason why a coordinator or a worker has failed.
#[derive(Debug, Error)]
pub enum Error {
    /// The server's address is invalid or incomplete.
    #[error("expected {0}")]
    Address(String),
    /// The server requires another user or password.
    #[error(
        "the NATS server at {url} rejected the login: user or password is missing or wrong; use \
         nats://USER:PASSWORD@HOST, or set NATS_USER and NATS_PASSWORD"
    )]
    NotLetIn {
        /// The server's address, without user and password.
        url: String,
    },
    /// The TLS handshake failed, because the server or this program needs other certificates.
    #[error(
        "no TLS with the NATS server at {url}: {cause}; set NATS_CA to its authority's certificate file, \
         NATS_CERT and NATS_KEY to your own"
    )]
    Tls {
        /// The server's address, without user and password.
        url: String,
        /// The connection's error.
        cause: String,
    },
    /// The connection failed for another reason, usually because no server listens at the address.
    #[error(
        "no NATS server at {url}: {cause}; start one with nats-server --jetstream --store_dir FOLDER"
    )]
    Unreachable {
        /// The server's address, without user and password.
        url: String,
        /// The connection's error.
        cause: String,
    },
    /// The server rejects a request, or has no JetStream.
    #[error("the NATS server: {0}; is JetStream enabled (nats-server --jetstream)?")]
    Server(String),
    /// The log cannot be written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// This match cannot be played on other machines.
    #[error("{0}")]
    Unsupported(String),
    /// This machine cannot store the packed files for the workers.
    #[error("cannot store the files to send to workers: {0}")]
    Room(io::Error),
    /// No connected worker has this name.
    #[error("no connected worker has the name {0:?}; turnwise cluster status shows the names")]
    Worker(String),
    /// The system cannot start a thread to play on.
    #[error("cannot start a thread for a game (check ulimit -u and -v): {0}")]
    Thread(io::Error),
    /// A result is invalid. The coordinator drops it, and another worker plays the unit.
    #[error("expected a result, got {0}")]
    Malformed(String),
    /// Units were set apart, because several workers were lost or failed while they played them.
    #[error(
        "{word} {} set apart, because workers were lost or failed while running each; the files on disk are intact, \
         and {again} tries again",
        list(numbers)
    )]
    SetApart {
        /// The word for a unit, for example `pair`.
        word: &'static str,
        /// The numbers of the units that were set apart.
        numbers: Vec<u32>,
        /// The option or command with which the user can retry these units.
        again: &'static str,
    },
}

/// Converts the server's reason for rejecting a request into an error.
pub(crate) fn refused(error: impl ToString) -> Error {
    Error::Server(error.to_string())
}

fn list(numbers: &[u32]) -> String {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    words.join(", ")
}

/// The description of a run, which the server stores with the run's consumer of units.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunAbout {
    /// The coordinator's program; workers with another build reject the run.
    pub build: Build,
    /// The title of the run, for users to read.
    pub title: String,
    /// The number of units in the run, as far as the coordinator knows it.
    pub units: u32,
    /// Whether workers report each move.
    #[serde(default)]
    pub is_watched: bool,
    /// The outside programs that the run requires a worker to run.
    #[serde(default)]
    pub programs: Programs,
    /// The hash of the run's task.
    #[serde(default)]
    pub(crate) task: String,
    /// The number of seconds that the players' clocks allow for a unit.
    #[serde(default)]
    pub(crate) clocks_s: f64,
    /// The indexes of the participants that do not play, or are at fault if their programs cannot be started.
    #[serde(default)]
    pub(crate) blamed: Vec<usize>,
}

/// A connection to a NATS server with JetStream.
#[derive(Debug, Clone)]
pub struct Server {
    pub(crate) client: Client,
    pub(crate) context: Context,
    address: Arc<str>,
}

/// Whether the server has stored a published message.
pub(crate) enum Published {
    /// The stream contains this message, or an earlier message with its subject.
    Stands,
    /// The message is too large for the server.
    TooLarge,
    /// The server is unreachable, or it has lost its streams.
    Not,
}

impl Server {
    /// Connects to a server, and creates missing streams.
    ///
    /// `tell` receives a message for the user when the connection is lost, and when it is restored.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be reached, or if JetStream cannot be used.
    pub async fn connect(
        access: &Access,
        name: &str,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let tell = Arc::new(tell);
        let told = Arc::new(Mutex::new(String::new()));
        let options = ConnectOptions::new()
            .name(name)
            .event_callback(move |event| {
                let (tell, told) = (tell.clone(), told.clone());
                async move {
                    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
                    let now = match event {
                        Event::Disconnected if told.is_empty() => {
                            "lost the NATS server; waiting for it".to_owned()
                        }
                        // The client reports each failed attempt to reconnect.
                        Event::ClientError(error) if !told.is_empty() => {
                            format!("waiting for the NATS server: {error}")
                        }
                        Event::Connected if !told.is_empty() => {
                            told.clear();
                            tell("turnwise: the NATS server is back");
                            return;
                        }
                        _ => return,
                    };
                    if *told != now {
                        tell(&format!("turnwise: {now}"));
                        *told = now;
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

    /// Returns the server's address, without user and password.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Creates the streams of turnwise that the server does not have yet.
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
                // The stream may be created at a later attempt: another client may be creating it at the same time, or
                // the server may be slow.
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

    /// Returns the consumers of a stream. If the stream does not exist, the list is empty.
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

    /// Returns the consumer of a run's units.
    pub(crate) async fn units_of(&self, run: &str) -> Result<PullConsumer, Error> {
        let stream = self.context.get_stream_no_info(UNITS).await;
        let consumer = stream.map_err(refused)?.get_consumer(run).await;
        consumer.map_err(refused)
    }

    /// Creates the consumer with which a run's messages are read from a stream.
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

    /// Publishes a message, unless the stream already contains a message with this subject.
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

    /// Returns the numbers of the units that the server stores for a run, which are waiting or leased.
    pub(crate) async fn standing(&self, run: &str) -> Result<BTreeSet<u32>, Error> {
        let subjects = self.subjects(UNITS, run).await?;
        let bundles = subjects.iter().filter_map(|subject| bundle_of(subject));
        Ok(bundles.flat_map(|bundle| bundle.numbers()).collect())
    }

    /// Returns the subjects of a run's messages in a stream; `*` stands for all runs.
    async fn subjects(&self, stream: &str, run: &str) -> Result<Vec<String>, Error> {
        let found = self.context.get_stream_no_info(stream).await;
        let found = found.map_err(refused)?;
        let listed = found.info_with_subjects(subject(stream, run, "*")).await;
        let named = (listed.map_err(refused)?).map_ok(|(subject, _count)| subject);
        named.try_collect().await.map_err(refused)
    }

    /// Deletes the results of runs that have ended, which workers sent too late.
    pub(crate) async fn sweep(&self) -> Result<(), Error> {
        let runs = self.consumers(RESULTS).await?;
        let subjects = self.subjects(RESULTS, "*").await?;
        let names = subjects
            .iter()
            .filter_map(|subject| subject.split('.').nth(2));
        let is_over = |name: &&str| runs.iter().all(|run| run.name != **name);
        let over: BTreeSet<&str> = names.filter(is_over).collect();
        for name in over {
            self.forget(RESULTS, name).await?;
        }
        Ok(())
    }

    /// Records that a bundle is started again after a lost lease. Returns how often the bundle had been restarted
    /// before.
    ///
    /// Returns 0 if the server does not answer, because playing a bundle once too often is better than not playing it.
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

    /// Waits until all messages have been sent, but not for a server that is gone.
    pub(crate) async fn flush(&self) {
        let _ = tokio::time::timeout(LATE, self.client.flush()).await;
    }

    /// Deletes a run's messages from a stream.
    pub(crate) async fn forget(&self, stream: &str, run: &str) -> Result<(), Error> {
        let found = self.context.get_stream_no_info(stream).await;
        let purged = (found.map_err(refused)?)
            .purge()
            .filter(subject(stream, run, "*"));
        purged.await.map(drop).map_err(refused)
    }

    /// Deletes a bundle of units, so that it can be offered again.
    ///
    /// A purge would make the consumer of NATS 2.9 skip other bundles.
    pub(crate) async fn withdraw(&self, run: &str, bundle: Bundle) {
        let subject = subject(UNITS, run, bundle);
        if let Ok(stream) = self.context.get_stream_no_info(UNITS).await
            && let Ok(message) = stream.get_last_raw_message_by_subject(&subject).await
        {
            // This fails if the worker's acknowledgement has just deleted the message.
            let _ = stream.delete_message(message.sequence).await;
        }
    }

    /// Returns the maximum number of bytes of one request for messages. A larger backlog would fill the connection.
    pub(crate) fn most_bytes(&self) -> usize {
        MOST_BYTES.max(self.client.server_info().max_payload + MOST_SUBJECTS)
    }
}

/// Returns the subject for a run's message about a bundle in this stream.
pub(crate) fn subject(stream: &str, run: &str, bundle: impl Display) -> String {
    let kind = match stream {
        UNITS => "unit",
        RESULTS => "result",
        _ => "begun",
    };
    format!("turnwise.{kind}.{run}.{bundle}")
}

/// How long to wait for messages beyond the requested time, because a busy server sends them late.
///
/// After a shorter wait, messages in transit would be lost together with their leases.
pub(crate) const LATE: Duration = Duration::from_secs(3);

/// Returns the next requested message, or `None` if none arrives within [`PAUSE`] and [`LATE`].
///
/// The time limit is needed, because a server that is restarted does not report the end of the request.
pub(crate) async fn next(messages: &mut Batch) -> Option<Result<Message, async_nats::Error>> {
    let next = tokio::time::timeout(PAUSE + LATE, messages.next());
    next.await.ok().flatten()
}

/// Returns the bundle that the last part of a subject names.
pub(crate) fn bundle_of(subject: &str) -> Option<Bundle> {
    subject.rsplit('.').next()?.parse().ok()
}
