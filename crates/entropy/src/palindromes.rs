//! The score: every palindromic run of two or more tiles counts its length.

use super::rules::{Colour, EMPTY, Position};

/// The score of one line of cells; a run with an empty cell in it counts nothing.
///
/// Every centre, a cell or the gap between two cells, is widened for as long as both ends agree.
pub fn line_score(line: &[Colour]) -> u32 {
    let widen = |mut left: usize, mut right: usize| {
        let mut score = 0;
        while right < line.len() && line[left] == line[right] && line[left] != EMPTY {
            if right > left {
                score += (right - left + 1) as u32;
            }
            if left == 0 {
                break;
            }
            left -= 1;
            right += 1;
        }
        score
    };
    (0..line.len())
        .map(|centre| widen(centre, centre) + widen(centre, centre + 1))
        .sum()
}

/// Order's score: the sum over all rows and columns.
pub fn board_score(position: &Position) -> u32 {
    let size = usize::from(position.size());
    let cells = position.cells();
    (0..size)
        .map(|at| {
            let row = &cells[at * size..(at + 1) * size];
            let column: Vec<Colour> = cells[at..].iter().copied().step_by(size).collect();
            line_score(row) + line_score(&column)
        })
        .sum()
}
