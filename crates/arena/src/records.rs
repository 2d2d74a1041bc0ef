//! The lines of an arena's log: what the arena writes, and what resuming and reporting read.
//!
//! A log is JSON lines: a header, then moves and games, and an end if the match came to one. A
//! reader passes over fields that it does not know; what is optional may be absent or null. Times of
//! moves and games are left out where nothing depends on them, so that matches without clocks are the
//! same byte for byte.
//!
//! What is read first is raw: the fields that are the game's own are understood with the game's help
//! ([`Settings::of`], [`GameRecord::of`]), and only then can a log be used.

mod game;
mod header;

use serde::{Deserialize, Serialize};
use turnwise_engine::fields::Fields;

use crate::schedule::MeetingNumber;
pub use game::{ByRole, Fault, GameRecord, GameResult};
pub use header::{Contestant, GameSettings, RawGame, START, Settings, Sprt, Unit, Via, one_of};

/// The format's number, in the header.
pub const FORMAT: u32 = 1;

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Record<G = GameSettings, R = GameResult> {
    /// The first line: what is played, and how.
    Match(Settings<G>),
    /// In a tournament, a meeting that is to be played.
    Draw(DrawRecord),
    /// One move of a player; all moves of a game stand before the game's own line.
    Move(MoveRecord),
    /// A game that is over; its moves come before it.
    Game(GameRecord<R>),
    /// The match came to its end or was interrupted by its user.
    End(EndRecord),
}

/// A meeting of a tournament that is to be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawRecord {
    /// The name of the first of the two participants.
    pub first: String,
    /// The name of the second; without it the first has a bye.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// Whom besides, at a table of more than two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// Which meeting it is.
    pub meeting: MeetingNumber,
}

/// A line as it was read.
pub type RawRecord = Record<RawGame, Fields>;

/// Reads a line of a log. Moves, which are most of it, are read without looking for their kind first, which
/// takes a third of the time.
///
/// # Errors
///
/// If it is no record.
pub fn read_line(line: &[u8]) -> serde_json::Result<RawRecord> {
    const MOVE: &[u8] = b"{\"event\":\"move\",";
    const KIND: &[u8] = b"\"event\"";
    const ESCAPE: &[u8] = b"\\u00";
    // What says its kind twice, perhaps in escaped letters, is no record.
    let may_be_kind = |part: &[u8]| part == KIND || part.starts_with(ESCAPE);
    match line.strip_prefix(MOVE) {
        Some(rest) if !rest.windows(KIND.len()).any(may_be_kind) => {
            serde_json::from_slice(line).map(Record::Move)
        }
        _ => serde_json::from_slice(line),
    }
}

/// One move of a player, as a line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The pair's number, from 1 over the whole match.
    pub pair: u32,
    /// 1 or 2 within the pair; 1 to the number of seats within a rotation.
    pub game: u8,
    /// The move's number in the game, from 1; both players' moves count.
    pub ply: u32,
    /// Who moves, in capital letters.
    pub role: String,
    /// The name of the agent that moves.
    pub agent: String,
    /// The letter of the tile to place, in games that have tiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tile: Option<String>,
    /// The move in the game's notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// Of a command that answers by a file what it wrote, as it stood there but for bytes that are no
    /// UTF-8, and cut if it was long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Time left on the clock before the move, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_left_s: Option<f64>,
    /// The time meant for the move, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_ms: Option<f64>,
    /// The most the move was allowed to take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_ms: Option<f64>,
    /// The time it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_ms: Option<f64>,
    /// The CPU time it took, in milliseconds.
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
    /// The final score of the first role that the agent expects, where it can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The value by which the agent has chosen the move, always from the side of the first role, in
    /// points of its evaluation. Logs of earlier versions have it as `score`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The name of the agent's weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
}

/// How the match ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndRecord {
    /// How many pairs were played.
    #[serde(default)]
    pub pairs: u32,
    /// The verdict, in words.
    #[serde(default)]
    pub verdict: Option<String>,
}
