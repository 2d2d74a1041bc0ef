//! Identifies the build of this program. Other builds may play other moves, so all machines must run identical files.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The number of bytes that are read from the program file at a time.
const PIECE: usize = 1 << 20;

/// The number of bytes of the SHA-256 that identify a program file.
const SHOWN: usize = 8;

/// Identifies the program that a coordinator or a worker runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The version of the package, which different builds may share.
    pub version: String,
    /// The beginning of the SHA-256 of the program file, in hexadecimal digits. It does not protect against deliberate
    /// collisions.
    pub hash: String,
}

impl Build {
    /// Returns the build of the running program, whose version is `version`.
    ///
    /// # Errors
    ///
    /// Returns an error if the program file cannot be read.
    pub fn of_this_program(version: &str) -> io::Result<Self> {
        Self::of_program(&std::env::current_exe()?, version)
    }

    /// Returns the build of the program at this path, whose version is `version`.
    ///
    /// # Errors
    ///
    /// Returns an error if the program file cannot be read.
    pub fn of_program(path: &Path, version: &str) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut hasher = Sha256::new();
        let mut piece = vec![0; PIECE];
        loop {
            match file.read(&mut piece)? {
                0 => break,
                length => hasher.update(&piece[..length]),
            }
        }
        let hash = &hasher.finalize()[..SHOWN];
        Ok(Self {
            version: version.to_owned(),
            hash: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }
}

impl fmt::Display for Build {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "turnwise {} (build {})", self.version, self.hash)
    }
}
