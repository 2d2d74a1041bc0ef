//! A command that is run for every move: it reads a file in its folder, writes another, and ends. What it
//! keeps there for itself it finds again at its next move of the same game.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use turnwise_engine::outside::{FileChannel, FileVenue, Reply};
use turnwise_engine::player::{Failure, FaultKind};

use crate::delivery::Delivery;
use crate::preparation::Prepared;
use turnwise_process::isolation::Isolation;
use turnwise_process::{Ended, Process, Scratch, Streams};

/// Beyond its time a process that computes less than this share of the time is not busy, but asleep.
const ASLEEP: u32 = 10;

/// So many bytes of an answer are logged: no move of use is longer.
const MOST_LOGGED: usize = 4096;

/// A command and the folder it runs in.
pub(crate) struct CommandChannel {
    words: Vec<String>,
    isolation: Option<Isolation>,
    venue: FileVenue,
    delivery: Delivery,
    folder: Scratch,
    output: Option<String>,
    process: Option<Process>,
    last_words: Vec<String>,
}

impl CommandChannel {
    /// A command that is killed when it has run for its time and the grace.
    pub fn new(
        words: Vec<String>,
        venue: FileVenue,
        delivery: Delivery,
        prepared: Option<&Prepared>,
        isolation: Option<Isolation>,
    ) -> io::Result<Self> {
        let folder = Scratch::new()?;
        if let Some(prepared) = prepared {
            fs::write(folder.path().join(prepared.file), &prepared.content)?;
        }
        Ok(Self {
            words,
            isolation,
            venue,
            delivery,
            folder,
            output: None,
            process: None,
            last_words: Vec::new(),
        })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn answer(&mut self, ended: &Ended, left: Duration) -> Result<Vec<u8>, Failure> {
        let name = self.venue.output;
        if ended.is_killed {
            let (kind, what) = if ended.cpu >= left {
                (FaultKind::Overtime, "was still computing")
            } else {
                (FaultKind::Silence, "did not answer")
            };
            let reason = format!(
                "it {what} after {:.1?} and {:.1?} of CPU time, with {left:.3?} left, and was killed",
                ended.wall, ended.cpu
            );
            return Err(Failure::new(kind, reason));
        }
        let garbage = |why: String| Failure::new(FaultKind::Garbage, format!("{name}: {why}"));
        let Some(bytes) = read(&self.file(name), self.venue.largest).map_err(garbage)? else {
            let kind = match ended.status.success() {
                true => FaultKind::Silence,
                false => FaultKind::Crash,
            };
            let reason = format!("the process ended without {name}: {}", ended.status);
            return Err(Failure::new(kind, reason));
        };
        self.output = Some(as_written(&bytes));
        Ok(bytes)
    }
}

/// The content of a file for the log.
fn as_written(bytes: &[u8]) -> String {
    let kept = &bytes[..bytes.len().min(MOST_LOGGED)];
    let mut text = String::from_utf8_lossy(kept).into_owned();
    if kept.len() < bytes.len() {
        text += "[...]";
    }
    text
}

/// Removes a file or whatever else has its name, if anything has.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    removed.or_else(|error| match error.kind() {
        ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })
}

/// The content of a plain file, as far as a little beyond what may be in it; `None` if there is none.
pub(crate) fn read(path: &Path, largest: usize) -> Result<Option<Vec<u8>>, String> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_file() => {}
        // Reading a pipe or a device may never end.
        Ok(_) => return Err("expected a plain file".to_owned()),
        Err(_) => return Ok(None),
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(largest as u64 + 1).read_to_end(&mut bytes))
        .map_err(|error| error.to_string())?;
    Ok(Some(bytes))
}

impl FileChannel for CommandChannel {
    fn begin(&mut self) -> io::Result<()> {
        self.last_words.clear();
        let memory = self.venue.memory;
        memory.iter().try_for_each(|name| remove(&self.file(name)))
    }

    fn run(&mut self, input: &str, left: Duration) -> io::Result<Reply<Vec<u8>>> {
        self.output = None;
        remove(&self.file(self.venue.output))?;
        // Written anew, so that one that the player has replaced by a link leads nowhere.
        remove(&self.file(self.venue.input))?;
        let input = self.delivery.file(input);
        fs::write(self.file(self.venue.input), &*input)?;
        let (folder, isolation) = (self.folder.path(), self.isolation.as_ref());
        let process = Process::start_in(folder, &self.words, Streams::Null, isolation)?;
        let process = self.process.insert(process);
        let last = left + self.venue.grace;
        let ended = process.run_to_its_end(last, |wall, cpu| cpu >= last || cpu * ASLEEP < wall)?;
        Ok(Reply {
            said: self.answer(&ended, left),
            wall: ended.wall,
            cpu: Some(ended.cpu),
        })
    }

    fn output(&self) -> Option<&str> {
        self.output.as_deref()
    }

    fn keep_last_words(&mut self) {
        self.last_words = (self.process.as_mut()).map_or_else(Vec::new, Process::last_lines);
    }

    fn last_words(&self) -> &[String] {
        &self.last_words
    }
}
