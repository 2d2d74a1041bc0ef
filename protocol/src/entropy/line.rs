//! The lines of the assignment text, and the plain line protocol over a stream.

use std::fmt;
use std::str::FromStr;

use bytes::BytesMut;
use thiserror::Error;
use tokio_util::codec::Decoder;

use super::{Answer, HostMessage, Message, PlayerSays, Reply};
use crate::frame::{Item, preview};
use crate::text_lines::TextLines;

/// The largest board: one letter for each colour.
pub const MAX_SIZE: u8 = 26;

/// A cell, counted from 0 at the top left. It need not lie on any particular board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cell {
    /// From the top.
    pub row: u8,
    /// From the left.
    pub col: u8,
}

/// A tile's colour, 0 for `A`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tile(pub u8);

/// A side of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Slides tiles to make palindromes.
    Order,
    /// Places tiles to prevent them.
    Chaos,
}

/// One line, in either direction. The number and kind of its words tell what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// `5`: the board's size, the first line of a game.
    Size(u8),
    /// `ORDER` or `CHAOS`: the side of the player who hears it.
    Role(Role),
    /// `C`: the tile that Chaos has to place.
    Draw(Tile),
    /// `row col C`: what Chaos placed where.
    Placed(Cell, Tile),
    /// `row1 col1 row2 col2`: Order's move.
    Slide {
        /// Where the tile lies.
        from: Cell,
        /// Where it goes.
        to: Cell,
    },
    /// `row col`: where Chaos places its tile.
    Place(Cell),
}

/// A line that is none of these.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "expected a size, ORDER, CHAOS, a tile, `row col`, `row col C` or `row col row col`, got {preview:?}"
)]
pub struct LineError {
    /// The beginning of the line.
    pub preview: String,
}

impl fmt::Display for Cell {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.row, self.col)
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", char::from(b'A' + self.0))
    }
}

impl fmt::Display for Role {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Role::Order => "ORDER",
            Role::Chaos => "CHAOS",
        })
    }
}

impl fmt::Display for Line {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Line::Size(size) => write!(out, "{size}"),
            Line::Role(role) => write!(out, "{role}"),
            Line::Draw(tile) => write!(out, "{tile}"),
            Line::Placed(cell, tile) => write!(out, "{cell} {tile}"),
            Line::Slide { from, to } => write!(out, "{from} {to}"),
            Line::Place(cell) => write!(out, "{cell}"),
        }
    }
}

fn number(word: &str) -> Option<u8> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        word.parse().ok()
    } else {
        None
    }
}

fn cell(row: &str, col: &str) -> Option<Cell> {
    Some(Cell {
        row: number(row)?,
        col: number(col)?,
    })
}

fn tile(word: &str) -> Option<Tile> {
    match word.as_bytes() {
        [letter @ b'A'..=b'Z'] => Some(Tile(letter - b'A')),
        _ => None,
    }
}

fn single(word: &str) -> Option<Line> {
    match word {
        "ORDER" => Some(Line::Role(Role::Order)),
        "CHAOS" => Some(Line::Role(Role::Chaos)),
        _ => tile(word)
            .map(Line::Draw)
            .or_else(|| number(word).map(Line::Size)),
    }
}

impl FromStr for Line {
    type Err = LineError;

    fn from_str(text: &str) -> Result<Self, LineError> {
        let words: Vec<&str> = text.split_ascii_whitespace().take(5).collect();
        match words[..] {
            _ if text.trim().contains(['\n', '\r']) => None,
            [word] => single(word),
            [row, col] => cell(row, col).map(Line::Place),
            [row, col, colour] => cell(row, col)
                .zip(tile(colour))
                .map(|(cell, tile)| Line::Placed(cell, tile)),
            [row1, col1, row2, col2] => cell(row1, col1)
                .zip(cell(row2, col2))
                .map(|(from, to)| Line::Slide { from, to }),
            _ => None,
        }
        .ok_or_else(|| LineError {
            preview: preview(text.as_bytes()),
        })
    }
}

/// The player's end of the plain line protocol: every line that is not blank is a payload.
#[derive(Debug, Default)]
pub struct ServerLines(TextLines);

/// The host's end of the plain line protocol: every line is an answer. A blank one is a bad line,
/// because that is how a concession looks on this wire.
#[derive(Debug, Default)]
pub struct PlayerLines(TextLines);

/// The next line that is not blank.
pub(super) fn next_text(
    codec: &mut TextLines,
    source: &mut BytesMut,
    at_eof: bool,
) -> Result<Option<Item<String>>, std::io::Error> {
    loop {
        let decoded = if at_eof {
            codec.decode_eof(source)?
        } else {
            codec.decode(source)?
        };
        match decoded {
            Some(Item::Message(text)) if text.trim().is_empty() => {}
            other => return Ok(other),
        }
    }
}

fn payload(text: &str) -> Message {
    Message::Payload {
        lines: vec![text.parse()],
        answer: Answer::ByTurn,
    }
}

fn answer(text: String) -> PlayerSays {
    PlayerSays::Line(text.parse())
}

impl Decoder for ServerLines {
    type Item = Item<Message>;
    type Error = std::io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        Ok(next_text(&mut self.0, source, false)?.map(|item| item.map(|text| payload(&text))))
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        Ok(next_text(&mut self.0, source, true)?.map(|item| item.map(|text| payload(&text))))
    }
}

impl Decoder for PlayerLines {
    type Item = Item<PlayerSays>;
    type Error = std::io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        Ok(self.0.decode(source)?.map(|item| item.map(answer)))
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        Ok(self.0.decode_eof(source)?.map(|item| item.map(answer)))
    }
}

/// The reply as one line.
pub fn encode_reply(reply: &Reply) -> String {
    format!("{}\n", reply_text(reply))
}

/// The reply without its line end; empty for a concession, which no line can say.
pub(super) fn reply_text(reply: &Reply) -> String {
    match reply {
        Reply::Place(cell) => cell.to_string(),
        Reply::Slide { from, to } => format!("{from} {to}"),
        Reply::Concede(_) => String::new(),
    }
}

/// Lines joined, each with its line feed.
pub(super) fn joined(lines: &[Line]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What the line wire says of a message: resets are silent, a refusal is one line for people.
pub fn encode_message(message: &HostMessage) -> String {
    match message {
        HostMessage::Reset | HostMessage::Kill { reason: None } => String::new(),
        HostMessage::Payload { lines, .. } => joined(lines),
        HostMessage::Kill {
            reason: Some(reason),
        } => format!("ERROR {}\n", reason.replace(char::is_control, " ")),
    }
}
