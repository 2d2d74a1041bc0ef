//! Records on lines of their own, whatever becomes of the disk.

use std::io::{self, Write};

/// Writes each record as one line, with the number of this process behind its fields. A record of which
/// a part was written leaves the next one a line of its own.
#[derive(Debug)]
pub struct RecordLines<W> {
    out: W,
    /// What a record ends with.
    end: String,
    is_torn: bool,
}

impl<W: Write> RecordLines<W> {
    /// Appends to this; `is_torn` says that a part of a line is at its end.
    pub fn new(out: W, is_torn: bool) -> Self {
        Self {
            out,
            end: format!(",\"process\":{}}}\n", std::process::id()),
            is_torn,
        }
    }

    /// Where it is appended.
    pub fn out(&self) -> &W {
        &self.out
    }

    /// What would be appended for a record, which is an object with fields, on one line.
    pub(super) fn line(&self, record: &[u8]) -> Vec<u8> {
        let begin: &[u8] = if self.is_torn { b"\n" } else { b"" };
        match record.strip_suffix(b"}\n") {
            Some(fields) => [begin, fields, self.end.as_bytes()].concat(),
            None => [begin, record].concat(),
        }
    }
}

impl<W: Write> Write for RecordLines<W> {
    /// Writes all of it, in one piece if there is room.
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

    /// Takes one byte at a time, and so many more in all.
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
