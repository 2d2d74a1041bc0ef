//! Boards of logged games, for displaying and measuring them.

/// The effect of a move on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moved {
    /// The side that moved.
    pub side: usize,
    /// The letter of the tile or piece that was placed.
    pub tile: Option<char>,
    /// The cell that a tile or piece left, row by row; `None` for a placement.
    pub from: Option<usize>,
    /// The cell that it is on now; `None` for a pass.
    pub to: Option<usize>,
}

/// A logged game's board, move by move.
pub trait Board: CopiedBoard + Send + Sync {
    /// Makes a move in the notation of logs. A move accepted by a referee may break the written rules; the board
    /// makes it if possible. Otherwise the error states the expected and the actual text.
    fn follow(&mut self, text: &str) -> Result<Moved, String>;

    /// Sets the letter of the tile that the next move places. Needed if the result does not contain it because the
    /// game is still running.
    fn reveal(&mut self, _tile: &str) {}

    /// Returns the board for a terminal. The last move is marked if the game's pictures mark it.
    fn text(&self, coloured: bool) -> String;

    /// Returns the number of cells in a row.
    fn columns(&self) -> usize;

    /// Returns the letters on the cells, row by row, with a blank for an empty cell.
    fn letters(&self) -> String;

    /// Returns the names of the cells, row by row; empty if cells are named by row and column.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the measurements, in the order of [`About::measures`](super::About::measures).
    fn measured(&self) -> Vec<u32>;
}

/// A board that can be copied.
pub trait CopiedBoard {
    /// Returns a copy of the board.
    fn copy(&self) -> Box<dyn Board>;
}

impl<B: Board + Clone + 'static> CopiedBoard for B {
    fn copy(&self) -> Box<dyn Board> {
        Box::new(self.clone())
    }
}
