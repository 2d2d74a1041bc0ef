//! Entropy between a player and a tournament server: one vocabulary, three wires.
//!
//! | wire | spoken by | module |
//! |---|---|---|
//! | JSON envelope | the Python tournament server | [`json`] |
//! | plain lines | the assignment text | [`mod@line`] |
//! | CodeCup | the CodeCup 2023 manager | [`codecup`] |
//!
//! [`PlayerCodec`] is the player's end of any of them, [`HostCodec`] the server's end.

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

/// The longest bot name the tournament server reads, in bytes.
pub const MAX_NAME: usize = 100;

/// Which of the wires a connection speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Undelimited JSON objects, the name sent first.
    Json,
    /// Plain lines as in the assignment text; the server speaks first.
    Line,
    /// CodeCup 2023: 7x7, one item per line.
    Codecup,
}

impl Wire {
    /// Tells the wire of a tournament server by the first byte that it sends.
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

/// Whether the server waits for an answer to a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The server waits for exactly one answer.
    Required,
    /// The server does not wait for an answer, and none may be sent.
    Forbidden,
    /// The rules of the game tell, as on wires without a marker.
    ByTurn,
}

/// One message from the server to a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Forget the game at hand; another may follow.
    Reset,
    /// Lines of the game.
    Payload {
        /// Each line by itself, so that one bad line does not hide the others.
        lines: Vec<Result<Line, LineError>>,
        /// Whether an answer is waited for.
        answer: Answer,
    },
    /// The end of the session.
    Kill {
        /// What the server says of it, if anything; the first bytes of that.
        reason: Option<String>,
        /// Whether the server says that the reason may pass, and the player may come again.
        again: bool,
    },
    /// An envelope whose purpose nobody knows, the first bytes of it; to be logged and ignored.
    UnknownPurpose(String),
}

/// One answer from a player to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Chaos places the tile it was given.
    Place(Cell),
    /// Order slides a tile; equal cells are a pass.
    Slide {
        /// Where the tile lies.
        from: Cell,
        /// Where the tile ends up.
        to: Cell,
    },
    /// Gives the game up, with a reason. Only the JSON wire can say so; on the others it is an
    /// empty line, which every server counts as a fault.
    Concede(String),
}

impl Reply {
    /// The move as a line; a concession is none.
    fn line(&self) -> Option<Line> {
        match *self {
            Reply::Place(cell) => Some(Line::Place(cell)),
            Reply::Slide { from, to } => Some(Line::Slide { from, to }),
            Reply::Concede(_) => None,
        }
    }

    /// The move in the assignment's notation; nothing for a concession.
    fn text(&self) -> String {
        self.line()
            .map_or_else(String::new, |line| line.to_string())
    }
}

/// What cuts the stream of a wire into frames.
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

/// The player's end of a wire: decodes the server's messages, encodes replies.
#[derive(Debug)]
pub struct PlayerCodec {
    frames: Frames,
    /// At CodeCup: a game has begun.
    has_begun: bool,
}

impl PlayerCodec {
    /// A codec at the beginning of a stream.
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

/// A player's answer as the server reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerSays {
    /// A move, or what should have been one.
    Line(Result<Line, LineError>),
    /// `status: false` with the player's comment, the first [`json::MAX_REPLY`] bytes of it.
    Concede(String),
}

/// The server's end of a wire, behind the player's raw name where one is sent: decodes answers, encodes
/// messages. A blank line is a bad one, because that is how a concession looks where lines are spoken.
#[derive(Debug)]
pub struct HostCodec(Frames);

impl HostCodec {
    /// A codec at the beginning of a stream.
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

/// One message of the host. The line wire leaves out all but payloads, CodeCup's the reset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostMessage {
    /// A new game is about to begin.
    Reset,
    /// Lines, with or without an answer being waited for.
    Payload {
        /// The lines of text in this payload.
        lines: Vec<Line>,
        /// Whether the player must answer.
        answer: bool,
    },
    /// The session is over, or refused: the reason is a courtesy to whoever reads the wire.
    Kill {
        /// Why, if there is more to say than goodbye.
        reason: Option<String>,
        /// Whether the reason may pass, so that the player may come again. Only the JSON wire says it.
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
