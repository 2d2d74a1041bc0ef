//! Codecs and message types for every wire and file format of turnwise.
//!
//! This crate contains no sockets, no search and no game rules. The written contracts start at
//! `protocol/README.md`; `transcripts/` contains golden sessions, which the tests replay under every split
//! and merge of their bytes.
//!
//! Bytes, frames and messages are three layers:
//!
//! | layer | where |
//! |---|---|
//! | bytes to frames | [`json_stream`] (JSON objects without delimiter), [`text_lines`] (lines of text) |
//! | frames to messages and back | [`entropy`]: one vocabulary, three wires |
//! | unreadable frames | [`frame`]: a value ([`frame::Item::Bad`]), never the end of the stream |

pub mod entropy;
pub mod frame;
pub mod guesswho;
pub mod halma;
pub mod halma_serve;
pub mod json_stream;
pub mod text_lines;
pub mod twentyone;
