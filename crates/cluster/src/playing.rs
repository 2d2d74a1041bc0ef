//! Plays a worker's units of work, independently of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use turnwise_arena::lineup::StartDaemon;
use turnwise_arena::referee::Event;
use turnwise_engine::plugin::Plugin;
use turnwise_engine::search::Stop;

use crate::attachments::Programs;
use crate::outcome::Failure;
use crate::ready::Ready;

/// Plays units of work, on any number of threads at a time.
pub trait Player: Send + Sync {
    /// Plays a unit of the run `run` and returns its result, or `None` if `stop` is set before the end.
    ///
    /// `unit` consists of the hash of the run's task and a line of JSON. `follow` receives every move.
    ///
    /// # Errors
    ///
    /// Returns the reason if this machine cannot play the unit.
    fn play(
        &self,
        run: &str,
        unit: (&str, &str),
        follow: &(dyn Fn(Event) + Sync),
        stop: &Stop,
    ) -> Result<Option<Vec<u8>>, Failure>;

    /// Prepares the run `run`, whose task has the hash `task`, and checks that this machine can play its units.
    ///
    /// The programs of the participants in `blamed` count as at fault if they cannot be started.
    ///
    /// # Errors
    ///
    /// Returns the reason if this machine cannot play the run.
    fn check(
        &self,
        _run: &str,
        _task: &str,
        _blamed: &[usize],
        _stop: &Stop,
    ) -> Result<(), Failure> {
        Ok(())
    }

    /// Drops the prepared data for all runs except `runs`, because no further units will come for the other runs.
    fn keep(&self, _runs: &[&str]) {}
}

/// Plays the batch with this number, and returns its result.
pub type PlayBatch = dyn Fn(u32) -> Vec<u8> + Send + Sync;

/// Prepares the batches that `order`, a JSON value, describes. `file` is the content of the file that the order needs.
///
/// Returns the function that plays a batch, or the reason why the batches cannot be prepared.
pub type PrepareBatches =
    fn(order: &serde_json::Value, file: Option<&[u8]>) -> Result<Box<PlayBatch>, String>;

/// Fetches a file of a run from the server, given the run's name and the file's hash.
///
/// The last argument is set once the file is no longer needed; the function may then give up.
pub type Fetch = Box<dyn Fn(&str, &str, &Stop) -> Result<Vec<u8>, String> + Send + Sync>;

/// A player that plays the pairs of matches and tournaments, and batches of self-play.
pub struct Games {
    /// All games that this worker can play.
    pub games: &'static [Plugin],
    /// Starts a daemon that takes part in a match.
    pub start_daemon: StartDaemon,
    /// Prepares the batches of a run for which a coordinator has sent an order.
    pub prepare_batches: PrepareBatches,
    /// The maximum number of units that the worker plays at a time.
    pub jobs: usize,
    /// Which outside programs this worker permits. This is checked even if a run's description claims otherwise.
    pub programs: Programs,
    /// Fetches the files of runs from the server.
    pub fetch: Fetch,
    /// Receives messages that are shown to the user.
    pub tell: fn(&str),
    /// The runs that are prepared, so that their units can be played at once.
    pub ready: Shelves,
}

/// All prepared runs, keyed by name; empty at first.
#[derive(Default)]
pub struct Shelves(Mutex<BTreeMap<String, Shelf>>);

/// A place for one prepared run. The first thread that needs the run prepares it while other threads wait.
type Shelf = Arc<Mutex<Option<Arc<Ready>>>>;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Games {
    /// Returns the prepared run whose task has this hash, and prepares it if necessary.
    ///
    /// If the preparation fails, the next unit tries it again.
    fn ready(&self, run: &str, hash: &str, stop: &Stop) -> Result<Arc<Ready>, String> {
        let fetch = |hash: &str| (self.fetch)(run, hash, stop);
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
        stop: &Stop,
    ) -> Result<Option<Vec<u8>>, Failure> {
        let played = self.ready(run, task, stop).map_err(Failure::from);
        match played.and_then(|ready| ready.play(line.as_bytes(), follow, stop)) {
            // What a stopped search returns is no result, and the files of a cancelled run disappear from the server.
            _ if stop.stopped() => Ok(None),
            played => played.map(Some),
        }
    }

    fn check(&self, run: &str, task: &str, blamed: &[usize], stop: &Stop) -> Result<(), Failure> {
        self.ready(run, task, stop)?.check(blamed)
    }

    fn keep(&self, runs: &[&str]) {
        locked(&self.ready.0).retain(|run, _| runs.contains(&&**run));
    }
}
