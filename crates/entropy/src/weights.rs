//! Learned values as data: their name, their origin and their file format.
//!
//! A weights file starts with one line of JSON, which contains [`About`] and optionally a [`Forecast`] in the field
//! `forecast`. The values follow as little-endian 16-bit integers in hundredths of a point, ordered by number of tiles
//! on the board (from 0 to all), phase (before the draw, before the slide) and [`LineId`](super::patterns::LineId).
//! Line numbers are ordered by distance from the edge (on 5 rows) and then by pattern, as in
//! [`Patterns`](super::patterns::Patterns).
//!
//! Values of crossings, if any, follow in the same form, ordered by their numbers in
//! [`Crossings`](super::crossings::Crossings). Values of blocks, if any, follow in the same form, ordered by their
//! numbers in [`Blocks`](super::blocks::Blocks), with or without split blocks. If gaps have values, each table of
//! blocks ends with the values of gaps, ordered by their numbers in [`Gaps`](super::gaps::Gaps).
//!
//! Format 1 is also readable. In format 1, line values do not depend on the distance from the edge.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use turnwise_engine::files::{ReadError, read_at_most};

use super::evaluation::{self, Evaluation, KeptBySize, SIZES, number_of_values};
use super::forecast::{self, Forecast};
use super::patterns;
use super::rules::MIN_SIZE;

/// The version of the weights format that this program writes, which is also the latest version that it reads.
pub const FORMAT: u32 = 2;

/// The origin of a set of weights: which command created them, and for which boards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The version of the file's format: [`FORMAT`], even if the file had an earlier version. Later versions are
    /// rejected.
    pub format: u32,
    /// The name of the weights in the logs of matches.
    pub name: String,
    /// The number of rows of the boards that the weights are for.
    pub size: u8,
    /// The command that created the weights.
    pub command: String,
    /// The number of games from which the values were learned.
    pub games: u64,
}

/// The contents of a weights file: the values, their origin and possibly a forecast.
#[derive(Debug, Clone)]
pub struct Weights {
    /// The origin of the weights.
    pub about: About,
    /// The forecast of final scores from the values of searches, if the weights were calibrated.
    pub forecast: Option<Forecast>,
    /// The values in hundredths of a point, in the order of a weights file (see the module's description).
    pub values: Vec<i16>,
}

/// The first line of a weights file.
#[derive(Serialize, Deserialize)]
struct Head<About, Forecast> {
    #[serde(flatten)]
    about: About,
    #[serde(skip_serializing_if = "Option::is_none")]
    forecast: Option<Forecast>,
}

/// The reason why bytes are not valid weights.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// The first line is missing or not valid JSON.
    #[error("expected a first line of JSON that describes the weights, {0}")]
    About(String),
    /// The file's format has a version that this program cannot read; contains the version.
    #[error("expected weights of format 1 or {FORMAT}, got {0}")]
    Format(u32),
    /// The board is too small or too large for weights; contains its number of rows.
    #[error("expected weights for 2 to {longest} rows, got {0}", longest = patterns::LONGEST)]
    Size(u8),
    /// The forecast has an unsupported format version or is for boards of another size.
    #[error(
        "expected a forecast of format {FORECAST} for {0} rows; run `turnwise entropy calibrate` on weights without a \
         forecast",
        FORECAST = forecast::FORMAT
    )]
    Forecast(u8),
    /// The number of bytes after the first line is wrong.
    #[error("expected {expected} bytes of values for {size} rows, got {got}")]
    Length {
        /// The expected number of bytes for boards with this size.
        expected: usize,
        /// The number of rows of the weights' boards.
        size: u8,
        /// The number of bytes that follow the first line of the file.
        got: usize,
    },
}

/// The maximum size of a weights file, in bytes: seven times the size of the largest weights.
const LARGEST_FILE: u64 = 4 << 20;

/// The reason why a weights file cannot be used.
#[derive(Debug, Error)]
pub enum WeightsFileError {
    /// The file cannot be read.
    #[error(transparent)]
    Unread(#[from] ReadError),
    /// The file does not exist.
    #[error("cannot read {0}: there is no such file")]
    Missing(String),
    /// The file is not a valid weights file.
    #[error("{path} contains no weights: {cause}")]
    NoWeights {
        /// The path as given by the user.
        path: String,
        /// The error in the file's contents.
        cause: WeightsError,
    },
    /// The weights are for boards of another size.
    #[error(
        "expected weights for {expected} rows, got {got} in {path}; use --size {got} or other weights"
    )]
    Size {
        /// The path as given by the user.
        path: String,
        /// The requested number of rows.
        expected: u8,
        /// The number of rows of the weights' boards.
        got: u8,
    },
}

/// The released weights, by board size.
const RELEASED: [(u8, &[u8]); 5] = [
    (3, include_bytes!("weights/3.weights")),
    (4, include_bytes!("weights/4.weights")),
    (5, include_bytes!("weights/5.weights")),
    (6, include_bytes!("weights/6.weights")),
    (7, include_bytes!("weights/7.weights")),
];

/// The weights of the previous release, 0.1.0, which this release has not changed. A change of a file in [`RELEASED`] needs
/// a copy of the previous release's file for this list.
const LAST_RELEASE: [(u8, &[u8]); 5] = RELEASED;

/// Returns the released weights for boards of a size, if there are any.
pub fn released(size: u8) -> Option<Weights> {
    find(&RELEASED, size)
}

fn find(files: &[(u8, &[u8])], size: u8) -> Option<Weights> {
    let (_, bytes) = files.iter().find(|(known, _)| *known == size)?;
    Some(Weights::from_bytes(bytes).expect("released weights are whole"))
}

/// Returns the shared evaluation of the search agent: the released weights, or the values of holes if none exist.
pub fn best_known(size: u8) -> Arc<Evaluation> {
    static KNOWN: KeptBySize<Evaluation> = [const { OnceLock::new() }; SIZES];
    shared(&KNOWN, &RELEASED, size)
}

/// Returns the shared evaluation of the previous release's search agent.
pub fn last_release(size: u8) -> Arc<Evaluation> {
    static KNOWN: KeptBySize<Evaluation> = [const { OnceLock::new() }; SIZES];
    shared(&KNOWN, &LAST_RELEASE, size)
}

fn shared(known: &KeptBySize<Evaluation>, files: &[(u8, &[u8])], size: u8) -> Arc<Evaluation> {
    let evaluation = known[usize::from(size)].get_or_init(|| match find(files, size) {
        Some(weights) => Arc::new(weights.into_evaluation()),
        None => evaluation::by_holes(size),
    });
    Arc::clone(evaluation)
}

impl Weights {
    /// Returns the contents of a weights file with these weights.
    pub fn to_bytes(&self) -> Vec<u8> {
        let head = Head {
            about: &self.about,
            forecast: self.forecast.as_ref(),
        };
        let mut bytes = serde_json::to_vec(&head).expect("plain fields become JSON");
        bytes.push(b'\n');
        bytes.extend(self.values.iter().flat_map(|value| value.to_le_bytes()));
        bytes
    }

    /// Parses the contents of a weights file.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a valid weights file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let end = (bytes.iter().position(|&byte| byte == b'\n'))
            .ok_or_else(|| WeightsError::About("got no line end".to_owned()))?;
        let Head {
            mut about,
            forecast,
        }: Head<About, Forecast> = serde_json::from_slice(&bytes[..end])
            .map_err(|error| WeightsError::About(error.to_string()))?;
        if !(1..=FORMAT).contains(&about.format) {
            return Err(WeightsError::Format(about.format));
        }
        if !(MIN_SIZE..=patterns::LONGEST).contains(&about.size) {
            return Err(WeightsError::Size(about.size));
        }
        if (forecast.as_ref()).is_some_and(|forecast| !forecast.fits(about.size)) {
            return Err(WeightsError::Forecast(about.size));
        }
        let bytes = &bytes[end + 1..];
        let distances = match about.format {
            1 => evaluation::distances(about.size),
            _ => 1,
        };
        let of_lines = number_of_values(about.size) / distances;
        let expected = 2 * of_lines;
        let mut others = evaluation::numbers_of_other_values(about.size);
        if !others.any(|others| bytes.len() == expected + 2 * others) {
            return Err(WeightsError::Length {
                expected,
                size: about.size,
                got: bytes.len(),
            });
        }
        let mut values: Vec<i16> = (bytes.chunks_exact(2))
            .map(|pair| i16::from_le_bytes([pair[0], pair[1]]))
            .collect();
        if distances > 1 {
            let others = values.split_off(of_lines);
            let patterns = evaluation::number_of_line_ids(about.size) / distances;
            values = (values.chunks_exact(patterns))
                .flat_map(|table| table.repeat(distances))
                .chain(others)
                .collect();
        }
        about.format = FORMAT;
        Ok(Self {
            about,
            forecast,
            values,
        })
    }

    /// Reads a file of weights for boards of any size.
    pub fn read_any(path: &Path) -> Result<Self, WeightsFileError> {
        let shown = || path.display().to_string();
        let bytes = read_at_most(path, LARGEST_FILE)?;
        let bytes = bytes.ok_or_else(|| WeightsFileError::Missing(shown()))?;
        Self::from_bytes(&bytes).map_err(|cause| {
            let path = shown();
            WeightsFileError::NoWeights { path, cause }
        })
    }

    /// Reads a file of weights for boards with `expected` rows.
    pub fn read(path: &Path, expected: u8) -> Result<Self, WeightsFileError> {
        let weights = Self::read_any(path)?;
        match weights.about.size {
            got if got == expected => Ok(weights),
            got => {
                let path = path.display().to_string();
                Err(WeightsFileError::Size {
                    path,
                    expected,
                    got,
                })
            }
        }
    }

    /// Returns the evaluation with these weights.
    pub fn into_evaluation(self) -> Evaluation {
        let mut learned = Evaluation::of_all_values(&self.about.name, self.about.size, self.values);
        learned.forecast = self.forecast;
        learned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_has_the_weights_of_release_0_1_0() {
        let checksums = LAST_RELEASE.map(|(_, file)| crc32fast::hash(file));
        assert_eq!(
            checksums,
            [0x8d856589, 0x39a03d20, 0xf6818f75, 0x3785d620, 0xa640c278]
        );
    }
}
