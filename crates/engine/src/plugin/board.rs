//! Boards of logged games, for displaying and measuring them.

/// The effect of a move on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moved {
    /// The number of the side that moved.
    pub side: usize,
    /// The letter of the tile or piece that was placed, if any.
    pub tile: Option<char>,
    /// The cell that the tile or piece left; `None` for a placement. Cells are numbered from 0, row by row.
    pub from: Option<usize>,
    /// The cell on which the tile or piece is now; `None` for a pass.
    pub to: Option<usize>,
}

/// The board of a logged game, which follows the game move by move.
pub trait Board: CopiedBoard + Send + Sync {
    /// Makes a move that is given in the notation of logs. The board also makes a move that breaks the written rules,
    /// if that is possible, because a referee may have accepted it. Otherwise the error states the expected and the
    /// actual text.
    fn follow(&mut self, text: &str) -> Result<Moved, String>;

    /// Tells the board the letter of the tile that the next move places. This is needed while a game is still running,
    /// because its result, which lists the tiles, does not exist yet.
    fn reveal(&mut self, _tile: &str) {}

    /// Returns the board as text for a terminal. The last move is marked if the game's pictures also mark it.
    fn text(&self, coloured: bool) -> String;

    /// Returns the number of cells in each row of the board.
    fn columns(&self) -> usize;

    /// Returns the letters on the cells, row by row. An empty cell is a blank.
    fn letters(&self) -> String;

    /// Returns the names of the cells, row by row. Empty if the name of a cell is its row and column.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns measurements of the current board, in the order of their names in
    /// [`About::measures`](super::About::measures).
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
