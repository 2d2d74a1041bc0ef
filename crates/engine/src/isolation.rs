//! The limits and permissions of an untrusted program, as the conditions of a match state them.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The limits and permissions of an untrusted program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Isolation {
    /// The maximum memory of all processes of the program together, in bytes.
    pub memory: u64,
    /// The maximum number of processes and threads that the program may have at a time.
    pub processes: u64,
    /// The maximum size of all files in the program's home folder together, in bytes. The folder is empty at first.
    pub files: u64,
    /// Whether the program may use the network.
    #[serde(default)]
    pub network: bool,
    /// Additional files and folders that the program may read.
    ///
    /// The system's folders and the paths in its command need not be in this list.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub readable: Vec<PathBuf>,
    /// True if only the program uses its home folder.
    ///
    /// The folder can then be in memory, where the kernel limits its size.
    #[serde(skip)]
    pub has_private_home: bool,
    /// The folder with the program's own files.
    ///
    /// Logs do not contain it, because the folder belongs to a participant and not to a match.
    #[serde(skip)]
    pub own: Own,
}

/// The files that an isolated program may access in addition to the system's folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Own {
    /// The program may read the files that its command names, and their parent folders. It starts in an empty folder.
    #[default]
    Named,
    /// The program may read this folder, and starts in it.
    ///
    /// With this variant and those below, paths in the command give access to nothing else.
    StartsIn(PathBuf),
    /// The program may read this folder, but starts in its home folder, which is for its question and its answer.
    Reads(PathBuf),
    /// The program may write to this folder, and starts in it. The folder must also be the program's home folder.
    Builds(PathBuf),
}

impl Own {
    /// Returns the folder with the program's own files, if any.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Named => None,
            Self::StartsIn(folder) | Self::Reads(folder) | Self::Builds(folder) => Some(folder),
        }
    }
}

impl Default for Isolation {
    /// Returns the default limits: 1 GiB of memory, 256 processes and threads, 64 MiB of files, and no network.
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
    /// The minimum of `memory` in bytes. No program can start with less.
    pub const LEAST_MEMORY: u64 = 16 << 20;

    /// Returns true if a program could run with these limits.
    pub fn is_possible(&self) -> bool {
        self.memory >= Self::LEAST_MEMORY && self.processes > 0 && self.files > 0
    }
}
