//! The lines of a log. The arena writes them, and reads them again to resume a match or to report on it. Tournament
//! servers and their clients log games in the same way.
//!
//! A log consists of JSON lines: a header, then moves and games, and an end record if the match ended. Readers
//! ignore unknown fields. Optional fields may be absent or null; fields with a default may be absent. The times of
//! moves and games are omitted if nothing depends on them, so that logs of matches without clocks are reproducible
//! byte for byte.
//!
//! [`json_schema`](turnwise_engine::schema::json_schema) of a [`RawRecord`] is derived from the types and doc comments here. The
//! first sentence of a field's doc comment is also the field's row in `docs/reference/log.md`.
//!
//! A record is first read in raw form. The game then interprets its own fields ([`Settings::of`],
//! [`GameRecord::of`]), and only then can the log be used.

mod game;
mod header;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::Counts;

use crate::schedule::MeetingNumber;
pub use game::{ByRole, Fault, GameRecord, GameResult};
pub use header::{
    Contestant, GameSettings, MOST_AGENTS, RawGame, START, Settings, Sprt, Unit, Via, one_of,
};

/// The version of the log's format, as stored in the header.
pub const FORMAT: u32 = 1;

/// The maximum length in bytes of a line that readers of logs accept.
pub const LONGEST_LINE: u64 = 4 << 20;

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "lowercase")]
#[schemars(title = "A line of a turnwise log")]
pub enum Record<G = GameSettings, R = GameResult> {
    /// The first line: the header, with the game and the settings of the match.
    Match(Settings<G>),
    /// In a tournament, a meeting that the draw has decided on.
    Draw(DrawRecord),
    /// In a tournament, the state of a participant from this line on.
    Participant(ParticipantRecord),
    /// A move of a player; all moves of a game come before the line of the game itself.
    Move(MoveRecord),
    /// A finished game; its moves come before it.
    Game(GameRecord<R>),
    /// A game that was cut short and does not count; its moves come before it.
    Abandoned(AbandonedRecord),
    /// The match ended, or its user interrupted it.
    End(EndRecord),
}

/// A meeting of a tournament, as the draw has decided it: the participants that play each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct DrawRecord {
    /// The name of the first of the two participants.
    pub first: String,
    /// The name of the second participant; absent if the first participant has a bye.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// The names of the other participants, if more than two meet at a table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(!skip_serializing_if)]
    pub others: Vec<String>,
    /// The number of the meeting, which identifies it in the tournament.
    pub meeting: MeetingNumber,
}

/// The state of a participant of a tournament: the version of the program, and whether the participant plays.
///
/// A run writes the record of a participant only if the last record of the log differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ParticipantRecord {
    /// The name of the participant.
    pub agent: String,
    /// The time at which the record was written, in UTC as in RFC 3339.
    pub since: String,
    /// The version of the program: the SHA-256 over the command and the files in the folder, in hexadecimal.
    ///
    /// Absent for a built-in agent, and if the files cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The SHA-256 after the participant's build, if the build changed the files.
    ///
    /// If the files have this SHA-256 at the next run, the version has not changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built: Option<String>,
    /// The reason why the participant does not play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
}

/// A game that was cut short, for example because the connection to its server was lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct AbandonedRecord {
    /// The number of the pair, starting at 1.
    pub pair: u32,
    /// The number of the game within the pair, 1 or 2.
    pub game: u8,
    /// The reason why the game was not finished, in words.
    pub why: String,
}

/// A line of a log before the game has interpreted its own fields.
pub type RawRecord = Record<RawGame, Fields>;

/// Returns a line of a log without blanks at its ends and without the byte order mark that some editors put at the
/// beginning of a file. The result is empty if the line has no record.
pub fn trimmed(line: &[u8]) -> &[u8] {
    let mark = "\u{feff}".as_bytes();
    line.strip_prefix(mark).unwrap_or(line).trim_ascii()
}

/// Parses a line of a log.
///
/// Most lines are moves. A move is parsed without first searching the line for its kind, which is faster.
///
/// # Errors
///
/// Returns an error if the line is not a record.
pub fn read_line(line: &[u8]) -> serde_json::Result<RawRecord> {
    const MOVE: &[u8] = b"{\"event\":\"move\",";
    const KIND: &[u8] = b"\"event\"";
    const ESCAPE: &[u8] = b"\\u00";
    // A line with a second `event` field, whose name may contain escaped letters, is not a record.
    let may_be_kind = |part: &[u8]| part == KIND || part.starts_with(ESCAPE);
    match line.strip_prefix(MOVE) {
        Some(rest) if !rest.windows(KIND.len()).any(may_be_kind) => {
            serde_json::from_slice(line).map(Record::Move)
        }
        _ => serde_json::from_slice(line),
    }
}

/// A move of a player, as a line of a log.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct MoveRecord {
    /// The number of the pair in the match, starting at 1.
    pub pair: u32,
    /// The number of the game: 1 or 2 within a pair, 1 to the number of seats within a rotation.
    pub game: u8,
    /// The number of the move in the game, starting at 1; the moves of all players count.
    pub ply: u32,
    /// The role of the player that moves, in capital letters.
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
    /// The time left on the player's clock before the move, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_left_s: Option<f64>,
    /// The time that the player should use for the move, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_ms: Option<f64>,
    /// The time that the player must not exceed for the move, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_ms: Option<f64>,
    /// The wall time that the player used for the move, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_ms: Option<f64>,
    /// The CPU time that the player used for the move, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<f64>,
    /// The CPU time charged because the program computed while its opponent was to move, in milliseconds.
    ///
    /// The program used this time before this move, and its clock was charged for it together with this move. Absent if
    /// it is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended_ms: Option<f64>,
    /// The depth of the last completed iteration of the search, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The number of positions visited in the search for this move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The agent's estimate of the first role's final score, if the agent can estimate it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The value that the agent's evaluation gives to the move, from the first role's point of view.
    ///
    /// Earlier versions of the program stored this value as `score`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The name of the weights that the agent's evaluation uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
}

impl MoveRecord {
    /// Returns the time that the clock was charged for the move, in milliseconds, if it is known.
    pub fn charged_ms(&self, counts: Counts) -> Option<f64> {
        match counts {
            Counts::Wall => self.used_ms,
            Counts::Cpu => self.cpu_ms,
        }
    }

    /// Returns the time left on the player's clock after the move and its increment, in seconds, if it is known.
    pub fn clock_after_s(&self, counts: Counts, increment: f64) -> Option<f64> {
        Some(self.clock_left_s? - self.charged_ms(counts)? / 1e3 + increment)
    }
}

/// The last line of a log, written at the end of a match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct EndRecord {
    /// The number of pairs played.
    #[serde(default)]
    pub pairs: u32,
    /// The verdict of the match, in one human-readable sentence.
    #[serde(default)]
    pub verdict: Option<String>,
}
