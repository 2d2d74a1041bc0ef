//! What a program may use and see that is not trusted. What this machine can do of it, the
//! [words](in_force) say.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What a program may use and see that is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Isolation {
    /// Bytes of memory for all its processes together.
    pub memory: u64,
    /// Processes at the same time, and their threads.
    pub processes: u64,
    /// Bytes of all files in its own folder, which is empty in the beginning.
    pub files: u64,
    /// Whether it may use the network.
    #[serde(default)]
    pub network: bool,
    /// Files and folders that it may read besides the system's and those that its command names.
    #[serde(default)]
    pub readable: Vec<PathBuf>,
    /// True if nobody else looks into its folder, so that it can be in memory, where the kernel limits its size.
    #[serde(skip)]
    pub has_private_home: bool,
    /// The folder with the program's files. No log has it: it belongs to a participant, not to a match.
    #[serde(skip)]
    pub own: Own,
}

/// The files of an isolated program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Own {
    /// The files that its words name, with the folders they are in. It starts in an empty folder.
    #[default]
    Named,
    /// A folder that it can read, in which it starts. Its words open nothing, here as below.
    StartsIn(PathBuf),
    /// A folder that it can read. It starts in an empty folder, where it finds its question and leaves its answer.
    Reads(PathBuf),
    /// A folder that it can change, in which it starts. This must be the folder that is its home.
    Builds(PathBuf),
}

impl Own {
    /// The folder, if there is one.
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Named => None,
            Self::StartsIn(folder) | Self::Reads(folder) | Self::Builds(folder) => Some(folder),
        }
    }
}

impl Default for Isolation {
    /// 1 GiB of memory, 256 processes and threads, 64 MiB of files, no network.
    fn default() -> Self {
        Self {
            memory: 1 << 30,
            processes: 256,
            files: 64 << 20,
            network: false,
            readable: Vec::new(),
            has_private_home: false,
            own: Own::Named,
        }
    }
}

impl Isolation {
    /// Bytes of memory below which no program starts.
    pub const LEAST_MEMORY: u64 = 16 << 20;

    /// True if a program could run like this.
    pub fn is_possible(&self) -> bool {
        self.memory >= Self::LEAST_MEMORY && self.processes > 0 && self.files > 0
    }
}

/// Returns the walls that an isolated program lacks on this machine and without which it could harm others, in words.
/// There must be a [guard](super::guard::Guard).
pub fn missing() -> Vec<String> {
    #[cfg(target_os = "linux")]
    return super::means::means().missing().map(str::to_owned).collect();
    #[cfg(not(target_os = "linux"))]
    vec!["all of them: only Linux can isolate programs".to_owned()]
}

/// True for what lies in the folders of the system, which every isolated program may read.
pub fn is_systems(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return super::walls::is_systems(path);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        false
    }
}

/// Makes sure that the words of a command without a folder of its own can be opened for an isolated program.
///
/// # Errors
///
/// If a word names a link that leads out of the folder it is in.
pub fn check_words(words: &[String]) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    for word in words {
        super::walls::named(word)?;
    }
    #[cfg(not(target_os = "linux"))]
    let _ = words;
    Ok(())
}

/// True for home, the folder for temporary files, and their parents: programs do not get such a folder as a whole
/// because a word of their command names a file in it.
pub fn is_everybodys(folder: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return folder
        .canonicalize()
        .is_ok_and(|folder| super::walls::is_everybodys(&folder));
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        true
    }
}

/// What of an isolation this machine enforces, found by trying it, and what not, in words. There must be a
/// [guard](super::guard::Guard).
pub fn in_force() -> String {
    #[cfg(target_os = "linux")]
    let words = super::means::means().to_string();
    #[cfg(not(target_os = "linux"))]
    let words = "nothing in force: only Linux can isolate programs".to_owned();
    words
}

/// Reports each wall of this machine on a line of its own, found by trying it. There must be a
/// [guard](super::guard::Guard).
pub fn report() -> String {
    #[cfg(target_os = "linux")]
    let report = super::means::means().report();
    #[cfg(not(target_os = "linux"))]
    let report = "isolation  none: only Linux can isolate programs\n".to_owned();
    report
}
