//! Halma: rules against a naive generator, perft, search against its reference, the command.

mod advice;
mod command;
mod naive;
mod perft;
mod positions;
mod rules;
mod search;
