//! Records which worker played each pair of a match that is played on many machines.
//!
//! The records are JSON lines in a separate file beside the log, so that the log equals the log of a match on
//! one machine.
//!
//! The line for a pair is written before the pair is logged. If a power failure has destroyed the line, it is unknown
//! which worker played the pair.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use turnwise_engine::files::open_regular;

/// The suffix that is appended to the log's name to name the file beside it.
const SUFFIX: &str = ".workers";

/// A line of the file: which worker played a pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerRecord {
    /// The number of the pair in the log, starting at 1.
    pub pair: u32,
    /// The name that the worker sent with the result, at most 200 characters.
    pub worker: String,
    /// The worker's speed, measured when it started, in nodes per second of one job; 0 if unknown.
    pub speed: f64,
    /// How long the pair took, in seconds; 0 if unknown.
    pub seconds: f64,
}

/// Returns the path of the file of workers beside a log.
pub fn beside(log: &Path) -> PathBuf {
    let mut path = OsString::from(log);
    path.push(SUFFIX);
    path.into()
}

/// The file of workers beside a log, open for appending.
#[derive(Debug)]
pub struct Workers(File);

impl Workers {
    /// Opens the file of workers beside `log` for appending, or creates it.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened or created.
    pub fn open(log: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let mut file = open_regular(options.append(true).create(true), &beside(log))?;
        if file.metadata()?.len() > 0 {
            // If the file ends in a torn line, the line feed separates it from the next line.
            file.write_all(b"\n")?;
        }
        Ok(Self(file))
    }

    /// Writes a line that says which worker played a pair.
    ///
    /// # Errors
    ///
    /// Returns an error if the line cannot be written.
    pub fn write(&mut self, record: &WorkerRecord) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        self.0.write_all(&line)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_torn_line_spoils_no_other_line() {
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
        let text = fs::read_to_string(beside(&log)).expect("it is there");
        let read = text
            .lines()
            .filter_map(|line| serde_json::from_str::<WorkerRecord>(line).ok());
        let expected = [record(3, "attic"), record(2, "cellar"), record(3, "cellar")];
        assert!(read.eq(expected));
    }
}
