//! The rules: seven columns of six cells; four in a row win.

use turnwise_engine::game::{Game, Score, Side, Turn};

/// The number of columns of the board.
pub const COLUMNS: usize = 7;
/// The number of rows of the board.
pub const ROWS: usize = 6;

/// The search's value of a win; each ply until the win costs a point.
const WIN: Score = 1000.0;

/// The four directions in which four pieces can be in a row, as steps of columns and rows.
const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// A position. Side 0, Red, moves first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// By column, and by row from below: the side whose piece is there.
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

    /// Returns the side that has four in a row.
    pub fn winner(&self) -> Option<usize> {
        self.winner
    }

    /// Returns the number of plies played so far.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Returns the side whose piece is in this cell; rows are counted from below.
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

    /// Drops a piece of the side to move; the column must not be full.
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

    /// Counts the pieces of this cell's color that follow it without a gap.
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

    /// Chance decides nothing.
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

    /// A quick win is worth more than a late win; pieces in the middle are worth a little.
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
