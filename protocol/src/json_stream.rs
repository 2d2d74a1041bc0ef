//! Cuts a byte stream of undelimited JSON objects into single objects.
//!
//! The scanner remembers where it stopped, so it looks at every byte once, however the stream is split. Its
//! items depend on the bytes alone, never on the split.

use bytes::{Buf, Bytes, BytesMut};
use tokio_util::codec::Decoder;

use crate::frame::{FrameError, Item, MAX_FRAME, preview};

/// The maximum nesting of objects and arrays that is accepted.
pub const MAX_DEPTH: usize = 32;

/// A decoder that yields each JSON object of a stream as its raw bytes.
///
/// Skips white space between objects. Reports other bytes between objects as [`FrameError::Garbage`], once
/// for each run up to a line feed, an opening brace, the end of the stream, or [`MAX_FRAME`] bytes. Reports
/// an object that is too long or too deep when it passes the limit, then skips it to its closing brace
/// without storing it.
#[derive(Debug, Default)]
pub struct JsonObjects {
    /// The number of bytes in the buffer that were already scanned.
    scanned: usize,
    /// The number of open braces and brackets; 0 between objects.
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// True while skipping the rest of an object that was reported as bad.
    skipping: bool,
}

impl JsonObjects {
    /// Creates a scanner for the beginning of a stream.
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
