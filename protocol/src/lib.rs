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
//!
//! A decoder yields every message of a stream, and every piece that is not a message as a value:
//!
//! ```
//! use bytes::BytesMut;
//! use tokio_util::codec::Decoder;
//! use turnwise_protocol::frame::Item;
//! use turnwise_protocol::json_stream::JsonObjects;
//!
//! let mut stream = BytesMut::from(r#"{"turn": 1} noise {"turn""#);
//! let mut objects = JsonObjects::new();
//! assert_eq!(objects.decode(&mut stream)?, Some(Item::Message(r#"{"turn": 1}"#.into())));
//! assert!(matches!(objects.decode(&mut stream)?, Some(Item::Bad(_))));
//! assert_eq!(objects.decode(&mut stream)?, None, "the second object is incomplete");
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod entropy;
pub mod frame;
pub mod guesswho;
pub mod halma;
pub mod halma_serve;
pub mod json_stream;
pub mod text_lines;
pub mod twentyone;
