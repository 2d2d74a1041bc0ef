//! Entropy between a player and a tournament server: one vocabulary, three wires.
//!
//! | wire | spoken by | module |
//! |---|---|---|
//! | JSON envelope | the Python tournament server | [`json`] |
//! | plain lines | the assignment text | [`mod@line`] |
//! | CodeCup | the CodeCup 2023 manager | [`codecup`] |
//!
//! [`PlayerCodec`] is the player's end of any of them, [`HostCodec`] the server's end.

use bytes::BytesMut;
use tokio_util::codec::{Decoder, Encoder};

use crate::frame::Item;

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
    /// Exactly one answer.
    Required,
    /// No answer.
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
    Kill,
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
        /// Where it goes.
        to: Cell,
    },
    /// Gives the game up, with a reason. Only the JSON wire can say so; on the others it is an
    /// empty line, which every server counts as a fault.
    Concede(String),
}

/// The player's end of a wire: decodes the server's messages, encodes replies.
#[derive(Debug)]
pub enum PlayerCodec {
    /// JSON envelope.
    Json(json::ServerMessages),
    /// Plain lines.
    Line(line::ServerLines),
    /// CodeCup.
    Codecup(codecup::ManagerLines),
}

impl PlayerCodec {
    /// A codec at the beginning of a stream.
    pub fn new(wire: Wire) -> Self {
        match wire {
            Wire::Json => Self::Json(json::ServerMessages::default()),
            Wire::Line => Self::Line(line::ServerLines::default()),
            Wire::Codecup => Self::Codecup(codecup::ManagerLines::default()),
        }
    }
}

impl Decoder for PlayerCodec {
    type Item = Item<Message>;
    type Error = std::io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        match self {
            Self::Json(codec) => codec.decode(source),
            Self::Line(codec) => codec.decode(source),
            Self::Codecup(codec) => codec.decode(source),
        }
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        match self {
            Self::Json(codec) => codec.decode_eof(source),
            Self::Line(codec) => codec.decode_eof(source),
            Self::Codecup(codec) => codec.decode_eof(source),
        }
    }
}

impl Encoder<Reply> for PlayerCodec {
    type Error = std::io::Error;

    fn encode(&mut self, reply: Reply, target: &mut BytesMut) -> Result<(), Self::Error> {
        let text = match self {
            Self::Json(_) => json::encode_reply(&reply),
            Self::Line(_) => line::encode_reply(&reply),
            Self::Codecup(_) => codecup::encode_reply(&reply),
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

/// The server's end of a wire: decodes answers, encodes messages.
#[derive(Debug)]
pub enum HostCodec {
    /// JSON envelope, behind the raw name.
    Json(json::PlayerReplies),
    /// Plain lines.
    Line(line::PlayerLines),
    /// CodeCup.
    Codecup(codecup::PlayerWords),
}

impl HostCodec {
    /// A codec at the beginning of a stream.
    pub fn new(wire: Wire) -> Self {
        match wire {
            Wire::Json => Self::Json(json::PlayerReplies::default()),
            Wire::Line => Self::Line(line::PlayerLines::default()),
            Wire::Codecup => Self::Codecup(codecup::PlayerWords::default()),
        }
    }
}

impl Decoder for HostCodec {
    type Item = Item<PlayerSays>;
    type Error = std::io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        match self {
            Self::Json(codec) => codec.decode(source),
            Self::Line(codec) => codec.decode(source),
            Self::Codecup(codec) => codec.decode(source),
        }
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        match self {
            Self::Json(codec) => codec.decode_eof(source),
            Self::Line(codec) => codec.decode_eof(source),
            Self::Codecup(codec) => codec.decode_eof(source),
        }
    }
}

/// One message of the host. The line wire leaves out all but payloads, CodeCup's the reset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostMessage {
    /// A new game is about to begin.
    Reset,
    /// Lines, with or without an answer being waited for.
    Payload {
        /// What to tell.
        lines: Vec<Line>,
        /// Whether the player must answer.
        answer: bool,
    },
    /// The session is over, or refused: the reason is a courtesy to whoever reads the wire.
    Kill {
        /// Why, if there is more to say than goodbye.
        reason: Option<String>,
    },
}

impl Encoder<HostMessage> for HostCodec {
    type Error = std::io::Error;

    fn encode(&mut self, message: HostMessage, target: &mut BytesMut) -> Result<(), Self::Error> {
        let text = match self {
            Self::Json(_) => json::encode_message(&message),
            Self::Line(_) => line::encode_message(&message),
            Self::Codecup(_) => codecup::encode_message(&message),
        };
        target.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
