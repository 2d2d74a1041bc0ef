//! Weights of Entropy in a file that somebody names.

use std::io;
use std::path::Path;

use thiserror::Error;

use crate::weights::{BadWeights, Weights};

/// Why a file cannot be played by.
#[derive(Debug, Error)]
pub enum Unusable {
    /// It cannot be read.
    #[error("cannot read {path}: {cause}")]
    Unread {
        /// The file.
        path: String,
        /// What the system says.
        cause: io::Error,
    },
    /// It is no weights file.
    #[error("{path} holds no weights: {cause}")]
    NoWeights {
        /// The file.
        path: String,
        /// What is wrong with it.
        cause: BadWeights,
    },
    /// They are for other boards.
    #[error(
        "expected weights for {expected} rows, got {got} in {path}; play with --size {got}, or give others"
    )]
    Size {
        /// The file.
        path: String,
        /// Rows of the boards to be played on.
        expected: u8,
        /// Rows of the boards that they are for.
        got: u8,
    },
}

/// Reads weights for boards of any size.
///
/// # Errors
///
/// [`Unusable`], but for [`Unusable::Size`].
pub fn read_any(path: &Path) -> Result<Weights, Unusable> {
    let shown = || path.display().to_string();
    let bytes = std::fs::read(path).map_err(|cause| Unusable::Unread {
        path: shown(),
        cause,
    })?;
    Weights::from_bytes(&bytes).map_err(|cause| Unusable::NoWeights {
        path: shown(),
        cause,
    })
}

/// Reads weights for boards of this size.
///
/// # Errors
///
/// [`Unusable`].
pub fn read(path: &Path, size: u8) -> Result<Weights, Unusable> {
    let weights = read_any(path)?;
    match weights.about.size {
        got if got == size => Ok(weights),
        got => Err(Unusable::Size {
            path: path.display().to_string(),
            expected: size,
            got,
        }),
    }
}
