//! Items that a decoder yields: a message, or an error value for an unreadable frame.
//!
//! A decoder that returned `Err` would end its `FramedRead`; a bad frame from a peer must not end it.

use bytes::BytesMut;
use thiserror::Error;
use tokio_util::codec::Decoder;

/// The longest frame any decoder keeps in memory, in bytes.
pub const MAX_FRAME: usize = 64 * 1024;

/// The maximum number of bytes of an unreadable frame quoted in a log.
const PREVIEW: usize = 80;

/// One frame of a stream, either decoded or rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item<M> {
    /// A frame that was decoded.
    Message(M),
    /// A frame that could not be decoded; the stream continues after it.
    Bad(FrameError),
}

impl<M> Item<M> {
    /// Converts the message, if any, with `turn`.
    pub fn map<T>(self, turn: impl FnOnce(M) -> T) -> Item<T> {
        self.and_then(|message| Ok(turn(message)))
    }

    /// Converts the message, if any, with `read`, which may reject it.
    pub(crate) fn and_then<T>(self, read: impl FnOnce(M) -> Result<T, FrameError>) -> Item<T> {
        match self {
            Item::Message(message) => read(message).map_or_else(Item::Bad, Item::Message),
            Item::Bad(bad) => Item::Bad(bad),
        }
    }
}

/// Returns the decoder's next item; `at_end` says whether the stream has ended.
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

/// The reason why a frame could not be read: the expected and the actual content.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrameError {
    /// Bytes outside any frame.
    #[error("expected a JSON object, got {length} other bytes: {preview:?}")]
    Garbage {
        /// The number of bytes.
        length: usize,
        /// The first bytes.
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
        /// The number of bytes of the frame that arrived.
        length: usize,
        /// The first bytes of the frame.
        preview: String,
    },
    /// A complete frame with the wrong content.
    #[error("{reason} in {preview:?}")]
    Content {
        /// The expected and the actual content.
        reason: String,
        /// The first bytes of the frame.
        preview: String,
    },
    /// A line that is not UTF-8.
    #[error("expected UTF-8 text, got other bytes in a line")]
    NotUtf8,
}

/// Returns the first bytes of `bytes` as text for a log line.
pub fn preview(bytes: &[u8]) -> String {
    beginning(bytes, PREVIEW)
}

/// Returns at most the first `limit` bytes of `bytes`, as text.
pub(crate) fn beginning(bytes: &[u8], limit: usize) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(limit)]).into_owned()
}
