//! The file `playdata.txt`, which passes data from one process of a game to the next.
//!
//! The file has a few lines of text. The last line is a checksum of all others:
//!
//! ```text
//! turnwise-halma 3
//! clock LEFT USED ELSEWHERE    seconds left before the last move, used for that move, used by daemons in the game
//! daemon ask|avoid             "avoid" after a daemon began to think and did not finish
//! color BLACK|WHITE
//! black HEX                    the position after our last move: one bit per square
//! white HEX
//! seen HEX HEX ...             hashes of the positions after our moves
//! plan x,y-x,y x,y-x,y ...     our planned moves that are still to be played
//! line x,y-x,y x,y-x,y         the reply that we expect, and our answer to it
//! opponent MOVES PREDICTED EXPECTED PACE TAKEN_BACK LAST
//!                              statistics about the opponent, and its last move ("-" before its first move)
//! sum HEX                      checksum: FNV-1a, 64 bits
//! ```

use std::fmt::Write;

use turnwise_engine::agent::OpponentMemory;
use turnwise_engine::words::fnv1a;

use crate::opponent::Opponent;
use crate::rules::{Color, Move, Position, Rules};
use crate::search_agent::Memory;
use crate::squares::{Square, Squares};

const HEADER: &str = "turnwise-halma 3";

/// The maximum number of stored hashes, which is more than a game needs. The oldest hashes are dropped first.
const MOST_SEEN: usize = 2_000;

/// The reason why the data in a `playdata.txt` cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlaydataError {
    /// The file is damaged, or another program wrote it.
    #[error("it is damaged, or of another program")]
    Damaged,
    /// The file is whole, but its first line names another version.
    #[error("it is of another version: expected {HEADER:?} in its first line")]
    Version,
    /// No move of the opponent leads from the stored position to the current position.
    #[error(
        "it belongs to another game: no move of the opponent leads from its position to this one"
    )]
    Stale,
}

/// The data that a player keeps in a file from one move of a game to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct Playdata {
    /// The time that was left before our last move, in seconds.
    pub left: f64,
    /// The time that our last move took according to our own measurement, in seconds.
    pub used: f64,
    /// The CPU time that daemons are known to have used in this game, in seconds.
    ///
    /// The judge does not see this time.
    pub elsewhere: f64,
    /// True if no daemon should be asked again in this game, because a daemon began to think and did not finish.
    pub is_daemon_avoided: bool,
    /// The position after our last move; the opponent is to move.
    pub position: Position,
    /// The player's memory of the game.
    ///
    /// After parsing, [`Memory::line`] begins after the opponent's reply. It is empty if the opponent made an
    /// unexpected move.
    pub memory: Memory,
}

impl Playdata {
    /// Formats the data as the content of `playdata.txt`.
    pub fn to_text(&self) -> String {
        let daemon = match self.is_daemon_avoided {
            true => "avoid",
            false => "ask",
        };
        let mut text = format!(
            "{HEADER}\nclock {:?} {:?} {:?}\ndaemon {daemon}\n",
            self.left, self.used, self.elsewhere
        );
        let color = match self.position.to_move().other() {
            Color::Black => "BLACK",
            Color::White => "WHITE",
        };
        let [black, white] = Color::BOTH.map(|color| self.position.pieces(color).to_hex());
        let _infallible = write!(text, "color {color}\nblack {black}\nwhite {white}\nseen");
        let Memory {
            seen,
            plan,
            line,
            opponent,
        } = &self.memory;
        for hash in &seen[seen.len().saturating_sub(MOST_SEEN)..] {
            let _infallible = write!(text, " {hash:016x}");
        }
        for (name, moves) in [("plan", plan), ("line", line)] {
            let _infallible = write!(text, "\n{name}");
            for mv in moves {
                let _infallible = write!(text, " {mv:?}");
            }
        }
        let OpponentMemory {
            moves,
            predicted,
            expected,
            ..
        } = opponent.counts;
        let (pace, taken_back) = (opponent.pace, opponent.taken_back);
        let last = (opponent.last).map_or_else(|| "-".to_owned(), |last| format!("{last:?}"));
        let _infallible = writeln!(
            text,
            "\nopponent {moves} {predicted} {expected} {pace:?} {taken_back} {last}"
        );
        let sum = fnv1a(text.bytes());
        let _infallible = writeln!(text, "sum {sum:016x}");
        text
    }

    /// Parses data that was written after our last move. The opponent's reply has led to the position `now`.
    ///
    /// Adds this reply to the statistics about the opponent.
    ///
    /// # Errors
    ///
    /// Returns a [`PlaydataError`] if the data cannot be used.
    pub fn parse(bytes: &[u8], now: &Position) -> Result<Self, PlaydataError> {
        let mut read = read(bytes, now.rules())?;
        let mv = reply(&read.position, now).ok_or(PlaydataError::Stale)?;
        let memory = &mut read.memory;
        let mut line = std::mem::take(&mut memory.line).into_iter();
        let expected = line.next();
        if expected == Some(mv) {
            memory.line = line.collect();
        }
        (memory.opponent).observe(read.position.to_move(), mv, expected);
        Ok(read)
    }
}

/// Returns the move that leads from `before` to `now`, if a single move does.
///
/// Accepts all moves of the base rules, because the opponent's rule set is unknown.
pub fn reply(before: &Position, now: &Position) -> Option<Move> {
    let [black, white] = Color::BOTH.map(|color| before.pieces(color));
    let before = Position::new(black, white, before.to_move(), Rules::Base).ok()?;
    let mover = before.to_move();
    let left: Vec<Square> = (before.pieces(mover) & !now.pieces(mover))
        .into_iter()
        .collect();
    let came: Vec<Square> = (now.pieces(mover) & !before.pieces(mover))
        .into_iter()
        .collect();
    let (&[from], &[to]) = (&left[..], &came[..]) else {
        return None;
    };
    let mv = Move { from, to };
    (before.is_legal(mv) && before.after(mv).hash() == now.hash()).then_some(mv)
}

/// Parses a whole file. Returns an error if the file is damaged or of another version.
fn read(bytes: &[u8], rules: Rules) -> Result<Playdata, PlaydataError> {
    let body = whole(bytes).ok_or(PlaydataError::Damaged)?;
    let (header, fields) = body.split_once('\n').ok_or(PlaydataError::Damaged)?;
    if header != HEADER {
        return Err(PlaydataError::Version);
    }
    fields_of(fields, rules).ok_or(PlaydataError::Damaged)
}

/// Returns the text before the checksum, if the checksum is correct.
fn whole(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (body, sum) = text.split_at(text.rfind("sum ")?);
    let sum = u64::from_str_radix(sum.strip_prefix("sum ")?.trim_end(), 16).ok()?;
    (fnv1a(body.bytes()) == sum).then_some(body)
}

fn fields_of(text: &str, rules: Rules) -> Option<Playdata> {
    let mut lines = text.lines();
    let mut words = |name: &str| {
        let mut words = lines.next()?.split(' ');
        (words.next()? == name).then_some(words)
    };
    let mut clock = words("clock")?;
    let mut seconds = || number(clock.next()?);
    let (left, used, elsewhere) = (seconds()?, seconds()?, seconds()?);
    let is_daemon_avoided = match words("daemon")?.next()? {
        "avoid" => true,
        "ask" => false,
        _ => return None,
    };
    let color = match words("color")?.next()? {
        "BLACK" => Color::Black,
        "WHITE" => Color::White,
        _ => return None,
    };
    let black = Squares::from_hex(words("black")?.next()?)?;
    let white = Squares::from_hex(words("white")?.next()?)?;
    let seen = words("seen")?.map(|word| u64::from_str_radix(word, 16).ok());
    let seen = seen.collect::<Option<_>>()?;
    let plan = words("plan")?.map(parse_move).collect::<Option<_>>()?;
    let line = words("line")?.map(parse_move).collect::<Option<_>>()?;
    let mut opponent = words("opponent")?;
    let counts = OpponentMemory {
        moves: opponent.next()?.parse().ok()?,
        predicted: opponent.next()?.parse().ok()?,
        expected: opponent.next()?.parse().ok()?,
        ..OpponentMemory::default()
    };
    let opponent = Opponent {
        counts,
        pace: number(opponent.next()?)?,
        taken_back: opponent.next()?.parse().ok()?,
        last: match opponent.next()? {
            "-" => None,
            last => Some(parse_move(last)?),
        },
    };
    Some(Playdata {
        left,
        used,
        elsewhere,
        is_daemon_avoided,
        position: Position::new(black, white, color.other(), rules).ok()?,
        memory: Memory {
            seen,
            plan,
            line,
            opponent,
        },
    })
}

/// Parses a number. Returns `None` if the text is no number, or if the number is too large for calculations.
fn number(text: &str) -> Option<f64> {
    let number = text.parse().ok();
    number.filter(|number: &f64| number.abs() < 1e9)
}

fn parse_move(text: &str) -> Option<Move> {
    let (from, to) = text.split_once('-')?;
    Some(Move {
        from: Square::parse(from)?,
        to: Square::parse(to)?,
    })
}
