//! The items that the decoders of this crate yield. An item is a message or, if a frame could not be read, the error as
//! a value.
//!
//! If a decoder returned `Err`, its `FramedRead` would end the stream. A bad frame from a peer must not end it.

use bytes::BytesMut;
use thiserror::Error;
use tokio_util::codec::Decoder;

/// The maximum length of a frame that a decoder keeps in memory, in bytes.
pub const MAX_FRAME: usize = 64 * 1024;

/// The maximum number of bytes of an unreadable frame that a log line quotes.
const PREVIEW: usize = 80;

/// One frame of a stream, which was either decoded or rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item<M> {
    /// The message that was decoded from the frame.
    Message(M),
    /// The reason why the frame could not be decoded. The stream continues after the frame.
    Bad(FrameError),
}

impl<M> Item<M> {
    /// Converts the message with `turn`. A bad frame stays unchanged.
    pub fn map<T>(self, turn: impl FnOnce(M) -> T) -> Item<T> {
        self.and_then(|message| Ok(turn(message)))
    }

    /// Converts the message with `read`, which may reject it. A bad frame stays unchanged.
    pub(crate) fn and_then<T>(self, read: impl FnOnce(M) -> Result<T, FrameError>) -> Item<T> {
        match self {
            Item::Message(message) => read(message).map_or_else(Item::Bad, Item::Message),
            Item::Bad(bad) => Item::Bad(bad),
        }
    }
}

/// Decodes the next item from `source`. `at_end` is true if the stream has ended.
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

/// The reason why a frame could not be read. Its text states the expected and the actual content.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrameError {
    /// The stream contains bytes that do not belong to any frame.
    #[error("expected a JSON object, got {length} other bytes: {preview:?}")]
    Garbage {
        /// The number of bytes outside frames.
        length: usize,
        /// The first bytes outside frames, as text.
        preview: String,
    },
    /// The frame is longer than [`MAX_FRAME`], or the line is longer than its decoder allows (by default
    /// [`crate::text_lines::MAX_LINE`]).
    #[error("expected a frame of at most {limit} bytes, got a longer one; skipped to its end")]
    TooLong {
        /// The maximum length, in bytes.
        limit: usize,
    },
    /// The JSON object has more levels of nesting than [`crate::json_stream::MAX_DEPTH`].
    #[error("expected at most {limit} levels of nesting, got more; skipped to the frame's end")]
    TooDeep {
        /// The maximum number of levels.
        limit: usize,
    },
    /// The stream ended in the middle of a frame.
    #[error("the stream ended {length} bytes into a frame: {preview:?}")]
    Truncated {
        /// The number of bytes of the frame that had arrived.
        length: usize,
        /// The first bytes of the frame, as text.
        preview: String,
    },
    /// The frame is complete, but its content is wrong.
    #[error("{reason} in {preview:?}")]
    Content {
        /// A description of the expected and the actual content.
        reason: String,
        /// The first bytes of the frame, as text.
        preview: String,
    },
    /// The line is not valid UTF-8.
    #[error("expected UTF-8 text, got other bytes in a line")]
    NotUtf8,
}

/// Returns the beginning of `bytes` as text for a log line.
pub fn preview(bytes: &[u8]) -> String {
    beginning(bytes, PREVIEW)
}

/// Returns at most the first `limit` bytes of `bytes`, as text.
pub(crate) fn beginning(bytes: &[u8], limit: usize) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(limit)]).into_owned()
}
