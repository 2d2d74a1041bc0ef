//! The log of a match. It consists of JSON lines: first the header, then whole pairs.
//!
//! All lines of a pair are written at once when the pair is complete. Even if the arena crashes, the file
//! therefore contains at most one torn pair, at its end, and resuming the match cuts that pair off. A file that ends
//! before or within the header contains no games, so a new match may replace it. The file is locked while an arena
//! writes to it.

mod appended;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use tempfile::NamedTempFile;
use thiserror::Error;

use turnwise_engine::files::{open_regular, replace_whole};
use turnwise_engine::plugin::Plugin;

pub use appended::{AppendedLog, WholeLines};

use crate::records::{
    DrawRecord, GameRecord, LONGEST_LINE, ParticipantRecord, Record, Settings, read_line, trimmed,
};
use crate::schedule::{games_of, pairings_of};
use crate::settings::SettingsError;

/// The usual length of a line in bytes, which determines the initial capacity of buffers.
const USUAL_LINE: usize = 256;

/// The name of the first line in messages about malformed logs.
const HEADER: &str = "the header of a match";

/// The bytes with which every header begins.
const HEADER_START: &[u8] = b"{\"event\":\"match\",\"format\":";

/// The interval between writes to the disk. A loss of power costs at most the results since the last write.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// The reason why a log cannot be used.
#[derive(Debug, Error)]
pub enum LogError {
    /// A file with this name exists already, and a new match must not replace it.
    #[error("{path:?} exists already: {hint}choose another with --log", hint = match .is_resumable {
        true => "resume it with turnwise arena --resume, or ",
        false => "",
    })]
    Exists {
        /// The existing file.
        path: PathBuf,
        /// True if the requested match could be resumed.
        is_resumable: bool,
    },
    /// The file ends before or within the header.
    #[error(
        "{0:?} ends before its first game, within the header: start the match again with the same --log, or \
         the tournament with the same command"
    )]
    Unbegun(PathBuf),
    /// Another process writes to the file.
    #[error("{0:?} is being written by another arena; wait for it, or choose another with --log")]
    InUse(PathBuf),
    /// The log contains a single game or the games of a server, and only a match can be resumed.
    #[error(
        "{0:?} contains a single game or the games of a server, which cannot be resumed: play another one"
    )]
    SingleGame(PathBuf),
    /// The log belongs to a tournament. It does not list the remaining games, so only the tournament can resume it.
    #[error(
        "{0:?} is the log of a tournament; resume it with turnwise tournament and the tournament's file"
    )]
    Tournament(PathBuf),
    /// The file could not be opened, read, written or locked.
    #[error("{path:?}: {cause}")]
    System {
        /// The log's path, as the user gave it.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// The log's header contains settings under which no match can be played.
    #[error("{path:?}, line 1: {cause}")]
    Settings {
        /// The log's path, as the user gave it.
        path: PathBuf,
        /// The reason why the match cannot be played.
        cause: SettingsError,
    },
    /// The file is not a log, or is damaged before its end.
    #[error("{path:?}, line {line}: expected {expected}, got {got}")]
    Malformed {
        /// The path of the log that was read.
        path: PathBuf,
        /// The number of the malformed line, starting at 1.
        line: u64,
        /// The expected content of the line.
        expected: &'static str,
        /// A description of the actual content.
        got: String,
    },
}

/// The contents of a log, up to the end of its last whole pair or draw.
#[derive(Debug)]
pub struct Contents {
    /// The first line: the game, the participants and the conditions.
    pub settings: Settings,
    /// The games of all whole pairs and rotations, in the order of the file, unless the reader of the log took them.
    pub pairs: Vec<Vec<GameRecord>>,
    /// A tournament's draws, in the order of the file.
    pub draws: Vec<DrawRecord>,
    /// The last record of each participant of a tournament, keyed by the name.
    pub participants: HashMap<String, ParticipantRecord>,
    /// The position in the file, in bytes, at which the last whole pair or draw ends.
    end: u64,
}

/// Stores a log's bytes: a file that is read from its beginning and then appended to, or a substitute.
pub trait Storage: Read + Write + Debug + Send {
    /// Truncates the file to `end` bytes; the next write continues there.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be truncated.
    fn cut(&mut self, end: u64) -> io::Result<()>;

    /// Waits until everything written survives a loss of power.
    ///
    /// # Errors
    ///
    /// Returns an error if the system cannot guarantee this.
    fn sync(&mut self) -> io::Result<()>;
}

/// A log open for writing.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    storage: Box<dyn Storage>,
    synced: Instant,
    /// True if the last write failed, so that the log may end within a line.
    is_torn: bool,
}

fn system(path: &Path) -> impl Fn(io::Error) -> LogError + use<> {
    let path = path.to_owned();
    move |cause| {
        let path = path.clone();
        LogError::System { path, cause }
    }
}

/// A file to which only this process writes.
#[derive(Debug)]
struct LockedFile(File);

impl LockedFile {
    fn new(path: &Path, file: File) -> Result<Self, LogError> {
        let locked = flock(&file, FlockOperation::NonBlockingLockExclusive);
        locked.map_err(|_busy| LogError::InUse(path.to_owned()))?;
        Ok(Self(file))
    }
}

impl Drop for LockedFile {
    /// Unlocks the file explicitly, because closing it may not suffice.
    ///
    /// While another thread is starting a child process, the child holds all open files until its program runs. The log
    /// is among these files, and would stay locked until then.
    fn drop(&mut self) {
        let _closing_unlocks_it_too = flock(&self.0, FlockOperation::Unlock);
    }
}

impl Read for LockedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Storage for LockedFile {
    fn cut(&mut self, end: u64) -> io::Result<()> {
        self.0.set_len(end)?;
        self.0.seek(SeekFrom::End(0)).map(drop)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }
}

impl Write for LockedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Log {
    /// Creates a log and writes its header. A file that contains only a part of a header is replaced.
    pub fn create(path: &Path, settings: &Settings) -> Result<Self, LogError> {
        let mut options = OpenOptions::new();
        options.read(true).append(true);
        let file = match options.clone().create_new(true).open(path) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                let opened = open_regular(&mut options, path).ok();
                let locked = opened.and_then(|file| LockedFile::new(path, file).ok());
                locked.ok_or_else(|| exists(path, settings))?
            }
            opened => LockedFile::new(path, opened.map_err(system(path))?)?,
        };
        Self::create_on(Box::new(file), path, settings)
    }

    /// Creates a log on a storage that contains at most a part of a header. Error messages call the log `path`.
    pub fn create_on(
        mut storage: Box<dyn Storage>,
        path: &Path,
        settings: &Settings,
    ) -> Result<Self, LogError> {
        let mut there = Vec::new();
        let mut limited = (&mut storage).take(LONGEST_LINE);
        limited.read_to_end(&mut there).map_err(system(path))?;
        if !is_part_of_header(&there) {
            return Err(exists(path, settings));
        }
        storage.cut(0).map_err(system(path))?;
        let mut log = Self::on(storage, path);
        log.append(&[Record::Match(settings.clone())])?;
        log.sync()?;
        Ok(log)
    }

    /// Replaces the log's header, for example with a header that contains more agents, and marks all games of the agents
    /// in `superseded` as superseded.
    pub fn rewrite(self, settings: &Settings, superseded: &[String]) -> Result<Self, LogError> {
        let path = &self.path;
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let header: Record = Record::Match(settings.clone());
        let rewrite = || {
            let old = File::open(path)?;
            let file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
            file.as_file()
                .set_permissions(old.metadata()?.permissions())?;
            let mut old = BufReader::new(old);
            old.skip_until(b'\n')?;
            let write = |out: &mut dyn Write| {
                serde_json::to_writer(&mut *out, &header)?;
                out.write_all(b"\n")?;
                if superseded.is_empty() {
                    return io::copy(&mut old, out).map(drop);
                }
                let mut line = Vec::new();
                while old.read_until(b'\n', &mut line)? > 0 {
                    out.write_all(&marked(&line, superseded))?;
                    line.clear();
                }
                Ok(())
            };
            // The new log is locked before it takes the old log's place.
            let take_place = |new: NamedTempFile| {
                let opened = OpenOptions::new().read(true).append(true).open(new.path());
                let file = LockedFile::new(path, opened?).map_err(io::Error::other)?;
                new.persist(path)?;
                Ok(file)
            };
            replace_whole(file, write, |new| new.as_file().sync_data(), take_place)
        };
        let file = rewrite().map_err(system(path))?;
        Ok(Self::on(Box::new(file), path))
    }

    /// Opens an existing log, cuts off its torn end, and returns its contents.
    pub fn open(path: &Path, games: &[Plugin]) -> Result<(Self, Contents), LogError> {
        Self::resume_on(Box::new(Self::existing(path)?), path, games)
    }

    /// Opens a log like [`open`](Self::open), but passes the games of each whole pair to `take` instead of keeping them
    /// in memory.
    pub fn open_by(
        path: &Path,
        games: &[Plugin],
        take: &mut Take,
    ) -> Result<(Self, Contents), LogError> {
        Self::resume_by(Box::new(Self::existing(path)?), path, games, take)
    }

    fn existing(path: &Path) -> Result<LockedFile, LogError> {
        // Only regular files are opened: a pipe or a device may be endless, and its end cannot be cut off.
        let opened = open_regular(OpenOptions::new().read(true).append(true), path);
        LockedFile::new(path, opened.map_err(system(path))?)
    }

    /// Resumes the log of a match or a tournament on a storage. Error messages call the log `path`.
    pub fn resume_on(
        storage: Box<dyn Storage>,
        path: &Path,
        games: &[Plugin],
    ) -> Result<(Self, Contents), LogError> {
        let mut pairs = Vec::new();
        let mut take = |_: &Settings, games| pairs.push(games);
        let (log, contents) = Self::resume_by(storage, path, games, &mut take)?;
        Ok((log, Contents { pairs, ..contents }))
    }

    fn resume_by(
        mut storage: Box<dyn Storage>,
        path: &Path,
        games: &[Plugin],
        take: &mut Take,
    ) -> Result<(Self, Contents), LogError> {
        let contents = read_by(path, &mut storage, games, take)?;
        if contents.settings.pairs == 0 {
            return Err(LogError::SingleGame(path.to_owned()));
        }
        storage.cut(contents.end).map_err(system(path))?;
        let mut log = Self::on(storage, path);
        log.sync()?;
        Ok((log, contents))
    }

    fn on(storage: Box<dyn Storage>, path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            storage,
            synced: Instant::now(),
            is_torn: false,
        }
    }

    /// Appends records to the log with one system call.
    pub fn append(&mut self, records: &[Record]) -> Result<(), LogError> {
        let lines = lines(records).map_err(system(&self.path))?;
        self.write(&lines)
    }

    /// Appends whole lines to the log with one system call.
    ///
    /// After one failure, all further writes fail, because a log with half a record in its middle could not be resumed.
    pub(crate) fn write(&mut self, lines: &[u8]) -> Result<(), LogError> {
        if self.is_torn {
            let cause = io::Error::other(
                "its last record is incomplete; turnwise arena --resume removes it",
            );
            return Err(system(&self.path)(cause));
        }
        let written = self.storage.write_all(lines);
        self.is_torn = written.is_err();
        written.map_err(system(&self.path))?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Ensures that everything written survives a loss of power.
    pub(crate) fn sync(&mut self) -> Result<(), LogError> {
        self.storage.sync().map_err(system(&self.path))?;
        self.synced = Instant::now();
        Ok(())
    }

    /// Returns the log's path, as the user gave it.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Converts records into JSON lines.
pub(crate) fn lines(records: &[Record]) -> io::Result<Vec<u8>> {
    let mut lines = Vec::with_capacity(USUAL_LINE * records.len());
    for record in records {
        serde_json::to_writer(&mut lines, record)?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// Returns a line of a log. Marks the line as superseded if it is a game of an agent in `agents`.
///
/// The mark is added to the text of the line, so that all other fields stay as they are.
fn marked<'a>(line: &'a [u8], agents: &[String]) -> Cow<'a, [u8]> {
    let game = match read_line(trimmed(line)) {
        Ok(Record::Game(game)) if !game.superseded => game,
        _ => return line.into(),
    };
    let is_theirs = game.agents().any(|agent| agents.contains(agent));
    match trimmed(line).strip_suffix(b"}").filter(|_| is_theirs) {
        Some(fields) => [fields, b",\"superseded\":true}\n"].concat().into(),
        None => line.into(),
    }
}

/// Returns the error for an existing file that a new match must not replace.
fn exists(path: &Path, settings: &Settings) -> LogError {
    LogError::Exists {
        path: path.to_owned(),
        is_resumable: settings.pairs > 0,
    }
}

/// Returns true if a file with these bytes contains no more than the beginning of a header.
fn is_part_of_header(bytes: &[u8]) -> bool {
    let is_header = HEADER_START.starts_with(bytes) || bytes.starts_with(HEADER_START);
    is_header && !bytes.contains(&b'\n') && (bytes.len() as u64) < LONGEST_LINE
}

/// Returns true if `game` directly follows `last` in a pair.
fn is_next(last: &GameRecord, game: &GameRecord) -> bool {
    (last.pair, last.game + 1) == (game.pair, game.game) && last.agents().eq(game.agents())
}

/// A function that takes the games of a whole pair or rotation. It also receives the settings of the match.
type Take<'a> = dyn FnMut(&Settings, Vec<GameRecord>) + 'a;

/// Reads a log up to the end of its last whole pair; the torn pair that may follow is ignored.
pub fn read(path: &Path, file: impl Read, games: &[Plugin]) -> Result<Contents, LogError> {
    let mut pairs = Vec::new();
    let contents = read_by(path, file, games, &mut |_, games| pairs.push(games))?;
    Ok(Contents { pairs, ..contents })
}

fn read_by(
    path: &Path,
    file: impl Read,
    games: &[Plugin],
    take: &mut Take,
) -> Result<Contents, LogError> {
    let malformed = |line, expected, got: String| LogError::Malformed {
        path: path.to_owned(),
        line,
        expected,
        got,
    };
    let mut reader = BufReader::new(file);
    let mut contents: Option<Contents> = None;
    let mut all_pairings = Vec::new();
    let mut seen = BTreeSet::new();
    let mut begun: Vec<GameRecord> = Vec::new();
    let mut torn: Option<(u64, String)> = None;
    let (mut offset, mut line, mut bytes) = (0, 0, Vec::new());
    let mut is_unbegun = true;
    loop {
        bytes.clear();
        let mut limited = (&mut reader).take(LONGEST_LINE);
        let length = limited.read_until(b'\n', &mut bytes);
        let length = length.map_err(system(path))?;
        if length == 0 {
            break;
        }
        line += 1;
        offset += length as u64;
        is_unbegun = line == 1 && is_part_of_header(&bytes);
        if trimmed(&bytes).is_empty() {
            continue;
        }
        let parsed = match read_line(trimmed(&bytes)) {
            Ok(_) if !bytes.ends_with(b"\n") => Err("an incomplete line".to_owned()),
            parsed => parsed.map_err(|error| error.to_string()),
        };
        let record = match parsed {
            Ok(record) => record,
            Err(got) => {
                torn.get_or_insert((line, got));
                continue;
            }
        };
        // A line follows the torn one. A torn line is allowed only at the end of the file.
        if let Some((line, got)) = torn {
            return Err(malformed(line, "a record", got));
        }
        let Some(contents) = &mut contents else {
            let settings = match record {
                Record::Match(raw) => Settings::of(raw, games).map_err(|error| error.to_string()),
                _ => Err("another record".to_owned()),
            };
            let settings = settings.map_err(|got| malformed(line, HEADER, got))?;
            let unplayable = |cause| {
                let path = path.to_owned();
                LogError::Settings { path, cause }
            };
            settings.check().map_err(unplayable)?;
            all_pairings = pairings_of(&settings);
            contents = Some(Contents {
                settings,
                pairs: Vec::new(),
                draws: Vec::new(),
                participants: HashMap::new(),
                end: offset,
            });
            continue;
        };
        match record {
            Record::Match(_) => {
                let got = "a second header".to_owned();
                return Err(malformed(line, "moves and games", got));
            }
            Record::Move(_) | Record::Abandoned(_) => {}
            // Draws never occur between the lines of a pair.
            Record::Draw(draw) => {
                contents.draws.push(draw);
                contents.end = offset;
            }
            Record::Participant(participant) => {
                let name = participant.agent.clone();
                contents.participants.insert(name, participant);
                contents.end = offset;
            }
            Record::Game(game) => {
                let game = GameRecord::of(game, &contents.settings.game)
                    .map_err(|why| malformed(line, "a game of this match", why))?;
                if let Some(got) = game.objection(&contents.settings, &all_pairings) {
                    return Err(malformed(line, "a game of this match", got));
                }
                game.check_moves(&contents.settings)
                    .map_err(|why| malformed(line, "a game that can be replayed", why))?;
                let games = games_of(&contents.settings, game.others.len());
                if game.game == 1 {
                    begun.clear();
                } else if !begun.last().is_some_and(|last| is_next(last, &game)) {
                    let got = format!("game {} of pair {}", game.game, game.pair);
                    let expected = match game.game {
                        2 => "game 1 of a pair",
                        _ => "the game before it",
                    };
                    return Err(malformed(line, expected, got));
                }
                let (pair, number, is_superseded) = (game.pair, game.game, game.superseded);
                begun.push(game);
                if number < games {
                    continue;
                }
                if is_superseded {
                    contents.end = offset;
                    continue;
                }
                if !seen.insert(pair) {
                    let got = format!("pair {pair} twice");
                    return Err(malformed(line, "every pair once", got));
                }
                take(&contents.settings, std::mem::take(&mut begun));
                contents.end = offset;
            }
            Record::End(_) => contents.end = offset,
        }
    }
    if is_unbegun {
        return Err(LogError::Unbegun(path.to_owned()));
    }
    contents.ok_or_else(|| malformed(1, HEADER, torn.map_or_else(String::new, |(_, got)| got)))
}

#[cfg(test)]
mod tests;
