//! The messages between the Halma daemon and a shim, which is a process that is started for one move and asks the
//! daemon for it. Each line is one JSON object.
//!
//! `protocol/halma-serve.md` defines the messages.

use std::fmt;
use std::str::FromStr;

use bytes::{BufMut, BytesMut};
use serde::{Deserialize, Serialize};
use tokio_util::codec::{Decoder, Encoder};

use crate::frame::{FrameError, Item, preview};
use crate::text_lines::TextLines;

/// The largest CPU time that the daemon accepts in a question, in seconds.
pub const MOST_SECONDS: f64 = 1e8;

/// The rule set that decides which moves are legal.
///
/// Every move that is legal under the addendum is also legal under the base rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rules {
    /// The base rules, which are the rules in the text of the assignment alone: a piece in the opposing camp may not
    /// leave it.
    Base,
    /// The base rules with the addendum to the assignment, which restricts moves in and into the player's own camp.
    ///
    /// No move from outside the player's own camp may end in it. As long as the player has pieces in its own camp, one
    /// of them must leave the camp. If none of them can, one of them must move within the camp, away from the corner.
    /// If that is also impossible, the player may make any other move.
    #[default]
    Addendum,
}

impl Rules {
    /// All rule sets: the base rules and the addendum.
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

/// A question from a shim (a process that is started for one move) to the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
pub enum Ask {
    /// Asks for a move in a position.
    Move {
        /// The rule set, which is [`Rules::default`] if the question omits this field.
        #[serde(default)]
        rules: Rules,
        /// The content of the `input.txt` that describes the position.
        input: String,
        /// The CPU time that daemons have used in this game so far, in seconds, as far as the shim knows.
        ///
        /// This time has not been subtracted from the time in `input.txt`.
        #[serde(default)]
        spent_s: f64,
    },
}

/// The kind of error for which the daemon answers without a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorKind {
    /// The line that the daemon received is not a question.
    Frame,
    /// The content of `input.txt` is malformed.
    Input,
    /// The player to move has no legal move.
    Stuck,
    /// The daemon keeps as many games as it can, and a search is running in every game.
    Busy,
    /// The search for a move failed.
    Failed,
}

/// The daemon's answer to a question. Each question gets exactly one answer, in the order of the questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "lowercase")]
pub enum Answer {
    /// The answer is the move that the search found.
    Move {
        /// The content of the `output.txt` that describes the move.
        output: String,
        /// The CPU time that the daemon used for this move, in seconds.
        cpu_s: f64,
        /// The CPU time that the daemon has used for all moves of this game so far, in seconds, including this move.
        game_cpu_s: f64,
        /// True if the position can follow from the daemon's last move in a game that the daemon keeps.
        known: bool,
        /// The value of the move, from the point of view of the player to move.
        value: i32,
        /// The depth of the deepest completed iteration of the search.
        depth: u32,
        /// The number of positions that the search visited.
        nodes: u64,
    },
    /// The answer is an error instead of a move. The question has not changed the games that the daemon keeps.
    Error {
        /// The kind of error.
        kind: ErrorKind,
        /// A description of the error. For invalid content, it states the expected and the actual content.
        reason: String,
    },
}

/// The codec at the daemon's end: decodes questions and encodes answers.
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
        // A last line without a line end may be incomplete, so it is rejected.
        let length = source.len();
        let preview = preview(source);
        source.clear();
        // The line decoder remembers how far it has scanned the removed bytes, so it is replaced.
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
    /// Returns the question as one line, including the line end.
    ///
    /// # Errors
    ///
    /// Never returns an error, because every question has a JSON form.
    pub fn to_line(&self) -> Result<Vec<u8>, std::io::Error> {
        line(self)
    }
}

impl Answer {
    /// Parses a line as an answer. The line end may be missing.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is not an answer.
    pub fn from_line(line: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(line)
    }
}
