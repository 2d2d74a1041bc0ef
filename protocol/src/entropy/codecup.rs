//! CodeCup 2023's Entropy: 7x7, colours `1` to `7`, rows `A` to `G`, columns `a` to `g`.
//!
//! Chaos hears `Start`, a colour, and then in turn Order's move and the next colour. Order hears
//! colour and cell in one word. `Quit` ends the process.

use bytes::BytesMut;
use tokio_util::codec::Decoder;

use super::line::next_text;
use super::{Answer, Cell, HostMessage, Line, LineError, Message, PlayerSays, Reply, Role, Tile};
use crate::frame::{Item, preview};
use crate::text_lines::TextLines;

/// The side of the board.
pub const SIZE: u8 = 7;

/// The player's end: decodes what the manager writes.
#[derive(Debug, Default)]
pub struct ManagerLines {
    lines: TextLines,
    /// A game has begun. Order is never told so: its first word is already a placement.
    begun: bool,
}

fn cell(row: u8, col: u8) -> Option<Cell> {
    let row = row.checked_sub(b'A').filter(|row| *row < SIZE)?;
    let col = col.checked_sub(b'a').filter(|col| *col < SIZE)?;
    Some(Cell { row, col })
}

fn tile(digit: u8) -> Option<Tile> {
    digit
        .checked_sub(b'1')
        .filter(|colour| *colour < SIZE)
        .map(Tile)
}

fn line_of(word: &str) -> Result<Line, LineError> {
    match *word.as_bytes() {
        [digit] => tile(digit).map(Line::Draw),
        [digit, row, col] => cell(row, col)
            .zip(tile(digit))
            .map(|(cell, tile)| Line::Placed(cell, tile)),
        [row1, col1, row2, col2] => cell(row1, col1)
            .zip(cell(row2, col2))
            .map(|(from, to)| Line::Slide { from, to }),
        _ => None,
    }
    .ok_or_else(|| LineError {
        preview: preview(word.as_bytes()),
    })
}

impl ManagerLines {
    fn message(&mut self, text: &str) -> Message {
        let word = text.trim();
        let begin = |role| vec![Ok(Line::Size(SIZE)), Ok(Line::Role(role))];
        let lines = match word {
            "Quit" => return Message::Kill,
            "Start" => {
                self.begun = true;
                begin(Role::Chaos)
            }
            _ => {
                let line = line_of(word);
                let mut lines = Vec::new();
                if matches!(line, Ok(Line::Placed(..))) && !std::mem::replace(&mut self.begun, true)
                {
                    lines = begin(Role::Order);
                }
                lines.push(line);
                lines
            }
        };
        Message::Payload {
            lines,
            answer: Answer::ByTurn,
        }
    }
}

impl Decoder for ManagerLines {
    type Item = Item<Message>;
    type Error = std::io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        let item = next_text(&mut self.lines, source, false)?;
        Ok(item.map(|item| item.map(|text| self.message(&text))))
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        let item = next_text(&mut self.lines, source, true)?;
        Ok(item.map(|item| item.map(|text| self.message(&text))))
    }
}

/// The manager's end: decodes what a player answers.
#[derive(Debug, Default)]
pub struct PlayerWords(TextLines);

/// A placement or a move; nothing else is an answer.
pub fn answer(text: &str) -> PlayerSays {
    let line = match *text.trim().as_bytes() {
        [row, col] => cell(row, col).map(Line::Place),
        [_, _, _, _] => line_of(text.trim()).ok(),
        _ => None,
    };
    PlayerSays::Line(line.ok_or_else(|| LineError {
        preview: preview(text.as_bytes()),
    }))
}

impl Decoder for PlayerWords {
    type Item = Item<PlayerSays>;
    type Error = std::io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        Ok(self
            .0
            .decode(source)?
            .map(|item| item.map(|text| answer(&text))))
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        Ok(self
            .0
            .decode_eof(source)?
            .map(|item| item.map(|text| answer(&text))))
    }
}

/// What the manager writes: `Start` in place of Chaos's role, nothing in place of the size and of
/// Order's role, `Quit` as goodbye.
pub fn encode_message(message: &HostMessage) -> String {
    let lines = match message {
        HostMessage::Reset => return String::new(),
        HostMessage::Kill { .. } => return "Quit\n".to_owned(),
        HostMessage::Payload { lines, .. } => lines,
    };
    lines.iter().filter_map(manager_word).collect()
}

/// A line of the manager, or `None` where this wire is silent.
fn manager_word(line: &Line) -> Option<String> {
    let digit = |tile: &Tile| char::from(b'1' + tile.0);
    let text = match line {
        Line::Size(_) | Line::Role(Role::Order) => return None,
        Line::Role(Role::Chaos) => "Start".to_owned(),
        Line::Draw(tile) => digit(tile).to_string(),
        Line::Placed(cell, tile) => format!("{}{}", digit(tile), word(cell)),
        Line::Slide { from, to } => word(from) + &word(to),
        Line::Place(cell) => word(cell),
    };
    Some(text + "\n")
}

fn word(cell: &Cell) -> String {
    [char::from(b'A' + cell.row), char::from(b'a' + cell.col)]
        .iter()
        .collect()
}

/// The reply as one line.
pub fn encode_reply(reply: &Reply) -> String {
    match reply {
        Reply::Place(cell) => format!("{}\n", word(cell)),
        Reply::Slide { from, to } => format!("{}{}\n", word(from), word(to)),
        Reply::Concede(_) => "\n".to_owned(),
    }
}
