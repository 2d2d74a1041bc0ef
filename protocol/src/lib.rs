//! Every wire and file format that turnwise speaks: tokio-util codecs and message types.
//!
//! No sockets, no search, no game rules. The written contracts stand beside this crate in
//! `protocol/README.md`; `transcripts/` holds golden sessions that the tests replay under every
//! split and merge of their bytes.
//!
//! Bytes, frames and messages are three layers:
//!
//! | layer | where |
//! |---|---|
//! | bytes to frames | [`json_stream`] (JSON objects without delimiter), [`text_lines`] (lines of text) |
//! | frames to messages and back | [`entropy`]: one vocabulary, three wires |
//! | what a frame that cannot be read is | [`frame`]: a value ([`frame::Item::Bad`]), never the end of the stream |

pub mod entropy;
pub mod frame;
pub mod guesswho;
pub mod halma;
pub mod halma_serve;
pub mod json_stream;
pub mod text_lines;
pub mod twentyone;
