//! Weights of Entropy in a file that somebody names.

use std::path::Path;

use thiserror::Error;
use turnwise_engine::files::{ReadError, read_at_most};

use crate::weights::{Weights, WeightsError};

/// The most that is read, in bytes: nine times the largest weights there can be.
const LARGEST: u64 = 4 << 20;

/// Why a file cannot be played by.
#[derive(Debug, Error)]
pub enum WeightsFileError {
    /// It cannot be read.
    #[error(transparent)]
    Unread(#[from] ReadError),
    /// It is not there.
    #[error("there is no file {0}")]
    Missing(String),
    /// It is no weights file.
    #[error("{path} holds no weights: {cause}")]
    NoWeights {
        /// The file.
        path: String,
        /// What is wrong with it.
        cause: WeightsError,
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
/// [`WeightsFileError`], but for [`WeightsFileError::Size`].
pub fn read_any(path: &Path) -> Result<Weights, WeightsFileError> {
    let shown = || path.display().to_string();
    let bytes = read_at_most(path, LARGEST)?.ok_or_else(|| WeightsFileError::Missing(shown()))?;
    Weights::from_bytes(&bytes).map_err(|cause| WeightsFileError::NoWeights {
        path: shown(),
        cause,
    })
}

/// Reads weights for boards of this size.
///
/// # Errors
///
/// [`WeightsFileError`].
pub fn read(path: &Path, size: u8) -> Result<Weights, WeightsFileError> {
    let weights = read_any(path)?;
    match weights.about.size {
        got if got == size => Ok(weights),
        got => Err(WeightsFileError::Size {
            path: path.display().to_string(),
            expected: size,
            got,
        }),
    }
}
