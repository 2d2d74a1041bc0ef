//! Where the log goes: readable lines on stderr, JSON lines in a file if one is wanted.
//!
//! Stdout is never written to: it may carry moves.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::filter::{EnvFilter, LevelFilter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

/// The environment variable that sets what goes to stderr, such as `warn` or `turnwise=debug`.
pub const FILTER_VARIABLE: &str = "TURNWISE_LOG";

/// The file of records. What cannot be written is lost, which is told once on stderr; a record of which
/// a part was written leaves the next one a line of its own.
struct RecordFile {
    file: File,
    is_told: bool,
    is_torn: bool,
}

impl RecordFile {
    fn new(file: File) -> Self {
        Self {
            file,
            is_told: false,
            is_torn: false,
        }
    }

    /// Writes all of it, in one piece if there is room.
    fn append(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let whole = bytes.len();
        while !bytes.is_empty() {
            match self.file.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.is_torn |= bytes.len() < whole;
                    return Err(error);
                }
            }
        }
        self.is_torn = false;
        Ok(())
    }
}

impl Write for RecordFile {
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        let written = if self.is_torn {
            self.append(&[b"\n", record].concat())
        } else {
            self.append(record)
        };
        if let Err(error) = &written
            && !self.is_told
        {
            self.is_told = true;
            // Stderr may be gone as well.
            let _ = writeln!(
                io::stderr(),
                "turnwise: cannot write to the log file, records are lost: {error}"
            );
        }
        written.map(|()| record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Starts logging for the rest of the process: at `info` to stderr unless [`FILTER_VARIABLE`] says
/// otherwise, in colours if they are wanted, and at `info` to `file`, which is appended to. Each record is
/// written at once and whole, so nothing is lost at whatever end, unless there is no room for it.
pub fn start(file: Option<&Path>, has_colours: bool) -> io::Result<()> {
    let filter = EnvFilter::builder()
        .with_env_var(FILTER_VARIABLE)
        .with_default_directive(LevelFilter::INFO.into())
        .from_env_lossy();
    let readable = fmt::layer()
        .with_writer(io::stderr)
        // Whoever read stderr may be gone; the layer would panic over telling stderr so.
        .log_internal_errors(false)
        .with_ansi(has_colours)
        .with_target(false)
        .with_filter(filter);
    let open = |path| OpenOptions::new().create(true).append(true).open(path);
    let machine = file.map(open).transpose()?.map(|file| {
        fmt::layer()
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .log_internal_errors(false)
            .with_writer(Mutex::new(RecordFile::new(file)))
            .with_filter(LevelFilter::INFO)
    });
    tracing_subscriber::registry()
        .with(readable)
        .with(machine)
        .init();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_torn_record_the_next_one_has_a_line_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        let full = || {
            let full = OpenOptions::new().append(true).open("/dev/full");
            full.expect("a full disk")
        };
        let mut records = RecordFile::new(full());
        assert!(records.write_all(b"lost\n").is_err());
        let room = OpenOptions::new().create(true).append(true).open(&path);
        records.file = room.expect("there is room");
        // Nothing of the lost one was written.
        records.write_all(b"{}\n").expect("there is room");
        // As if there had been room for half of it.
        records.file.write_all(b"{\"half").expect("there is room");
        records.is_torn = true;
        let room = std::mem::replace(&mut records.file, full());
        assert!(records.write_all(b"lost\n").is_err());
        records.file = room;
        records.write_all(b"{}\n").expect("there is room");
        records.write_all(b"{}\n").expect("there is room");
        let written = std::fs::read_to_string(&path).expect("a file");
        assert_eq!(written, "{}\n{\"half\n{}\n{}\n");
    }
}
