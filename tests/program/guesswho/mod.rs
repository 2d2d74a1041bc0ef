//! Guess Who on the command line, over its stdio protocol, in the arena, and under the course's framework.

mod arena;
mod command;
mod java;
mod stdio;

use turnwise_guesswho::board::Board;
use turnwise_guesswho::parse::{self, Strictness};

/// Path of one of the course's configurations.
fn board_path(name: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    format!("{root}/crates/guesswho/tests/data/{name}.config")
}

/// One of the course's boards.
fn course(name: &str) -> Board {
    let text = std::fs::read_to_string(board_path(name)).expect("the test data is there");
    let parsed = parse::configuration(&text, Strictness::Lenient).expect("the file is sound");
    Board::new(parsed.configuration)
}
