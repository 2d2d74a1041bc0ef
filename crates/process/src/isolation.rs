//! The limits and permissions of an untrusted program.
//!
//! The machine may not enforce all limits; see [`in_force`].

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The limits and permissions of an untrusted program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Isolation {
    /// Bytes of memory for all processes of the program together.
    pub memory: u64,
    /// The maximum number of simultaneous processes and threads.
    pub processes: u64,
    /// Bytes of all files in the program's own folder, which is empty at first.
    pub files: u64,
    /// Whether the program may use the network.
    #[serde(default)]
    pub network: bool,
    /// Files and folders that the program may also read.
    ///
    /// The program can read the system's folders and the paths in its command without this list.
    #[serde(default)]
    pub readable: Vec<PathBuf>,
    /// True if only the program uses its folder. The folder can then be in memory, where the kernel limits its size.
    #[serde(skip)]
    pub has_private_home: bool,
    /// The folder with the program's files. Logs omit the folder, because it belongs to a participant rather than to a
    /// match.
    #[serde(skip)]
    pub own: Own,
}

/// The files of an isolated program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Own {
    /// The files that the command names, with their parent folders. The program starts in an empty folder.
    #[default]
    Named,
    /// A readable folder in which the program starts. Here and in the variants below, the command opens no further
    /// paths.
    StartsIn(PathBuf),
    /// A readable folder. The program starts in an empty folder, which contains its question and receives its answer.
    Reads(PathBuf),
    /// A writable folder in which the program starts. This must also be the program's home folder.
    Builds(PathBuf),
}

impl Own {
    /// Returns the program's folder, if any.
    #[cfg(target_os = "linux")]
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Named => None,
            Self::StartsIn(folder) | Self::Reads(folder) | Self::Builds(folder) => Some(folder),
        }
    }
}

impl Default for Isolation {
    /// Returns 1 GiB of memory, 256 processes and threads, 64 MiB of files, no network.
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
    /// The minimum memory in bytes; with less, no program starts.
    pub const LEAST_MEMORY: u64 = 16 << 20;

    /// Returns true if a program could run with these limits.
    pub fn is_possible(&self) -> bool {
        self.memory >= Self::LEAST_MEMORY && self.processes > 0 && self.files > 0
    }
}

/// Returns the missing walls without which an isolated program could do harm.
///
/// The caller must hold a [guard](super::guard::Guard).
pub fn missing() -> Vec<String> {
    #[cfg(target_os = "linux")]
    return super::means::means().missing().map(str::to_owned).collect();
    #[cfg(not(target_os = "linux"))]
    vec!["all of them: only Linux can isolate programs".to_owned()]
}

/// Returns true for a path in the system's folders, which every isolated program may read.
pub fn is_systems(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return super::walls::is_systems(path);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        false
    }
}

/// Checks that an isolated program can open the paths in its command.
///
/// Only for a command without its own folder.
///
/// # Errors
///
/// Returns an error if a word of the command names a link that leads out of the link's folder.
pub fn check_words(words: &[String]) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    for word in words {
        super::walls::named(word)?;
    }
    #[cfg(not(target_os = "linux"))]
    let _ = words;
    Ok(())
}

/// Returns true for home, the folder for temporary files, and their parents.
///
/// A command that names a file in such a folder does not give its program access to the whole folder.
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

/// Reports which parts of an isolation this machine enforces, and which not.
///
/// The report is based on a probe. The caller must hold a [guard](super::guard::Guard).
pub fn in_force() -> String {
    #[cfg(target_os = "linux")]
    let words = super::means::means().to_string();
    #[cfg(not(target_os = "linux"))]
    let words = "nothing in force: only Linux can isolate programs".to_owned();
    words
}

/// Reports each wall of this machine on a separate line, based on a probe.
///
/// The caller must hold a [guard](super::guard::Guard).
pub fn report() -> String {
    #[cfg(target_os = "linux")]
    let report = super::means::means().report();
    #[cfg(not(target_os = "linux"))]
    let report = "isolation  none: only Linux can isolate programs\n".to_owned();
    report
}
