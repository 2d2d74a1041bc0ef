//! The communication between an Entropy player and a tournament server: one set of messages, and three wires (formats)
//! on which they are sent.
//!
//! | wire | used by | module |
//! |---|---|---|
//! | JSON envelope | the Python tournament server | [`json`] |
//! | plain lines | the assignment text | [`mod@line`] |
//! | CodeCup | the CodeCup 2023 manager | [`codecup`] |
//!
//! [`PlayerCodec`] is the player's end of a wire, and [`HostCodec`] is the server's end.

use std::io;

use bytes::BytesMut;
use tokio_util::codec::{Decoder, Encoder};

use crate::frame::{self, Item};
use crate::json_stream::JsonObjects;
use crate::text_lines::TextLines;

pub mod codecup;
pub mod json;
pub mod line;

pub use line::{Cell, Line, LineError, MAX_SIZE, Role, Tile};

/// The maximum length of a player's name that the tournament server reads, in bytes.
pub const MAX_NAME: usize = 100;

/// Returns true if a text can be the name of a player.
///
/// Clients of other protocols send line breaks or begin with a brace, and noise has no letters.
pub fn is_name(text: &str) -> bool {
    let is_mark = |letter: char| letter.is_ascii_punctuation() || letter.is_whitespace();
    !text.chars().all(is_mark) && !text.starts_with('{') && !text.contains(char::is_control)
}

/// The wire (message format) that a connection uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// JSON objects without delimiters. The client begins by sending its name.
    Json,
    /// Plain lines as in the assignment text. The server sends the first line.
    Line,
    /// The wire of CodeCup 2023, for a board of 7x7 cells: each line contains one word.
    Codecup,
}

impl Wire {
    /// Detects a tournament server's wire from the first byte that it sends.
    pub fn of_first_byte(byte: u8) -> Self {
        if byte == b'{' { Wire::Json } else { Wire::Line }
    }
}

impl std::fmt::Display for Wire {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Wire::Json => "json",
            Wire::Line => "line",
            Wire::Codecup => "codecup",
        })
    }
}

/// Whether the server waits for an answer to the lines that it has sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The server waits for exactly one answer.
    Required,
    /// The server does not wait for an answer, and none may be sent.
    Forbidden,
    /// The rules of the game decide, because messages on this wire do not say whether an answer is required.
    ByTurn,
}

/// One message from the server to a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// The player must abandon the current game. Another game may follow.
    Reset,
    /// The message carries lines of the game.
    Payload {
        /// The lines, parsed separately so that one bad line does not hide the others.
        lines: Vec<Result<Line, LineError>>,
        /// Whether the server waits for an answer to the lines.
        answer: Answer,
    },
    /// The server ends the session.
    Kill {
        /// The beginning of the server's reason, if it sent one.
        reason: Option<String>,
        /// True if the server says that the reason is temporary, so that the player may connect again.
        again: bool,
    },
    /// The message has a purpose that this version does not know, and must be ignored. The text is the beginning of the
    /// purpose, for the log.
    UnknownPurpose(String),
}

/// One answer from a player to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Chaos places the tile that it has received on this cell.
    Place(Cell),
    /// Order slides a tile from one cell to another, or passes if both cells are equal.
    Slide {
        /// The cell that the tile leaves.
        from: Cell,
        /// The cell that the tile enters.
        to: Cell,
    },
    /// The player concedes the game, for the reason in the text.
    ///
    /// Only the JSON wire has a form for a concession. On the other wires, the player sends an empty line instead,
    /// which every server counts as a fault.
    Concede(String),
}

impl Reply {
    /// Returns the move as a line, or `None` for a concession.
    fn line(&self) -> Option<Line> {
        match *self {
            Reply::Place(cell) => Some(Line::Place(cell)),
            Reply::Slide { from, to } => Some(Line::Slide { from, to }),
            Reply::Concede(_) => None,
        }
    }

    /// Returns the move in the assignment's notation; empty for a concession.
    fn text(&self) -> String {
        self.line()
            .map_or_else(String::new, |line| line.to_string())
    }
}

/// The decoder that cuts the byte stream of a wire into frames.
#[derive(Debug)]
enum Frames {
    Json(JsonObjects),
    Line(TextLines),
    Codecup(TextLines),
}

impl Frames {
    fn new(wire: Wire) -> Self {
        match wire {
            Wire::Json => Self::Json(JsonObjects::new()),
            Wire::Line => Self::Line(TextLines::new()),
            Wire::Codecup => Self::Codecup(TextLines::new()),
        }
    }
}

/// The player's end of a wire: decodes messages from the server and encodes replies.
#[derive(Debug)]
pub struct PlayerCodec {
    frames: Frames,
    /// True once a game has begun. Used only on the CodeCup wire, which does not announce the game to Order.
    has_begun: bool,
}

impl PlayerCodec {
    /// Creates a codec for a wire, ready for the beginning of a stream.
    pub fn new(wire: Wire) -> Self {
        Self {
            frames: Frames::new(wire),
            has_begun: false,
        }
    }

    fn next(&mut self, source: &mut BytesMut, at_end: bool) -> io::Result<Option<Item<Message>>> {
        let Self { frames, has_begun } = self;
        Ok(match frames {
            Frames::Json(objects) => frame::next(objects, source, at_end)?
                .map(|item| item.and_then(|object| json::message_of(&object))),
            Frames::Line(lines) => line::next_text(lines, source, at_end)?.map(|item| {
                item.map(|text| Message::Payload {
                    lines: vec![text.parse()],
                    answer: Answer::ByTurn,
                })
            }),
            Frames::Codecup(lines) => line::next_text(lines, source, at_end)?
                .map(|item| item.map(|text| codecup::message(&text, has_begun))),
        })
    }
}

impl Decoder for PlayerCodec {
    type Item = Item<Message>;
    type Error = io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        self.next(source, false)
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        self.next(source, true)
    }
}

impl Encoder<Reply> for PlayerCodec {
    type Error = io::Error;

    fn encode(&mut self, reply: Reply, target: &mut BytesMut) -> Result<(), Self::Error> {
        let text = match self.frames {
            Frames::Json(_) => json::encode_reply(&reply),
            Frames::Line(_) => reply.text() + "\n",
            Frames::Codecup(_) => codecup::encode_reply(&reply),
        };
        target.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

/// A player's answer, as the server has decoded it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerSays {
    /// The player answered with a line, which should contain a move. The error describes a line of no known form.
    Line(Result<Line, LineError>),
    /// The player conceded with `status: false`. The text is its comment, cut after [`json::MAX_REPLY`] bytes.
    Concede(String),
}

/// The server's end of a wire: decodes answers from a player and encodes messages.
///
/// On a wire that begins with the player's name, the caller must read the name before it uses this codec. A blank line
/// is decoded as a line with an error, because on the wires without JSON, players send a blank line to concede.
#[derive(Debug)]
pub struct HostCodec(Frames);

impl HostCodec {
    /// Creates a codec for a wire, ready for the beginning of a stream.
    pub fn new(wire: Wire) -> Self {
        Self(Frames::new(wire))
    }

    fn next(
        &mut self,
        source: &mut BytesMut,
        at_end: bool,
    ) -> io::Result<Option<Item<PlayerSays>>> {
        Ok(match &mut self.0 {
            Frames::Json(objects) => frame::next(objects, source, at_end)?
                .map(|item| item.and_then(|object| json::answer_of(&object))),
            Frames::Line(lines) => frame::next(lines, source, at_end)?
                .map(|item| item.map(|text| PlayerSays::Line(text.parse()))),
            Frames::Codecup(lines) => frame::next(lines, source, at_end)?
                .map(|item| item.map(|text| codecup::answer(&text))),
        })
    }
}

impl Decoder for HostCodec {
    type Item = Item<PlayerSays>;
    type Error = io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        self.next(source, false)
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        self.next(source, true)
    }
}

/// One message from the server to a player, as the server encodes it.
///
/// On the line wire, only payloads and the reason of a kill are sent. On the CodeCup wire, a reset is not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostMessage {
    /// The server announces that a new game is about to begin.
    Reset,
    /// The message carries lines of the game, with or without a request for an answer.
    Payload {
        /// The lines of the game that this message carries.
        lines: Vec<Line>,
        /// Whether the player must answer.
        answer: bool,
    },
    /// The server ends the session, or rejects the player.
    Kill {
        /// The reason, as a message for people; `None` for a plain goodbye.
        reason: Option<String>,
        /// True if the reason is temporary and the player may connect again. Sent only on the JSON wire.
        again: bool,
    },
}

impl Encoder<HostMessage> for HostCodec {
    type Error = io::Error;

    fn encode(&mut self, message: HostMessage, target: &mut BytesMut) -> Result<(), Self::Error> {
        let text = match self.0 {
            Frames::Json(_) => json::encode_message(&message),
            Frames::Line(_) => line::encode_message(&message),
            Frames::Codecup(_) => codecup::encode_message(&message),
        };
        target.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
