//! Halma: rules against a naive generator, perft, search against its reference, the command.

mod advice;
mod breach;
mod command;
mod naive;
mod perft;
mod positions;
mod rules;
mod search;
mod stayer;
