//! Computes the total value of a board's crossings, now and after changes to a few lines. After a change, only the
//! crossings in the changed lines are looked up again.

use super::crossings::{Crossings, SIDE};
use super::patterns::LineCode;

/// The values of a board's crossings, in hundredths of a point.
pub struct CrossingSums<'a> {
    crossings: &'a Crossings,
    values: &'a [i16],
    /// The line codes of the rows, and of the columns, of the board before the changes.
    codes: (&'a [LineCode], &'a [LineCode]),
    cells: [[i32; SIDE]; SIDE],
    rows: [i32; SIDE],
    columns: [i32; SIDE],
    /// The sum of the values of all crossings, in hundredths of a point.
    pub total: i32,
}

/// Returns the value of the crossing in a cell, given the codes of the row and column that cross there.
fn value(crossings: &Crossings, values: &[i16], place: [usize; 2], codes: [LineCode; 2]) -> i32 {
    i32::from(values[usize::from(crossings.id(place, codes))])
}

/// Returns the total value of the crossings of a board with these rows and columns.
pub fn total(
    crossings: &Crossings,
    values: &[i16],
    (rows, columns): (&[LineCode], &[LineCode]),
) -> i32 {
    let mut total = 0;
    for (row, &across) in rows.iter().enumerate() {
        for (column, &down) in columns.iter().enumerate() {
            total += value(crossings, values, [row, column], [across, down]);
        }
    }
    total
}

impl<'a> CrossingSums<'a> {
    /// Sums the values of the crossings of a board with these rows and columns, given a value for each crossing.
    pub fn new(
        crossings: &'a Crossings,
        values: &'a [i16],
        codes: (&'a [LineCode], &'a [LineCode]),
    ) -> Self {
        let mut sums = Self {
            crossings,
            values,
            codes,
            cells: [[0; SIDE]; SIDE],
            rows: [0; SIDE],
            columns: [0; SIDE],
            total: 0,
        };
        for (row, &across) in codes.0.iter().enumerate() {
            for (column, &down) in codes.1.iter().enumerate() {
                let value = value(crossings, values, [row, column], [across, down]);
                sums.cells[row][column] = value;
                sums.rows[row] += value;
                sums.columns[column] += value;
                sums.total += value;
            }
        }
        sums
    }

    /// Returns the total after the given rows and columns have changed to these codes.
    pub fn after(&self, rows: &[(usize, LineCode)], columns: &[(usize, LineCode)]) -> i32 {
        let mut total = self.total;
        let mut down = [0; SIDE];
        down.copy_from_slice(self.codes.1);
        for &(column, code) in columns {
            down[column] = code;
            total -= self.columns[column];
        }
        let value = |place, codes| value(self.crossings, self.values, place, codes);
        for &(row, across) in rows {
            total -= self.rows[row];
            for &(column, _) in columns {
                total += self.cells[row][column];
            }
            for (column, &down) in down.iter().enumerate() {
                total += value([row, column], [across, down]);
            }
        }
        let changed = rows
            .iter()
            .fold(0, |changed, (row, _)| changed | 1u32 << row);
        for &(column, down) in columns {
            for (row, &across) in self.codes.0.iter().enumerate() {
                if changed >> row & 1 == 0 {
                    total += value([row, column], [across, down]);
                }
            }
        }
        total
    }
}
