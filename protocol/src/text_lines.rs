//! A decoder for lines of UTF-8 text that have a maximum length.

use bytes::BytesMut;
use tokio_util::codec::{Decoder, LinesCodec, LinesCodecError};

use crate::frame::{FrameError, Item};

/// The maximum length of a line by default, in bytes.
pub const MAX_LINE: usize = 1024;

/// A decoder that yields each line of a stream without its line end (LF or CRLF).
///
/// Reports a line that is too long once, and skips the rest of the line. If the stream ends without a line end, the
/// last bytes count as a line.
#[derive(Debug)]
pub struct TextLines(LinesCodec);

impl TextLines {
    /// Creates a decoder for lines of at most [`MAX_LINE`] bytes.
    pub fn new() -> Self {
        Self::up_to(MAX_LINE)
    }

    /// Creates a decoder for lines of at most `longest` bytes.
    pub fn up_to(longest: usize) -> Self {
        Self(LinesCodec::new_with_max_length(longest))
    }
}

impl Default for TextLines {
    fn default() -> Self {
        Self::new()
    }
}

fn bad_as_value(
    decoded: Result<Option<String>, LinesCodecError>,
    limit: usize,
) -> Result<Option<Item<String>>, std::io::Error> {
    match decoded {
        Ok(line) => Ok(line.map(Item::Message)),
        Err(LinesCodecError::MaxLineLengthExceeded) => {
            Ok(Some(Item::Bad(FrameError::TooLong { limit })))
        }
        Err(LinesCodecError::Io(error)) if error.kind() == std::io::ErrorKind::InvalidData => {
            Ok(Some(Item::Bad(FrameError::NotUtf8)))
        }
        Err(LinesCodecError::Io(error)) => Err(error),
    }
}

impl Decoder for TextLines {
    type Item = Item<String>;
    type Error = std::io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        bad_as_value(self.0.decode(source), self.0.max_length())
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        bad_as_value(self.0.decode_eof(source), self.0.max_length())
    }
}
