//! Builds tables that are readable in a terminal and valid as Markdown.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

use super::terminal;

/// Splits a text into column names at ` | `.
pub fn columns(names: &str) -> Vec<&str> {
    names.split(" | ").collect()
}

/// Creates an empty table whose columns hold right-aligned numbers.
pub fn table<H: AsRef<str>>(header: &[H]) -> Table {
    table_with_words(header, &[])
}

/// Creates an empty table whose first column holds names.
pub fn table_of_names<H: AsRef<str>>(header: &[H]) -> Table {
    table_with_words(header, &[0])
}

/// Creates an empty table; the given columns hold words, the others numbers.
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

/// Fits the table to stdout.
///
/// On a terminal that is too narrow, cells wrap between words. In a file or a pipe, rows stay whole.
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
    // The width includes the surrounding blanks.
    let least = longest.into_iter().map(|letters| {
        let width = u16::try_from(letters + 2).unwrap_or(u16::MAX);
        ColumnConstraint::LowerBoundary(Width::Fixed(width))
    });
    table.set_constraints(least);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(columns);
    table
}
