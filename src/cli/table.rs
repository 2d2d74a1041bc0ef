//! Tables as the program prints them: readable in a terminal, and Markdown when pasted.

use comfy_table::{CellAlignment, Table, presets};

/// An empty table; numbers stand to the right.
pub fn table<H: AsRef<str>>(header: &[H]) -> Table {
    table_with_words(header, &[])
}

/// An empty table whose first column holds names.
pub fn table_of_names<H: AsRef<str>>(header: &[H]) -> Table {
    table_with_words(header, &[0])
}

/// An empty table in which these columns hold words, the others numbers.
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
