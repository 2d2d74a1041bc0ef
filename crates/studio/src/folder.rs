//! Finds and reads the logs that clients may see: the logs in the files and folders that the user named at the start of
//! the server.
//!
//! Clients never send a path. They identify a log by an ID, which is a hash of the log's place among the named files
//! and folders.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use turnwise_engine::files::{open_plain, open_regular};
use turnwise_engine::plugin::Plugin;
use turnwise_engine::words::printable;
use turnwise_report::logs::Places;
use turnwise_report::merging::read_for_page;
use turnwise_report::{Match, logs, merge};

/// Files in a folder count as logs if they have this extension. A log that the user named directly may have another
/// extension.
const EXTENSION: &str = "jsonl";

/// The number of bytes to read at once in the search for a pair.
const READ_AHEAD: usize = 1 << 18;

/// The maximum depth of subfolders in which logs are searched.
const DEPTH: usize = 4;

/// The maximum number of logs that the list contains.
const MOST_LOGS: usize = 2000;

/// The maximum number of folder entries to examine while searching the folders for logs.
const MOST_ENTRIES: usize = 50_000;

/// The maximum size of a log whose games are counted for the list of logs, in bytes.
const COUNTED: u64 = 16 << 20;

/// The bytes at the beginning of every line of a log that describes a game.
const GAME: &[u8] = b"{\"event\":\"game\"";

/// The files and folders that the user named, and the headers of the logs in them.
#[derive(Debug, Default)]
pub struct Folders {
    named: Vec<PathBuf>,
    /// The headers that have been read so far, keyed by log ID. A header is valid as long as the file is unchanged.
    read: Mutex<BTreeMap<String, (Stamp, Header)>>,
    /// The log that was last searched for a pair, and the places of its pairs. It is valid as long as the file is
    /// unchanged.
    searched: Mutex<Option<((String, Stamp), Places)>>,
}

/// The data about one log that the list of logs contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    id: String,
    name: String,
    bytes: u64,
    /// The time of the log's last change, in seconds since 1970.
    modified: u64,
    #[serde(flatten)]
    header: Header,
}

/// The data about a log that the list of logs shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct Header {
    game: Option<&'static str>,
    title: String,
    /// The number of games; `None` if the log is too large to count them.
    games: Option<usize>,
    error: Option<String>,
}

/// The size and the modification time of a file. As long as both stay equal, the file counts as unchanged.
type Stamp = (u64, Option<SystemTime>);

/// The place of a log: its path, and the ID by which clients identify it.
struct Place {
    id: String,
    name: String,
    path: PathBuf,
    /// True if the user named the log itself, which may then be a link; false if it was found in a folder.
    is_named: bool,
}

/// The reason why a log cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ShowError {
    /// No log has this ID.
    #[error("there is no such log")]
    Unknown,
    /// The log has no pair with this number.
    #[error("there is no pair {0} in the log")]
    NoPair(u32),
    /// The file could not be read.
    #[error("the log cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file is not a log.
    #[error(transparent)]
    NoLog(#[from] logs::ReadError),
}

impl Folders {
    /// Creates a value that gives access to the logs in these files and folders.
    pub fn new(named: Vec<PathBuf>) -> Self {
        Self {
            named,
            read: Mutex::default(),
            searched: Mutex::default(),
        }
    }

    /// Returns true if no files or folders were named.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// Returns the first folder among the named files and folders.
    pub fn first_folder(&self) -> Option<&Path> {
        let mut folders = self.named.iter().filter(|named| named.is_dir());
        folders.next().map(PathBuf::as_path)
    }

    /// Returns all logs; the log that was changed last comes first.
    ///
    /// Files that cannot be read are omitted. A file that is not a log is listed with an error message.
    pub fn list(&self, games: &[Plugin]) -> Vec<Listed> {
        let places = self.places();
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut listed: Vec<Listed> = (places.iter())
            .filter_map(|place| listed(place, &mut read, games).ok())
            .collect();
        read.retain(|id, _| places.iter().any(|place| place.id == *id));
        listed.sort_by(|one, other| {
            let key = |log: &Listed| (std::cmp::Reverse(log.modified), log.name.clone());
            key(one).cmp(&key(other))
        });
        listed
    }

    /// Reads the match in the log with this ID.
    ///
    /// # Errors
    ///
    /// Returns a [`ShowError`] if the log cannot be shown.
    pub fn read(&self, id: &str, games: &[Plugin]) -> Result<Match, ShowError> {
        let place = self.place(id)?;
        // The log is read twice. It is opened only once, because the file could be replaced between the two readings.
        let file = open(&place)?;
        let from_start = || {
            (&file).rewind()?;
            Ok(BufReader::new(&file))
        };
        Ok(read_for_page(&place.name, from_start, games)?)
    }

    /// Reads the games of one pair of the match in a log.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such log or pair, or if the file cannot be read or is not a log.
    pub fn read_pair(&self, id: &str, pair: u32, games: &[Plugin]) -> Result<Match, ShowError> {
        let place = self.place(id)?;
        let file = open(&place)?;
        let metadata = file.metadata()?;
        let of = (place.id, (metadata.len(), metadata.modified().ok()));
        // The lock is not held while the log is read, because that may take seconds.
        let searched = || self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        let known = searched().take().filter(|(known, _)| *known == of);
        let mut places = known.map(|(_, places)| places).unwrap_or_default();
        let input = BufReader::with_capacity(READ_AHEAD, file);
        let log = logs::read_pair(input, games, pair, &mut places)?;
        *searched() = Some((of, places));
        match log.games.is_empty() {
            true => Err(ShowError::NoPair(pair)),
            false => Ok(merge([(place.name, log)]).remove(0)),
        }
    }

    fn place(&self, id: &str) -> Result<Place, ShowError> {
        let place = self.places().into_iter().find(|place| place.id == id);
        place.ok_or(ShowError::Unknown)
    }

    fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        let mut entries = MOST_ENTRIES;
        for (number, named) in self.named.iter().enumerate() {
            match named.is_dir() {
                true => search(number, named, Path::new(""), &mut entries, &mut places),
                false => {
                    let name = Path::new(named.file_name().unwrap_or_default());
                    places.push(Place::new(number, named.clone(), name, true));
                }
            }
        }
        places.truncate(MOST_LOGS);
        places
    }
}

/// Reads a match from the text of a log; `name` is the name under which the log is shown.
///
/// # Errors
///
/// Returns [`ShowError::NoLog`] if the text is not a log.
pub fn shown(name: &str, text: impl BufRead, games: &[Plugin]) -> Result<Match, ShowError> {
    let log = logs::read(text, games)?;
    Ok(merge([(name.to_owned(), log)]).remove(0))
}

impl Place {
    fn new(number: usize, path: PathBuf, name: &Path, is_named: bool) -> Self {
        let mut hasher = DefaultHasher::new();
        (number, name).hash(&mut hasher);
        Self {
            id: format!("{:016x}", hasher.finish()),
            name: printable(&name.to_string_lossy()),
            path,
            is_named,
        }
    }
}

/// Adds the logs in the folder `below`, which is relative to `root`, and in its subfolders to `places`.
///
/// Links are ignored, because they may lead to files outside the named folder.
fn search(number: usize, root: &Path, below: &Path, entries: &mut usize, places: &mut Vec<Place>) {
    // A folder that cannot be read counts as empty.
    let Ok(folder) = fs::read_dir(root.join(below)) else {
        return;
    };
    for entry in folder.flatten() {
        if *entries == 0 || places.len() >= MOST_LOGS {
            return;
        }
        *entries -= 1;
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let name = below.join(entry.file_name());
        let is_log = name.extension().is_some_and(|end| end == EXTENSION);
        if kind.is_dir() && name.components().count() < DEPTH {
            search(number, root, &name, entries, places);
        } else if kind.is_file() && is_log {
            places.push(Place::new(number, root.join(&name), &name, false));
        }
    }
}

/// Opens a log. Returns an error if the file has meanwhile been replaced by a pipe or, unless the user named it
/// directly, by a link.
fn open(place: &Place) -> io::Result<File> {
    match place.is_named {
        true => open_regular(OpenOptions::new().read(true), &place.path),
        false => open_plain(&place.path),
    }
}

fn listed(
    place: &Place,
    read: &mut BTreeMap<String, (Stamp, Header)>,
    games: &[Plugin],
) -> io::Result<Listed> {
    let file = open(place)?;
    let metadata = file.metadata()?;
    let modified = metadata.modified().ok();
    let stamp = (metadata.len(), modified);
    let header = match read.get(&place.id) {
        Some((of, header)) if *of == stamp => header.clone(),
        _ => {
            let header = header(file, metadata.len(), games)?;
            read.insert(place.id.clone(), (stamp, header.clone()));
            header
        }
    };
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok(Listed {
        id: place.id.clone(),
        name: place.name.clone(),
        bytes: metadata.len(),
        modified: since.unwrap_or_default().as_secs(),
        header,
    })
}

fn header(file: File, length: u64, games: &[Plugin]) -> io::Result<Header> {
    let mut input = BufReader::new(file);
    match logs::read_header(&mut input, games) {
        Ok(settings) => {
            let games = match length <= COUNTED {
                true => Some(count_games(input)?),
                false => None,
            };
            Ok(Header {
                game: Some(settings.game.about().name),
                games,
                title: Match::new(settings).title(),
                error: None,
            })
        }
        Err(logs::ReadError::Io(error)) => Err(error),
        Err(error) => Ok(Header {
            error: Some(error.to_string()),
            ..Header::default()
        }),
    }
}

/// Counts the games in a log, which are the lines that begin with [`GAME`].
fn count_games(input: impl BufRead) -> io::Result<usize> {
    let mut input = input.take(COUNTED);
    let (mut line, mut games) = (Vec::new(), 0);
    while {
        line.clear();
        input.read_until(b'\n', &mut line)? > 0
    } {
        games += usize::from(line.starts_with(GAME));
    }
    Ok(games)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use turnwise_games::GAMES;

    use super::*;

    const LOG: &[u8] = include_bytes!("../../../tests/data/arena/faults.jsonl");

    fn names(folders: &Folders) -> Vec<String> {
        let listed = folders.list(GAMES);
        listed.into_iter().map(|log| log.name).collect()
    }

    #[test]
    fn logs_are_listed_with_what_they_hold() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("week")).expect("a folder");
        fs::write(folder.path().join("week/war.jsonl"), LOG).expect("room");
        fs::write(folder.path().join("notes.txt"), LOG).expect("room");
        let folders = Folders::new(vec![folder.path().to_owned()]);
        let listed = folders.list(GAMES);
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].name, "week/war.jsonl");
        let read = folders.read(&listed[0].id, GAMES).expect("a log");
        assert_eq!(listed[0].header.game, Some("entropy"));
        assert_eq!(listed[0].header.title, read.title());
        assert_eq!(listed[0].header.games, Some(read.games.len()));
        assert!(matches!(
            folders.read("../war.jsonl", GAMES),
            Err(ShowError::Unknown)
        ));
    }

    #[test]
    fn a_log_that_grows_is_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("war.jsonl");
        let header = LOG
            .split_inclusive(|&byte| byte == b'\n')
            .next()
            .expect("a line");
        fs::write(&path, header).expect("room");
        let folders = Folders::new(vec![folder.path().to_owned()]);
        assert_eq!(folders.list(GAMES)[0].header.games, Some(0));
        fs::write(&path, LOG).expect("room");
        assert!(folders.list(GAMES)[0].header.games > Some(0));
    }

    #[test]
    fn what_is_no_log_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("x.jsonl"), "<script>\n").expect("room");
        let listed = Folders::new(vec![folder.path().to_owned()]).list(GAMES);
        assert!(listed[0].header.error.is_some());
        assert_eq!(listed[0].header.game, None);
    }

    #[test]
    fn links_are_followed_only_if_they_are_named() {
        let outside = tempfile::tempdir().expect("a folder");
        let secret = outside.path().join("secret.jsonl");
        fs::write(&secret, LOG).expect("room");
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("link.jsonl");
        symlink(&secret, &link).expect("a link");
        symlink(outside.path(), folder.path().join("out")).expect("a link");
        let pipe = folder.path().join("pipe.jsonl");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo runs").success());
        assert_eq!(
            names(&Folders::new(vec![folder.path().to_owned()])),
            [""; 0]
        );
        assert_eq!(
            names(&Folders::new(vec![link.clone(), pipe])),
            ["link.jsonl"]
        );
        // This path imitates a log that was replaced by a link after the search had found it.
        let place = Place::new(0, link, Path::new("link.jsonl"), false);
        assert!(open(&place).is_err());
    }
}
