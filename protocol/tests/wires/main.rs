//! The wires of Entropy, tested from outside: golden transcripts and properties.

mod decoding;
mod properties;
mod replay;
mod transcript;
