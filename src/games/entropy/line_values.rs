//! What a line is worth to Order while it still has holes.
//!
//! A run of two or more cells whose end tiles are equal and whose mirrored cells nowhere contradict
//! each other (equal, or one of them empty) may become a palindrome. Complete, it counts its length.
//! With holes, it counts a share of the tiles it has; a hole in the very centre fits every tile and
//! is counted among them. A full line is therefore worth exactly its score.

use std::sync::Arc;

use super::rules::{Colour, EMPTY, MAX_SIZE};

/// One point, in the whole numbers that line values are counted in.
pub const POINT: i32 = 100;

/// What a tile of a run with holes is worth, in hundredths of a point.
///
/// Default 35; sensible from 20 to 40.
const HOLE_CREDIT: i32 = 35;

/// The longest line for which all values are kept in a table: 2 million lines, 4 MiB.
const LONGEST_TABLED: u8 = 7;

/// Bits of a line code that one cell takes.
const BITS: u32 = 3;

/// A line as a number: three bits a cell, the first cell lowest. Lines of more than seven cells have
/// no code; theirs is 0 throughout.
pub type LineCode = u32;

/// Values of all lines of one length.
#[derive(Debug)]
pub struct LineValues {
    size: u8,
    /// By line code; empty for lines too long to be tabled.
    table: Vec<i16>,
}

/// The value of the runs that end with the last cell, in hundredths of a point.
fn runs_to_the_end(line: &[Colour]) -> i32 {
    let Some((&end, body)) = line.split_last() else {
        return 0;
    };
    if end == EMPTY {
        return 0;
    }
    let starts = (0..body.len()).filter(|&start| body[start] == end);
    starts.map(|start| run_value(&line[start..])).sum()
}

/// The value of one run with equal ends.
fn run_value(run: &[Colour]) -> i32 {
    let half = run.len() / 2;
    let mut holes = 0;
    for (&near, &far) in run[..half].iter().zip(run[half..].iter().rev()) {
        match (near, far) {
            (EMPTY, EMPTY) => holes += 2,
            (EMPTY, _) | (_, EMPTY) => holes += 1,
            _ if near != far => return 0,
            _ => {}
        }
    }
    let open_centre = run.len() % 2 == 1 && run[half] == EMPTY;
    let filled = run.len() as i32 - holes;
    if holes == 0 && !open_centre {
        filled * POINT
    } else {
        filled * HOLE_CREDIT
    }
}

/// The value of a line, in hundredths of a point.
pub fn line_value(line: &[Colour]) -> i32 {
    (1..=line.len())
        .map(|end| runs_to_the_end(&line[..end]))
        .sum()
}

impl LineValues {
    /// The values for boards of this size.
    pub fn new(size: u8) -> Self {
        let mut table = Vec::new();
        if size <= LONGEST_TABLED {
            table = vec![0; 1 << (BITS * u32::from(size))];
            for last in 1..size {
                extend(&mut table, last);
            }
        }
        Self { size, table }
    }

    /// What a colour on a cell adds to its line's code.
    pub fn code(&self, at: u8, colour: Colour) -> LineCode {
        if self.size <= LONGEST_TABLED {
            LineCode::from(colour) << (BITS * u32::from(at))
        } else {
            0
        }
    }

    /// The value of a line, by its code if it has one, else by its cells.
    pub fn value(&self, code: LineCode, cells: impl Iterator<Item = Colour>) -> i32 {
        if self.size <= LONGEST_TABLED {
            return i32::from(self.table[code as usize]);
        }
        let mut line = [EMPTY; MAX_SIZE as usize];
        let mut length = 0;
        for colour in cells {
            line[length] = colour;
            length += 1;
        }
        line_value(&line[..length])
    }
}

/// The line values of the last size asked for: computed once, shared by all positions of that size.
#[derive(Debug, Default)]
pub struct LastLineValues(Option<(u8, Arc<LineValues>)>);

impl LastLineValues {
    /// The values for boards of this size.
    pub fn of(&mut self, size: u8) -> Arc<LineValues> {
        match &self.0 {
            Some((known, values)) if *known == size => Arc::clone(values),
            _ => {
                let values = Arc::new(LineValues::new(size));
                self.0 = Some((size, Arc::clone(&values)));
                values
            }
        }
    }
}

/// Fills in the lines whose last tile is on cell `last`; those that end earlier are there already.
///
/// A line is worth what its beginning is worth, as if the last tile were missing, plus the runs that
/// end with the last tile.
fn extend(table: &mut [i16], last: u8) {
    let beginnings = 1 << (BITS * u32::from(last));
    let mut line = [EMPTY; LONGEST_TABLED as usize];
    let line = &mut line[..=usize::from(last)];
    for beginning in 0..beginnings {
        for (at, cell) in (0..).zip(line.iter_mut()) {
            *cell = (beginning >> (BITS * at)) as Colour & 0b111;
        }
        for colour in 1..=0b111 {
            line[usize::from(last)] = colour;
            let code = beginning | usize::from(colour) << (BITS * u32::from(last));
            table[code] = table[beginning] + runs_to_the_end(line) as i16;
        }
    }
}
