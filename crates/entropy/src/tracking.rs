//! Follows a game that a server reports, even if reports break the written rules.
//!
//! The tournament server accepts some illegal moves, and its board is authoritative. Every report that can be applied
//! to a board is therefore applied. Any other report leaves the position unchanged.

use thiserror::Error;

use super::rules::{Cell, Colour, EMPTY, Move, Phase, Position};

/// A breach of the written rules by a reported event, which was applied nevertheless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Breach {
    /// The slide's path is not free and straight.
    #[error("the slide's path is not free and straight")]
    Path,
    /// The move ended on a tile, which it replaced.
    #[error("the move ends on a tile, which it replaces")]
    Overwritten,
    /// Order passed although it must move.
    #[error("Order passed, which is legal only in a match that allows it (--pass)")]
    Passed,
    /// The drawn color was no longer in the bag.
    #[error("no tile of this color was left in the bag")]
    NotInBag,
}

/// The reason why a report cannot be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ReportError {
    /// The cell is not on the board.
    #[error("the cell is not on the board")]
    OffBoard,
    /// There is no tile on the cell to slide from.
    #[error("there is no tile on the cell to slide from")]
    NoTile,
    /// The board has no such color.
    #[error("the board has no such color")]
    NoSuchColour,
    /// The report does not belong to the current phase.
    #[error("expected a report for the phase {expected:?}, got a report for another phase")]
    OutOfTurn {
        /// The current phase.
        expected: Phase,
    },
}

impl Position {
    /// Applies a reported event, and returns its breach of the written rules, if any. On error, the position is
    /// unchanged.
    pub fn follow(&mut self, report: Move) -> Result<Option<Breach>, ReportError> {
        match (self.phase(), report) {
            (Phase::Draw, Move::Draw(colour)) => self.follow_draw(colour),
            (Phase::Place, Move::Place(cell)) => self.follow_placement(cell),
            (Phase::Slide, Move::Slide { from, to }) => self.follow_slide(from, to),
            (Phase::Slide, Move::Pass) => {
                let breach = (!self.is_legal(Move::Pass)).then_some(Breach::Passed);
                self.make(Move::Pass);
                Ok(breach)
            }
            (expected, _) => Err(ReportError::OutOfTurn { expected }),
        }
    }

    /// Handles the report of a draw whose tile is unreadable: assumes the likeliest color. Fails if no draw is due.
    pub fn assume_draw(&mut self) -> Result<(), ReportError> {
        match self.phase() {
            Phase::Draw => {
                self.make(Move::Draw(self.likeliest()));
                Ok(())
            }
            expected => Err(ReportError::OutOfTurn { expected }),
        }
    }

    /// Handles an unreadable report of a placement: removes a tile from the bag and leaves the board unchanged. Fails
    /// if no draw is due.
    pub fn miss_placement(&mut self) -> Result<(), ReportError> {
        self.assume_draw()?;
        self.drop_drawn();
        Ok(())
    }

    /// Places the last tile without a report and returns true, if only one tile and one cell remain. Otherwise, returns
    /// false and changes nothing.
    pub fn place_last(&mut self) -> bool {
        let mut empty = (0..).zip(self.cells()).filter(|&(_, &at)| at == EMPTY);
        let (Some((cell, _)), None) = (empty.next(), empty.next()) else {
            return false;
        };
        if self.phase() != Phase::Draw || self.bag_total() != 1 {
            return false;
        }
        self.make(Move::Draw(self.likeliest()));
        self.make(Move::Place(cell));
        true
    }

    /// Returns the color with the most tiles in the bag.
    fn likeliest(&self) -> Colour {
        (1..=self.size())
            .max_by_key(|&colour| self.in_bag(colour))
            .expect("a board has colours")
    }

    fn on_board(&self, cell: Cell) -> Result<(), ReportError> {
        let cell = self.cells().get(usize::from(cell));
        cell.map(|_| ()).ok_or(ReportError::OffBoard)
    }

    fn follow_draw(&mut self, colour: Colour) -> Result<Option<Breach>, ReportError> {
        if colour == EMPTY || colour > self.size() {
            return Err(ReportError::NoSuchColour);
        }
        if self.in_bag(colour) > 0 {
            self.make(Move::Draw(colour));
            return Ok(None);
        }
        // The number of remaining tiles is certain, so the count of another color must have been wrong.
        self.take_from_bag(self.likeliest());
        self.hold_drawn(colour);
        Ok(Some(Breach::NotInBag))
    }

    fn follow_placement(&mut self, cell: Cell) -> Result<Option<Breach>, ReportError> {
        self.on_board(cell)?;
        let breach = (self.at(cell) != EMPTY).then_some(Breach::Overwritten);
        self.make(Move::Place(cell));
        Ok(breach)
    }

    fn follow_slide(&mut self, from: Cell, to: Cell) -> Result<Option<Breach>, ReportError> {
        self.on_board(from)?;
        self.on_board(to)?;
        if from == to {
            return self.follow(Move::Pass);
        }
        if self.at(from) == EMPTY {
            return Err(ReportError::NoTile);
        }
        let breach = match self.slide_is_legal(from, to) {
            true => None,
            false if self.at(to) != EMPTY => Some(Breach::Overwritten),
            false => Some(Breach::Path),
        };
        self.make(Move::Slide { from, to });
        Ok(breach)
    }
}
