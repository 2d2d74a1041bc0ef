//! `playdata.txt`: what the player keeps between the processes that make its moves in one game.
//!
//! A few lines of text, the last of which is a checksum of the others:
//!
//! ```text
//! turnwise-halma 1
//! clock LEFT USED              seconds given for the last move, and used for it
//! color BLACK|WHITE
//! black HEX                    the position after our last move: one bit a square
//! white HEX
//! seen HEX HEX ...             hashes of the positions after our moves
//! plan x,y-x,y x,y-x,y ...     the moves of a race that are still to be played
//! sum HEX                      FNV-1a, 64 bits
//! ```

use std::fmt::Write;

use crate::games::halma::rules::{Color, Move, Position, Rules};
use crate::games::halma::squares::{Square, Squares};

const HEADER: &str = "turnwise-halma 1";

/// No game lasts longer: beyond this nothing is remembered.
const MOST_SEEN: usize = 2_000;

/// Why a `playdata.txt` is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Ignored {
    /// It is not what we wrote.
    #[error("it is damaged, or of another program or version")]
    Damaged,
    /// The position is not one that a move of the opponent leads to.
    #[error(
        "it belongs to another game: no move of the opponent leads from its position to this one"
    )]
    Stale,
}

/// What is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Playdata {
    /// Seconds that were left before the last move.
    pub left: f64,
    /// Seconds that the last move took, by our own measurement.
    pub used: f64,
    /// The position after our last move; the opponent is to move.
    pub position: Position,
    /// Hashes of the positions after our moves, oldest first.
    pub seen: Vec<u64>,
    /// The moves of a race that are still to be played.
    pub plan: Vec<Move>,
}

impl Playdata {
    /// The content of the file.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}\nclock {:?} {:?}\n", self.left, self.used);
        let color = match self.position.to_move().other() {
            Color::Black => "BLACK",
            Color::White => "WHITE",
        };
        let [black, white] = Color::BOTH.map(|color| hex(self.position.pieces(color)));
        let _infallible = write!(text, "color {color}\nblack {black}\nwhite {white}\nseen");
        for hash in self.seen.iter().rev().take(MOST_SEEN).rev() {
            let _infallible = write!(text, " {hash:016x}");
        }
        text.push_str("\nplan");
        for mv in &self.plan {
            let _infallible = write!(text, " {mv:?}");
        }
        text.push('\n');
        let sum = checksum(text.as_bytes());
        let _infallible = writeln!(text, "sum {sum:016x}");
        text
    }

    /// Reads what was written before the opponent moved to `now`.
    ///
    /// # Errors
    ///
    /// [`Ignored`] says why it cannot be used.
    pub fn parse(bytes: &[u8], now: &Position) -> Result<Self, Ignored> {
        let read = read(bytes, now.rules()).ok_or(Ignored::Damaged)?;
        let follows =
            read.position.to_move() == now.to_move().other() && leads_to(&read.position, now);
        if follows {
            Ok(read)
        } else {
            Err(Ignored::Stale)
        }
    }
}

/// True if a move of the player to move leads there; under the wider rule set, for we do not know by
/// which one the opponent plays.
pub fn leads_to(before: &Position, now: &Position) -> bool {
    let [black, white] = Color::BOTH.map(|color| before.pieces(color));
    let Ok(before) = Position::new(black, white, before.to_move(), Rules::Base) else {
        return false;
    };
    let mover = before.to_move();
    let (left, came) = (
        before.pieces(mover) & !now.pieces(mover),
        now.pieces(mover) & !before.pieces(mover),
    );
    if let ([from], [to]) = (
        left.into_iter().collect::<Vec<_>>().as_slice(),
        came.into_iter().collect::<Vec<_>>().as_slice(),
    ) {
        let mv = Move {
            from: *from,
            to: *to,
        };
        before.is_legal(mv) && before.after(mv).hash() == now.hash()
    } else {
        false
    }
}

fn read(bytes: &[u8], rules: Rules) -> Option<Playdata> {
    let text = std::str::from_utf8(bytes).ok()?;
    let body = text.rfind("sum ")?;
    let sum = u64::from_str_radix(text[body..].strip_prefix("sum ")?.trim_end(), 16).ok()?;
    let body = &text[..body];
    if checksum(body.as_bytes()) != sum {
        return None;
    }
    let mut lines = body.lines();
    if lines.next()? != HEADER {
        return None;
    }
    let mut field = |name: &str| lines.next()?.strip_prefix(name).map(str::trim);
    let (left, used) = field("clock")?.split_once(' ')?;
    let color = match field("color")? {
        "BLACK" => Color::Black,
        "WHITE" => Color::White,
        _ => return None,
    };
    let (black, white) = (unhex(field("black")?)?, unhex(field("white")?)?);
    let seen = field("seen")?.split(' ').filter(|word| !word.is_empty());
    let seen = seen
        .map(|word| u64::from_str_radix(word, 16).ok())
        .collect::<Option<_>>()?;
    let plan = field("plan")?.split(' ').filter(|word| !word.is_empty());
    let plan = plan.map(parse_move).collect::<Option<_>>()?;
    Some(Playdata {
        left: left.parse().ok()?,
        used: used.parse().ok()?,
        position: Position::new(black, white, color.other(), rules).ok()?,
        seen,
        plan,
    })
}

fn parse_move(text: &str) -> Option<Move> {
    let (from, to) = text.split_once('-')?;
    Some(Move {
        from: parse_square(from)?,
        to: parse_square(to)?,
    })
}

fn parse_square(text: &str) -> Option<Square> {
    let (x, y) = text.split_once(',')?;
    let (x, y) = (x.parse().ok()?, y.parse().ok()?);
    (x < 16 && y < 16).then(|| Square::at(x, y))
}

/// Sixty-four digits, one for four squares, the first square in the highest bit of the first.
fn hex(squares: Squares) -> String {
    (0..64)
        .map(|digit| {
            let bits = (0..4).map(|bit| squares.contains(Square::from_index(digit * 4 + bit)));
            let value = bits.fold(0, |value, bit| value * 2 + u32::from(bit));
            char::from_digit(value, 16).expect("four bits are a digit")
        })
        .collect()
}

fn unhex(text: &str) -> Option<Squares> {
    if text.len() != 64 {
        return None;
    }
    let mut squares = Squares::EMPTY;
    for (digit, letter) in (0u8..64).zip(text.chars()) {
        let value = letter.to_digit(16)?;
        for bit in 0..4 {
            if value >> (3 - bit) & 1 == 1 {
                squares.insert(Square::from_index(digit * 4 + bit));
            }
        }
    }
    Some(squares)
}

/// FNV-1a with 64 bits (Fowler, Noll and Vo).
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
