//! Learned line values as data: what they are called, how they were made, and how they are written.
//!
//! A weights file is one line of JSON, [`About`] and perhaps a [`Forecast`] under that name, and then
//! the values as little-endian 16-bit whole numbers in hundredths of a point: by tiles on the board
//! (from 0 to all), by phase (before the draw, before the slide), by [`LineId`](super::patterns::LineId):
//! on 5 rows by distance from the edge, and by pattern in the order of
//! [`Patterns`](super::patterns::Patterns). Where crossings have values, they follow in the same way, by
//! their numbers among [`Crossings`](super::crossings::Crossings), and so do those of blocks, by their
//! numbers among [`Blocks`](super::blocks::Blocks), without or with those of split blocks, and behind them in each table those
//! of gaps, if they have any, by their numbers among [`Gaps`](super::gaps::Gaps).
//!
//! In format 1, which is still read, lines have the same values at every distance from the edge.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use turnwise_engine::files::{ReadError, read_at_most};

use super::evaluation::{self, Evaluation, KeptBySize, SIZES, number_of_values};
use super::forecast::{self, Forecast};
use super::patterns;
use super::rules::MIN_SIZE;

/// The version of the format that this program writes, and the latest that it reads.
pub const FORMAT: u32 = 2;

/// Where weights come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The version of the file's format: [`FORMAT`], also where an earlier one was read; later ones are refused.
    pub format: u32,
    /// The name under which matches are logged.
    pub name: String,
    /// Rows of the boards that they are for.
    pub size: u8,
    /// The command that made them.
    pub command: String,
    /// Self-play games that they learned from.
    pub games: u64,
}

/// Weights with what is said of them.
#[derive(Debug, Clone)]
pub struct Weights {
    /// Where they come from.
    pub about: About,
    /// What final scores values stand for, if that was measured.
    pub forecast: Option<Forecast>,
    /// In hundredths of a point, ordered as in the file.
    pub values: Vec<i16>,
}

/// The line of JSON.
#[derive(Serialize, Deserialize)]
struct Head<About, Forecast> {
    #[serde(flatten)]
    about: About,
    #[serde(skip_serializing_if = "Option::is_none")]
    forecast: Option<Forecast>,
}

/// Why bytes are no weights.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// No line of JSON at the beginning.
    #[error("expected a first line of JSON that says what these weights are, {0}")]
    About(String),
    /// The file's format has no version that this program knows.
    #[error("expected weights of format 1 or {FORMAT}, got {0}")]
    Format(u32),
    /// A size without patterns.
    #[error("expected weights for 2 to {longest} rows, got {0}", longest = patterns::LONGEST)]
    Size(u8),
    /// A forecast of another version or for boards of another size.
    #[error(
        "expected a forecast of format {FORECAST} for {0} rows; `turnwise calibrate` makes a new one of \
         weights without one",
        FORECAST = forecast::FORMAT
    )]
    Forecast(u8),
    /// Too few or too many bytes of values.
    #[error("expected {expected} bytes of values for {size} rows, got {got}")]
    Length {
        /// The bytes that the values of boards of this size take.
        expected: usize,
        /// Rows of the boards that the weights are for.
        size: u8,
        /// The bytes that there are.
        got: usize,
    },
}

/// The most that is read of a file, in bytes: seven times the largest weights there can be.
const LARGEST_FILE: u64 = 4 << 20;

/// Why a file cannot be played by.
#[derive(Debug, Error)]
pub enum WeightsFileError {
    /// The file cannot be read.
    #[error(transparent)]
    Unread(#[from] ReadError),
    /// The file is not there.
    #[error("cannot read {0}: there is no such file")]
    Missing(String),
    /// The file is no weights file, and why.
    #[error("{path} holds no weights: {cause}")]
    NoWeights {
        /// The path as it was given.
        path: String,
        /// What is wrong with its content.
        cause: WeightsError,
    },
    /// The file holds weights for boards of another size.
    #[error(
        "expected weights for {expected} rows, got {got} in {path}; play with --size {got}, or give others"
    )]
    Size {
        /// The path as it was given.
        path: String,
        /// The rows that were asked for.
        expected: u8,
        /// The rows that the weights are for.
        got: u8,
    },
}

/// The weights of this release, by size of the board.
const RELEASED: [(u8, &[u8]); 5] = [
    (3, include_bytes!("weights/3.weights")),
    (4, include_bytes!("weights/4.weights")),
    (5, include_bytes!("weights/5.weights")),
    (6, include_bytes!("weights/6.weights")),
    (7, include_bytes!("weights/7.weights")),
];

/// The weights of this release for boards of a size, if there are any.
pub fn released(size: u8) -> Option<Weights> {
    let (_, bytes) = RELEASED.iter().find(|(known, _)| *known == size)?;
    Some(Weights::from_bytes(bytes).expect("released weights are whole"))
}

/// What the searching player plays by: released weights, or else the values of holes. Made when
/// first asked for and kept for all who ask again.
pub fn best_known(size: u8) -> Arc<Evaluation> {
    static KNOWN: KeptBySize<Evaluation> = [const { OnceLock::new() }; SIZES];
    let known = KNOWN[usize::from(size)].get_or_init(|| match released(size) {
        Some(weights) => Arc::new(weights.into_evaluation()),
        None => evaluation::by_holes(size),
    });
    Arc::clone(known)
}

impl Weights {
    /// The bytes of a weights file.
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

    /// Reads the bytes of a weights file. An error if they are none.
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

    /// Reads a file of weights for boards of this size.
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

    /// The evaluation that they make.
    pub fn into_evaluation(self) -> Evaluation {
        let mut learned = Evaluation::of_all_values(&self.about.name, self.about.size, self.values);
        learned.forecast = self.forecast;
        learned
    }
}
