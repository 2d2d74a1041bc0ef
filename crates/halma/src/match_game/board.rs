//! Replays a logged game, move by move.

use turnwise_engine::plugin::{Board, Moved};

use crate::picture::{self, steps_to_go};
use crate::rules::{Color, Move, Position};
use crate::squares::SIZE;

/// A position and the move that led to it.
#[derive(Clone)]
pub(super) struct LoggedBoard {
    position: Position,
    last: Option<Move>,
}

impl LoggedBoard {
    /// Creates a board at the beginning of a game.
    pub fn new(position: Position) -> Self {
        Self {
            position,
            last: None,
        }
    }
}

impl Board for LoggedBoard {
    /// Moves a piece of the player to move to an empty square, even if the move is illegal.
    fn follow(&mut self, text: &str) -> Result<Moved, String> {
        let mv = picture::parse_move(text)?;
        let position = &mut self.position;
        let mover = position.to_move();
        if !position.pieces(mover).contains(mv.from) {
            return Err(format!("{mover:?} has no piece on {}", mv.from));
        }
        if position.occupied().contains(mv.to) {
            return Err(format!("{} is occupied", mv.to));
        }
        position.play(mv);
        self.last = Some(mv);
        Ok(Moved {
            side: mover as usize,
            tile: None,
            from: Some(mv.from.index()),
            to: Some(mv.to.index()),
        })
    }

    fn text(&self, coloured: bool) -> String {
        picture::board(&self.position, self.last, coloured)
    }

    fn columns(&self) -> usize {
        usize::from(SIZE)
    }

    fn letters(&self) -> String {
        picture::letters(&self.position)
    }

    fn measured(&self) -> Vec<u32> {
        Color::BOTH
            .map(|color| steps_to_go(&self.position, color))
            .to_vec()
    }
}
