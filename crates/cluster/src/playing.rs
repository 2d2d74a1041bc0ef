//! How a worker plays a unit of work. Independent of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use turnwise_arena::lineup::StartDaemon;
use turnwise_arena::referee::Event;
use turnwise_engine::plugin::Plugin;

use crate::attachments::Programs;
use crate::ready::Ready;

/// Plays units, on any number of threads.
pub trait Player: Send + Sync {
    /// Returns the result of a unit, or `None` if it `is_cancelled` before its end.
    ///
    /// The unit consists of the task's hash and a line of JSON. `follow` receives every move.
    ///
    /// # Errors
    ///
    /// Returns the reason in words if the unit cannot be played.
    fn play(
        &self,
        run: &str,
        unit: (&str, &str),
        follow: &(dyn Fn(Event) + Sync),
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<u8>>, String>;

    /// Drops all other runs: no further units will come for them.
    fn keep(&self, runs: &[&str]);
}

/// Does the batch with this number.
pub type PlayBatch = dyn Fn(u32) -> Vec<u8> + Send + Sync;

/// Prepares an order with an accompanying file, or returns the reason why it cannot.
pub type PrepareBatches =
    fn(order: &serde_json::Value, file: Option<&[u8]>) -> Result<Box<PlayBatch>, String>;

/// Fetches a run's file with this hash. It may give up once the unit is cancelled.
pub type Fetch =
    Box<dyn Fn(&str, &str, &(dyn Fn() -> bool + Sync)) -> Result<Vec<u8>, String> + Send + Sync>;

/// Plays the pairs of matches and tournaments, and batches of self-play.
pub struct Games {
    /// The known games.
    pub games: &'static [&'static dyn Plugin],
    /// Starts the daemons of a match's line-up.
    pub start_daemon: StartDaemon,
    /// Prepares orders of batches.
    pub prepare_batches: PrepareBatches,
    /// The outside programs that this worker runs, whatever a run's description says.
    pub programs: Programs,
    /// Fetches files.
    pub fetch: Fetch,
    /// Receives messages for the user.
    pub tell: fn(&str),
    /// The requested runs that are ready.
    pub ready: Shelves,
}

/// Ready runs by name; empty at first.
#[derive(Default)]
pub struct Shelves(Mutex<BTreeMap<String, Shelf>>);

/// The place of a ready run. The first thread that needs the run prepares it while the others wait.
type Shelf = Arc<Mutex<Option<Arc<Ready>>>>;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Games {
    /// Returns the ready run with this task hash. The next unit retries a failed preparation.
    fn ready(
        &self,
        run: &str,
        hash: &str,
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Arc<Ready>, String> {
        let fetch = |hash: &str| (self.fetch)(run, hash, is_cancelled);
        let shelf = locked(&self.ready.0)
            .entry(run.to_owned())
            .or_default()
            .clone();
        let mut shelf = locked(&shelf);
        Ok(match &*shelf {
            Some(ready) => ready.clone(),
            None => shelf
                .insert(Arc::new(Ready::of(hash, &fetch, self)?))
                .clone(),
        })
    }
}

impl Player for Games {
    fn play(
        &self,
        run: &str,
        (task, line): (&str, &str),
        follow: &(dyn Fn(Event) + Sync),
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<u8>>, String> {
        match self.ready(run, task, is_cancelled) {
            Ok(ready) => ready.play(line.as_bytes(), follow, is_cancelled),
            // The files of a run disappear with the run.
            Err(_) if is_cancelled() => Ok(None),
            Err(why) => Err(why),
        }
    }

    fn keep(&self, runs: &[&str]) {
        locked(&self.ready.0).retain(|run, _| runs.contains(&&**run));
    }
}
