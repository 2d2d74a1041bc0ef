//! A command that is run for every move, as the assignment's master runs a player: it reads `input.txt`
//! in its folder, writes `output.txt`, and ends. What it writes into `playdata.txt` it finds again at
//! its next move of the same game.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::time::Duration;

use turnwise_protocol::halma::{Input, LARGEST_FILE, Mode};

use super::calibration;
use super::judge::judge;
use super::{Ask, Last};
use crate::arena::player::{Answer, Failure, Player};
use crate::arena::process::{Ended, Process, Scratch, Streams};
use crate::records::{FaultKind, Role, TimeControl};
use turnwise_halma::agent::files::{board, player};
use turnwise_halma::rules::{Move, Position};

/// Beyond its time a process that computes less than this share of the time is not busy, but asleep.
const ASLEEP: u32 = 10;

/// So many bytes of an output.txt are logged: no move of use is longer.
const MOST_LOGGED: usize = 4096;

/// A command and the folder it runs in.
pub(super) struct CommandPlayer {
    words: Vec<String>,
    mode: Mode,
    grace: Duration,
    is_lenient: bool,
    folder: Scratch,
    output: Option<String>,
    last_lines: Vec<String>,
}

impl CommandPlayer {
    /// A command that is killed when it has run for its time and the grace. Words that name files here
    /// are made to name them from its folder, too. What ends a line of its output.txt is passed over if
    /// the judge is lenient.
    pub fn new(
        words: Vec<String>,
        time: TimeControl,
        grace: Duration,
        is_lenient: bool,
    ) -> io::Result<Self> {
        let words: Vec<String> = words
            .into_iter()
            .map(from_anywhere)
            .collect::<io::Result<_>>()?;
        let folder = Scratch::new()?;
        if let Some(calibration) = calibration::of(&words) {
            fs::write(folder.path().join(calibration::FILE), calibration)?;
        }
        Ok(Self {
            words,
            mode: match time {
                TimeControl::Clock { .. } => Mode::Game,
                TimeControl::MoveTime { .. } | TimeControl::Nodes { .. } => Mode::Single,
            },
            grace,
            is_lenient,
            folder,
            output: None,
            last_lines: Vec::new(),
        })
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn judged(&mut self, ended: &Ended, turn: &Ask) -> Result<Move, Failure> {
        let left = turn.allowance.left;
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
        let garbage = |why: String| Failure::new(FaultKind::Garbage, format!("output.txt: {why}"));
        let Some(bytes) = read(&self.file("output.txt")).map_err(garbage)? else {
            let kind = match ended.status.success() {
                true => FaultKind::Silence,
                false => FaultKind::Crash,
            };
            let reason = format!("the process ended without output.txt: {}", ended.status);
            return Err(Failure::new(kind, reason));
        };
        self.output = Some(as_written(&bytes));
        judge(&bytes, turn.position, self.is_lenient)
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

/// A word that means the same in every folder, if it names a file.
fn from_anywhere(word: String) -> io::Result<String> {
    let path = Path::new(&word);
    if path.is_relative() && path.is_file() {
        // Not where a link leads: some programs go by the name that they are called by.
        return Ok(std::path::absolute(path)?.to_string_lossy().into_owned());
    }
    Ok(word)
}

/// Removes a file or whatever else has its name, if anything has.
fn remove(path: &Path) -> io::Result<()> {
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
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_file() => {}
        // Reading a pipe or a device may never end.
        Ok(_) => return Err("expected a plain file".to_owned()),
        Err(_) => return Ok(None),
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST_FILE as u64 + 1).read_to_end(&mut bytes))
        .map_err(|error| error.to_string())?;
    Ok(Some(bytes))
}

impl Player<Position, Move> for CommandPlayer {
    fn begin(&mut self, _role: Role, _position: &Position) -> io::Result<()> {
        self.last_lines.clear();
        remove(&self.file("playdata.txt"))
    }

    fn choose(&mut self, turn: Ask) -> io::Result<Answer<Move>> {
        self.output = None;
        let left = turn.allowance.left;
        let input = Input {
            mode: self.mode,
            player: player(turn.position.to_move()),
            seconds: left.as_secs_f64(),
            board: board(turn.position),
        };
        remove(&self.file("output.txt"))?;
        // Written anew, so that one that the player has replaced by a link leads nowhere.
        remove(&self.file("input.txt"))?;
        fs::write(self.file("input.txt"), input.to_string())?;
        let mut process = Process::start_in(self.folder.path(), &self.words, Streams::Null)?;
        let last = left + self.grace;
        let ended = process.run_to_its_end(last, |wall, cpu| cpu >= last || cpu * ASLEEP < wall)?;
        let mv = self.judged(&ended, &turn);
        if mv.is_err() {
            self.last_lines = process.last_lines();
        }
        Ok(Answer::from_outside(mv, ended.wall, Some(ended.cpu)))
    }

    fn finish(&mut self, _last: Option<&Last>) {}

    fn output(&self) -> Option<&str> {
        self.output.as_deref()
    }

    fn stderr(&self) -> Vec<String> {
        self.last_lines.clone()
    }
}
