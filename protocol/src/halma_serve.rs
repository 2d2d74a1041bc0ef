//! The messages between a shim and the Halma daemon: JSON, one object a line.
//!
//! The contract is in `protocol/halma-serve.md`.

use std::fmt;
use std::str::FromStr;

use bytes::{BufMut, BytesMut};
use serde::{Deserialize, Serialize};
use tokio_util::codec::{Decoder, Encoder};

use crate::frame::{FrameError, Item, preview};
use crate::text_lines::TextLines;

/// The largest CPU time that is accepted, in seconds.
pub const MOST_SECONDS: f64 = 1e8;

/// The rule set that decides which moves are legal.
///
/// Every move that is legal under the addendum is also legal under the base rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rules {
    /// The assignment's text alone: a piece in the opposing camp may not leave it.
    Base,
    /// The base rules with further restrictions on camps.
    ///
    /// No move from outside may end in the player's own camp. Pieces in the own camp must leave it first. If none
    /// can, a piece must move within the camp, away from the corner. If that is also impossible, the player may
    /// make any move.
    #[default]
    Addendum,
}

impl Rules {
    /// Both rule sets, in the order of declaration.
    pub const ALL: [Self; 2] = [Self::Base, Self::Addendum];
}

impl fmt::Display for Rules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Rules::Base => "base",
            Rules::Addendum => "addendum",
        })
    }
}

impl FromStr for Rules {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL
            .into_iter()
            .find(|rules| rules.to_string() == name);
        known.ok_or_else(|| format!("expected base or addendum, got {name:?}"))
    }
}

/// A question to the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
pub enum Ask {
    /// Asks for a move in a position.
    Move {
        /// The rule set; [`Rules::default`] if the question omits it.
        #[serde(default)]
        rules: Rules,
        /// The content of `input.txt`.
        input: String,
        /// CPU time of daemons in this game so far, in seconds, as far as the asker knows.
        ///
        /// The time in `input.txt` does not account for it.
        #[serde(default)]
        spent_s: f64,
    },
}

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorKind {
    /// The line is not a question.
    Frame,
    /// The content of `input.txt` is malformed.
    Input,
    /// The player to move has no legal move.
    Stuck,
    /// Every game that the daemon can keep is busy with a search.
    Busy,
    /// The search failed.
    Failed,
}

/// The daemon's answer; each question has exactly one, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "lowercase")]
pub enum Answer {
    /// The move that the search found.
    Move {
        /// The content of `output.txt`.
        output: String,
        /// The daemon's CPU time for this move, in seconds.
        cpu_s: f64,
        /// The daemon's CPU time for all moves of this game so far, including this one.
        game_cpu_s: f64,
        /// True if the position followed from the daemon's last move in a known game.
        known: bool,
        /// The value of the move for the player.
        value: i32,
        /// The deepest completed iteration.
        depth: u32,
        /// The number of positions that the search visited.
        nodes: u64,
    },
    /// An error instead of a move; the daemon's games are unchanged.
    Error {
        /// The kind of the error.
        kind: ErrorKind,
        /// The expected and the actual content.
        reason: String,
    },
}

/// The daemon's codec: decodes questions and encodes answers.
#[derive(Debug, Default)]
pub struct Asks(TextLines);

impl Decoder for Asks {
    type Item = Item<Ask>;
    type Error = std::io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        Ok(self.0.decode(source)?.map(read))
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        if let Some(item) = self.decode(source)? {
            return Ok(Some(item));
        }
        if source.is_empty() {
            return Ok(None);
        }
        // A line without its end may be incomplete.
        let length = source.len();
        let preview = preview(source);
        source.clear();
        // The line decoder remembers how far it has scanned.
        self.0 = TextLines::new();
        Ok(Some(Item::Bad(FrameError::Truncated { length, preview })))
    }
}

fn read(line: Item<String>) -> Item<Ask> {
    match line {
        Item::Bad(bad) => Item::Bad(bad),
        Item::Message(line) => match serde_json::from_str(&line) {
            Ok(message) => Item::Message(message),
            Err(error) => Item::Bad(FrameError::Content {
                reason: format!(
                    "expected a question, {{\"ask\":\"move\",\"input\":...}}, but {error}"
                ),
                preview: preview(line.as_bytes()),
            }),
        },
    }
}

impl Encoder<Answer> for Asks {
    type Error = std::io::Error;

    fn encode(&mut self, answer: Answer, out: &mut BytesMut) -> Result<(), Self::Error> {
        out.put_slice(&line(&answer)?);
        Ok(())
    }
}

fn line(message: &impl Serialize) -> Result<Vec<u8>, std::io::Error> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

impl Ask {
    /// Returns the question as one line, including its end.
    ///
    /// # Errors
    ///
    /// Never: every string has a JSON form.
    pub fn to_line(&self) -> Result<Vec<u8>, std::io::Error> {
        line(self)
    }
}

impl Answer {
    /// Parses a line, whose end may be missing.
    ///
    /// # Errors
    ///
    /// If the line is not an answer.
    pub fn from_line(line: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(line)
    }
}
