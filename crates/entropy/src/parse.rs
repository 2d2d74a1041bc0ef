//! Parses a board from text, either as printed by [`picture`](super::picture) or as plain rows that a person typed.
//!
//! Each line is a row; spaces are ignored. A letter from A (or a digit from 1) is a tile, and a dot is an empty cell.
//! Column numbers (a line that ends in `(cols)`) and row numbers are allowed. A line `drawn: A` (or `tile A`) names
//! the tile that Chaos must place; without this line, Order is to move. The bag contains all tiles that are not on
//! the board.

use std::str::FromStr;

use thiserror::Error;

use super::picture::{colour, letter};
use super::rules::{Cell, Colour, EMPTY, MAX_SIZE, MIN_SIZE, Move, Phase, Position, Rules};

/// The maximum length of a board's text, in bytes. The picture of the largest board has 2,300 bytes.
pub const LONGEST_TEXT: usize = 16 << 10;

/// The maximum number of characters that an error quotes from an invalid word.
const SHOWN: usize = 20;

/// The reason why a text is not a valid position. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The text is longer than [`LONGEST_TEXT`].
    #[error("expected a board in at most {LONGEST_TEXT} bytes of text, got more")]
    TooLong,
    /// A line is not valid UTF-8; contains the line number.
    #[error("line {0}: expected UTF-8 text, got other bytes")]
    NotText(usize),
    /// The text has no rows.
    #[error("expected a board, one row per line, such as `.AB..` or `. A B . .`; got no row")]
    NoRows,
    /// The board is too small or too large; contains its number of rows.
    #[error("expected a board of {MIN_SIZE} to {MAX_SIZE} rows, got {}", rows_in_words(*.0))]
    Rows(usize),
    /// A row's length does not match the number of rows.
    #[error("line {line}: expected {rows} cells, as many as the board has rows, got {got}")]
    RowLength {
        /// The line number of the row in the text.
        line: usize,
        /// The number of rows of the board.
        rows: usize,
        /// The number of cells in this row.
        got: usize,
    },
    /// A character is neither a tile nor an empty cell.
    #[error(
        "line {line}: expected a letter or a digit from 1 for a tile, `.` for none; got {got:?}"
    )]
    Symbol {
        /// The line number of the character.
        line: usize,
        /// The invalid character.
        got: char,
    },
    /// A color does not exist on a board with this size.
    #[error(
        "line {line}: expected one of the colors A to {last} of a {size}x{size} board, got {got:?}",
        last = letter(*.size)
    )]
    NoSuchColour {
        /// The line number of the color.
        line: usize,
        /// The number of rows and of colors of the board.
        size: u8,
        /// The letter or digit of the color, as the text gives it.
        got: char,
    },
    /// A line about the drawn tile does not name a tile.
    #[error("line {line}: expected one color, as in `drawn: A`, got {got:?}")]
    Drawn {
        /// The number of the line about the drawn tile.
        line: usize,
        /// The beginning of the invalid text.
        got: String,
    },
    /// The color of the drawn tile, given outside the text, does not exist on a board with this size.
    #[error(
        "the drawn tile: expected one of the colors A to {last} of a {size}x{size} board, got {}",
        letter(*.got),
        last = letter(*.size)
    )]
    NoSuchDrawn {
        /// The number of rows and of colors of the board.
        size: u8,
        /// The color that was given.
        got: Colour,
    },
    /// The input names more than one drawn tile.
    #[error("expected one drawn tile, got two: {} and {}", letter(*.first), letter(*.second))]
    TwoDrawn {
        /// The first color named in the text.
        first: Colour,
        /// The next color in the text, or the color given outside the text.
        second: Colour,
    },
    /// The board has too many tiles of a color.
    #[error(
        "expected at most {size} tiles of color {} on the board and in Chaos's hand, got {tiles}",
        letter(*.colour)
    )]
    TooMany {
        /// The color with too many tiles.
        colour: Colour,
        /// The number of tiles with this color on the board and in Chaos's hand.
        tiles: usize,
        /// The number of rows, which is also the maximum number of tiles with a color.
        size: u8,
    },
    /// The board is empty, and no tile is drawn.
    #[error(
        "the board is empty, so Chaos is to move: expected a line that says which tile it has \
         drawn, such as `drawn: A`"
    )]
    NothingToMove,
}

fn rows_in_words(rows: usize) -> String {
    match rows > usize::from(MAX_SIZE) {
        true => "more".to_owned(),
        false => rows.to_string(),
    }
}

/// The line number of a row, and the row's text.
type Row<'a> = (usize, &'a str);

impl FromStr for Position {
    type Err = ParseError;

    /// Parses a board as [`parse`] does. Order may not pass.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        parse(text.as_bytes(), false, None)
    }
}

/// Parses a position. `drawn` is the drawn tile, if it is known; the text may then omit it. Fails if the text is not a
/// board, or if the position is impossible.
pub fn parse(text: &[u8], pass: bool, drawn: Option<Colour>) -> Result<Position, ParseError> {
    if text.len() > LONGEST_TEXT {
        return Err(ParseError::TooLong);
    }
    let text = std::str::from_utf8(text).map_err(|error| {
        let before = &text[..error.valid_up_to()];
        ParseError::NotText(1 + before.iter().filter(|&&byte| byte == b'\n').count())
    })?;
    let mut rows: Vec<Row> = Vec::new();
    let mut drawn_here: Option<(usize, char)> = None;
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim();
        if content.is_empty() || (rows.is_empty() && content.ends_with("(cols)")) {
            continue;
        }
        match drawn_of(line, content)? {
            Some(shown) => {
                if let Some((_, first)) = drawn_here {
                    let known = |got| colour(got).ok_or(ParseError::Symbol { line, got });
                    return Err(ParseError::TwoDrawn {
                        first: known(first)?,
                        second: known(shown)?,
                    });
                }
                drawn_here = Some((line, shown));
            }
            None => rows.push((line, content)),
        }
    }
    let size = match rows.len() {
        0 => return Err(ParseError::NoRows),
        rows => u8::try_from(rows)
            .ok()
            .filter(|size| (MIN_SIZE..=MAX_SIZE).contains(size))
            .ok_or(ParseError::Rows(rows))?,
    };
    let mut cells = Vec::with_capacity(rows.len() * rows.len());
    for (number, row) in rows.iter().enumerate() {
        read_row(number, *row, size, &mut cells)?;
    }
    let drawn_here = drawn_here
        .map(|(line, shown)| tile(line, shown, size))
        .transpose()?;
    let drawn = match (drawn_here, drawn) {
        (Some(first), Some(second)) if first != second => {
            return Err(ParseError::TwoDrawn { first, second });
        }
        (_, Some(got)) if !(1..=size).contains(&got) => {
            return Err(ParseError::NoSuchDrawn { size, got });
        }
        (here, given) => here.or(given),
    };
    position(Rules { size, pass }, &cells, drawn)
}

/// Returns the tile in a line such as `drawn: A`, or `None` for other lines.
fn drawn_of(line: usize, content: &str) -> Result<Option<char>, ParseError> {
    let end = content.find(|letter: char| !letter.is_alphabetic());
    let (word, rest) = content.split_at(end.unwrap_or(content.len()));
    if !["drawn", "tile"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
    {
        return Ok(None);
    }
    let rest = rest.trim_start().trim_start_matches([':', '=']).trim();
    let mut letters = rest.chars();
    match (letters.next(), letters.next()) {
        (Some(shown), None) => Ok(Some(shown)),
        _ => Err(ParseError::Drawn {
            line,
            got: rest.chars().take(SHOWN).collect(),
        }),
    }
}

/// Appends the cells of a row, which must have as many cells as the board has rows. The row's number may precede them.
fn read_row(
    number: usize,
    (line, content): Row,
    size: u8,
    cells: &mut Vec<Colour>,
) -> Result<(), ParseError> {
    let count = |text: &str| text.chars().filter(|shown| !shown.is_whitespace()).count();
    let rows = usize::from(size);
    let mut row = content;
    if count(row) != rows
        && let Some((label, rest)) = content.split_once(char::is_whitespace)
        && label == number.to_string()
    {
        row = rest;
    }
    let shown = || row.chars().filter(|shown| !shown.is_whitespace());
    if let Some(got) = shown().find(|&shown| shown != '.' && colour(shown).is_none()) {
        return Err(ParseError::Symbol { line, got });
    }
    if count(row) != rows {
        return Err(ParseError::RowLength {
            line,
            rows,
            got: count(row),
        });
    }
    for shown in shown() {
        cells.push(match shown {
            '.' => EMPTY,
            _ => tile(line, shown, size)?,
        });
    }
    Ok(())
}

fn tile(line: usize, got: char, size: u8) -> Result<Colour, ParseError> {
    match colour(got) {
        None => Err(ParseError::Symbol { line, got }),
        Some(colour) if colour > size => Err(ParseError::NoSuchColour { line, size, got }),
        Some(colour) => Ok(colour),
    }
}

fn position(rules: Rules, cells: &[Colour], drawn: Option<Colour>) -> Result<Position, ParseError> {
    let size = rules.size;
    for colour in 1..=size {
        let all = cells.iter().chain(&drawn);
        let tiles = all.filter(|&&at| at == colour).count();
        if tiles > usize::from(size) {
            return Err(ParseError::TooMany {
                colour,
                tiles,
                size,
            });
        }
    }
    let mut position = Position::new(rules);
    let draw = |position: &mut Position, colour| {
        if position.phase() == Phase::Slide {
            position.make(Move::Pass);
        }
        position.make(Move::Draw(colour));
    };
    for (cell, &colour) in (0 as Cell..).zip(cells) {
        if colour != EMPTY {
            draw(&mut position, colour);
            position.make(Move::Place(cell));
        }
    }
    if let Some(colour) = drawn {
        draw(&mut position, colour);
    }
    match position.phase() {
        Phase::Draw => Err(ParseError::NothingToMove),
        _ => Ok(position),
    }
}
