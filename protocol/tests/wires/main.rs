//! Tests the wires of Entropy from outside: golden transcripts and properties.

mod decoding;
mod properties;
mod replay;
mod transcript;
