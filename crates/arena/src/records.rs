//! The lines of an arena's log, which the arena writes and which resuming and reporting read.
//!
//! A log is JSON lines: a header, then moves and games, and an end record if the match ended. A reader
//! ignores unknown fields; optional fields may be absent or null. Times of moves and games are omitted if
//! nothing depends on them, so that logs of matches without clocks are reproducible byte for byte.
//!
//! Records are first read in raw form. The game then interprets its own fields ([`Settings::of`],
//! [`GameRecord::of`]), and only then can a log be used.

mod game;
mod header;

use serde::{Deserialize, Serialize};
use turnwise_engine::fields::Fields;

use crate::schedule::MeetingNumber;
pub use game::{ByRole, Fault, GameRecord, GameResult};
pub use header::{Contestant, GameSettings, RawGame, START, Settings, Sprt, Unit, Via, one_of};

/// The version of the format, in the header.
pub const FORMAT: u32 = 1;

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Record<G = GameSettings, R = GameResult> {
    /// The first line: the game and its conditions.
    Match(Settings<G>),
    /// In a tournament, a drawn meeting.
    Draw(DrawRecord),
    /// One move of a player; all moves of a game come before the game's own line.
    Move(MoveRecord),
    /// A finished game; its moves come before it.
    Game(GameRecord<R>),
    /// The match ended, or its user interrupted it.
    End(EndRecord),
}

/// A drawn meeting of a tournament.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawRecord {
    /// The name of the first of the two participants.
    pub first: String,
    /// The name of the second participant; without it, the first participant has a bye.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// The other participants, at a table of more than two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// The number of the meeting.
    pub meeting: MeetingNumber,
}

/// A line in raw form.
pub type RawRecord = Record<RawGame, Fields>;

/// Reads a line of a log.
///
/// Most lines are moves. They are read without a search for their kind, which takes a third of the time.
///
/// # Errors
///
/// Returns an error if the line is not a record.
pub fn read_line(line: &[u8]) -> serde_json::Result<RawRecord> {
    const MOVE: &[u8] = b"{\"event\":\"move\",";
    const KIND: &[u8] = b"\"event\"";
    const ESCAPE: &[u8] = b"\\u00";
    // A line with two kinds, perhaps in escaped letters, is not a record.
    let may_be_kind = |part: &[u8]| part == KIND || part.starts_with(ESCAPE);
    match line.strip_prefix(MOVE) {
        Some(rest) if !rest.windows(KIND.len()).any(may_be_kind) => {
            serde_json::from_slice(line).map(Record::Move)
        }
        _ => serde_json::from_slice(line),
    }
}

/// A move of a player, as a line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The pair's number, from 1 over the whole match.
    pub pair: u32,
    /// 1 or 2 within a pair; 1 to the number of seats within a rotation.
    pub game: u8,
    /// The move's number in the game, from 1; both players' moves count.
    pub ply: u32,
    /// The mover's role, in capital letters.
    pub role: String,
    /// The name of the agent that moves.
    pub agent: String,
    /// The letter of the tile to place, in games that have tiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tile: Option<String>,
    /// The move in the game's notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// The text that a command wrote to its file as an answer.
    ///
    /// Bytes that are not UTF-8 are replaced, and a long text is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Time left on the clock before the move, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_left_s: Option<f64>,
    /// The intended time for the move, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_ms: Option<f64>,
    /// The maximum time for the move, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_ms: Option<f64>,
    /// The time used, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_ms: Option<f64>,
    /// The CPU time used, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<f64>,
    /// CPU milliseconds charged for computation while the opponent was to move.
    ///
    /// The agent's program used this time before this move, and its clock was charged with this move. Absent if it is
    /// 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended_ms: Option<f64>,
    /// The deepest completed iteration, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Positions visited in the search for this move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The final score of the first role that the agent expects, if it can estimate that score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The value of the move in the agent's evaluation, from the side of the first role.
    ///
    /// Logs of earlier versions store it as `score`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The name of the agent's weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
}

/// The end of a match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndRecord {
    /// The number of pairs played.
    #[serde(default)]
    pub pairs: u32,
    /// The verdict, in words.
    #[serde(default)]
    pub verdict: Option<String>,
}
