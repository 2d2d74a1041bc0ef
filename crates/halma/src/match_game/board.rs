//! A logged game's board, move by move.

use turnwise_engine::plugin::{Board, Moved};

use crate::picture::{self, steps_to_go};
use crate::rules::{Color, Move, Position, Rules};
use crate::squares::{SIZE, Square};

/// A position and the move that led to it.
#[derive(Clone)]
pub(super) struct LoggedBoard {
    position: Position,
    last: Option<Move>,
}

impl LoggedBoard {
    pub fn new(rules: Rules, begins: Color) -> Self {
        Self {
            position: Position::start(begins, rules),
            last: None,
        }
    }
}

impl Board for LoggedBoard {
    /// A piece of the player to move goes to an empty square; whether the rules allow that is not asked.
    fn follow(&mut self, text: &str) -> Result<Moved, String> {
        let expected =
            || "expected \"E x,y x,y\" or \"J x,y x,y ...\", x and y from 0 to 15".to_owned();
        let path = text.strip_prefix("E ").or(text.strip_prefix("J "));
        let path = path.ok_or_else(expected)?;
        let squares: Option<Vec<Square>> = path.split(' ').map(Square::parse).collect();
        let squares = squares.filter(|squares| squares.len() >= 2);
        let squares = squares.ok_or_else(expected)?;
        let mv = Move::along(&squares);
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
        (self.position.to_string().chars())
            .filter(|&letter| letter != '\n')
            .map(|letter| if letter == '.' { ' ' } else { letter })
            .collect()
    }

    fn measured(&self) -> Vec<u32> {
        Color::BOTH
            .map(|color| steps_to_go(&self.position, color))
            .to_vec()
    }

    fn copy(&self) -> Box<dyn Board> {
        Box::new(self.clone())
    }
}
