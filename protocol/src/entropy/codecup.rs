//! The wire (message format) of the Entropy game in CodeCup 2023.
//!
//! The board has 7x7 cells. Colors are written as `1` to `7`, rows as `A` to `G`, and columns as `a` to `g`. Chaos
//! receives `Start` and a color, and then alternately Order's move and the next color. Order receives the color and the
//! cell of each tile in one word. `Quit` tells either player's process to end.

use super::{Answer, Cell, HostMessage, Line, LineError, Message, PlayerSays, Reply, Role, Tile};
use crate::frame::preview;

/// The number of rows of the board, which is also the number of columns.
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

/// Decodes a line from the manager, the program that conducts a CodeCup game.
///
/// The caller keeps `has_begun` from line to line. It is needed because the manager does not announce the start of the
/// game to Order: the first line to Order is already a placement.
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

/// Decodes a player's answer, which must be a placement by Chaos or a move by Order.
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

/// Encodes a message from the manager to a player.
///
/// `Start` tells the player that it is Chaos, and `Quit` announces the end of the session. This wire never sends the
/// board's size, and it never tells Order its role.
pub fn encode_message(message: &HostMessage) -> String {
    let lines = match message {
        HostMessage::Reset => return String::new(),
        HostMessage::Kill { .. } => return "Quit\n".to_owned(),
        HostMessage::Payload { lines, .. } => lines,
    };
    lines.iter().filter_map(manager_word).collect()
}

/// Converts a line to its form on the CodeCup wire; `None` if the line is not sent on this wire.
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

/// Encodes a player's reply as one line. A concession becomes an empty line.
pub(super) fn encode_reply(reply: &Reply) -> String {
    let word = reply.line().as_ref().and_then(manager_word);
    word.unwrap_or_else(|| "\n".to_owned())
}
