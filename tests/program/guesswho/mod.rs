//! Tests Guess Who: the command line, its stdio protocol, the arena, and the course's framework.

mod arena;
mod command;
mod exported;
mod java;
mod stdio;

use turnwise_guesswho::board::Board;
use turnwise_guesswho::parse::{self, Strictness};

/// Returns the path of the file with this configuration from the course.
fn board_path(name: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    format!("{root}/crates/guesswho/tests/data/{name}.config")
}

/// Reads the board with this name from the course's configurations.
fn course(name: &str) -> Board {
    let text = std::fs::read_to_string(board_path(name)).expect("the test data is there");
    let parsed = parse::configuration(&text, Strictness::Lenient).expect("the file is sound");
    Board::new(parsed.configuration)
}
