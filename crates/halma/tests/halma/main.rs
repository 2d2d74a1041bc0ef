//! Halma: rules against a naive generator, perft, search against its reference.

mod advice;
mod breach;
mod naive;
mod open;
mod perft;
mod positions;
mod rules;
mod search;
mod shim;
mod stayer;
