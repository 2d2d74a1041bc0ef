//! Packs the files of participants that workers need for a match: folders of programs, and files of weights.
//!
//! On a worker, the unpacked files are in other places than on the machine that packed them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use turnwise_arena::agents::{Kind, Way};
use turnwise_arena::records::{Contestant, Settings, Via};
use turnwise_process::Scratch;
use turnwise_process::isolation::{Isolation, is_systems};

use crate::files::{FILE, FilesError, hash, pack_bytes, pack_file, pack_folder, together};
use crate::server::Error;

/// The files that a worker needs to play a participant.
enum Need {
    /// The folder with a program's files.
    Folder(PathBuf),
    /// The file with a built-in agent's weights.
    Weights(PathBuf),
}

/// Returns the files that a participant needs, if any, or the reason why it cannot play on another machine.
fn need(kind: &Kind, agent: &Contestant) -> Result<Option<Need>, String> {
    let why = match kind {
        Kind::BuiltIn { options, .. } => return Ok(options.weights.clone().map(Need::Weights)),
        Kind::Program {
            way: Way::Lines(_) | Way::UsualLines(_) | Way::Files,
            words,
            ..
        } => match &agent.folder {
            Some(_) if words.iter().any(|word| leads_out(word)) => {
                "its command names a file outside its folder, which workers do not get"
            }
            Some(folder) => return Ok(Some(Need::Folder(folder.clone()))),
            None => {
                "workers get only a program's folder: use cmd:folder=DIR:WORDS, or folder in the file of turnwise \
                 tournament"
            }
        },
        Kind::Program { .. } => "daemons cannot be sent to workers",
        Kind::Remote => "remote agents play in turnwise host",
        Kind::Human => "humans play in turnwise arena",
    };
    Err(format!("{}: {why}; omit it or --cluster", agent.name))
}

/// Returns the files that each participant needs, or the reason why the match cannot be played on other machines.
fn needs(settings: &Settings) -> Result<Vec<Option<Need>>, Error> {
    if settings.via != Via::Process {
        let why = "--cluster runs agents inside the workers; omit --via";
        return Err(Error::Unsupported(why.to_owned()));
    }
    let kinds = settings.check();
    let kinds = kinds.map_err(|error| Error::Unsupported(error.to_string()))?;
    let agents = kinds.iter().zip(&settings.agents);
    let needs: Result<_, String> = agents.map(|(kind, agent)| need(kind, agent)).collect();
    needs.map_err(Error::Unsupported)
}

/// Checks that a match can be played on other machines.
///
/// # Errors
///
/// Returns the reason if the match cannot be played on other machines.
pub fn check(settings: &Settings) -> Result<(), Error> {
    needs(settings).map(drop)
}

/// The packed files that workers need for a run. Files with equal contents are packed once.
pub struct Attachments {
    /// A folder that contains the packed folders and files and the run's task. Their names are their hashes.
    packed: Scratch,
    /// The hash of each participant's packed files; `None` for a participant without files.
    pub(crate) hashes: Vec<Option<String>>,
    /// The hash of the run's task, once [`Self::add_task`] has added it.
    task: Option<String>,
}

impl Attachments {
    fn new() -> io::Result<Self> {
        Ok(Self {
            packed: Scratch::new()?,
            hashes: Vec::new(),
            task: None,
        })
    }

    /// Packs the files of a match's participants.
    ///
    /// `missing` is called for each participant that cannot play because its files cannot be packed.
    ///
    /// # Errors
    ///
    /// Returns an error if the match cannot be played on other machines, or if this machine cannot store the files.
    pub fn of(
        settings: &Settings,
        missing: &mut dyn FnMut(usize, FilesError),
    ) -> Result<Self, Error> {
        let mut attachments = Self::new().map_err(Error::Room)?;
        let mut before = 0;
        for (place, need) in needs(settings)?.into_iter().enumerate() {
            let packed = match need {
                None => {
                    attachments.hashes.push(None);
                    continue;
                }
                Some(Need::Folder(path)) => pack_folder(&path),
                Some(Need::Weights(path)) => pack_file(&path),
            };
            let bounded = packed.and_then(|packed| {
                before = together(before, &packed)?;
                Ok(packed)
            });
            let hash = match bounded {
                Ok(packed) => Some(attachments.keep(&packed).map_err(Error::Room)?),
                Err(error) => {
                    missing(place, error);
                    None
                }
            };
            attachments.hashes.push(hash);
        }
        Ok(attachments)
    }

    /// Packs a single file with the content `content`, or no file if `content` is `None`.
    pub(crate) fn of_content(content: Option<&[u8]>) -> io::Result<Self> {
        let mut attachments = Self::new()?;
        if let Some(content) = content {
            let hash = attachments.keep(&pack_bytes(content)?)?;
            attachments.hashes.push(Some(hash));
        }
        Ok(attachments)
    }

    fn keep(&self, packed: &[u8]) -> io::Result<String> {
        let hash = hash(packed);
        fs::write(self.packed.path().join(&hash), packed)?;
        Ok(hash)
    }

    /// Adds the run's task unpacked, and returns its hash.
    pub(crate) fn add_task(&mut self, task: &[u8]) -> io::Result<String> {
        let hash = self.keep(task)?;
        Ok(self.task.insert(hash).clone())
    }

    /// Returns the hash and the path of each file that the server should store.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&String, PathBuf)> {
        let hashes: BTreeSet<&String> = self.hashes.iter().flatten().chain(&self.task).collect();
        let path = |hash: &String| self.packed.path().join(hash);
        hashes.into_iter().map(move |hash| (hash, path(hash)))
    }
}

/// The outside programs that a match requires a worker to run, or that a worker permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Programs {
    /// No outside programs.
    #[default]
    None,
    /// Only isolated programs, which have no access to the worker's files and the network.
    Isolated,
    /// All programs, even without isolation.
    Any,
}

impl Programs {
    /// Returns which outside programs a match with these settings requires.
    pub fn of(settings: &Settings) -> Self {
        if settings
            .programs()
            .is_ok_and(|programs| programs.is_empty())
        {
            return Self::None;
        }
        let is_closed = |isolation: &Isolation| !isolation.network && isolation.readable.is_empty();
        match settings.isolation.as_ref().is_some_and(is_closed) {
            true => Self::Isolated,
            false => Self::Any,
        }
    }

    /// Returns the reason why a worker that permits `self` rejects a run that requires `asked`, if it does.
    pub(crate) fn objection(self, asked: Self) -> Option<&'static str> {
        match asked {
            _ if asked <= self => None,
            Self::Any => Some(
                "it runs programs without isolation; this worker requires --allow-programs for that",
            ),
            _ => Some(
                "it runs programs, and this worker cannot isolate them: install bubblewrap, or use --allow-programs",
            ),
        }
    }
}

/// Makes the settings refer to the participants' unpacked files. `folders` contains a folder for each participant.
///
/// No other path in the match is valid on this machine. The match must have been [checked](check).
pub(crate) fn bring_home(settings: &mut Settings, folders: &[PathBuf]) -> Result<(), String> {
    let kinds = settings.check().map_err(|error| error.to_string())?;
    let participants = settings.agents.iter_mut().zip(kinds).zip(folders);
    for ((agent, mut kind), folder) in participants {
        match &mut kind {
            Kind::BuiltIn { options, .. } if options.weights.is_some() => {
                options.weights = Some(folder.join(FILE));
                agent.spec = kind.to_string();
            }
            Kind::Program { .. } => agent.folder = Some(folder.clone()),
            _ => {}
        }
    }
    Ok(())
}

/// Returns true if a word of a command names a path outside the command's folder, other than a system file.
///
/// Such a word is a problem because a command may read any path that it names.
fn leads_out(word: &str) -> bool {
    let path = Path::new(word);
    let climbs = path.components().any(|part| part == Component::ParentDir);
    climbs || (path.is_absolute() && !is_systems(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_files_of_its_folder_and_of_the_system() {
        for word in [
            "python3",
            "player.py",
            "./run.sh",
            "lib/table",
            "--level=..",
            "a..b",
            "/usr/bin/env",
            "/usr/bin/no-such-program",
        ] {
            assert!(!leads_out(word), "{word}");
        }
        for word in [
            "..",
            "../bob/player.py",
            "lib/../../secret",
            "/home/somebody/.ssh/id",
            "/usr/../home/somebody",
            "/tmp",
            "/proc/self/environ",
        ] {
            assert!(leads_out(word), "{word}");
        }
    }

    #[test]
    fn a_worker_runs_what_it_is_allowed_to_and_no_more() {
        use Programs::{Any, Isolated, None};
        for (allowed, asked, is_done) in [
            (None, None, true),
            (None, Isolated, false),
            (None, Any, false),
            (Isolated, None, true),
            (Isolated, Isolated, true),
            (Isolated, Any, false),
            (Any, Any, true),
        ] {
            let objection = allowed.objection(asked);
            assert_eq!(objection.is_none(), is_done, "{allowed:?} {asked:?}");
        }
    }
}
