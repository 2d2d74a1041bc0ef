//! How a worker plays a unit of work. Names no server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use turnwise_arena::lineup::StartDaemon;
use turnwise_arena::referee::Event;
use turnwise_engine::plugin::Plugin;

use crate::attachments::Programs;
use crate::ready::Ready;

/// Plays units, on any number of threads.
pub trait Player: Send + Sync {
    /// What a unit of a run comes to, which is given by the hash of its task and its line of JSON; none if it
    /// `is_cancelled` before its end. `follow` hears of every move.
    ///
    /// # Errors
    ///
    /// Why it cannot be played, in words.
    fn play(
        &self,
        run: &str,
        unit: (&str, &str),
        follow: &(dyn Fn(Event) + Sync),
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<u8>>, String>;

    /// No units come of other runs than these.
    fn keep(&self, runs: &[&str]);
}

/// Does a batch of this number.
pub type PlayBatch = dyn Fn(u32) -> Vec<u8> + Send + Sync;

/// Makes ready what an order says, with the content of the file that has come with it; or says why not.
pub type PrepareBatches =
    fn(order: &serde_json::Value, file: Option<&[u8]>) -> Result<Box<PlayBatch>, String>;

/// Gets what has come with a run by its hash, or says why it cannot; it may give up once the unit is cancelled.
pub type Fetch =
    Box<dyn Fn(&str, &str, &(dyn Fn() -> bool + Sync)) -> Result<Vec<u8>, String> + Send + Sync>;

/// Plays the pairs of matches and tournaments, and batches of self-play.
pub struct Games {
    /// The games that it knows.
    pub games: &'static [&'static dyn Plugin],
    /// As the line-up of a match needs it.
    pub start_daemon: StartDaemon,
    /// What it knows of batches.
    pub prepare_batches: PrepareBatches,
    /// Which programs of others it runs, whatever they are said to be.
    pub programs: Programs,
    /// How it gets files.
    pub fetch: Fetch,
    /// Hears what is to be told the user.
    pub tell: fn(&str),
    /// The runs that were asked for, and are ready.
    pub ready: Shelves,
}

/// Runs that are ready, by their names; empty to begin with.
#[derive(Default)]
pub struct Shelves(Mutex<BTreeMap<String, Shelf>>);

/// Where a run that is ready is kept; the first thread that needs it makes it so, and the others wait.
type Shelf = Arc<Mutex<Option<Arc<Ready>>>>;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Games {
    /// The run whose task has this hash, ready. What could not be made ready is tried anew with the next unit.
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
            // What a run needs goes with the run.
            Err(_) if is_cancelled() => Ok(None),
            Err(why) => Err(why),
        }
    }

    fn keep(&self, runs: &[&str]) {
        locked(&self.ready.0).retain(|run, _| runs.contains(&&**run));
    }
}
