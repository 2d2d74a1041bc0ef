//! Which worker played which pair of a match over many machines: lines of JSON in a file beside the log, so
//! that the log is that of a match on one machine.
//!
//! A line is written before its pair goes into the log. A pair whose line is missing, because the power failed,
//! is one of which the worker is not known.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use turnwise_engine::files::open_regular;

/// What is added to a log's name.
const SUFFIX: &str = ".workers";

/// Lines are no longer than this, in bytes.
const LONGEST_LINE: u64 = 4096;

/// Who played a pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerRecord {
    /// The pair's number in the log, from 1.
    pub pair: u32,
    /// The name that the worker gave with the result, at most 200 characters.
    pub worker: String,
    /// What the worker's speed came to when it began, in nodes a second of one job; 0 if it did not say.
    pub speed: f64,
    /// How long the pair took, in seconds; 0 if the worker did not say.
    pub seconds: f64,
}

/// The file beside a log.
pub fn beside(log: &Path) -> PathBuf {
    let mut path = OsString::from(log);
    path.push(SUFFIX);
    path.into()
}

/// The file beside a log, open for more.
#[derive(Debug)]
pub struct Workers(File);

impl Workers {
    /// Goes on with what is there, or begins.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn open(log: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let mut file = open_regular(options.append(true).create(true), &beside(log))?;
        if file.metadata()?.len() > 0 {
            // What was torn off there becomes a line of its own.
            file.write_all(b"\n")?;
        }
        Ok(Self(file))
    }

    /// Notes who played a pair.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn write(&mut self, record: &WorkerRecord) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        self.0.write_all(&line)
    }
}

/// Opens the file beside a log for [`read`]. Returns `None` if the file does not exist.
///
/// # Errors
///
/// Returns an error if the file cannot be opened, or is not a regular file.
pub fn open_beside(log: &Path) -> io::Result<Option<File>> {
    match open_regular(OpenOptions::new().read(true), &beside(log)) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads such a file: who played which pair, by its number. Of a pair that was played twice it is whoever came
/// first, as in the log. What is no record is passed over.
///
/// # Errors
///
/// If it cannot be read.
pub fn read(mut file: impl BufRead) -> io::Result<BTreeMap<u32, WorkerRecord>> {
    let mut records = BTreeMap::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = (&mut file).take(LONGEST_LINE);
        if limited.read_until(b'\n', &mut line)? == 0 {
            return Ok(records);
        }
        if let Ok(record) = serde_json::from_slice::<WorkerRecord>(&line) {
            records.entry(record.pair).or_insert(record);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torn_lines_cost_their_pair_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("match.jsonl");
        let record = |pair, worker: &str| WorkerRecord {
            pair,
            worker: worker.to_owned(),
            speed: 1e6,
            seconds: 0.5,
        };
        let mut workers = Workers::open(&log).expect("a new file");
        workers.write(&record(3, "attic")).expect("written");
        workers.0.write_all(b"{\"pair\":1,\"wor").expect("written");
        let mut workers = Workers::open(&log).expect("the same file");
        workers.write(&record(2, "cellar")).expect("written");
        workers.write(&record(3, "cellar")).expect("written");
        let file = File::open(beside(&log)).expect("it is there");
        let read = read(io::BufReader::new(file)).expect("read");
        let expected = [record(2, "cellar"), record(3, "attic")];
        assert!(read.into_values().eq(expected));
    }
}
