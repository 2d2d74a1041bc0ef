//! Halma: rules against a naive generator, perft, search against its reference.

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
