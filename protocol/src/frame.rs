//! What a decoder yields: a message, or a frame that could not be read, as a value.
//!
//! A decoder that returned `Err` would end its `FramedRead`; a peer's bad frame must not do that.

use bytes::BytesMut;
use thiserror::Error;
use tokio_util::codec::Decoder;

/// The longest frame any decoder keeps in memory, in bytes.
pub const MAX_FRAME: usize = 64 * 1024;

/// How many bytes of an unreadable frame are kept to be shown in a log.
const PREVIEW: usize = 80;

/// One frame of a stream, decoded or refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item<M> {
    /// A frame that was understood.
    Message(M),
    /// A frame that was not; the stream goes on behind it.
    Bad(FrameError),
}

impl<M> Item<M> {
    /// The item with its message, if it has one, turned into another.
    pub fn map<T>(self, turn: impl FnOnce(M) -> T) -> Item<T> {
        self.and_then(|message| Ok(turn(message)))
    }

    /// The item with its message, if it has one, read as another.
    pub(crate) fn and_then<T>(self, read: impl FnOnce(M) -> Result<T, FrameError>) -> Item<T> {
        match self {
            Item::Message(message) => read(message).map_or_else(Item::Bad, Item::Message),
            Item::Bad(bad) => Item::Bad(bad),
        }
    }
}

/// The next item of a stream that may have come to its end.
pub(crate) fn next<D: Decoder>(
    decoder: &mut D,
    source: &mut BytesMut,
    at_end: bool,
) -> Result<Option<D::Item>, D::Error> {
    match at_end {
        true => decoder.decode_eof(source),
        false => decoder.decode(source),
    }
}

/// Why a frame could not be read: what was expected and what came.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrameError {
    /// Bytes outside any frame.
    #[error("expected a JSON object, got {length} other bytes: {preview:?}")]
    Garbage {
        /// How many bytes there were.
        length: usize,
        /// The first of them.
        preview: String,
    },
    /// A frame longer than [`MAX_FRAME`], or a line longer than [`crate::text_lines::MAX_LINE`].
    #[error("expected a frame of at most {limit} bytes, got a longer one; skipped to its end")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// An object nested deeper than [`crate::json_stream::MAX_DEPTH`].
    #[error("expected at most {limit} levels of nesting, got more; skipped to the frame's end")]
    TooDeep {
        /// The limit in levels.
        limit: usize,
    },
    /// The stream ended inside a frame.
    #[error("the stream ended {length} bytes into a frame: {preview:?}")]
    Truncated {
        /// How many bytes of the frame had come.
        length: usize,
        /// The first of them.
        preview: String,
    },
    /// A complete frame with the wrong content.
    #[error("{reason} in {preview:?}")]
    Content {
        /// What was expected, what came.
        reason: String,
        /// The first bytes of the frame.
        preview: String,
    },
    /// A line that is not UTF-8.
    #[error("expected UTF-8 text, got other bytes in a line")]
    NotUtf8,
}

/// The first bytes of `bytes`, as text fit for a log line.
pub fn preview(bytes: &[u8]) -> String {
    beginning(bytes, PREVIEW)
}

/// At most the first `limit` bytes of `bytes`, as text.
pub(crate) fn beginning(bytes: &[u8], limit: usize) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(limit)]).into_owned()
}
