//! The files `input.txt` and `output.txt`, through which a Halma agent communicates with the program that runs it.
//!
//! `protocol/halma.md` defines the format of both files.

use std::fmt;

use thiserror::Error;

/// The number of rows of the board, which is also the number of columns.
pub const SIZE: usize = 16;

/// The number of pieces that each player has in every game.
pub const PIECES: usize = 19;

/// The maximum size of either file, in bytes. A larger file is rejected without being parsed.
pub const LARGEST_FILE: usize = 64 << 10;

/// Whether the time in `input.txt` is for one move or for a whole game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The time is for one move, which may use all the time.
    Single,
    /// The time is for a whole game, whose moves must share it.
    Game,
}

/// A player: Black or White.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// The player whose pieces start in the top left corner.
    Black,
    /// The player whose pieces start in the bottom right corner.
    White,
}

/// The board: for each square, the owner of the piece on it, if any. Rows are listed from the top.
pub type Board = [[Option<Player>; SIZE]; SIZE];

/// The content of `input.txt`.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Whether the time in `input.txt` is for one move or for a whole game.
    pub mode: Mode,
    /// The player to move.
    pub player: Player,
    /// The CPU time left, in seconds. The number is positive and finite.
    pub seconds: f64,
    /// The pieces on the board of 16 x 16 squares.
    pub board: Board,
}

/// The error for an `input.txt` or `output.txt` with invalid content.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FileError {
    /// A line does not have the expected content.
    #[error("line {line}: expected {expected}, got {got}")]
    Line {
        /// The number of the line, starting at 1.
        line: usize,
        /// The content that the line should have.
        expected: String,
        /// The actual content in quotes, cut after 40 characters.
        got: String,
    },
    /// The file is larger than [`LARGEST_FILE`].
    #[error("expected at most {LARGEST_FILE} bytes, got more")]
    TooLarge,
}

/// Returns the first characters of a line in quotes, for error messages.
fn excerpt(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let shown: String = text.chars().take(40).collect();
    let rest = if shown.len() < text.len() { "..." } else { "" };
    format!("{shown:?}{rest}")
}

impl Input {
    /// Parses the content of `input.txt`.
    ///
    /// Ignores carriage returns and blanks at the ends of lines, and blank lines at the beginning and the end of the
    /// file. Otherwise, the file must have exactly the defined format. Accepts any number of pieces; see
    /// [`Input::pieces`].
    ///
    /// # Errors
    ///
    /// Returns a [`FileError`] if the file is too large or if a line is invalid. For an invalid line, the error states
    /// its number, the expected content and the actual content.
    pub fn parse(bytes: &[u8]) -> Result<Input, FileError> {
        let mut first = None;
        let input = Self::parse_lenient(bytes, |deviation| {
            first.get_or_insert(deviation);
        });
        first.map_or(input, Err)
    }

    /// Parses the content of `input.txt` leniently, as agents do that read 19 lines.
    ///
    /// Ignores blanks, NULs and byte order marks around each line, blank lines, and everything after the board. Calls
    /// `warn` for each deviation from the format, at most 20 times.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Input::parse`], but not for the deviations that are ignored.
    pub fn parse_lenient(bytes: &[u8], warn: impl FnMut(FileError)) -> Result<Input, FileError> {
        if bytes.len() > LARGEST_FILE {
            return Err(FileError::TooLarge);
        }
        let lines: Vec<&[u8]> = (bytes
            .trim_ascii_end()
            .split_inclusive(|&byte| byte == b'\n'))
        .map(<[u8]>::trim_ascii_end)
        .collect();
        let mut lines = Lines {
            end: lines.len() + 1,
            rest: (1..).zip(lines).skip_while(|(_, text)| text.is_empty()),
            warn,
        };
        let mode = lines.read("SINGLE or GAME", |text| match text {
            b"SINGLE" => Some(Mode::Single),
            b"GAME" => Some(Mode::Game),
            _ => None,
        })?;
        let player = lines.read("BLACK or WHITE", |text| match text {
            b"BLACK" => Some(Player::Black),
            b"WHITE" => Some(Player::White),
            _ => None,
        })?;
        let seconds = lines.read("a positive number of seconds", |text| {
            let seconds: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
            (seconds > 0.0 && seconds.is_finite()).then_some(seconds)
        })?;
        let mut board = [[None; SIZE]; SIZE];
        for row in &mut board {
            *row = lines.read("16 letters, each B, W or a dot", parse_row)?;
        }
        if let Some((line, more)) = lines.rest.find(|(_, text)| !text.is_empty()) {
            (lines.warn)(FileError::Line {
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
    /// In every game, both numbers are [`PIECES`], but files for practice may contain other numbers of pieces.
    pub fn pieces(&self) -> [usize; 2] {
        [Player::Black, Player::White].map(|player| {
            let squares = self.board.iter().flatten();
            squares.filter(|&&at| at == Some(player)).count()
        })
    }
}

/// The lines of an `input.txt` that are not yet parsed, with their numbers.
struct Lines<L, W> {
    rest: L,
    /// The number of the line after the last one.
    end: usize,
    warn: W,
}

impl<'a, L: Iterator<Item = (usize, &'a [u8])>, W: FnMut(FileError)> Lines<L, W> {
    /// Parses the next line that has content. Warns if blank lines or ignored characters surround the content.
    fn read<T>(
        &mut self,
        expected: &str,
        read: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<T, FileError> {
        let error = |line, got| FileError::Line {
            line,
            expected: expected.to_owned(),
            got,
        };
        let mut deviation = None;
        for (line, text) in self.rest.by_ref() {
            let content = trim_noise(text);
            if content.is_empty() || content.len() < text.len() {
                deviation.get_or_insert_with(|| error(line, excerpt(text)));
            }
            if content.is_empty() {
                continue;
            }
            let value = read(content).ok_or_else(|| error(line, excerpt(text)))?;
            deviation.map(&mut self.warn);
            return Ok(value);
        }
        Err(error(self.end, "the end of the file".to_owned()))
    }
}

/// Removes blanks, NULs and byte order marks from both ends of a line.
fn trim_noise(text: &[u8]) -> &[u8] {
    let is_content = |byte: &u8| !byte.is_ascii_whitespace() && !b"\0\xef\xbb\xbf".contains(byte);
    let start = text.iter().position(is_content).unwrap_or(text.len());
    let end = text
        .iter()
        .rposition(is_content)
        .map_or(start, |last| last + 1);
    &text[start..end]
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

/// Writes exactly the content of `input.txt`.
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

/// A square of the board, given as its column and row, counted from 0 at the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the column, which is below 16.
    pub x: u8,
    /// The number of the row, which is below 16.
    pub y: u8,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{},{}", self.x, self.y)
    }
}

/// A move, which is the content of `output.txt`. It need not be legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A line that begins with `E`: a step to a neighboring square.
    Step {
        /// The square that the piece leaves.
        from: Place,
        /// The square that the piece enters.
        to: Place,
    },
    /// Lines that begin with `J`: one or more jumps. The list contains the squares that the piece visits, from its
    /// first to its last square.
    Jumps(Vec<Place>),
}

impl Output {
    /// Parses the content of `output.txt` strictly.
    ///
    /// The content must have exactly the defined format, in which lines end with LF. Only the last LF may be missing.
    ///
    /// # Errors
    ///
    /// Returns a [`FileError`] if the file is too large or if a line is invalid. For an invalid line, the error states
    /// its number, the expected content and the actual content.
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
    /// Ignores blanks and carriage returns at the ends of lines, and blank lines at the end of the file, because
    /// several public agents write them.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Output::parse`], but not for the characters that are ignored.
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

    /// Returns the squares that the piece visits, from its first to its last square.
    pub fn path(&self) -> Vec<Place> {
        match self {
            Output::Step { from, to } => vec![*from, *to],
            Output::Jumps(path) => path.clone(),
        }
    }
}

/// Parses one line of `output.txt`. Returns true for a step and false for a jump, and the squares at which it starts
/// and ends.
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

/// Writes exactly the content of `output.txt`.
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
