//! Cuts a byte stream of JSON objects without delimiters into single objects.
//!
//! The bytes of the stream may arrive in pieces of any size. The scanner remembers where it stopped, so it looks at
//! every byte only once. The items that it yields depend only on the bytes, and not on how they were split into pieces.

use bytes::{Buf, Bytes, BytesMut};
use tokio_util::codec::Decoder;

use crate::frame::{FrameError, Item, MAX_FRAME, preview};

/// The maximum number of levels of nested objects and arrays that is accepted.
pub const MAX_DEPTH: usize = 32;

/// A decoder that yields the raw bytes of each JSON object in a stream.
///
/// Skips white space between objects. Reports other bytes between objects as [`FrameError::Garbage`], with one report
/// for each run of bytes. A run ends at a line feed, at an opening brace, at the end of the stream, or after
/// [`MAX_FRAME`] bytes. Reports an object that is too long or too deeply nested as soon as it exceeds the limit. Then
/// skips the rest of the object, up to its closing brace, without storing it.
#[derive(Debug, Default)]
pub struct JsonObjects {
    /// The number of bytes in the buffer that have been scanned already.
    scanned: usize,
    /// The number of braces and brackets that are open; 0 between objects.
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// True while the rest of an object that was reported as bad is skipped.
    skipping: bool,
}

impl JsonObjects {
    /// Creates a decoder, ready for the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Processes one byte inside an object; returns true if it closes the object.
    fn step(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        self.depth == 0
    }

    fn take_garbage(&mut self, source: &mut BytesMut) -> Item<Bytes> {
        let run = source.split_to(std::mem::take(&mut self.scanned));
        Item::Bad(FrameError::Garbage {
            length: run.len(),
            preview: preview(&run),
        })
    }

    fn skip(&mut self, reason: FrameError) -> Item<Bytes> {
        self.skipping = true;
        Item::Bad(reason)
    }
}

impl Decoder for JsonObjects {
    type Item = Item<Bytes>;
    type Error = std::io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        while self.scanned < source.len() {
            let byte = source[self.scanned];
            if self.depth == 0 {
                match byte {
                    b'{' if self.scanned > 0 => return Ok(Some(self.take_garbage(source))),
                    b'{' => {
                        self.depth = 1;
                        self.scanned = 1;
                    }
                    b'\n' if self.scanned > 0 => return Ok(Some(self.take_garbage(source))),
                    b' ' | b'\t' | b'\r' | b'\n' if self.scanned == 0 => source.advance(1),
                    _ => {
                        self.scanned += 1;
                        if self.scanned == MAX_FRAME {
                            return Ok(Some(self.take_garbage(source)));
                        }
                    }
                }
                continue;
            }
            self.scanned += 1;
            if self.step(byte) {
                let object = source.split_to(std::mem::take(&mut self.scanned));
                if !std::mem::take(&mut self.skipping) {
                    return Ok(Some(Item::Message(object.freeze())));
                }
            } else if self.skipping {
                source.advance(std::mem::take(&mut self.scanned));
            } else if self.depth > MAX_DEPTH {
                return Ok(Some(self.skip(FrameError::TooDeep { limit: MAX_DEPTH })));
            } else if self.scanned == MAX_FRAME {
                return Ok(Some(self.skip(FrameError::TooLong { limit: MAX_FRAME })));
            }
        }
        Ok(None)
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        if let Some(item) = self.decode(source)? {
            return Ok(Some(item));
        }
        if self.depth == 0 && !source.is_empty() {
            return Ok(Some(self.take_garbage(source)));
        }
        let rest = source.split_to(source.len());
        let already_reported = std::mem::take(self).skipping;
        if rest.is_empty() || already_reported {
            return Ok(None);
        }
        Ok(Some(Item::Bad(FrameError::Truncated {
            length: rest.len(),
            preview: preview(&rest),
        })))
    }
}
