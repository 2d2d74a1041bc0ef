//! Tables as the program prints them: readable in a terminal, and Markdown when pasted.

use comfy_table::{CellAlignment, Table, presets};

/// An empty table; numbers stand to the right.
pub fn table<H: AsRef<str>>(header: &[H]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(header.iter().map(AsRef::as_ref));
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// An empty table whose first column holds names.
pub fn table_of_names<H: AsRef<str>>(header: &[H]) -> Table {
    let mut table = table(header);
    if let Some(names) = table.column_mut(0) {
        names.set_cell_alignment(CellAlignment::Left);
    }
    table
}
