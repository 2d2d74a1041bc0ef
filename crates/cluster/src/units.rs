//! What a coordinator hands out, whatever it is: numbered units of work whose results come back as bytes.

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

/// Units of work, and the one place where their results come together.
pub trait Units {
    /// What one of them is called, such as `pair`.
    fn word(&self) -> &'static str;

    /// The next one that can be begun now, by its number and as a line of JSON; it has been begun when this
    /// returns it. None if results must come first, or if there are no more.
    ///
    /// # Errors
    ///
    /// If the log cannot be written.
    fn next(&mut self) -> Result<Option<(u32, String)>, Error>;

    /// Takes in what a unit came to that was begun, as it came from there. Each comes once.
    ///
    /// # Errors
    ///
    /// If it is no result of this unit, or the log cannot be written.
    fn take_in(&mut self, number: u32, origin: &Origin, part: Part) -> Result<(), Error>;

    /// Returns when all that was taken in is as safe as it has to be before workers forget it.
    ///
    /// # Errors
    ///
    /// If the log cannot be written.
    fn sync(&mut self) -> Result<(), Error>;

    /// True if all is over although units that were begun are not.
    fn is_decided(&self) -> bool {
        false
    }
}

/// The pairs of a match or of a tournament; their results go into its log.
pub struct Pairs<'s, 'w> {
    settings: &'s Settings,
    work: Work<'w>,
    workers: Workers,
    /// Those that were begun, and whose results are still to come.
    begun: BTreeMap<u32, Pair>,
}

impl<'s, 'w> Pairs<'s, 'w> {
    /// What is to be played of the match of these settings. Who plays what is noted beside the log.
    ///
    /// # Errors
    ///
    /// If there is no file for that.
    pub fn new(settings: &'s Settings, work: Work<'w>) -> Result<Self, Error> {
        Ok(Self {
            settings,
            workers: Workers::open(work.log_path()).map_err(beside(work.log_path()))?,
            work,
            begun: BTreeMap::new(),
        })
    }
}

/// What is wrong with the file beside a log.
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
        let Some(pair) = self.begun.remove(&number) else {
            return Ok(());
        };
        let played = Played::of_lines(self.settings, &pair, part.content.into());
        let played = played.map_err(|got| Error::Malformed {
            unit: format!("pair {number}"),
            worker: origin.worker.clone(),
            got,
        })?;
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

/// Reads the result of the batch of this number; an error says what came instead of one.
pub type Read<'a, T> = dyn Fn(u32, &[u8]) -> Result<T, String> + 'a;

/// Batches numbered from 1. Their results are kept here until all have come, and are lost with this process.
pub struct Batches<'a, T> {
    count: u32,
    begun: u32,
    results: BTreeMap<u32, T>,
    read: &'a Read<'a, T>,
}

impl<'a, T> Batches<'a, T> {
    /// So many, whose results are read in this way.
    pub fn new(count: u32, read: &'a Read<'a, T>) -> Self {
        Self {
            count,
            begun: 0,
            results: BTreeMap::new(),
            read,
        }
    }

    /// The results that have come, by their batches.
    pub fn come(self) -> BTreeMap<u32, T> {
        self.results
    }

    /// The results of all batches in their order; none if some have not come.
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

    fn take_in(&mut self, number: u32, origin: &Origin, part: Part) -> Result<(), Error> {
        let result = (self.read)(number, &part.content).map_err(|got| Error::Malformed {
            unit: format!("batch {number}"),
            worker: origin.worker.clone(),
            got,
        })?;
        self.results.insert(number, result);
        Ok(())
    }

    fn sync(&mut self) -> Result<(), Error> {
        Ok(())
    }
}
