//! Lists runs and workers, drains workers, and purges all runs.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use futures_util::{StreamExt, TryStreamExt};

use crate::server::{DRAIN, Error, KICK, NEWS, RunAbout, STREAMS, Server, UNITS, WHO, refused};
use crate::store::BUCKETS;
use crate::worker::About;

/// How long to wait for answers of workers. Workers that do not answer in this time count as gone.
const ANSWERED: Duration = Duration::from_secs(1);

/// The pause between two roll calls of the workers, and the additional pause for each worker.
const CALLED: Duration = Duration::from_secs(1);
const CALLED_EACH: Duration = Duration::from_millis(20);

/// The status of a run on a server.
#[derive(Debug, Clone)]
pub struct RunStatus {
    /// The description of the run, if it has one.
    pub about: Option<RunAbout>,
    /// The run's name on the server.
    pub name: String,
    /// The number of bundles that are waiting for a worker.
    pub waiting: u64,
    /// The number of bundles that are leased.
    pub leased: usize,
    /// The number of bundles that have been leased more than once.
    pub leased_again: usize,
}

/// Returns the status of each run on a server.
///
/// # Errors
///
/// Returns an error if the server does not list its runs.
pub async fn runs(from: &Server) -> Result<Vec<RunStatus>, Error> {
    let runs = from
        .consumers(UNITS)
        .await?
        .into_iter()
        .map(|consumer| RunStatus {
            about: (consumer.config.description.as_deref())
                .and_then(|about| serde_json::from_str(about).ok()),
            name: consumer.name,
            waiting: consumer.num_pending,
            leased: consumer.num_ack_pending,
            leased_again: consumer.num_redelivered,
        });
    Ok(runs.collect())
}

/// Asks all connected workers for their descriptions, and returns the answers, sorted by worker name.
///
/// # Errors
///
/// Returns an error if the server cannot be reached.
pub async fn workers(from: &Server) -> Result<Vec<About>, Error> {
    let inbox = from.client.new_inbox();
    let mut answers = from
        .client
        .subscribe(inbox.clone())
        .await
        .map_err(refused)?;
    let asked = from.client.publish_with_reply(WHO, inbox, "".into());
    asked.await.map_err(refused)?;
    let mut workers = Vec::new();
    let until = tokio::time::Instant::now() + ANSWERED;
    while let Ok(Some(answer)) = tokio::time::timeout_at(until, answers.next()).await {
        workers.extend(serde_json::from_slice::<About>(&answer.payload));
    }
    workers.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(workers)
}

/// Asks all connected workers for their descriptions repeatedly. The interval grows with the number of workers.
pub(crate) fn roll_calls(from: &Server) -> impl Stream<Item = Vec<About>> + '_ {
    stream::unfold(CALLED, async |pause| {
        tokio::time::sleep(pause).await;
        let workers = workers(from).await.unwrap_or_default();
        let pause = CALLED + CALLED_EACH * workers.len() as u32;
        Some((workers, pause))
    })
}

/// Stops the worker with this name: it returns its pairs, so that other workers play them, and exits.
///
/// # Errors
///
/// Returns an error if no connected worker has this name, or if the server cannot be reached.
pub async fn kick(from: &Server, name: &str) -> Result<(), Error> {
    let is_meant = |about: &About| about.name == name;
    if !workers(from).await?.iter().any(is_meant) {
        return Err(Error::Worker(name.to_owned()));
    }
    tell(from, KICK, name.to_owned().into()).await
}

/// Drains all connected workers: each finishes its current pairs, and then exits.
///
/// # Errors
///
/// Returns an error if the server cannot be reached.
pub async fn drain(from: &Server) -> Result<(), Error> {
    tell(from, DRAIN, Bytes::new()).await
}

/// Deletes all runs and results from a server.
///
/// Coordinators that are running then begin again with the units that are not in their logs.
///
/// # Errors
///
/// Returns an error if the server rejects the request.
pub async fn purge(from: &Server) -> Result<(), Error> {
    for stream in STREAMS {
        from.context.delete_stream(stream).await.map_err(refused)?;
    }
    let streams: Vec<String> = from
        .context
        .stream_names()
        .try_collect()
        .await
        .map_err(refused)?;
    let buckets = streams.iter().filter_map(|name| name.strip_prefix("OBJ_"));
    for bucket in buckets.filter(|bucket| bucket.starts_with(BUCKETS)) {
        let deleted = from.context.delete_object_store(bucket).await;
        deleted.map_err(refused)?;
    }
    tell(from, NEWS, Bytes::new()).await
}

/// Sends a message to all workers.
async fn tell(by: &Server, subject: &'static str, message: Bytes) -> Result<(), Error> {
    let told = by.client.publish(subject, message).await;
    told.map_err(refused)?;
    by.client.flush().await.map_err(refused)
}
