//! The wire of CodeCup 2023's Entropy.
//!
//! The board is 7x7, colors are `1` to `7`, rows `A` to `G`, columns `a` to `g`. Chaos receives `Start`, a
//! color, and then in turn Order's move and the next color. Order receives color and cell in one word. `Quit`
//! ends the process.

use super::{Answer, Cell, HostMessage, Line, LineError, Message, PlayerSays, Reply, Role, Tile};
use crate::frame::preview;

/// The number of rows and of columns of the board.
pub const SIZE: u8 = 7;

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

/// Decodes a line from the manager.
///
/// `has_begun` persists between lines: the manager does not announce a game to Order, whose first word is
/// already a placement.
pub(super) fn message(text: &str, has_begun: &mut bool) -> Message {
    let begin = |role| vec![Ok(Line::Size(SIZE)), Ok(Line::Role(role))];
    let lines = match text.trim() {
        "Quit" => {
            return Message::Kill {
                reason: None,
                again: false,
            };
        }
        "Start" => {
            *has_begun = true;
            begin(Role::Chaos)
        }
        word => {
            let line = line_of(word);
            let is_placed = matches!(line, Ok(Line::Placed(..)));
            let mut lines = match is_placed && !std::mem::replace(has_begun, true) {
                true => begin(Role::Order),
                false => Vec::new(),
            };
            lines.push(line);
            lines
        }
    };
    Message::Payload {
        lines,
        answer: Answer::ByTurn,
    }
}

/// Decodes an answer, which must be a placement or a move.
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

/// Encodes a message from the manager.
///
/// Writes `Start` for Chaos's role and `Quit` for the end; the size and Order's role are omitted.
pub fn encode_message(message: &HostMessage) -> String {
    let lines = match message {
        HostMessage::Reset => return String::new(),
        HostMessage::Kill { .. } => return "Quit\n".to_owned(),
        HostMessage::Payload { lines, .. } => lines,
    };
    lines.iter().filter_map(manager_word).collect()
}

/// Returns the manager's line, or `None` if this wire sends nothing.
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

/// Encodes the reply as one line.
pub(super) fn encode_reply(reply: &Reply) -> String {
    let word = reply.line().as_ref().and_then(manager_word);
    word.unwrap_or_else(|| "\n".to_owned())
}
