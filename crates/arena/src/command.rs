//! Runs a command for every move: the command reads a file in its folder, writes another file, and exits.
//!
//! Other files that the command stores in the folder are still there at its next move in the game.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use turnwise_engine::files::open_plain;
use turnwise_engine::outside::{FileChannel, FileVenue, Reply};
use turnwise_engine::player::{Failure, FaultKind, Ponder};

use crate::delivery::Delivery;
use crate::preparation::Prepared;
use crate::transcript::{Recorder, Transcript};
use turnwise_process::isolation::Isolation;
use turnwise_process::own_folder::OwnFolder;
use turnwise_process::progress::Progress;
use turnwise_process::{Ended, Process, Scratch, Streams};

/// The factor by which the usual maximum wait is extended for a process whose core other processes use.
///
/// A process that waits for a core is not silent, but the wait must end at some point.
const QUEUEING: u32 = 100;

/// The maximum number of bytes of an answer that are written to the log; no useful move is longer.
const MOST_LOGGED: usize = 4096;

/// A place where commands run: a folder on this machine, or a substitute for it.
pub trait Workplace: Send {
    /// Removes the file or folder with this name, if it exists.
    ///
    /// # Errors
    ///
    /// Returns an error if the file or folder exists and cannot be removed.
    fn remove(&mut self, name: &str) -> io::Result<()>;

    /// Writes a new file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written; it may then be incomplete.
    fn write(&mut self, name: &str, content: &[u8]) -> io::Result<()>;

    /// Returns the contents of a regular file, or `None` if the file does not exist.
    ///
    /// Reading stops a little beyond `largest`, the maximum size of the file.
    ///
    /// # Errors
    ///
    /// Returns a description if the file cannot be read or is not a regular file.
    fn read(&mut self, name: &str, largest: usize) -> Result<Option<Vec<u8>>, String>;

    /// Runs a command until it exits or is killed.
    ///
    /// The command is killed once it has run for the time `patience` and `is_enough` returns true for its progress.
    ///
    /// # Errors
    ///
    /// Returns an error if the command cannot be started or monitored.
    fn run(
        &mut self,
        words: &[String],
        patience: Duration,
        is_enough: &dyn Fn(&Progress) -> bool,
    ) -> io::Result<Ended>;

    /// Returns the last lines of stderr of the command that ran last.
    fn last_lines(&mut self) -> Vec<String>;
}

/// Opens a workplace for the commands of one player in a pair; an untrusted player is isolated.
pub type OpenWorkplace =
    Box<dyn Fn(Option<Isolation>) -> io::Result<Box<dyn Workplace>> + Send + Sync>;

/// A folder on this machine in which commands run.
pub(crate) struct Folder {
    scratch: Scratch,
    isolation: Option<Isolation>,
    process: Option<Process>,
}

impl Folder {
    /// Creates an empty folder; this is the usual [`OpenWorkplace`].
    pub fn open(isolation: Option<Isolation>) -> io::Result<Box<dyn Workplace>> {
        Ok(Box::new(Self {
            scratch: Scratch::new()?,
            isolation,
            process: None,
        }))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }
}

impl Workplace for Folder {
    fn remove(&mut self, name: &str) -> io::Result<()> {
        remove(&self.file(name))
    }

    fn write(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        fs::write(self.file(name), content)
    }

    fn read(&mut self, name: &str, largest: usize) -> Result<Option<Vec<u8>>, String> {
        read(&self.file(name), largest)
    }

    fn run(
        &mut self,
        words: &[String],
        patience: Duration,
        is_enough: &dyn Fn(&Progress) -> bool,
    ) -> io::Result<Ended> {
        let (folder, isolation) = (self.scratch.path(), self.isolation.as_ref());
        let process = Process::start_in(folder, words, Streams::Null, isolation, Ponder::Allow)?;
        let process = self.process.insert(process);
        process.run_to_its_end(patience, is_enough)
    }

    fn last_lines(&mut self) -> Vec<String> {
        (self.process.as_mut()).map_or_else(Vec::new, Process::last_lines)
    }
}

/// A command and the folder that it may read.
pub(crate) struct Command {
    pub words: Vec<String>,
    /// True if a command that this machine cannot start is at fault itself; otherwise the match ends with an error.
    pub is_blamed: bool,
    /// The folder with an isolated command's own files, if it has one.
    pub own: Option<Arc<OwnFolder>>,
    /// Records the files that the command reads and writes, if the user wants transcripts.
    pub recorder: Option<Recorder>,
}

/// A command and the place where it runs.
pub(crate) struct CommandChannel {
    command: Command,
    venue: FileVenue,
    delivery: Delivery,
    workplace: Box<dyn Workplace>,
    transcript: Option<Transcript>,
    output: Option<String>,
    last_words: Vec<String>,
}

impl CommandChannel {
    /// Creates a channel to a command, which is killed when its time and the grace period are over.
    pub fn new(
        command: Command,
        venue: FileVenue,
        delivery: Delivery,
        prepared: Option<&Prepared>,
        mut workplace: Box<dyn Workplace>,
    ) -> io::Result<Self> {
        if let Some(prepared) = prepared {
            workplace.write(prepared.file, &prepared.content)?;
        }
        Ok(Self {
            command,
            venue,
            delivery,
            workplace,
            transcript: None,
            output: None,
            last_words: Vec::new(),
        })
    }

    fn answer(&mut self, ended: &Ended, left: Duration) -> Result<Vec<u8>, Failure> {
        let name = self.venue.output;
        if let Some(progress) = ended.killed_at {
            let last = left + self.venue.grace;
            let (kind, what) = if ended.cpu >= left {
                (FaultKind::Overtime, "was still computing")
            // The wait reached its final limit, but the command had no chance to use its own time.
            } else if progress.undisturbed() < last {
                (FaultKind::Busy, "did not get to its answer")
            } else {
                (FaultKind::Silence, "did not answer")
            };
            let reason = format!(
                "it {what} after {:.1?}, with {left:.3?} left, and was killed",
                ended.wall
            );
            return Err(Failure::new(kind, reason));
        }
        let garbage = |why: String| Failure::new(FaultKind::Garbage, format!("{name}: {why}"));
        let Some(bytes) = (self.workplace.read(name, self.venue.largest)).map_err(garbage)? else {
            let kind = match ended.status.success() {
                true => FaultKind::Silence,
                false => FaultKind::Crash,
            };
            let reason = format!("the process ended without {name}: {}", ended.status);
            return Err(Failure::new(kind, reason));
        };
        if let Some(transcript) = &mut self.transcript {
            transcript.received(&bytes);
        }
        self.output = Some(as_written(&bytes));
        Ok(bytes)
    }
}

/// Returns the contents of an answer file as text for the log, cut after [`MOST_LOGGED`] bytes.
fn as_written(bytes: &[u8]) -> String {
    let kept = &bytes[..bytes.len().min(MOST_LOGGED)];
    let mut text = String::from_utf8_lossy(kept).into_owned();
    if kept.len() < bytes.len() {
        text += "[...]";
    }
    text
}

/// Removes the file or folder at this path, if it exists.
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

/// Returns the contents of a regular file, or `None` if the file does not exist.
///
/// Reading stops a little beyond `largest`, the maximum size of the file.
pub(crate) fn read(path: &Path, largest: usize) -> Result<Option<Vec<u8>>, String> {
    // A process that the command left running may replace the file with a pipe at any moment, and reading would block.
    let file = match open_plain(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let mut bytes = Vec::new();
    let read = file.take(largest as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    Ok(Some(bytes))
}

impl FileChannel for CommandChannel {
    fn begin(&mut self) -> io::Result<()> {
        self.last_words.clear();
        self.transcript = self.command.recorder.as_mut().map(Recorder::begin);
        let mut memory = self.venue.memory.iter();
        memory.try_for_each(|name| self.workplace.remove(name))
    }

    fn run(&mut self, input: &str, left: Duration) -> io::Result<Reply<Vec<u8>>> {
        self.output = None;
        // The output of an earlier move must not count as the answer to this one.
        self.workplace.remove(self.venue.output)?;
        // The file is created again, so that a link that the player left behind has no effect.
        self.workplace.remove(self.venue.input)?;
        let input = self.delivery.file(input);
        self.workplace.write(self.venue.input, input.as_bytes())?;
        if let Some(transcript) = &mut self.transcript {
            transcript.sent(input.as_bytes());
        }
        if let Some(own) = &self.command.own
            && let Err(error) = own.check_again()
        {
            let failure = Failure::new(FaultKind::Crash, error.to_string());
            return Ok(Reply::of_failure(failure));
        }
        let last = left + self.venue.grace;
        let ended = self.workplace.run(&self.command.words, last, &|progress| {
            progress.cpu >= left
                || progress.undisturbed() >= last
                || progress.wall >= last * QUEUEING
        });
        let ended = match ended {
            Err(error) if self.command.is_blamed => {
                let failure = Failure::new(FaultKind::Crash, error.to_string());
                return Ok(Reply::of_failure(failure));
            }
            ended => ended?,
        };
        Ok(Reply {
            said: self.answer(&ended, left),
            wall: ended.wall,
            cpu: Some(ended.cpu),
            pondered: None,
            others: ended.others,
        })
    }

    fn output(&self) -> Option<&str> {
        self.output.as_deref()
    }

    fn keep_last_words(&mut self) {
        self.last_words = self.workplace.last_lines();
    }

    fn last_words(&self) -> &[String] {
        &self.last_words
    }
}
