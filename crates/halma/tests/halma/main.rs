//! Tests Halma: the rules against a naive generator, perft, and the search against a reference.

mod advice;
mod breach;
mod naive;
mod open;
mod perft;
mod positions;
#[path = "../../../engine/tests/support/random_game.rs"]
mod random_game;
mod rules;
mod search;
mod shim;
mod stayer;
