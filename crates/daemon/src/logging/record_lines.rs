//! Writes each record on a separate line, even if the disk was full for a while.

use std::io::{self, Write};

/// Writes each record as one line, and appends the process number to its fields. After an incomplete record, the next
/// record starts on a new line.
#[derive(Debug)]
pub struct RecordLines<W> {
    out: W,
    /// The end of each record.
    end: String,
    is_torn: bool,
}

impl<W: Write> RecordLines<W> {
    /// Creates a writer that appends to `out`; `is_torn` if that ends with a partial line.
    pub fn new(out: W, is_torn: bool) -> Self {
        Self {
            out,
            end: format!(",\"process\":{}}}\n", std::process::id()),
            is_torn,
        }
    }

    /// Returns the output.
    pub fn out(&self) -> &W {
        &self.out
    }

    /// Returns the line to append for a record: an object with fields, on one line.
    pub(super) fn line(&self, record: &[u8]) -> Vec<u8> {
        let begin: &[u8] = if self.is_torn { b"\n" } else { b"" };
        match record.strip_suffix(b"}\n") {
            Some(fields) => [begin, fields, self.end.as_bytes()].concat(),
            None => [begin, record].concat(),
        }
    }
}

impl<W: Write> Write for RecordLines<W> {
    /// Writes the whole record, in one piece if there is room.
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

    /// Accepts one byte at a time, up to a total.
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
