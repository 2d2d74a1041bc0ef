//! The files between a Halma agent and its master: `input.txt` and `output.txt`.
//!
//! The contract is in `protocol/halma.md`.

use std::fmt;

use thiserror::Error;

/// The number of rows and of columns of the board.
pub const SIZE: usize = 16;

/// The number of pieces of each player in every game.
pub const PIECES: usize = 19;

/// The maximum size of a file in bytes; a larger file is rejected unread.
pub const LARGEST_FILE: usize = 64 << 10;

/// Whether the time is for one move or for a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One move, which may use all of the time.
    Single,
    /// A game, whose moves share the time.
    Game,
}

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// Starts in the top left corner.
    Black,
    /// Starts in the bottom right corner.
    White,
}

/// The piece on each square, row by row from the top.
pub type Board = [[Option<Player>; SIZE]; SIZE];

/// The content of `input.txt`.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Whether the time is for one move or for a game.
    pub mode: Mode,
    /// The player to move.
    pub player: Player,
    /// CPU time left, in seconds; positive and finite.
    pub seconds: f64,
    /// The pieces on the 16 x 16 squares.
    pub board: Board,
}

/// The error for a malformed file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FileError {
    /// A line does not have the expected content.
    #[error("line {line}: expected {expected}, got {got}")]
    Line {
        /// The line number, from 1.
        line: usize,
        /// The expected content.
        expected: String,
        /// The actual content in quotes, cut after 40 characters.
        got: String,
    },
    /// The file is larger than any valid file.
    #[error("expected at most {LARGEST_FILE} bytes, got more")]
    TooLarge,
}

/// Returns the first characters of a line in quotes, for messages.
fn excerpt(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let shown: String = text.chars().take(40).collect();
    let rest = if shown.len() < text.len() { "..." } else { "" };
    format!("{shown:?}{rest}")
}

impl Input {
    /// Parses the content of `input.txt`.
    ///
    /// Ignores carriage returns and blanks at the ends of lines, and blank lines at both ends of the file;
    /// ignores nothing else. Accepts any number of pieces: see [`Input::pieces`].
    ///
    /// # Errors
    ///
    /// [`FileError`] with the line number, the expected and the actual content.
    pub fn parse(bytes: &[u8]) -> Result<Input, FileError> {
        if bytes.len() > LARGEST_FILE {
            return Err(FileError::TooLarge);
        }
        let bytes = bytes.trim_ascii_end();
        let mut lines = (1..)
            .zip(
                bytes
                    .split(|&byte| byte == b'\n')
                    .map(<[u8]>::trim_ascii_end),
            )
            .skip_while(|(_, text)| text.is_empty());
        let mut next = 1;
        let mut line = || {
            let (number, text) = lines.next().unzip();
            next = number.unwrap_or(next) + 1;
            (next - 1, text)
        };
        let mode = read(line(), "SINGLE or GAME", |text| match text {
            b"SINGLE" => Some(Mode::Single),
            b"GAME" => Some(Mode::Game),
            _ => None,
        })?;
        let player = read(line(), "BLACK or WHITE", |text| match text {
            b"BLACK" => Some(Player::Black),
            b"WHITE" => Some(Player::White),
            _ => None,
        })?;
        let seconds = read(line(), "a positive number of seconds", |text| {
            let seconds: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
            (seconds > 0.0 && seconds.is_finite()).then_some(seconds)
        })?;
        let mut board = [[None; SIZE]; SIZE];
        for row in &mut board {
            *row = read(line(), "16 letters, each B, W or a dot", parse_row)?;
        }
        if let (line, Some(more)) = line() {
            return Err(FileError::Line {
                line,
                expected: "the end of the file".to_owned(),
                got: excerpt(more),
            });
        }
        Ok(Input {
            mode,
            player,
            seconds,
            board,
        })
    }

    /// Returns the number of pieces of Black and of White.
    ///
    /// Both are [`PIECES`] in every game, but practice files may have other numbers.
    pub fn pieces(&self) -> [usize; 2] {
        [Player::Black, Player::White].map(|player| {
            let squares = self.board.iter().flatten();
            squares.filter(|&&at| at == Some(player)).count()
        })
    }
}

/// Parses one line with `read`, or returns an error that names the expected content.
fn read<T>(
    (line, text): (usize, Option<&[u8]>),
    expected: &str,
    read: impl FnOnce(&[u8]) -> Option<T>,
) -> Result<T, FileError> {
    let got = match text {
        Some(text) => match read(text) {
            Some(value) => return Ok(value),
            None => excerpt(text),
        },
        None => "the end of the file".to_owned(),
    };
    Err(FileError::Line {
        line,
        expected: expected.to_owned(),
        got,
    })
}

fn parse_row(text: &[u8]) -> Option<[Option<Player>; SIZE]> {
    let letters: &[u8; SIZE] = text.try_into().ok()?;
    let mut row = [None; SIZE];
    for (square, letter) in row.iter_mut().zip(letters) {
        *square = match letter {
            b'B' => Some(Player::Black),
            b'W' => Some(Player::White),
            b'.' => None,
            _ => return None,
        };
    }
    Some(row)
}

/// Writes the content of `input.txt`, byte for byte.
impl fmt::Display for Input {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mode = match self.mode {
            Mode::Single => "SINGLE",
            Mode::Game => "GAME",
        };
        let player = match self.player {
            Player::Black => "BLACK",
            Player::White => "WHITE",
        };
        writeln!(formatter, "{mode}\n{player}\n{:?}", self.seconds)?;
        for row in &self.board {
            let letters = row.iter().map(|square| match square {
                Some(Player::Black) => 'B',
                Some(Player::White) => 'W',
                None => '.',
            });
            writeln!(formatter, "{}", letters.collect::<String>())?;
        }
        Ok(())
    }
}

/// A square, given as column and row from the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The column, below 16.
    pub x: u8,
    /// The row, below 16.
    pub y: u8,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{},{}", self.x, self.y)
    }
}

/// A move, the content of `output.txt`; not checked against the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// `E`: a step to a neighboring square.
    Step {
        /// The square that the piece leaves.
        from: Place,
        /// The square that the piece enters.
        to: Place,
    },
    /// `J` lines: the squares that the piece visits, at least two, including both ends.
    Jumps(Vec<Place>),
}

impl Output {
    /// Parses the content of `output.txt` strictly.
    ///
    /// The content must follow the format exactly, with LF line ends; only the last LF may be missing.
    ///
    /// # Errors
    ///
    /// [`FileError`] with the line number, the expected and the actual content.
    pub fn parse(bytes: &[u8]) -> Result<Output, FileError> {
        if bytes.len() > LARGEST_FILE {
            return Err(FileError::TooLarge);
        }
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let mut path: Vec<Place> = Vec::new();
        for (text, line) in bytes.split(|&byte| byte == b'\n').zip(1..) {
            let wrong = |expected: String| FileError::Line {
                line,
                expected,
                got: excerpt(text),
            };
            let (step, from, to) = parse_line(text).ok_or_else(|| {
                wrong("a step \"E x,y x,y\" or jumps \"J x,y x,y\", one a line".to_owned())
            })?;
            match path.last() {
                None if step => {
                    if text.len() < bytes.len() {
                        let rest = &bytes[text.len() + 1..];
                        return Err(FileError::Line {
                            line: 2,
                            expected: "the end of the file after a step".to_owned(),
                            got: excerpt(rest.split(|&byte| byte == b'\n').next().unwrap_or(rest)),
                        });
                    }
                    return Ok(Output::Step { from, to });
                }
                Some(_) if step => return Err(wrong("another jump \"J x,y x,y\"".to_owned())),
                Some(&last) if last != from => {
                    return Err(wrong(format!(
                        "a jump from {last}, where the previous jump ended"
                    )));
                }
                Some(_) => path.push(to),
                None => path.extend([from, to]),
            }
        }
        Ok(Output::Jumps(path))
    }

    /// Parses the content of `output.txt` leniently.
    ///
    /// Ignores blanks and carriage returns at the ends of lines, and blank lines at the end, because several
    /// public agents write them.
    ///
    /// # Errors
    ///
    /// As in [`Output::parse`].
    pub fn parse_lenient(bytes: &[u8]) -> Result<Output, FileError> {
        if bytes.len() > LARGEST_FILE {
            return Err(FileError::TooLarge);
        }
        let lines: Vec<&[u8]> = bytes
            .trim_ascii_end()
            .split(|&byte| byte == b'\n')
            .map(<[u8]>::trim_ascii_end)
            .collect();
        Self::parse(&lines.join(&b'\n'))
    }

    /// Returns the squares that the piece visits, including both ends.
    pub fn path(&self) -> Vec<Place> {
        match self {
            Output::Step { from, to } => vec![*from, *to],
            Output::Jumps(path) => path.clone(),
        }
    }
}

/// Parses one line into both ends and a flag that is true for a step.
fn parse_line(text: &[u8]) -> Option<(bool, Place, Place)> {
    let text = std::str::from_utf8(text).ok()?;
    let (step, places) = match text.split_at_checked(2)? {
        ("E ", places) => (true, places),
        ("J ", places) => (false, places),
        _ => return None,
    };
    let (from, to) = places.split_once(' ')?;
    Some((step, parse_place(from)?, parse_place(to)?))
}

fn parse_place(text: &str) -> Option<Place> {
    let (x, y) = text.split_once(',')?;
    let number = |digits: &str| {
        let number: u8 = digits.parse().ok()?;
        // The format allows neither a sign nor a leading zero.
        (usize::from(number) < SIZE && number.to_string() == digits).then_some(number)
    };
    Some(Place {
        x: number(x)?,
        y: number(y)?,
    })
}

/// Writes the content of `output.txt`, byte for byte.
impl fmt::Display for Output {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Output::Step { from, to } => writeln!(formatter, "E {from} {to}"),
            Output::Jumps(path) => path
                .windows(2)
                .try_for_each(|jump| writeln!(formatter, "J {} {}", jump[0], jump[1])),
        }
    }
}
