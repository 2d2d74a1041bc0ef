//! What a line is worth to Order while it still has holes.
//!
//! A run of two or more cells whose end tiles are equal and whose mirrored cells nowhere contradict
//! each other (equal, or one of them empty) may become a palindrome. Complete, it counts its length.
//! With holes, it counts a share of the tiles it has; a hole in the very centre fits every tile and
//! is counted among them. A full line is therefore worth exactly its score.

use super::rules::{Colour, EMPTY};

/// One point, in the whole numbers that line values are counted in.
pub const POINT: i32 = 100;

/// What a tile of a run with holes is worth, in hundredths of a point.
///
/// It is part of what the baseline `holes` is, so it never changes; the player may learn better.
const HOLE_CREDIT: i32 = 35;

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
