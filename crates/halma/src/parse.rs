//! Reads a position from text: the inverse of [`picture::position`](super::picture::position).
//!
//! It also accepts boards as this program prints them, and the files of the assignment.
//!
//! Each row is a line. `B` and `W` are pieces, a dot is an empty square, and spaces may appear anywhere. As in
//! pictures, small letters are also pieces, and a comma or a star is an empty square. Column and row numbers are
//! optional. The line `to move: Black` names the player to move, and `plies left: 600` limits the rest of the game. An
//! `input.txt` is accepted without changes.

use thiserror::Error;
use turnwise_protocol::halma::{FileError, Input, LARGEST_FILE, PIECES};

use crate::files;
use crate::rules::{Color, Position, Rules};
use crate::squares::{SIZE, Square, Squares};

/// The maximum number of characters of an invalid line that an error message quotes.
const SHOWN: usize = 20;

/// The reasons why a text is not a position. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The text is longer than a file of the assignment.
    #[error("expected a board in at most {LARGEST_FILE} bytes of text, got more")]
    TooLong,
    /// An `input.txt` is malformed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The board has too few or too many rows.
    #[error("expected a board of {SIZE} rows, got {0}")]
    Rows(usize),
    /// A row is too short or too long.
    #[error("line {line}: expected {SIZE} squares, got {got}")]
    RowLength {
        /// The number of the row's line in the text.
        line: usize,
        /// The number of squares in this row.
        got: usize,
    },
    /// A character is neither a piece nor an empty square.
    #[error("line {line}: expected B, W or a dot for each square, got {got:?}")]
    Symbol {
        /// The number of the line that contains the character.
        line: usize,
        /// The character that was found instead.
        got: char,
    },
    /// A line is neither a row nor a valid setting of the form `name: value`.
    #[error("line {line}: expected {expected}, got {got:?}")]
    Line {
        /// The number of the line in the text.
        line: usize,
        /// The content that would be valid.
        expected: &'static str,
        /// The beginning of the line.
        got: String,
    },
    /// The line that names the player to move is missing.
    #[error("expected a line that says who is to move, such as `to move: Black`")]
    NobodyToMove,
    /// A player has too many pieces.
    #[error("expected at most {PIECES} pieces of {color:?}, got {pieces}")]
    TooMany {
        /// The player with too many pieces.
        color: Color,
        /// The number of pieces.
        pieces: u32,
    },
}

/// The position that a text describes, and the number of plies left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parsed {
    /// The pieces and the player to move.
    pub position: Position,
    /// The maximum number of further plies, if the text gives one.
    pub plies_left: Option<u32>,
}

/// Reads a position under a rule set.
///
/// # Errors
///
/// Returns a [`ParseError`] if the text is not a valid position.
pub fn parse(text: &str, rules: Rules) -> Result<Parsed, ParseError> {
    if text.len() > LARGEST_FILE {
        return Err(ParseError::TooLong);
    }
    let parsed = match text.split_ascii_whitespace().next() {
        Some("GAME" | "SINGLE") => Parsed {
            position: files::position(&Input::parse(text.as_bytes())?, rules),
            plies_left: None,
        },
        _ => read(text, rules)?,
    };
    for color in Color::BOTH {
        let pieces = parsed.position.pieces(color).count();
        if pieces as usize > PIECES {
            return Err(ParseError::TooMany { color, pieces });
        }
    }
    Ok(parsed)
}

fn read(text: &str, rules: Rules) -> Result<Parsed, ParseError> {
    let (mut to_move, mut plies_left, mut rows) = (None, None, 0);
    let mut pieces = [Squares::EMPTY; 2];
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim();
        let wrong = |expected| ParseError::Line {
            line,
            expected,
            got: content.chars().take(SHOWN).collect(),
        };
        if content.is_empty() || is_heading(content) {
            continue;
        }
        if let Some((name, value)) = content.split_once(':') {
            let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
            match &*name {
                "to move" => {
                    to_move = Some(color(value).ok_or_else(|| wrong("`to move: Black` or White"))?)
                }
                "plies left" => {
                    let plies = value.parse().ok();
                    plies_left = Some(plies.ok_or_else(|| wrong("a number of plies"))?);
                }
                _ => return Err(wrong("`to move:`, `plies left:` or a row")),
            }
            continue;
        }
        rows += 1;
        if let Ok(y) = u8::try_from(rows - 1)
            && y < SIZE
        {
            read_row(line, content, y, &mut pieces)?;
        }
    }
    if rows != usize::from(SIZE) {
        return Err(ParseError::Rows(rows));
    }
    let to_move = to_move.ok_or(ParseError::NobodyToMove)?;
    let [black, white] = pieces;
    Ok(Parsed {
        position: Position::new(black, white, to_move, rules).expect("a letter a square"),
        plies_left,
    })
}

/// Returns true if a line consists of the column numbers above a board.
fn is_heading(content: &str) -> bool {
    let numbers = (0..SIZE).map(|x| x.to_string());
    content.split_whitespace().eq(numbers)
}

fn color(word: &str) -> Option<Color> {
    let mut colors = Color::BOTH.into_iter();
    colors.find(|color| format!("{color:?}").eq_ignore_ascii_case(word))
}

/// Adds the pieces of the row `y` to `pieces`. The row may begin with its number.
fn read_row(
    line: usize,
    content: &str,
    y: u8,
    pieces: &mut [Squares; 2],
) -> Result<(), ParseError> {
    let unnumbered = (content.split_once(char::is_whitespace))
        .filter(|(label, _)| *label == y.to_string())
        .map_or(content, |(_, row)| row);
    let symbols = unnumbered.chars().filter(|shown| !shown.is_whitespace());
    let mut got = 0;
    for shown in symbols {
        let color = match shown {
            'B' | 'b' => Some(Color::Black),
            'W' | 'w' => Some(Color::White),
            '.' | ',' | '*' => None,
            got => return Err(ParseError::Symbol { line, got }),
        };
        if let Some(color) = color
            && got < SIZE.into()
        {
            pieces[color as usize].insert(Square::at(got as u8, y));
        }
        got += 1;
    }
    match got == usize::from(SIZE) {
        true => Ok(()),
        false => Err(ParseError::RowLength { line, got }),
    }
}
