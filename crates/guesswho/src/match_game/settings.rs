//! The settings of a match: above all the board, which a log stores as a whole.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use turnwise_engine::files::read_at_most;
use turnwise_engine::words::{is_unprintable, one_line};

use crate::board::Board;
use crate::parse::{self, ParseError, Strictness};

/// The maximum size of the configuration file for a match, in bytes.
///
/// The size is limited because a log stores the board on one line, and every program gets a copy.
const LARGEST_BOARD: u64 = 256 << 10;

/// The maximum length of a name on the board of a match, in characters.
///
/// The length is limited because lists of guesses repeat an attribute's name with each of its values.
const LONGEST_NAME: usize = 60;

/// The board of 10 persons that comes with the course's framework.
const USUAL_BOARD: &str = include_str!("game1.config");

/// The board of 14 persons with names and faces, for people.
const NAMED_BOARD: &str = include_str!("named.config");

/// The settings of a match.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Settings {
    board: Whole,
    /// True if the games of a pair go through all combinations of persons; false if persons are drawn at random.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    all_persons: bool,
}

/// A board that is stored as the text of its configuration file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Whole(Arc<Board>);

impl Settings {
    /// Returns the board of the match.
    pub fn shared_board(&self) -> &Arc<Board> {
        &self.board.0
    }

    /// Returns true if the games of each pair go through all combinations of persons instead of drawing them at random.
    pub fn has_all_persons(&self) -> bool {
        self.all_persons
    }

    /// Creates settings with the board of 14 named persons.
    pub fn with_named_persons(all_persons: bool) -> Self {
        let board = Whole::try_from(NAMED_BOARD.to_owned()).expect("a sound board");
        Self { board, all_persons }
    }

    /// Creates settings with the board from this file, or with the course's usual board if `path` is `None`.
    ///
    /// Returns an error if the file cannot be read or does not describe a usable board.
    pub fn with_board(path: Option<&Path>, all_persons: bool) -> Result<Self, String> {
        let board = match path {
            None => Whole::try_from(USUAL_BOARD.to_owned()).expect("a sound board"),
            Some(path) => read(path)?,
        };
        Ok(Self { board, all_persons })
    }
}

/// Reads a board's file leniently, as players' programs do when they load the file.
fn read(path: &Path) -> Result<Whole, String> {
    let shown = path.display();
    let bytes = read_at_most(path, LARGEST_BOARD).map_err(|error| error.to_string())?;
    let bytes = bytes.ok_or_else(|| format!("there is no file {shown}"))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{shown} is not UTF-8"))?;
    Whole::try_from(text).map_err(|why| format!("{shown}: {why}"))
}

impl TryFrom<String> for Whole {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.len() as u64 > LARGEST_BOARD {
            return Err(format!(
                "expected a board of at most {LARGEST_BOARD} bytes, got {}",
                text.len()
            ));
        }
        let first = |error: ParseError| error.problems[0].to_string();
        let parsed = parse::configuration(&text, Strictness::Lenient).map_err(first)?;
        let text = parsed.configuration.to_string();
        if text.contains(|letter| letter != '\n' && is_unprintable(letter)) {
            return Err("expected names of printable characters".to_owned());
        }
        let mut words = text.split_whitespace();
        if let Some(long) = words.find(|word| word.chars().count() > LONGEST_NAME) {
            return Err(format!(
                "expected names of at most {LONGEST_NAME} characters, got {}",
                one_line(long, LONGEST_NAME)
            ));
        }
        Ok(Self(Arc::new(Board::new(parsed.configuration))))
    }
}

impl From<Whole> for String {
    fn from(board: Whole) -> String {
        board.0.configuration().to_string()
    }
}
