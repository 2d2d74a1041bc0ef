//! Formats boards and moves as text in the assignment's notation.

use std::fmt::{self, Display, Write};

use super::rules::{Cell, Colour, EMPTY, Move, Position};

/// Returns the letter of a color, or a dot for an empty cell.
pub fn letter(colour: Colour) -> char {
    match colour {
        EMPTY => '.',
        _ => char::from(b'A' + colour - 1),
    }
}

/// Returns the color of a letter (in either case) or of a digit from 1: the inverse of [`letter`].
pub fn colour(shown: char) -> Option<Colour> {
    match shown.to_ascii_uppercase() {
        letter @ 'A'..='Z' => Some(letter as u8 - b'A' + 1),
        digit @ '1'..='9' => Some(digit as u8 - b'0'),
        _ => None,
    }
}

/// Returns the letters of the tiles on the board, row by row, with a blank for each empty cell.
pub fn letters(position: &Position) -> String {
    let cells = position.cells().iter();
    cells
        .map(|&colour| match colour {
            EMPTY => ' ',
            _ => letter(colour),
        })
        .collect()
}

/// The foreground color of each tile color, from the terminal's 256-color palette. They are easy to tell apart.
const PALETTE: [u8; 26] = [
    203, 39, 226, 48, 207, 255, 208, 99, 118, 45, 197, 229, 141, 34, 173, 81, 161, 190, 63, 216,
    29, 219, 136, 159, 124, 250,
];

/// Formats the board with its coordinates, as in the assignment. Each row is a line; terminal colors are optional.
pub fn board(position: &Position, coloured: bool) -> String {
    let size = usize::from(position.size());
    let width = (size - 1).to_string().len();
    let mut text = " ".repeat(width + 1);
    for column in 0..size {
        let _ = write!(text, "{column:>width$} ");
    }
    text.push_str("(cols)\n");
    for (row, cells) in position.cells().chunks(size).enumerate() {
        let _ = write!(text, "{row:>width$}  ");
        for &colour in cells {
            let shown = letter(colour);
            let _ = match PALETTE.get(usize::from(colour.wrapping_sub(1))) {
                Some(tint) if coloured => {
                    write!(text, "\x1b[1;38;5;{tint}m{shown:>width$}\x1b[0m ")
                }
                _ => write!(text, "{shown:>width$} "),
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// Formats the board with the drawn tile. [`parse`](super::parse::parse) recovers this position from the text, unless
/// a tile must still be drawn.
impl Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&board(self, false))?;
        match self.drawn() {
            EMPTY => Ok(()),
            drawn => writeln!(out, "drawn: {}", letter(drawn)),
        }
    }
}

/// Formats a move in the assignment's notation: `0 1 0 4` for a slide, `0 1` for a placement.
pub fn notation(mv: Move, size: u8) -> String {
    let place = |cell: Cell| (cell / Cell::from(size), cell % Cell::from(size));
    match mv {
        Move::Draw(colour) => letter(colour).to_string(),
        Move::Place(to) => {
            let (row, column) = place(to);
            format!("{row} {column}")
        }
        Move::Slide { from, to } => {
            let ((row, column), (to_row, to_column)) = (place(from), place(to));
            format!("{row} {column} {to_row} {to_column}")
        }
        Move::Pass => "pass".to_owned(),
    }
}
