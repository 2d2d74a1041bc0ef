//! The files that participants need and that go to the workers with a match: folders of programs, and files of
//! weights. Where they lie on a worker has nothing to do with where they lay before.

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

/// What has to come with a participant.
enum Need {
    /// The folder of a program.
    Folder(PathBuf),
    /// A file of weights.
    Weights(PathBuf),
}

/// What has to come with a participant, or why it cannot play on another machine.
fn need(kind: &Kind, agent: &Contestant) -> Result<Option<Need>, String> {
    let why = match kind {
        Kind::BuiltIn { options, .. } => return Ok(options.weights.clone().map(Need::Weights)),
        Kind::Program {
            way: Way::Lines(_) | Way::UsualLines(_) | Way::Files,
            words,
            ..
        } => match &agent.folder {
            Some(_) if words.iter().any(|word| leads_out(word)) => {
                "its command names a file outside of its folder, which does not travel"
            }
            Some(folder) => return Ok(Some(Need::Folder(folder.clone()))),
            None => {
                "a program travels with its folder alone: cmd:folder=DIR:WORDS, or folder in the file of \
                 turnwise tournament"
            }
        },
        Kind::Program { .. } => "a daemon does not travel to the workers",
        Kind::Remote => "who comes by itself comes to turnwise host",
        Kind::Human => "a human plays in turnwise arena",
    };
    Err(format!("{}: {why}; leave it or --cluster out", agent.name))
}

/// What has to come with the participants of a match, in their order, or why it cannot be played on other
/// machines.
fn needs(settings: &Settings) -> Result<Vec<Option<Need>>, Error> {
    if settings.via != Via::Process {
        let why = "--cluster plays agents in the workers themselves; leave --via out";
        return Err(Error::Unsupported(why.to_owned()));
    }
    let kinds = settings.check();
    let kinds = kinds.map_err(|error| Error::Unsupported(error.to_string()))?;
    let agents = kinds.iter().zip(&settings.agents);
    let needs: Result<_, String> = agents.map(|(kind, agent)| need(kind, agent)).collect();
    needs.map_err(Error::Unsupported)
}

/// Says whether a match can be played on other machines.
///
/// # Errors
///
/// If not, with the reason.
pub fn check(settings: &Settings) -> Result<(), Error> {
    needs(settings).map(drop)
}

/// What is packed of a match, each content once.
pub struct Attachments {
    /// Packed folders and files, and the run's task, named by their hashes.
    packed: Scratch,
    /// What comes with each participant.
    pub(crate) hashes: Vec<Option<String>>,
    /// What says which run it is; see [`Self::add_task`].
    task: Option<String>,
}

impl Attachments {
    /// Packs what the participants of a match need; `missing` hears of those whose files do not travel, who
    /// cannot play.
    ///
    /// # Errors
    ///
    /// If the match cannot be played on other machines, or there is no room here.
    pub fn of(
        settings: &Settings,
        missing: &mut dyn FnMut(usize, FilesError),
    ) -> Result<Self, Error> {
        let mut attachments = Self {
            packed: Scratch::new().map_err(Error::Room)?,
            hashes: Vec::new(),
            task: None,
        };
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

    /// A file of this content, or nothing.
    pub(crate) fn of_content(content: Option<&[u8]>) -> io::Result<Self> {
        let mut attachments = Self {
            packed: Scratch::new()?,
            hashes: Vec::new(),
            task: None,
        };
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

    /// Adds what all units of the run are part of, which goes as it is; its hash is returned.
    pub(crate) fn add_task(&mut self, task: &[u8]) -> io::Result<String> {
        let hash = self.keep(task)?;
        Ok(self.task.insert(hash).clone())
    }

    /// All that goes to the server, by its hash.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&String, PathBuf)> {
        let hashes: BTreeSet<&String> = self.hashes.iter().flatten().chain(&self.task).collect();
        let path = |hash: &String| self.packed.path().join(hash);
        hashes.into_iter().map(move |hash| (hash, path(hash)))
    }
}

/// What a match asks of a worker besides agents of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Programs {
    /// To run no programs of others.
    #[default]
    None,
    /// To run programs that see neither its files nor the network.
    Isolated,
    /// To run programs as they are.
    Any,
}

impl Programs {
    /// What a match asks for.
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

    /// Why a worker that lets so much run does not do what a match asks for, if it does not.
    pub(crate) fn objection(self, asked: Self) -> Option<&'static str> {
        match asked {
            _ if asked <= self => None,
            Self::Any => Some(
                "it runs programs without isolation, which this worker does only with --allow-programs",
            ),
            _ => Some(
                "it runs programs, and this worker cannot isolate them: install bubblewrap, or say \
                 --allow-programs",
            ),
        }
    }
}

/// Makes the participants of a match find what has come with them, each in the folder at its place, and nothing
/// else: no path that the match names means anything on this machine. The match has been [checked](check).
pub(crate) fn bring_home(settings: &mut Settings, folders: &[PathBuf]) -> Result<(), String> {
    let kinds = settings.check().map_err(|error| error.to_string())?;
    let participants = settings.agents.iter_mut().zip(kinds).zip(folders);
    for ((agent, kind), folder) in participants {
        match kind {
            Kind::BuiltIn {
                agent: name,
                mut options,
                part,
            } if options.weights.is_some() => {
                options.weights = Some(folder.join(FILE));
                let kind = Kind::BuiltIn {
                    agent: name,
                    options,
                    part,
                };
                agent.spec = kind.to_string();
            }
            Kind::Program { .. } => agent.folder = Some(folder.clone()),
            _ => {}
        }
    }
    Ok(())
}

/// True for a word of a command that names something outside of the command's folder, but for what is the
/// system's: whatever a command names, it may read.
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
