//! Writes each record on a separate line, even if the disk was full for a while.

use std::io::{self, Write};

/// A writer that writes each record as one line, and appends the process ID to the record's fields.
///
/// After an incomplete record, the next record starts on a new line.
#[derive(Debug)]
pub struct RecordLines<W> {
    out: W,
    /// The end of each record, which contains the process ID.
    end: String,
    is_torn: bool,
}

impl<W: Write> RecordLines<W> {
    /// Creates a writer that appends to `out`; `is_torn` says whether `out` ends with a partial line.
    pub fn new(out: W, is_torn: bool) -> Self {
        Self {
            out,
            end: format!(",\"process\":{}}}\n", std::process::id()),
            is_torn,
        }
    }

    /// Returns the output that receives the lines.
    pub fn out(&self) -> &W {
        &self.out
    }

    /// Returns the line to append for a record, which is a JSON object with fields, on one line.
    pub(super) fn line(&self, record: &[u8]) -> Vec<u8> {
        let begin: &[u8] = if self.is_torn { b"\n" } else { b"" };
        match record.strip_suffix(b"}\n") {
            Some(fields) => [begin, fields, self.end.as_bytes()].concat(),
            None => [begin, record].concat(),
        }
    }
}

impl<W: Write> Write for RecordLines<W> {
    /// Writes the whole record, in one piece if the output accepts that.
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        let line = self.line(record);
        let mut rest = &line[..];
        while !rest.is_empty() {
            match self.out.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    rest = &rest[written..];
                    self.is_torn = !rest.is_empty();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An output that accepts one byte at a time, up to a total number of bytes.
    struct Small(Vec<u8>, usize);

    impl Write for Small {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.1 == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.1 -= 1;
            self.0.push(bytes[0]);
            Ok(1)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn after_a_torn_record_the_next_one_has_a_line_of_its_own() {
        let whole = format!("{{\"n\":1,\"process\":{}}}\n", std::process::id());
        for room in 0..whole.len() {
            let mut records = RecordLines::new(Small(Vec::new(), room), false);
            for _ in 0..2 {
                records.write_all(b"{\"n\":1}\n").expect_err("no room");
            }
            records.out.1 = usize::MAX;
            for _ in 0..2 {
                records.write_all(b"{\"n\":1}\n").expect("there is room");
            }
            let torn = match room {
                0 => String::new(),
                room => format!("{}\n", &whole[..room]),
            };
            let written = String::from_utf8(records.out.0).expect("text");
            assert_eq!(written, format!("{torn}{whole}{whole}"));
        }
    }
}
