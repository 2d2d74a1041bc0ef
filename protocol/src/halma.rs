//! The files between a Halma agent and its master: `input.txt` and `output.txt`; the contract is in
//! `protocol/halma.md`.

use std::fmt;

use thiserror::Error;

/// Rows and columns of the board.
pub const SIZE: usize = 16;

/// Pieces of each player in every game.
pub const PIECES: usize = 19;

/// Files beyond this many bytes are refused unread.
pub const LARGEST_FILE: usize = 64 << 10;

/// What the time is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One move, which may take all of the time.
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

/// What stands on each square, row by row from the top.
pub type Board = [[Option<Player>; SIZE]; SIZE];

/// The content of `input.txt`.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// What the time is for.
    pub mode: Mode,
    /// Who is to move.
    pub player: Player,
    /// CPU time left, in seconds; positive and finite.
    pub seconds: f64,
    /// The pieces on the 16 x 16 squares.
    pub board: Board,
}

/// A file is malformed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FileError {
    /// A line is not what may stand there.
    #[error("line {line}: expected {expected}, got {got}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What may stand there.
        expected: String,
        /// What stands there, in quotes; after 40 characters it is cut.
        got: String,
    },
    /// No such file is so large.
    #[error("expected at most {LARGEST_FILE} bytes, got more")]
    TooLarge,
}

/// The first characters of a line in quotes, for messages.
fn excerpt(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let shown: String = text.chars().take(40).collect();
    let rest = if shown.len() < text.len() { "..." } else { "" };
    format!("{shown:?}{rest}")
}

impl Input {
    /// Reads the content of the file. Carriage returns, trailing blanks and blank lines at both ends are
    /// ignored; nothing else is. Any number of pieces is read: see [`Input::pieces`].
    ///
    /// # Errors
    ///
    /// [`FileError`] with the line, what was expected there and what stands there.
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

    /// How many pieces Black has, and White: [`PIECES`] each in every game, but files made for practice
    /// may have others.
    pub fn pieces(&self) -> [usize; 2] {
        [Player::Black, Player::White].map(|player| {
            let squares = self.board.iter().flatten();
            squares.filter(|&&at| at == Some(player)).count()
        })
    }
}

/// Reads one line, or says what is wrong with it.
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

/// The content of the file, byte for byte.
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

/// A square by its column and row, from the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its column, below 16.
    pub x: u8,
    /// Its row, below 16.
    pub y: u8,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{},{}", self.x, self.y)
    }
}

/// The content of `output.txt`: a move. Whether the rules allow it is not looked at here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// `E`: to a neighbouring square.
    Step {
        /// Where the piece is.
        from: Place,
        /// Where it ends up.
        to: Place,
    },
    /// `J` lines: the squares that the piece visits, at least two, both ends included.
    Jumps(Vec<Place>),
}

impl Output {
    /// Reads the content of the file to the letter: exactly the format, LF line ends; only the last one
    /// may be missing.
    ///
    /// # Errors
    ///
    /// [`FileError`] with the line, what may stand there and what does.
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
                        "a jump from {last}, where the one before ended"
                    )));
                }
                Some(_) => path.push(to),
                None => path.extend([from, to]),
            }
        }
        Ok(Output::Jumps(path))
    }

    /// The same, but passes over blanks and carriage returns at the ends of lines, and over blank lines
    /// at the end: several public agents write them.
    ///
    /// # Errors
    ///
    /// As [`Output::parse`].
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

    /// The squares that the piece visits, both ends included.
    pub fn path(&self) -> Vec<Place> {
        match self {
            Output::Step { from, to } => vec![*from, *to],
            Output::Jumps(path) => path.clone(),
        }
    }
}

/// True for a step, and both ends.
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
        // Neither a sign nor a leading zero belongs to the format.
        (usize::from(number) < SIZE && number.to_string() == digits).then_some(number)
    };
    Some(Place {
        x: number(x)?,
        y: number(y)?,
    })
}

/// The content of the file, byte for byte.
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
