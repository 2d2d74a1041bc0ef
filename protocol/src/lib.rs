//! Codecs and message types for all message formats (wires) and file formats of turnwise.
//!
//! This crate contains no sockets, no search and no rules of games. The written definitions of the formats start at
//! `protocol/README.md`. `transcripts/` contains recorded sessions. The tests replay them with the bytes split and
//! merged in every way.
//!
//! The crate has three layers, for bytes, frames and messages:
//!
//! | step | modules |
//! |---|---|
//! | bytes to frames | [`json_stream`] (JSON objects without delimiters), [`text_lines`] (lines of text) |
//! | frames to messages and back | for example [`entropy`]: one set of messages on three wires |
//! | unreadable frames | [`frame`]: they become a value ([`frame::Item::Bad`]) and do not end the stream |

pub mod entropy;
pub mod frame;
pub mod guesswho;
pub mod halma;
pub mod halma_serve;
pub mod json_stream;
pub mod text_lines;
pub mod twentyone;
