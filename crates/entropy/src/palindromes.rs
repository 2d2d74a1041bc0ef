//! Computes the score of lines and boards: every palindromic run of two or more tiles scores its length.

use super::rules::{Colour, EMPTY, Position};

/// Calls `each` with the first and the last index of every palindromic run of a line. A run contains no empty cell.
///
/// Each cell and each border between two cells is tried as a center. From there, a run grows while both ends are equal.
fn each_run(line: &[Colour], mut each: impl FnMut(usize, usize)) {
    let mut widen = |mut left: usize, mut right: usize| {
        while right < line.len() && line[left] == line[right] && line[left] != EMPTY {
            if right > left {
                each(left, right);
            }
            if left == 0 {
                break;
            }
            left -= 1;
            right += 1;
        }
    };
    for centre in 0..line.len() {
        widen(centre, centre);
        widen(centre, centre + 1);
    }
}

/// Returns the score of one line of cells.
pub fn line_score(line: &[Colour]) -> u32 {
    let mut score = 0;
    each_run(line, |first, last| score += (last - first + 1) as u32);
    score
}

/// Returns the cells of every scoring run of a board, rows first. A run scores a point for each cell.
pub fn scoring_runs(position: &Position) -> Vec<Vec<usize>> {
    let size = usize::from(position.size());
    let cells = position.cells();
    let mut runs = Vec::new();
    let mut add = |begins: usize, step: usize| {
        let line: Vec<Colour> = (cells[begins..].iter().copied().step_by(step))
            .take(size)
            .collect();
        each_run(&line, |first, last| {
            runs.push((first..=last).map(|at| begins + at * step).collect());
        });
    };
    for row in 0..size {
        add(row * size, 1);
    }
    for column in 0..size {
        add(column, size);
    }
    runs
}

/// Returns Order's score: the sum of the scores of all rows and columns.
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
