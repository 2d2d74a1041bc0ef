//! What a shim and the Halma daemon behind it say to each other: JSON, one object a line; the contract is
//! in `protocol/halma-serve.md`.

use std::fmt;
use std::str::FromStr;

use bytes::{BufMut, BytesMut};
use serde::{Deserialize, Serialize};
use tokio_util::codec::{Decoder, Encoder};

use crate::frame::{FrameError, Item, preview};
use crate::text_lines::TextLines;

/// The most that is believed of a CPU time, in seconds.
pub const MOST_SECONDS: f64 = 1e8;

/// Which moves are legal. All moves of the addendum are legal under the base rules too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rules {
    /// The assignment's text alone: a piece in the opposing camp may not leave it.
    Base,
    /// Besides that no piece may end in its own camp that began outside, and pieces in the own camp
    /// must leave it first; if none can, one must move in it away from the corner; if none can do
    /// that either, the player is free.
    #[default]
    Addendum,
}

impl Rules {
    /// Both rule sets, in the order of their declaration.
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
    /// A move in this position.
    Move {
        /// The rule set; [`Rules::default`] if the question names none.
        #[serde(default)]
        rules: Rules,
        /// The content of `input.txt`.
        input: String,
        /// CPU time that daemons have used in this game so far, in seconds, as far as the asker knows:
        /// the time in `input.txt` is without it.
        #[serde(default)]
        spent_s: f64,
    },
}

/// What an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorKind {
    /// The line is no question.
    Frame,
    /// The content of `input.txt` is malformed.
    Input,
    /// The player to move has no legal move.
    Stuck,
    /// All games that the daemon can keep are thinking.
    Busy,
    /// The daemon failed while it searched.
    Failed,
}

/// The daemon's answer; every question has exactly one, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "lowercase")]
pub enum Answer {
    /// The move that was found.
    Move {
        /// The content of `output.txt`.
        output: String,
        /// The daemon's CPU time for this move, in seconds.
        cpu_s: f64,
        /// The daemon's CPU time for all moves of this game so far, this one included.
        game_cpu_s: f64,
        /// True if the position followed from the daemon's last move in a game that it knows.
        known: bool,
        /// The move's value for the player.
        value: i32,
        /// The deepest completed iteration.
        depth: u32,
        /// Positions that the search visited.
        nodes: u64,
    },
    /// There is no move; the daemon's games are as they were.
    Error {
        /// What it is about.
        kind: ErrorKind,
        /// What was expected, what came.
        reason: String,
    },
}

/// Questions, read by the daemon.
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
        // A line without its end may be half of one.
        let length = source.len();
        let preview = preview(source);
        source.clear();
        // The decoder of lines remembers how far it has looked.
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
    /// The line, its end included.
    ///
    /// # Errors
    ///
    /// None that can occur; JSON has a text for every string.
    pub fn to_line(&self) -> Result<Vec<u8>, std::io::Error> {
        line(self)
    }
}

impl Answer {
    /// Reads a line; its end may be missing.
    ///
    /// # Errors
    ///
    /// If it is no answer.
    pub fn from_line(line: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(line)
    }
}
