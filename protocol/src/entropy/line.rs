//! The lines of the game as defined in the assignment text, and the plain line protocol over a stream.

use std::fmt;
use std::io;
use std::str::FromStr;

use bytes::BytesMut;
use thiserror::Error;

use super::HostMessage;
use crate::frame::{Item, next, preview};
use crate::text_lines::TextLines;

/// The maximum size of the board. Each of its colors needs a letter of the alphabet.
pub const MAX_SIZE: u8 = 26;

/// A cell. Rows and columns are counted from 0 at the top left. The cell may lie outside the current game's board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The number of the row, counted from 0 at the top.
    pub row: u8,
    /// The number of the column, counted from 0 on the left.
    pub col: u8,
}

/// A tile, represented by its color: 0 stands for `A`, 1 for `B`, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tile(pub u8);

/// The role of a player in Entropy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Slides tiles to make palindromes.
    Order,
    /// Places tiles to prevent palindromes.
    Chaos,
}

impl Role {
    /// Returns the role of the other player.
    pub fn other(self) -> Self {
        match self {
            Role::Order => Role::Chaos,
            Role::Chaos => Role::Order,
        }
    }

    /// Returns the role's index in arrays: 0 for Order, 1 for Chaos.
    pub fn side(self) -> usize {
        self as usize
    }
}

/// One line of the game, from the server or from a player. The number and the kind of the words determine what the line
/// means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// `5`: the size of the board. This is the first line of a game.
    Size(u8),
    /// `ORDER` or `CHAOS`: the role of the player who receives the line.
    Role(Role),
    /// `C`: the tile that Chaos has to place.
    Draw(Tile),
    /// `row col C`: the cell and the tile that Chaos placed.
    Placed(Cell, Tile),
    /// `row1 col1 row2 col2`: the move of Order, which slides a tile from one cell to another or passes.
    Slide {
        /// The cell that the tile leaves.
        from: Cell,
        /// The cell that the tile enters.
        to: Cell,
    },
    /// `row col`: the cell on which Chaos places the tile that it received.
    Place(Cell),
}

/// The error for a line that does not have the form of any [`Line`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "expected a size, ORDER, CHAOS, a tile, `row col`, `row col C` or `row col row col`, got {preview:?}"
)]
pub struct LineError {
    /// The beginning of the rejected line.
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

/// Returns the next line of the stream that is not blank.
pub(super) fn next_text(
    lines: &mut TextLines,
    source: &mut BytesMut,
    at_end: bool,
) -> io::Result<Option<Item<String>>> {
    loop {
        match next(lines, source, at_end)? {
            Some(Item::Message(text)) if text.trim().is_empty() => {}
            other => return Ok(other),
        }
    }
}

/// Joins lines to one text. A line feed ends each line.
pub(super) fn joined(lines: &[Line]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Encodes a server's message for the plain line protocol.
///
/// A reset and a plain goodbye are not sent on this wire. A rejection is sent as one line for people.
pub fn encode_message(message: &HostMessage) -> String {
    match message {
        HostMessage::Reset | HostMessage::Kill { reason: None, .. } => String::new(),
        HostMessage::Payload { lines, .. } => joined(lines),
        HostMessage::Kill {
            reason: Some(reason),
            ..
        } => format!("ERROR {}\n", reason.replace(char::is_control, " ")),
    }
}
