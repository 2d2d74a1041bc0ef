//! Boards of logged games, for whoever shows or measures them.

/// What a move did on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moved {
    /// The side that moved.
    pub side: usize,
    /// The letter of the tile or piece that was placed.
    pub tile: Option<char>,
    /// The cell that a tile or piece left, row by row; none for a placement.
    pub from: Option<usize>,
    /// The cell it is on now; none for a pass.
    pub to: Option<usize>,
}

/// A logged game's board, move by move.
pub trait Board: CopiedBoard + Send + Sync {
    /// Makes a move as the log has it. Moves that a referee let through may break the written rules; what
    /// can be carried out, is. If it cannot, the error says what was expected and what came.
    fn follow(&mut self, text: &str) -> Result<Moved, String>;

    /// Learns the letter of the tile that the next move places, if the result does not tell it, as of a game
    /// that is still being played.
    fn reveal(&mut self, _tile: &str) {}

    /// The board for a terminal, the last move marked where the game's pictures do that.
    fn text(&self, coloured: bool) -> String;

    /// Cells in a row.
    fn columns(&self) -> usize;

    /// The letters on the cells, row by row, with a blank for nothing.
    fn letters(&self) -> String;

    /// What the cells are called, row by row; empty if they go by row and column.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// What is measured, in the order of [`About::measures`](super::About::measures).
    fn measured(&self) -> Vec<u32>;
}

/// A board of which another one like it can be made.
pub trait CopiedBoard {
    /// Another one like it.
    fn copy(&self) -> Box<dyn Board>;
}

impl<B: Board + Clone + 'static> CopiedBoard for B {
    fn copy(&self) -> Box<dyn Board> {
        Box::new(self.clone())
    }
}
