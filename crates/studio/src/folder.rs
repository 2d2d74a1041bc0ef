//! The logs that may be read: files and folders that were named when the server was started. What comes from
//! outside is never a path: a log goes by a number that is made of its place.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use turnwise_engine::files::{open_plain, open_regular};
use turnwise_engine::plugin::Plugin;
use turnwise_engine::words::printable;
use turnwise_report::{Match, logs, merge};

/// The extension by which logs in folders are found; a log that was named may have another.
const EXTENSION: &str = "jsonl";

/// Folders are looked through so deep.
const DEPTH: usize = 4;

/// So many logs are listed.
const MOST_LOGS: usize = 2000;

/// So many entries of folders are looked at.
const MOST_ENTRIES: usize = 50_000;

/// Games are counted in logs up to this size, in bytes.
const COUNTED: u64 = 16 << 20;

/// Logs up to this size are shown, in bytes.
const SHOWN: u64 = 128 << 20;

/// With this begins the line of a game.
const GAME: &[u8] = b"{\"event\":\"game\"";

/// The files and folders that were named.
#[derive(Debug, Default)]
pub struct Folders {
    named: Vec<PathBuf>,
    /// What was read of logs, as long as they stay as they were.
    read: Mutex<BTreeMap<String, (Stamp, Header)>>,
}

/// A log in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    id: String,
    name: String,
    bytes: u64,
    /// When it was last written, in seconds since 1970.
    modified: u64,
    #[serde(flatten)]
    header: Header,
}

/// What a log's beginning tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct Header {
    game: Option<&'static str>,
    title: String,
    /// Its games; none if it is too large to count them.
    games: Option<usize>,
    error: Option<String>,
}

/// A file that is the same in this is taken for unchanged.
type Stamp = (u64, Option<SystemTime>);

/// Where a log is, and what a browser knows it by.
struct Place {
    id: String,
    name: String,
    path: PathBuf,
    /// It was named itself, and may be a link.
    is_named: bool,
}

/// Why a log is not shown.
#[derive(Debug, thiserror::Error)]
pub enum ShowError {
    /// There is no log of this number.
    #[error("there is no such log")]
    Unknown,
    /// The file could not be read.
    #[error("the log cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is no log.
    #[error(transparent)]
    NoLog(#[from] logs::ReadError),
    /// It is larger than what a browser is shown.
    #[error(
        "the log has more than {} MiB: turnwise report makes a page of it",
        SHOWN >> 20
    )]
    TooLarge,
}

impl Folders {
    /// The logs of these files and folders.
    pub fn new(named: Vec<PathBuf>) -> Self {
        Self {
            named,
            read: Mutex::default(),
        }
    }

    /// True if none were named.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// All logs, the last written one first. What cannot be read is left out; what is no log says so.
    pub fn list(&self, games: &[&dyn Plugin]) -> Vec<Listed> {
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

    /// A log's match.
    ///
    /// # Errors
    ///
    /// [`ShowError`].
    pub fn read(&self, id: &str, games: &[&dyn Plugin]) -> Result<Match, ShowError> {
        let place = self.places().into_iter().find(|place| place.id == id);
        let place = place.ok_or(ShowError::Unknown)?;
        let file = open(&place)?;
        if file.metadata()?.len() > SHOWN {
            return Err(ShowError::TooLarge);
        }
        // It may grow meanwhile.
        shown(&place.name, BufReader::new(file.take(SHOWN)), games)
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

/// A match in a log's text.
///
/// # Errors
///
/// [`ShowError::NoLog`].
pub fn shown(name: &str, text: impl BufRead, games: &[&dyn Plugin]) -> Result<Match, ShowError> {
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

/// Adds the logs below a folder. Links are not followed: they may lead out of it.
fn search(number: usize, root: &Path, below: &Path, entries: &mut usize, places: &mut Vec<Place>) {
    // A folder that cannot be read has nothing to show.
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

/// Opens a log. Rejects a pipe or a link that has replaced a listed file.
fn open(place: &Place) -> io::Result<File> {
    match place.is_named {
        true => open_regular(OpenOptions::new().read(true), &place.path),
        false => open_plain(&place.path),
    }
}

fn listed(
    place: &Place,
    read: &mut BTreeMap<String, (Stamp, Header)>,
    games: &[&dyn Plugin],
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

fn header(file: File, length: u64, games: &[&dyn Plugin]) -> io::Result<Header> {
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

/// The lines that begin as a game's does.
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
        // A link that takes a log's place after it was found.
        let place = Place::new(0, link, Path::new("link.jsonl"), false);
        assert!(open(&place).is_err());
    }
}
