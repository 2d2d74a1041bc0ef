//! Computes the total value of a board's gaps, now and after a slide. After a slide, only the gaps in the three lines
//! that it changes are looked up again.

use super::gaps::{BITS, Gaps, Line, ROWS};
use super::patterns::{self, LineCode};
use super::rules::{Cell, Colour};

/// The number of rows, and of columns, of a board whose gaps have values.
const SIDE: usize = ROWS as usize;

/// The index of the rows in [`GapSums::lines`] and [`GapSums::totals`].
const ROW: usize = 0;
/// The index of the columns in [`GapSums::lines`] and [`GapSums::totals`].
const COLUMN: usize = 1;

/// The values of a board's gaps, in hundredths of a point, from which the total after a slide can be computed.
pub struct GapSums<'a> {
    gaps: &'a Gaps,
    values: &'a [i16],
    lines: [[Line; SIDE]; 2],
    /// The total value of both gaps of each cell, indexed by row, then by column.
    worth: [[i32; SIDE]; SIDE],
    /// The total value of the gaps in each row and in each column.
    totals: [[i32; SIDE]; 2],
    total: i32,
}

fn bits(at: usize) -> u32 {
    BITS * at as u32
}

impl<'a> GapSums<'a> {
    /// Sums the values of the gaps of a board with these rows and columns, given a value for each pattern.
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

    /// Returns the total value of both gaps of an empty cell. The cell's row and column may come in either order, each
    /// with the offset of the cell's bits.
    fn of_cell(&self, one: (&Line, u32), other: (&Line, u32)) -> i32 {
        let ids = self.gaps.of_cell(one, other);
        ids.iter()
            .map(|&id| i32::from(self.values[usize::from(id)]))
            .sum()
    }

    /// Returns the total value of the unchanged board's gaps.
    pub fn total(&self) -> i32 {
        self.total
    }

    /// Returns the total after a tile on `from` slides to the empty cell `to`.
    pub fn after_slide(&self, from: Cell, to: Cell, colour: Colour) -> i32 {
        let place = |cell: Cell| [usize::from(cell) / SIDE, usize::from(cell) % SIDE];
        let (from, to) = (place(from), place(to));
        // The slide runs along a row or column; the other kind of line crosses it.
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
