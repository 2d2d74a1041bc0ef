//! Creates tables that are readable in a terminal and also valid Markdown.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

use super::terminal;

/// The text of a cell whose value is unknown.
pub const UNKNOWN: &str = "-";

/// Splits a text like `agent | games` into column names.
pub fn columns(names: &str) -> Vec<&str> {
    names.split(" | ").collect()
}

/// Creates an empty table with this header; all columns contain numbers.
pub fn table<H: AsRef<str>>(header: &[H]) -> Table {
    table_with_words(header, &[])
}

/// Creates an empty table with this header. The first column contains names, the other columns numbers.
pub fn table_of_names<H: AsRef<str>>(header: &[H]) -> Table {
    table_with_words(header, &[0])
}

/// Creates an empty table with this header. The columns with the indices `words` contain words, the other columns
/// numbers.
pub fn table_with_words<H: AsRef<str>>(header: &[H], words: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(header.iter().map(AsRef::as_ref));
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_cell_alignment(match words.contains(&at) {
            true => CellAlignment::Left,
            false => CellAlignment::Right,
        });
    }
    table
}

/// Hides the columns of a table in which all values are unknown. Leaves a table without rows as it is.
pub fn without_unknown(mut table: Table) -> Table {
    if table.is_empty() {
        return table;
    }
    let columns = table.column_count();
    let is_unknown = |at: usize| {
        let mut cells = (table.row_iter()).map(|row| row.cell_iter().nth(at));
        cells.all(|cell| cell.is_some_and(|cell| cell.content() == UNKNOWN))
    };
    let hidden: Vec<usize> = (0..columns).filter(|&at| is_unknown(at)).collect();
    for at in hidden {
        if let Some(column) = table.column_mut(at) {
            column.set_constraint(ColumnConstraint::Hidden);
        }
    }
    table
}

/// Adapts a table to the width of stdout.
///
/// If the terminal is too narrow for the table, the text in cells is wrapped between words. If stdout is a file or a
/// pipe, it is not wrapped.
pub fn fitted(mut table: Table) -> Table {
    let Some(columns) = terminal::columns(&std::io::stdout()) else {
        return table;
    };
    let longest_word = |text: &str| text.split(' ').map(|word| word.chars().count()).max();
    let cells = table.header().into_iter().chain(table.row_iter());
    let mut longest = Vec::new();
    for (at, cell) in cells.flat_map(|row| row.cell_iter().enumerate()) {
        longest.resize(longest.len().max(at + 1), 0);
        longest[at] = longest[at].max(longest_word(&cell.content()).unwrap_or(0));
    }
    // The width of a column includes the blanks around the text.
    let least = longest.into_iter().map(|letters| {
        let width = u16::try_from(letters + 2).unwrap_or(u16::MAX);
        ColumnConstraint::LowerBoundary(Width::Fixed(width))
    });
    table.set_constraints(least);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(columns);
    table
}
