//! Which program this is. Another version or another build of it may play other moves, so all that take part
//! in a match must be the same file.

use std::fmt;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};

use serde::{Deserialize, Serialize};

/// The program file is read in pieces of so many bytes.
const PIECE: usize = 1 << 20;

/// A program that takes part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// Its package's version, which other builds may have as well.
    pub version: String,
    /// What its file comes to, in hexadecimal digits. No defence against somebody who wants two files to
    /// come to the same.
    pub hash: String,
}

impl Build {
    /// The program that runs here, which is of this version.
    ///
    /// # Errors
    ///
    /// If its file cannot be read.
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
