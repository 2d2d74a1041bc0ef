//! The rules of Connect Four: the board has seven columns of six cells, and four pieces in a row win.

use turnwise_engine::game::{Game, Score, Side, Turn};

/// The number of columns of the board.
pub const COLUMNS: usize = 7;
/// The number of rows of the board.
pub const ROWS: usize = 6;

/// The value of a win in the search. Each ply that is played before the win costs a point.
const WIN: Score = 1000.0;

/// The four directions in which four pieces can be in a row, as steps of columns and rows.
const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// A position of Connect Four. Side 0 is Red, which moves first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The side whose piece is in each cell, indexed by column, then by row from below.
    cells: [[Option<usize>; ROWS]; COLUMNS],
    plies: u32,
    winner: Option<usize>,
}

impl Position {
    /// Returns the empty board.
    pub fn new() -> Self {
        Self {
            cells: [[None; ROWS]; COLUMNS],
            plies: 0,
            winner: None,
        }
    }

    /// Returns the side to move.
    pub fn side(&self) -> usize {
        self.plies as usize % 2
    }

    /// Returns the side that has four pieces in a row, or `None` if neither side has.
    pub fn winner(&self) -> Option<usize> {
        self.winner
    }

    /// Returns the number of plies played so far.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Returns the side whose piece is in this cell, or `None` if the cell is empty. Rows are counted from below.
    pub fn at(&self, column: usize, row: usize) -> Option<usize> {
        self.cells[column][row]
    }

    /// Returns the number of pieces in a column.
    pub fn height(&self, column: usize) -> usize {
        self.cells[column].iter().flatten().count()
    }

    /// Returns true if the game is over.
    pub fn is_over(&self) -> bool {
        self.winner.is_some() || self.plies as usize == COLUMNS * ROWS
    }

    /// Returns the columns that are not full, from left to right.
    pub fn columns(&self) -> impl Iterator<Item = u8> + '_ {
        (0..COLUMNS as u8).filter(|&column| self.height(column.into()) < ROWS)
    }

    /// Drops a piece of the side to move into this column, which must not be full.
    pub fn play(&mut self, column: u8) {
        let (column, side) = (usize::from(column), self.side());
        let row = self.height(column);
        self.cells[column][row] = Some(side);
        self.plies += 1;
        let in_a_row = |&(right, up): &(isize, isize)| {
            1 + self.run(column, row, right, up) + self.run(column, row, -right, -up) >= 4
        };
        if DIRECTIONS.iter().any(in_a_row) {
            self.winner = Some(side);
        }
    }

    /// Counts the pieces that follow this cell without a gap in one direction and have the color of the cell's piece.
    fn run(&self, column: usize, row: usize, right: isize, up: isize) -> usize {
        let same = |steps: isize| {
            let column = column.checked_add_signed(right * steps)?;
            let row = row.checked_add_signed(up * steps)?;
            *self.cells.get(column)?.get(row)?
        };
        (1..4)
            .take_while(|&steps| same(steps).is_some() && same(steps) == same(0))
            .count()
    }
}

impl Default for Position {
    fn default() -> Self {
        Self::new()
    }
}

impl Game for Position {
    type Move = u8;
    type Undo = Option<usize>;

    fn turn(&self) -> Turn {
        match (self.is_over(), self.side()) {
            (true, _) => Turn::Over,
            (false, 0) => Turn::Player(Side::Max),
            (false, _) => Turn::Player(Side::Min),
        }
    }

    fn moves(&self, out: &mut Vec<u8>) {
        out.extend(self.columns());
    }

    /// Returns no outcomes, because chance plays no part in this game.
    fn outcomes(&self, _out: &mut Vec<(u8, Score)>) {}

    fn make(&mut self, column: u8) -> Option<usize> {
        let before = self.winner;
        self.play(column);
        before
    }

    fn unmake(&mut self, column: u8, winner: Option<usize>) {
        let top = self.height(column.into()) - 1;
        self.cells[usize::from(column)][top] = None;
        self.plies -= 1;
        self.winner = winner;
    }

    fn hash(&self) -> u64 {
        let cells = self.cells.iter().flatten();
        cells.fold(0, |hash: u64, cell| {
            let digit = cell.map_or(1, |side| side as u64 + 2);
            (hash ^ digit)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(23)
        })
    }

    fn plies_left(&self) -> u32 {
        (COLUMNS * ROWS) as u32 - self.plies
    }

    fn bounds(&self) -> (Score, Score) {
        (-WIN, WIN)
    }

    /// Evaluates the position. A quick win is worth more than a late win, and pieces in the middle are worth a little.
    fn evaluate(&self) -> Score {
        let sign = |side: usize| if side == 0 { 1.0 } else { -1.0 };
        if let Some(winner) = self.winner {
            return sign(winner) * (WIN - self.plies as Score);
        }
        let middle = |column: usize| (COLUMNS / 2 - column.abs_diff(COLUMNS / 2)) as Score;
        (self.cells.iter().enumerate())
            .flat_map(|(column, cells)| {
                let pieces = cells.iter().flatten();
                pieces.map(move |&side| sign(side) * middle(column))
            })
            .sum()
    }
}
