//! What the gaps of a board are worth, and of boards after a slide: only the gaps in the three lines that it changes
//! are looked at again.

use super::gaps::{BITS, Gaps, Line, ROWS};
use super::patterns::{self, LineCode};
use super::rules::{Cell, Colour};

/// Rows or columns of a board with gaps.
const SIDE: usize = ROWS as usize;

/// Rows and columns, in the order in which arrays hold them.
const ROW: usize = 0;
const COLUMN: usize = 1;

/// What the gaps of a board are worth, and of boards after a slide, in hundredths of a point.
pub struct GapSums<'a> {
    gaps: &'a Gaps,
    values: &'a [i16],
    lines: [[Line; SIDE]; 2],
    /// By row and column.
    worth: [[i32; SIDE]; SIDE],
    /// Of each line.
    totals: [[i32; SIDE]; 2],
    total: i32,
}

fn bits(at: usize) -> u32 {
    BITS * at as u32
}

impl<'a> GapSums<'a> {
    /// Of a board whose rows and columns have such codes, by a value for each pattern.
    pub fn new(
        gaps: &'a Gaps,
        values: &'a [i16],
        (rows, columns): (&[LineCode], &[LineCode]),
    ) -> Self {
        let lines = [rows, columns].map(|codes| std::array::from_fn(|at| Line::new(codes[at])));
        let mut sums = Self {
            gaps,
            values,
            lines,
            worth: [[0; SIDE]; SIDE],
            totals: [[0; SIDE]; 2],
            total: 0,
        };
        for (row, line) in lines[ROW].iter().enumerate() {
            for at in line.empty_cells() {
                let column = (at / BITS) as usize;
                let worth = sums.of_cell((line, at), (&lines[COLUMN][column], bits(row)));
                sums.worth[row][column] = worth;
                sums.totals[ROW][row] += worth;
                sums.totals[COLUMN][column] += worth;
                sums.total += worth;
            }
        }
        sums
    }

    /// Both gaps of an empty cell, by its two lines in any order, each with the bits where the cell begins in it.
    fn of_cell(&self, one: (&Line, u32), other: (&Line, u32)) -> i32 {
        let ids = self.gaps.of_cell(one, other);
        ids.iter()
            .map(|&id| i32::from(self.values[usize::from(id)]))
            .sum()
    }

    /// The total if nothing moved.
    pub fn total(&self) -> i32 {
        self.total
    }

    /// The total if a tile of this colour had slid from its cell to an empty one.
    pub fn after_slide(&self, from: Cell, to: Cell, colour: Colour) -> i32 {
        let place = |cell: Cell| [usize::from(cell) / SIDE, usize::from(cell) % SIDE];
        let (from, to) = (place(from), place(to));
        // Along a row or a column, and what lies across it.
        let (along, across) = match from[ROW] == to[ROW] {
            true => (ROW, COLUMN),
            false => (COLUMN, ROW),
        };
        let at = from[along];
        let ends = [from[across], to[across]];
        let code = |at: usize| patterns::code(at as u8, colour);
        let slid = ends
            .map(code)
            .iter()
            .fold(self.lines[along][at].code, |line, code| line ^ code);
        let slid = Line::new(slid);
        let ended = ends.map(|end| Line::new(self.lines[across][end].code ^ code(at)));
        let mut total = self.total - self.totals[along][at];
        for in_line in slid.empty_cells() {
            let number = (in_line / BITS) as usize;
            let crossing = match ends.iter().position(|&end| end == number) {
                Some(end) => &ended[end],
                None => &self.lines[across][number],
            };
            total += self.of_cell((&slid, in_line), (crossing, bits(at)));
        }
        for (end, line) in ends.into_iter().zip(&ended) {
            let [row, column] = match along {
                ROW => [at, end],
                _ => [end, at],
            };
            total -= self.totals[across][end] - self.worth[row][column];
            for in_line in line.empty_cells().filter(|&in_line| in_line != bits(at)) {
                let crossing = &self.lines[along][(in_line / BITS) as usize];
                total += self.of_cell((line, in_line), (crossing, bits(end)));
            }
        }
        total
    }
}
