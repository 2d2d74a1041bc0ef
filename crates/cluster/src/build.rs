//! Identifies this program. Another version or build may play other moves, so a match requires identical program files.

use std::fmt;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};

use serde::{Deserialize, Serialize};

/// The number of bytes per read of the program file.
const PIECE: usize = 1 << 20;

/// A participating program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The package version, which other builds may share.
    pub version: String,
    /// The file's hash in hexadecimal digits. It does not protect against deliberate collisions.
    pub hash: String,
}

impl Build {
    /// Returns the build of the running program, with this version.
    ///
    /// # Errors
    ///
    /// Returns an error if the program file cannot be read.
    pub fn of_this_program(version: &str) -> io::Result<Self> {
        let mut file = File::open(std::env::current_exe()?)?;
        let mut hasher = DefaultHasher::new();
        let mut piece = vec![0; PIECE];
        loop {
            match file.read(&mut piece)? {
                0 => break,
                length => hasher.write(&piece[..length]),
            }
        }
        Ok(Self {
            version: version.to_owned(),
            hash: format!("{:016x}", hasher.finish()),
        })
    }
}

impl fmt::Display for Build {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "turnwise {} (build {})", self.version, self.hash)
    }
}
