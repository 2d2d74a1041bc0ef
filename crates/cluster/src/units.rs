//! The work that a coordinator distributes: numbered units, whose results are bytes.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use turnwise_arena::log::LogError;
use turnwise_arena::pairs::{Played, Work};
use turnwise_arena::records::Settings;
use turnwise_arena::schedule::{Next, Pair};
use turnwise_arena::workers::{self, WorkerRecord, Workers};

use crate::outcome::{Origin, Part};
use crate::server::Error;

/// Provides units of work, and receives their results.
pub trait Units {
    /// Returns the word for a unit in messages, for example `pair`.
    fn word(&self) -> &'static str;

    /// Begins the next unit, and returns its number and the line of JSON that describes it.
    ///
    /// Returns `None` if no unit is left, or if the next unit depends on results that have not come yet.
    ///
    /// # Errors
    ///
    /// Returns an error if the log cannot be written.
    fn next(&mut self) -> Result<Option<(u32, String)>, Error>;

    /// Processes the result of an outstanding unit, and records its origin.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Malformed`] if the bytes are not a result of the unit, which then still needs a result. Returns
    /// another error if the log cannot be written.
    fn take_in(&mut self, number: u32, origin: &Origin, part: Part) -> Result<(), Error>;

    /// Waits until all processed results are safe, so that the server may delete them. Results that are only kept in
    /// memory need no wait.
    ///
    /// # Errors
    ///
    /// Returns an error if the log cannot be written.
    fn sync(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Returns true if the outcome is decided, even if units are still outstanding.
    fn is_decided(&self) -> bool {
        false
    }
}

/// The pairs of a match or of a tournament; their results go into its log.
pub struct Pairs<'s, 'w> {
    settings: &'s Settings,
    work: Work<'w>,
    workers: Workers,
    /// The outstanding pairs, which have no result yet, keyed by pair number.
    begun: BTreeMap<u32, Pair>,
}

impl<'s, 'w> Pairs<'s, 'w> {
    /// Creates the units of a match with these settings. A file beside the log records which worker plays each pair.
    ///
    /// # Errors
    ///
    /// Returns an error if this file cannot be opened.
    pub fn new(settings: &'s Settings, work: Work<'w>) -> Result<Self, Error> {
        Ok(Self {
            settings,
            workers: Workers::open(work.log_path()).map_err(beside(work.log_path()))?,
            work,
            begun: BTreeMap::new(),
        })
    }
}

/// Returns a function that converts a failure to write the file of workers beside `log` into an error.
fn beside(log: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = workers::beside(log);
    |cause| Error::Log(LogError::System { path, cause })
}

impl Units for Pairs<'_, '_> {
    fn word(&self) -> &'static str {
        "pair"
    }

    fn next(&mut self) -> Result<Option<(u32, String)>, Error> {
        let Next::Pair(pair) = self.work.next_pair()? else {
            return Ok(None);
        };
        let (number, line) = (pair.number, serde_json::to_string(&pair));
        self.begun.insert(number, pair);
        Ok(Some((number, line.expect("plain fields become JSON"))))
    }

    fn take_in(&mut self, number: u32, origin: &Origin, part: Part) -> Result<(), Error> {
        let Some(pair) = self.begun.get(&number) else {
            return Ok(());
        };
        let played = Played::of_lines(self.settings, pair, part.content.into());
        let played = played.map_err(Error::Malformed)?;
        self.begun.remove(&number);
        let noted = self.workers.write(&WorkerRecord {
            pair: number,
            worker: origin.worker.clone(),
            speed: origin.speed,
            seconds: part.seconds,
        });
        noted.map_err(beside(self.work.log_path()))?;
        Ok(self.work.take_in(&played)?)
    }

    fn sync(&mut self) -> Result<(), Error> {
        Ok(self.work.sync()?)
    }

    fn is_decided(&self) -> bool {
        self.work.is_decided()
    }
}

/// Parses the result of the batch with this number. The error describes why the data is invalid.
pub type Read<'a, T> = dyn Fn(u32, &[u8]) -> Result<T, String> + 'a;

/// Batches of work, numbered from 1.
///
/// Their results are kept in memory until all have arrived. If this process exits earlier, they are lost.
pub struct Batches<'a, T> {
    count: u32,
    begun: u32,
    results: BTreeMap<u32, T>,
    read: &'a Read<'a, T>,
}

impl<'a, T> Batches<'a, T> {
    /// Creates `count` batches whose results `read` parses.
    pub fn new(count: u32, read: &'a Read<'a, T>) -> Self {
        Self {
            count,
            begun: 0,
            results: BTreeMap::new(),
            read,
        }
    }

    /// Returns the results that have arrived so far, keyed by batch number.
    pub fn come(self) -> BTreeMap<u32, T> {
        self.results
    }

    /// Returns the results of all batches in order, or `None` if a result is missing.
    pub fn results(self) -> Option<impl Iterator<Item = T>> {
        let is_whole = self.results.len() == self.count as usize;
        is_whole.then(|| self.results.into_values())
    }
}

impl<T> Units for Batches<'_, T> {
    fn word(&self) -> &'static str {
        "batch"
    }

    fn next(&mut self) -> Result<Option<(u32, String)>, Error> {
        if self.begun == self.count {
            return Ok(None);
        }
        self.begun += 1;
        Ok(Some((self.begun, self.begun.to_string())))
    }

    fn take_in(&mut self, number: u32, _origin: &Origin, part: Part) -> Result<(), Error> {
        let result = (self.read)(number, &part.content).map_err(Error::Malformed)?;
        self.results.insert(number, result);
        Ok(())
    }
}
