//! The value to Order of a line that still has holes.
//!
//! A run of two or more cells may become a palindrome if its end tiles are equal and, in every pair of mirrored cells,
//! both are equal or at least one is empty. A complete run counts its length. A run with holes counts a fixed share of
//! its tiles; a hole in the exact center counts as a tile, because every tile fits there. The value of a full line is
//! therefore exactly its score.

use super::rules::{Colour, EMPTY};

/// One point, expressed in the unit of line values (a hundredth of a point).
pub const POINT: i32 = 100;

/// The value of each tile in a run with holes, in hundredths of a point.
///
/// This value defines the baseline `holes`, so it never changes. Learned evaluations use other values.
const HOLE_CREDIT: i32 = 35;

/// Returns the value of all runs that end with the last cell, in hundredths of a point.
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

/// Returns the value of one run of cells with equal ends, in hundredths of a point.
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

/// Returns the value of a line, in hundredths of a point.
pub fn line_value(line: &[Colour]) -> i32 {
    (1..=line.len())
        .map(|end| runs_to_the_end(&line[..end]))
        .sum()
}
