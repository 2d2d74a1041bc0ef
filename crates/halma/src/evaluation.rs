//! What a position is worth: how far each army has come, square by square.
//!
//! Values are in points; a diagonal step towards the goal is worth about [`Weights::progress`] twice.

use super::rules::{Color, Move, Position};
use super::squares::{Square, Squares};

/// The evaluation's numbers. Squares are seen from Black's side: progress is column plus row, 0 in the
/// own corner and 30 in the opposite one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// For each step of progress.
    pub progress: i32,
    /// Off for each step away from the long diagonal.
    pub aside: i32,
    /// Off for pieces left behind, times the square of the progress missing to `Weights::BEHIND`,
    /// in sixteenths.
    pub straggler: i32,
    /// For a square of the goal.
    pub goal: i32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            progress: 20,
            aside: 6,
            straggler: 8,
            goal: 10,
        }
    }
}

impl Weights {
    /// Pieces with less progress than this count as left behind.
    const BEHIND: i32 = 20;

    fn square(&self, square: Square) -> i32 {
        let (x, y) = (i32::from(square.x()), i32::from(square.y()));
        let behind = (Self::BEHIND - x - y).max(0);
        self.progress * (x + y) - self.aside * (x - y).abs() - self.straggler * behind * behind / 16
            + if Color::Black.goal().contains(square) {
                self.goal
            } else {
                0
            }
    }
}

/// The value of a piece on each square, for both players.
#[derive(Clone, Debug)]
pub struct Values([[i32; 256]; 2]);

impl Values {
    /// The values with these weights.
    pub fn new(weights: &Weights) -> Self {
        Self(Color::BOTH.map(|color| {
            std::array::from_fn(|at| weights.square(color.view(Square::from_index(at as u8))))
        }))
    }

    /// A player's piece on a square.
    pub fn of(&self, color: Color, square: Square) -> i32 {
        self.0[color as usize][square.index()]
    }

    /// What a player's move gains it.
    pub fn gain(&self, color: Color, mv: Move) -> i32 {
        self.of(color, mv.to) - self.of(color, mv.from)
    }

    /// All of a player's pieces.
    pub fn army(&self, color: Color, pieces: Squares) -> i32 {
        pieces
            .into_iter()
            .map(|square| self.of(color, square))
            .sum()
    }

    /// The value of a position for the player to move, computed from scratch.
    pub fn position(&self, position: &Position) -> i32 {
        let [mover, other] = [position.to_move(), position.to_move().other()]
            .map(|color| self.army(color, position.pieces(color)));
        mover - other
    }
}

impl Default for Values {
    fn default() -> Self {
        Self::new(&Weights::default())
    }
}
