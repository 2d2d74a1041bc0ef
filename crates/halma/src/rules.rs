//! The rules of Halma: positions, the legal moves under each rule set, and when a game is won.
//!
//! Source: the text of the course's second homework, and the addendum published after it.

use std::fmt;

use serde::{Deserialize, Serialize};
pub use turnwise_protocol::halma_serve::Rules;

use crate::jumps::{Components, Jumps};
use crate::squares::{SIZE, Square, Squares};

/// A player: Black or White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Color {
    /// The player whose pieces start in the top left corner.
    Black,
    /// The player whose pieces start in the bottom right corner.
    White,
}

impl Color {
    /// Both players, Black first.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// Returns the opponent's color.
    pub const fn other(self) -> Self {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// Returns 1 for Black, -1 for White.
    ///
    /// This factor converts values between this player's point of view and Black's.
    pub const fn sign(self) -> i32 {
        match self {
            Color::Black => 1,
            Color::White => -1,
        }
    }

    /// Returns a square's progress: 0 in the player's own corner, 30 in the opposite one.
    pub(crate) const fn progress(self, square: Square) -> i32 {
        self.view(square).progress()
    }

    /// Returns the squares on which the player's pieces start.
    pub const fn camp(self) -> Squares {
        match self {
            Color::Black => BLACK_CAMP,
            Color::White => WHITE_CAMP,
        }
    }

    /// Returns the squares that the player's pieces must reach: the opponent's camp.
    pub const fn goal(self) -> Squares {
        self.other().camp()
    }

    /// Converts a square to Black's point of view: mirrors the square if this player is White.
    pub const fn view(self, square: Square) -> Square {
        match self {
            Color::Black => square,
            Color::White => square.mirrored(),
        }
    }
}

const BLACK_CAMP: Squares = camp(false);
const WHITE_CAMP: Squares = camp(true);

/// Returns the camp in the top left corner, or, if `mirrored`, the camp in the bottom right corner.
const fn camp(mirrored: bool) -> Squares {
    const WIDTHS: [u8; 5] = [5, 5, 4, 3, 2];
    let mut squares = Squares::EMPTY;
    let mut y = 0;
    while y < WIDTHS.len() {
        let mut x = 0;
        while x < WIDTHS[y] {
            let square = Square::at(x, y as u8);
            squares.insert(if mirrored { square.mirrored() } else { square });
            x += 1;
        }
        y += 1;
    }
    squares
}

/// For each color and each square of the camp, the camp squares further from the board's corner.
///
/// Such squares are further away along at least one axis, and closer along none.
const FURTHER: [[Squares; 256]; 2] = [further(Color::Black), further(Color::White)];

const fn further(color: Color) -> [Squares; 256] {
    let mut table = [Squares::EMPTY; 256];
    let mut from = 0;
    while from < 256 {
        let mut to = 0;
        while to < 256 {
            let here = color.view(Square::from_index(from as u8));
            let there = color.view(Square::from_index(to as u8));
            let inside = BLACK_CAMP.contains(here) && BLACK_CAMP.contains(there);
            if inside && from != to && there.x() >= here.x() && there.y() >= here.y() {
                table[from].insert(Square::from_index(to as u8));
            }
            to += 1;
        }
        from += 1;
    }
    table
}

/// A move from one square to another. The path between them does not matter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move {
    /// The square of the piece before the move.
    pub from: Square,
    /// The empty square on which the piece ends.
    pub to: Square,
}

impl Move {
    /// Returns the move from the first square of a path to its last.
    ///
    /// # Panics
    ///
    /// Panics if the path has fewer than two squares.
    pub fn along(path: &[Square]) -> Self {
        let [from, .., to] = *path else {
            panic!("a way has two ends");
        };
        Self { from, to }
    }

    /// Returns true for a move to a neighboring square.
    ///
    /// A jump does not change the parities of the row and the column, so a chain of jumps never ends on a neighboring
    /// square.
    pub const fn is_step(self) -> bool {
        self.from.steps_to(self.to) == 1
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.from, self.to)
    }
}

/// A position: the pieces, the player to move, and the rule set.
///
/// It may have any number of pieces on any squares, and need not be reachable in a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    pieces: [Squares; 2],
    to_move: Color,
    rules: Rules,
    hash: u64,
}

/// The error when a square has both a black and a white piece.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a black and a white piece both stand on {square}")]
pub struct OverlapError {
    /// The first square with two pieces.
    pub square: Square,
}

/// The random numbers from which hashes are computed: a number per color and square, and another for White to move.
const KEYS: ([[u64; 256]; 2], u64) = keys();

const fn keys() -> ([[u64; 256]; 2], u64) {
    let mut state = 0x6861_6c6d_6120_3136;
    let mut table = [[0; 256]; 2];
    let mut at = 0;
    while at < 512 {
        (state, table[at / 256][at % 256]) = split_mix(state);
        at += 1;
    }
    (table, split_mix(state).1)
}

/// SplitMix64 (Steele, Lea and Flood, 2014): returns the next state and a random number.
const fn split_mix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, mixed ^ mixed >> 31)
}

impl Position {
    /// Returns the position at the start of a game.
    pub fn start(to_move: Color, rules: Rules) -> Self {
        Self::new(BLACK_CAMP, WHITE_CAMP, to_move, rules).expect("camps lie apart")
    }

    /// Creates a position from the squares of the black and the white pieces.
    ///
    /// # Errors
    ///
    /// Returns an [`OverlapError`] if a square has two pieces.
    pub fn new(
        black: Squares,
        white: Squares,
        to_move: Color,
        rules: Rules,
    ) -> Result<Self, OverlapError> {
        if let Some(square) = (black & white).into_iter().next() {
            return Err(OverlapError { square });
        }
        let mut position = Self {
            pieces: [black, white],
            to_move,
            rules,
            hash: 0,
        };
        position.hash = position.recomputed_hash();
        Ok(position)
    }

    /// Computes the hash from all pieces. It equals [`Position::hash`], which each move updates.
    pub fn recomputed_hash(&self) -> u64 {
        let mut hash = match self.to_move {
            Color::Black => 0,
            Color::White => KEYS.1,
        };
        for color in Color::BOTH {
            for square in self.pieces(color) {
                hash ^= KEYS.0[color as usize][square.index()];
            }
        }
        hash
    }

    /// Returns the squares of a player's pieces.
    pub fn pieces(&self, color: Color) -> Squares {
        self.pieces[color as usize]
    }

    /// Returns the squares of all pieces.
    pub fn occupied(&self) -> Squares {
        self.pieces[0] | self.pieces[1]
    }

    /// Returns the owner of the piece on a square, or `None` if the square is empty.
    pub(crate) fn at(&self, square: Square) -> Option<Color> {
        let mut colors = Color::BOTH.into_iter();
        colors.find(|&color| self.pieces(color).contains(square))
    }

    /// Returns the player to move.
    pub fn to_move(&self) -> Color {
        self.to_move
    }

    /// Returns the rule set that determines the legal moves.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns a hash of the pieces and of the player to move.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns this position, but with the given player to move.
    pub fn with_to_move(mut self, color: Color) -> Self {
        if self.to_move != color {
            self.to_move = color;
            self.hash = self.hash_after_pass();
        }
        self
    }

    /// Plays a move of the player to move.
    ///
    /// An illegal move leaves the position in an unspecified state.
    pub fn play(&mut self, mv: Move) {
        let color = self.to_move as usize;
        self.pieces[color].remove(mv.from);
        self.pieces[color].insert(mv.to);
        self.hash = self.hash_after(mv);
        self.to_move = self.to_move.other();
    }

    /// Returns the hash after a move, without the change of turn.
    pub(crate) fn hash_of_pieces_after(&self, mv: Move) -> u64 {
        let keys = &KEYS.0[self.to_move as usize];
        self.hash ^ keys[mv.from.index()] ^ keys[mv.to.index()]
    }

    /// Returns the hash after a move.
    pub(crate) fn hash_after(&self, mv: Move) -> u64 {
        self.hash_of_pieces_after(mv) ^ KEYS.1
    }

    /// Returns the hash after a change of turn without a move.
    pub(crate) fn hash_after_pass(&self) -> u64 {
        self.hash ^ KEYS.1
    }

    /// Returns the position after a move.
    pub fn after(mut self, mv: Move) -> Self {
        self.play(mv);
        self
    }

    /// Returns the position after the player to move makes all these moves and the opponent none.
    ///
    /// Returns `None` if any move is illegal.
    pub(crate) fn after_own(&self, moves: impl IntoIterator<Item = Move>) -> Option<Self> {
        moves.into_iter().try_fold(*self, |at, mv| {
            at.is_legal(mv)
                .then(|| at.after(mv).with_to_move(self.to_move))
        })
    }

    /// Calls `each` for every piece that can move: with its square, and the squares it can move to.
    ///
    /// The pieces come in the order of their squares.
    pub fn targets(&self, mut each: impl FnMut(Square, Squares)) {
        let color = self.to_move;
        let (camp, goal) = (color.camp(), color.goal());
        let pieces = self.pieces(color);
        let jumps = Jumps::new(self.occupied());
        let mut components = Components::default();
        let mut give = |group: Squares, allowed: &dyn Fn(Square) -> Squares| {
            let mut any = false;
            for from in group {
                let targets = jumps.targets(from, &mut components) & allowed(from);
                if !targets.is_empty() {
                    any = true;
                    each(from, targets);
                }
            }
            any
        };
        if self.rules == Rules::Addendum {
            let at_home = pieces & camp;
            let further = |from: Square| FURTHER[color as usize][from.index()];
            if give(at_home, &|_| !camp) || give(at_home, &further) {
                return;
            }
        }
        let forbidden_outside = match self.rules {
            Rules::Base => Squares::EMPTY,
            Rules::Addendum => camp,
        };
        give(pieces, &|from| {
            if goal.contains(from) {
                goal
            } else if camp.contains(from) {
                !Squares::EMPTY
            } else {
                !forbidden_outside
            }
        });
    }

    /// Returns the legal moves of the player to move, ordered by square.
    ///
    /// Without a legal move, the player has lost, because no answer could be valid.
    pub fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.targets(|from, targets| {
            moves.extend(targets.into_iter().map(|to| Move { from, to }));
        });
        moves
    }

    /// Returns true if the player to move has a legal move.
    pub fn has_moves(&self) -> bool {
        let mut any = false;
        self.targets(|_, _| any = true);
        any
    }

    /// Returns true if the move is legal for the player to move.
    pub fn is_legal(&self, mv: Move) -> bool {
        let mut legal = false;
        self.targets(|from, targets| legal |= from == mv.from && targets.contains(mv.to));
        legal
    }

    /// Returns the squares of a move, both ends included, in the fewest jumps.
    ///
    /// Returns `None` if the move is illegal.
    pub fn path(&self, mv: Move) -> Option<Vec<Square>> {
        if !self.is_legal(mv) {
            return None;
        }
        if mv.is_step() {
            return Some(vec![mv.from, mv.to]);
        }
        Jumps::new(self.occupied()).shortest_chain(mv.from, mv.to)
    }

    /// Returns true if the player who moved last has won.
    ///
    /// That player has won if the opposing camp is full of pieces of either player, including at least one piece of the
    /// winner.
    pub fn is_won(&self) -> bool {
        self.has_filled_goal(self.to_move.other())
    }

    /// Returns true if the opposing camp is full and this player has a piece there.
    ///
    /// This alone is no win, because only a player's own move can win: see [`Position::is_won`].
    pub fn has_filled_goal(&self, color: Color) -> bool {
        let goal = color.goal();
        goal.is_within(self.occupied()) && !(goal & self.pieces(color)).is_empty()
    }
}

/// Formats the board as sixteen lines of `B`, `W` and `.`.
impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for y in 0..SIZE {
            for x in 0..SIZE {
                formatter.write_str(match self.at(Square::at(x, y)) {
                    Some(Color::Black) => "B",
                    Some(Color::White) => "W",
                    None => ".",
                })?;
            }
            writeln!(formatter)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:?} to move, {} rules\n{self}",
            self.to_move, self.rules
        )
    }
}
