//! Draws a draft as a grid and as a list.
//!
//! On the grid, each contestant has a cell in the column for the last digit of the ID. In a column, IDs ascend from top
//! to bottom.

use std::fmt::Write;

use turnwise_engine::view::Grid;

use crate::rules::{Captain, Draft};

/// The number of columns of the grid, which has a column for each last digit.
const DIGITS: usize = 10;

/// The symbol of a free contestant on the grid.
const FREE: char = '·';

/// Returns the grid's contestants row by row, with `None` where a column is shorter than others.
fn cells(draft: &Draft) -> Vec<Option<usize>> {
    let mut columns = [const { Vec::new() }; DIGITS];
    for (index, contestant) in draft.contestants().iter().enumerate() {
        columns[contestant.digit()].push(index);
    }
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let row = |row: usize| columns.iter().map(move |column| column.get(row).copied());
    (0..rows).flat_map(row).collect()
}

/// Returns the number of the cell of the contestant with this index.
pub(super) fn cell_of(draft: &Draft, index: usize) -> Option<usize> {
    cells(draft).iter().position(|&cell| cell == Some(index))
}

/// Returns the grid, on which the captains' letters mark their contestants. The names of the cells are the IDs.
pub(super) fn grid(draft: &Draft) -> Grid {
    let cells = cells(draft);
    let letter = |index| {
        draft
            .owner(index)
            .map_or(FREE, |captain| ['A', 'B'][captain.index()])
    };
    let name = |index: usize| draft.contestants()[index].id.to_string();
    let letters = cells.iter().map(|cell| cell.map_or(' ', letter));
    let names = cells.iter().map(|cell| cell.map(name).unwrap_or_default());
    Grid {
        columns: DIGITS,
        letters: letters.collect(),
        names: names.collect(),
        ..Grid::default()
    }
}

/// Lists all contestants with their IDs, their worth to each captain and their owners, and marks the last pick.
pub(super) fn list(draft: &Draft, last: Option<usize>) -> String {
    let mut text = format!("  {:>5}  {:>8}  {:>8}\n", "ID", "to A", "to Bob");
    for (index, contestant) in draft.contestants().iter().enumerate() {
        let [a, b] = contestant.gain.map(|gain| draft.points(gain).approximate());
        let mark = if last == Some(index) { '>' } else { ' ' };
        let owner = draft.owner(index).map_or("", Captain::name);
        let line = format!("{mark} {:>5}  {a:>8.2}  {b:>8.2}  {owner}", contestant.id);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}
