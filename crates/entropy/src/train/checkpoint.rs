//! Serializes an unfinished training as bytes: a line of JSON, the current values, the positions of the last
//! generations, and a checksum of all preceding bytes. All numbers are little-endian.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::self_play::Sample;
use super::{Plan, Training, UNDER_WAY};
use crate::evaluation::{
    Evaluation, GamePhase, number_of_line_ids, number_of_local_values, number_of_values,
};
use crate::local::{Local, LocalId};
use crate::patterns::LineId;
use crate::weights::About;

/// The first line of a checkpoint, which is JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    checkpoint: u32,
    plan: Plan,
    start: Option<About>,
    generations: u32,
    /// The number of positions in each stored generation.
    samples: Vec<usize>,
}

/// The part of a checkpoint's first line that exists in every format version.
#[derive(Debug, Deserialize)]
struct Version {
    checkpoint: u32,
}

/// The version of the checkpoint format that this program writes, which is also the only version that it reads.
const FORMAT: u32 = 3;

/// The reason why bytes are not a valid checkpoint.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The first line is missing or invalid; contains the reason.
    #[error("expected a first line of JSON that describes the training: {0}")]
    Head(String),
    /// The checkpoint has another format version; contains that version.
    #[error(
        "expected a checkpoint of format {FORMAT}, got format {0}; remove it to begin anew, or finish the training \
         with the version of turnwise that wrote it"
    )]
    Format(u32),
    /// The checksum is wrong, or the values or positions do not match the first line.
    #[error("the file is damaged; remove it to begin anew")]
    Damaged,
}

/// Serializes a training, which must have at least one finished generation.
pub fn to_bytes(training: &Training) -> Vec<u8> {
    let head = Head {
        checkpoint: FORMAT,
        plan: training.plan,
        start: training.start.clone(),
        generations: training.generations,
        samples: training.samples.iter().map(Vec::len).collect(),
    };
    let mut bytes = serde_json::to_vec(&head).expect("plain fields become JSON");
    bytes.push(b'\n');
    bytes.extend(training.values.iter().flat_map(|value| value.to_le_bytes()));
    for sample in training.samples.iter().flatten() {
        write_sample(sample, &mut bytes);
    }
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Writes a position in the format that [`Reader::sample`] reads.
pub(super) fn write_sample(sample: &Sample, bytes: &mut Vec<u8>) {
    bytes.extend(sample.tiles.to_le_bytes());
    bytes.push(sample.game_phase as u8);
    bytes.extend(sample.target.to_le_bytes());
    let ids = sample.lines.iter().chain(&sample.local);
    bytes.extend(ids.flat_map(|id| id.to_le_bytes()));
}

/// Describes the positions of a training, as far as the serialization format depends on them.
pub(super) struct Told {
    size: u8,
    /// The number of different line IDs.
    line_ids: usize,
    /// The blocks and gaps of the board, if their values are learned.
    local: Option<Local>,
}

impl Told {
    /// Returns the format for boards with `size` rows.
    ///
    /// With `blocks`, the format includes blocks and gaps if the board size can use them.
    pub fn new(size: u8, blocks: bool) -> Self {
        Self {
            size,
            line_ids: number_of_line_ids(size),
            local: blocks.then(|| Local::learned(size)).flatten(),
        }
    }

    fn lines(&self) -> usize {
        2 * usize::from(self.size)
    }

    fn number_of_local(&self, tiles: u16, game_phase: GamePhase) -> usize {
        let number = |local: &Local| local.number(tiles, game_phase);
        self.local.as_ref().map_or(0, number)
    }

    /// Returns the maximum number of bytes that [`write_sample`] writes for a position.
    pub fn most_bytes_of_sample(&self) -> usize {
        2 + 1 + 4 + 2 * (self.lines() + self.number_of_local(0, GamePhase::BeforeDraw))
    }
}

/// Parses a checkpoint; fails if the bytes are invalid.
pub fn from_bytes(bytes: &[u8]) -> Result<Training, CheckpointError> {
    let end = (bytes.iter().position(|&byte| byte == b'\n')).ok_or(CheckpointError::Damaged)?;
    let not_json = |error: serde_json::Error| CheckpointError::Head(error.to_string());
    let version: Version = serde_json::from_slice(&bytes[..end]).map_err(not_json)?;
    if version.checkpoint != FORMAT {
        return Err(CheckpointError::Format(version.checkpoint));
    }
    let (content, checksum) = bytes.split_last_chunk().ok_or(CheckpointError::Damaged)?;
    if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
        return Err(CheckpointError::Damaged);
    }
    let head: Head = serde_json::from_slice(&bytes[..end]).map_err(not_json)?;
    let size = head.plan.self_play.size;
    if !(2..=7).contains(&size) || !can_be(&head.plan) {
        return Err(CheckpointError::Damaged);
    }
    let mut reader = Reader(content.get(end + 1..).ok_or(CheckpointError::Damaged)?);
    let told = Told::new(size, head.plan.fit.blocks);
    let local = (told.local.as_ref()).map_or(0, |local| number_of_local_values(size, local));
    let values: Option<Vec<i16>> = (0..number_of_values(size) + local)
        .map(|_| reader.take().map(i16::from_le_bytes))
        .collect();
    let samples: Option<VecDeque<Vec<Sample>>> = (head.samples.iter())
        .map(|&count| (0..count).map(|_| reader.sample(&told)).collect())
        .collect();
    let (Some(values), Some(samples), true) = (values, samples, reader.0.is_empty()) else {
        return Err(CheckpointError::Damaged);
    };
    Ok(Training {
        plan: head.plan,
        start: head.start,
        generations: head.generations,
        evaluation: Arc::new(Evaluation::of_all_values(UNDER_WAY, size, values.clone())),
        values,
        samples,
        begun_with: None,
    })
}

/// Returns true if the numbers of a plan are in range. A checkpoint from elsewhere may contain any numbers.
fn can_be(plan: &Plan) -> bool {
    let is_share = |share: f64| (0.0..=1.0).contains(&share);
    is_share(f64::from(plan.self_play.lambda))
        && is_share(plan.self_play.exploration)
        && plan.window > 0
        && plan.fit.knot_distance > 0
        && (0.0..f32::INFINITY).contains(&plan.fit.prior_samples)
}

/// A reader of numbers and positions, which holds the bytes that are not read yet.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    pub fn take<const LENGTH: usize>(&mut self) -> Option<[u8; LENGTH]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    /// Reads `count` numbers. Returns `None` if a number is not below `bound` or the bytes end too early.
    fn ids(&mut self, count: usize, bound: usize) -> Option<Vec<u16>> {
        let ids = (0..count).map(|_| self.take().map(u16::from_le_bytes));
        let ids: Option<Vec<u16>> = ids.collect();
        ids.filter(|all| all.iter().all(|&one| usize::from(one) < bound))
    }

    /// Reads a position in the format `told`.
    pub fn sample(&mut self, told: &Told) -> Option<Sample> {
        let tiles = u16::from_le_bytes(self.take()?);
        let [game_phase] = self.take()?;
        let target = f32::from_le_bytes(self.take()?);
        let game_phase = *GamePhase::ALL.get(usize::from(game_phase))?;
        let lines: Vec<LineId> = self.ids(told.lines(), told.line_ids)?;
        let patterns = told.local.as_ref().map_or(0, Local::count);
        let local: Vec<LocalId> = self.ids(told.number_of_local(tiles, game_phase), patterns)?;
        (tiles < u16::from(told.size) * u16::from(told.size)).then_some(Sample {
            tiles,
            game_phase,
            lines,
            local,
            target,
        })
    }
}

#[cfg(test)]
mod tests;
