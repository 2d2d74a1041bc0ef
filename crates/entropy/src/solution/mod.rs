//! Entropy solved: the value of every board of up to four rows under perfect play by both sides.
//!
//! | module | contents |
//! |---|---|
//! | [`index`] | consecutive numbers for all boards up to symmetry |
//! | `solve` | values by backward induction, one layer of boards with equal tile counts at a time |
//!
//! A solution file starts with a line that states the solved game. Then the layers follow, from the full boards to
//! the empty board. A layer contains the values of all boards with an equal number of tiles, as little-endian 32-bit
//! floats, ordered by board number, and the CRC-32 of these values. A value is the expected final score before a tile
//! is drawn; the value of a move is computed from the values of later boards. If a file lacks its last layers, solving
//! resumes with them.

pub mod index;
mod solve;

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use turnwise_engine::files::open_regular;
use turnwise_engine::game::Score;
use turnwise_engine::search::analysis::{Analysis, Candidate};

use crate::rules::{Move, Phase, Position, Rules};
use index::{Board, LARGEST, Layer};
use solve::Values;
pub use solve::Work;

/// The version of the file format that this program writes and reads.
const FORMAT: u32 = 1;

/// The maximum length of the first line, in bytes.
const LONGEST_HEADER: u64 = 200;

/// The size of a board's value in a file, in bytes.
const VALUE: u64 = 4;

/// The first line of a solution file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    /// The version of the file's format; versions other than [`FORMAT`] are rejected.
    turnwise_solution: u32,
    #[serde(flatten)]
    rules: Rules,
}

/// The reason why no solution is available.
#[derive(Debug, Error)]
pub enum SolutionError {
    /// A file could not be opened, read or written.
    #[error("{path}: {cause}")]
    Failed {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The file is not a solution of the expected game.
    #[error("{path} contains no solution for these rules: expected {expected:?} as its first line")]
    Foreign {
        /// The path of the file with a different first line.
        path: PathBuf,
        /// The expected first line.
        expected: String,
    },
    /// The file ends too early.
    #[error("{path} is not finished; continue it with turnwise entropy solve")]
    Unfinished {
        /// The path of the unfinished file.
        path: PathBuf,
    },
    /// A checksum in the file is wrong.
    #[error(
        "{path} is damaged in the layer of boards with {tiles} tiles; remove it and solve again"
    )]
    Damaged {
        /// The path of the file with a wrong checksum.
        path: PathBuf,
        /// The number of tiles on each board of the damaged layer.
        tiles: usize,
    },
    /// Solving was stopped before the file was finished.
    #[error("stopped; the same command continues {path}")]
    Stopped {
        /// The path of the file, which contains the layers solved so far.
        path: PathBuf,
    },
}

/// Returns the number of boards whose values a solution for these rules contains.
pub fn boards(rules: Rules) -> u64 {
    let layers = (0..=tiles(rules)).map(|tiles| Layer::new(rules.size, tiles).boards() as u64);
    layers.sum()
}

/// Returns true if boards with `size` rows can be solved.
pub fn is_solvable(size: u8) -> bool {
    size <= LARGEST
}

/// Returns the usual name of the solution file for these rules.
pub fn file_name(rules: Rules) -> String {
    let pass = if rules.pass { "-pass" } else { "" };
    format!("entropy-{}{pass}.solution", rules.size)
}

/// Opens the solution for these rules in a folder. Returns `None` if no file has the usual name.
///
/// # Errors
///
/// Returns an error if the file exists but cannot be used.
pub fn at_hand(folder: &Path, rules: Rules) -> Result<Option<Solution>, SolutionError> {
    let path = folder.join(file_name(rules));
    match is_solvable(rules.size) && path.exists() {
        true => Solution::open(&path, rules).map(Some),
        false => Ok(None),
    }
}

/// Returns the number of tiles on a full board under these rules.
fn tiles(rules: Rules) -> usize {
    usize::from(rules.size) * usize::from(rules.size)
}

fn header(rules: Rules) -> String {
    let turnwise_solution = FORMAT;
    let header = Header {
        turnwise_solution,
        rules,
    };
    serde_json::to_string(&header).expect("a header is JSON") + "\n"
}

/// A finished solution file, open for reading.
#[derive(Debug)]
pub struct Solution {
    rules: Rules,
    path: PathBuf,
    file: File,
    /// For each number of tiles, the numbering of the boards, and the offset of their values in the file.
    layers: Vec<(Layer, u64)>,
}

impl Solution {
    /// Opens a finished solution file for these rules.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is not a solution for these rules, or is not finished.
    pub fn open(path: &Path, rules: Rules) -> Result<Self, SolutionError> {
        let failed = |cause| failed(path, cause);
        let file = open_regular(OpenOptions::new().read(true), path).map_err(failed)?;
        let begins = check_header(path, &file, rules)?;
        let mut layers = Vec::new();
        let mut at = begins;
        for tiles in (0..=tiles(rules)).rev() {
            let layer = Layer::new(rules.size, tiles);
            let bytes = VALUE * layer.boards() as u64;
            layers.push((layer, at));
            at += bytes + VALUE;
        }
        layers.reverse();
        if file.metadata().map_err(failed)?.len() != at {
            let path = path.to_owned();
            return Err(SolutionError::Unfinished { path });
        }
        Ok(Self {
            rules,
            path: path.to_owned(),
            file,
            layers,
        })
    }

    /// Returns the rules of the solved game.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Reads the whole file and verifies its checksums.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is damaged or cannot be read.
    pub fn verify(&self) -> Result<(), SolutionError> {
        for (tiles, (layer, begins)) in self.layers.iter().enumerate() {
            read_layer(&self.path, &self.file, *begins, layer.boards(), tiles)?;
        }
        Ok(())
    }

    /// Returns the expected final score of a position under perfect play by both sides.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    ///
    /// # Panics
    ///
    /// Panics if the position and the solution have different rules.
    pub fn value(&self, position: &Position) -> Result<f64, SolutionError> {
        assert_eq!(position.rules(), self.rules, "a solution is of one game");
        match position.phase() {
            Phase::Draw | Phase::Over => self.read(Board::of(position)),
            Phase::Place | Phase::Slide => Ok(self.valued(position)?[0].value.into()),
        }
    }

    /// Returns the `top` best moves of a position in which a player is to move, with their exact values.
    ///
    /// Each placement comes with Order's best reply. The moves are looked up, so the analysis reports no searched
    /// nodes.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    ///
    /// # Panics
    ///
    /// Panics if the position and the solution have different rules, or if no player is to move.
    pub fn analysis(
        &self,
        position: &Position,
        top: usize,
    ) -> Result<Analysis<Move>, SolutionError> {
        let mut candidates = self.valued(position)?;
        candidates.truncate(top);
        for candidate in &mut candidates {
            let mut after = position.clone();
            after.make(candidate.mv);
            // Order answers Chaos's placement; a draw follows Order's slide.
            if after.phase() == Phase::Slide {
                let answers = self.valued(&after)?;
                candidate.principal_variation.push(answers[0].mv);
            }
        }
        Ok(Analysis {
            candidates,
            depth: position.plies_left(),
            solved: true,
            nodes: 0,
        })
    }

    /// Returns all legal moves with their values, best first.
    fn valued(&self, position: &Position) -> Result<Vec<Candidate<Move>>, SolutionError> {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let mut candidates = Vec::new();
        for mv in moves {
            let mut after = position.clone();
            after.make(mv);
            candidates.push(Candidate {
                mv,
                value: self.value(&after)? as Score,
                principal_variation: vec![mv],
            });
        }
        candidates.sort_by(|one, other| match position.phase() {
            Phase::Place => one.value.total_cmp(&other.value),
            _ => other.value.total_cmp(&one.value),
        });
        assert!(!candidates.is_empty(), "a player to move has a move");
        Ok(candidates)
    }

    fn read(&self, board: Board) -> Result<f64, SolutionError> {
        let (layer, begins) = &self.layers[board.tiles()];
        let mut value = [0; VALUE as usize];
        let at = begins + VALUE * layer.number(board) as u64;
        let read = read_exact_at(&self.file, &mut value, at);
        read.map_err(|cause| failed(&self.path, cause))?;
        Ok(f32::from_le_bytes(value).into())
    }
}

fn failed(path: &Path, cause: io::Error) -> SolutionError {
    let path = path.to_owned();
    SolutionError::Failed { path, cause }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(bytes, at)
}

/// Always fails, because this platform cannot read a file at an offset.
#[cfg(not(unix))]
fn read_exact_at(_file: &File, _bytes: &mut [u8], _at: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Checks the first line of a solution file, and returns the offset of the values that follow.
fn check_header(path: &Path, file: &File, rules: Rules) -> Result<u64, SolutionError> {
    let mut line = Vec::new();
    let mut start = BufReader::new(file.take(LONGEST_HEADER));
    start
        .read_until(b'\n', &mut line)
        .map_err(|cause| failed(path, cause))?;
    let expected = header(rules);
    let found: Option<Header> = serde_json::from_slice(&line).ok();
    match found == serde_json::from_str(&expected).ok() {
        true => Ok(line.len() as u64),
        false => Err(SolutionError::Foreign {
            path: path.to_owned(),
            expected: expected.trim_end().to_owned(),
        }),
    }
}

/// Reads a layer and verifies its checksum.
fn read_layer(
    path: &Path,
    file: &File,
    begins: u64,
    boards: usize,
    tiles: usize,
) -> Result<Values, SolutionError> {
    let mut bytes = vec![0; boards * VALUE as usize];
    let mut checksum = [0; VALUE as usize];
    read_exact_at(file, &mut bytes, begins)
        .and_then(|()| read_exact_at(file, &mut checksum, begins + bytes.len() as u64))
        .map_err(|cause| failed(path, cause))?;
    if crc32fast::hash(&bytes) != u32::from_le_bytes(checksum) {
        let path = path.to_owned();
        return Err(SolutionError::Damaged { path, tiles });
    }
    let values = bytes.chunks_exact(VALUE as usize);
    Ok(values
        .map(|value| f32::from_le_bytes(value.try_into().expect("four bytes")))
        .collect())
}

/// Solves the game and writes the values to a file, or resumes an unfinished file.
///
/// No other process may write to the file.
///
/// # Errors
///
/// Returns an error if the file cannot be written, if it contains anything but a solution for these rules, or if the
/// work is stopped. Solved layers remain in the file.
///
/// # Panics
///
/// Panics if the board is too large to be solved.
pub fn solve(path: &Path, rules: Rules, work: &Work) -> Result<Solution, SolutionError> {
    assert!(is_solvable(rules.size), "too large a board");
    let failed = |cause| failed(path, cause);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let mut file = open_regular(&mut options, path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let mut at = match length {
        0 => {
            file.write_all(header(rules).as_bytes()).map_err(failed)?;
            header(rules).len() as u64
        }
        _ => check_header(path, &file, rules)?,
    };
    let mut values: Option<Values> = None;
    for tiles in (0..=tiles(rules)).rev() {
        let boards = Layer::new(rules.size, tiles).boards();
        let ends = at + VALUE * (boards as u64 + 1);
        values = Some(match ends <= length {
            true => {
                (work.found)(2 * boards as u64);
                read_layer(path, &file, at, boards, tiles)?
            }
            false => {
                let solved = solve::layer(rules, tiles, values.as_ref(), work);
                let solved = solved.ok_or_else(|| SolutionError::Stopped {
                    path: path.to_owned(),
                })?;
                let mut bytes = Vec::with_capacity((boards + 1) * VALUE as usize);
                bytes.extend(solved.iter().flat_map(|value| value.to_le_bytes()));
                let checksum = crc32fast::hash(&bytes);
                bytes.extend(checksum.to_le_bytes());
                // An interrupted run may have written a part of this layer. The part is overwritten.
                file.seek(SeekFrom::Start(at))
                    .and_then(|_| file.write_all(&bytes))
                    .and_then(|()| file.sync_data())
                    .map_err(failed)?;
                solved
            }
        });
        at = ends;
    }
    file.set_len(at).map_err(failed)?;
    Solution::open(path, rules)
}
