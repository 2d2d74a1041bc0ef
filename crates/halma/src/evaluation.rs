//! Evaluates positions by the progress of both armies: the square of a piece decides its value.
//!
//! Values are in points; a diagonal step towards the goal is worth about twice `PROGRESS`. Each player's squares are
//! seen from Black's side: progress is column plus row, 0 in the player's own corner and 30 in the opposite corner.

use crate::rules::{Color, Move, Position};
use crate::squares::{Square, Squares};

/// The points for each unit of a piece's progress.
const PROGRESS: i32 = 20;
/// The penalty for each column or row between a square and the long diagonal.
///
/// In matches, 3, 4 and 10 were no better: see docs/notes/halma.md.
const ASIDE: i32 = 6;
/// A piece with less progress than `BEHIND` is a straggler. Its penalty is `STRAGGLER` sixteenths of a point times the
/// square of the missing progress.
///
/// In matches, a `STRAGGLER` of 12 or 14 was no better: see docs/notes/halma.md.
const BEHIND: i32 = 20;
const STRAGGLER: i32 = 8;
/// The bonus for a piece in the goal, in points.
const GOAL: i32 = 10;

fn value(square: Square) -> i32 {
    let (x, y) = (i32::from(square.x()), i32::from(square.y()));
    let behind = (BEHIND - x - y).max(0);
    let goal = i32::from(Color::Black.goal().contains(square));
    PROGRESS * (x + y) - ASIDE * (x - y).abs() - STRAGGLER * behind * behind / 16 + GOAL * goal
}

/// The values of a piece on each square, for both players.
#[derive(Clone, Debug)]
pub struct Values([[i32; 256]; 2]);

impl Values {
    /// Returns the value of a player's piece on a square.
    pub fn of(&self, color: Color, square: Square) -> i32 {
        self.0[color as usize][square.index()]
    }

    /// Returns the gain of a player's move.
    pub fn gain(&self, color: Color, mv: Move) -> i32 {
        self.of(color, mv.to) - self.of(color, mv.from)
    }

    fn army(&self, color: Color, pieces: Squares) -> i32 {
        pieces
            .into_iter()
            .map(|square| self.of(color, square))
            .sum()
    }

    /// Returns the value of a position for the player to move, computed from scratch.
    pub fn position(&self, position: &Position) -> i32 {
        let [mover, other] = [position.to_move(), position.to_move().other()]
            .map(|color| self.army(color, position.pieces(color)));
        mover - other
    }
}

impl Default for Values {
    fn default() -> Self {
        let of = |color: Color| {
            std::array::from_fn(|at| value(color.view(Square::from_index(at as u8))))
        };
        Self(Color::BOTH.map(of))
    }
}
