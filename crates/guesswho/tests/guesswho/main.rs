//! Tests Guess Who: the rules, the parsers, the exact solvers, the race, and matches.

mod at_the_table;
mod boards;
mod exactness;
mod expectation;
#[path = "../../../engine/tests/support/judged_games.rs"]
mod judged_games;
mod lookahead;
mod parsing;
mod people;
mod players;
mod race;
mod reference;
mod wire;
