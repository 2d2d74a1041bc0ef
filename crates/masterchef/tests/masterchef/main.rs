//! Tests MasterChef: input files, exact arithmetic, matches, and every engine against brute force.

mod engines;
mod exact;
mod input;
#[path = "../../../engine/tests/support/judged_games.rs"]
mod judged_games;
mod matches;
mod people;
mod support;
