//! Guess Who on the command line, over its stdio protocol, and under the course's framework.

#[expect(dead_code, reason = "the game's own tests use the rest")]
#[path = "../../../crates/guesswho/tests/guesswho/boards.rs"]
mod boards;
mod command;
mod java;
mod stdio;
