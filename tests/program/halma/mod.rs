//! The Halma command as a course's master runs it.

mod command;
#[path = "../../../crates/halma/tests/halma/naive.rs"]
#[allow(dead_code, reason = "the game's own tests use the rest")]
mod naive;
#[path = "../../../crates/halma/tests/halma/positions.rs"]
#[expect(dead_code, reason = "the game's own tests use the rest")]
mod positions;
