//! Where the log goes: readable lines on stderr, JSON lines in a file if one is wanted.
//!
//! Stdout is never written to: it may carry moves. Lines are written by threads of their own, so that no
//! game waits for whoever reads the log.

mod queue;

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use tracing_subscriber::filter::{EnvFilter, LevelFilter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use queue::Queue;

/// The environment variable that sets what goes to stderr, such as `warn` or `turnwise=debug`.
pub const FILTER_VARIABLE: &str = "TURNWISE_LOG";

/// The file of records, each with the number of the process that wrote it: daemons may share a file. What cannot be written is lost, which is told once on stderr; a record of which
/// a part was written leaves the next one a line of its own.
struct RecordFile {
    file: File,
    /// What a record ends with.
    end: String,
    is_told: bool,
    is_torn: bool,
}

impl RecordFile {
    fn new(file: File) -> Self {
        Self {
            file,
            end: format!(",\"process\":{}}}\n", std::process::id()),
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
        let begin: &[u8] = if self.is_torn { b"\n" } else { b"" };
        // A record is an object with fields, on one line.
        let written = match record.strip_suffix(b"}\n") {
            Some(fields) => self.append(&[begin, fields, self.end.as_bytes()].concat()),
            None => self.append(&[begin, record].concat()),
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

/// Logging under way; when it is dropped, the last lines are written, if anybody takes them soon.
#[derive(Debug)]
pub struct Logging(Vec<Queue>);

impl Drop for Logging {
    fn drop(&mut self) {
        self.0.iter().for_each(Queue::flush_soon);
    }
}

/// Starts logging for the rest of the process: at `info` to stderr unless [`FILTER_VARIABLE`] says
/// otherwise, in colours if they are wanted, and at `info` to `file`, which is appended to. Each record is
/// written whole. What nobody takes in time is dropped and counted, see [`queue`].
///
/// # Errors
///
/// If the file cannot be opened.
pub fn start(file: Option<&Path>, has_colours: bool) -> io::Result<Logging> {
    let filter = EnvFilter::builder()
        .with_env_var(FILTER_VARIABLE)
        .with_default_directive(LevelFilter::INFO.into())
        .from_env_lossy();
    let stderr = Queue::start("stderr", io::stderr())?;
    let mut queues = vec![stderr.clone()];
    let readable = fmt::layer()
        .with_writer(move || stderr.clone())
        // Whoever read stderr may be gone; the layer would panic over telling stderr so.
        .log_internal_errors(false)
        .with_ansi(has_colours)
        .with_target(false)
        .with_filter(filter);
    let open = |path| OpenOptions::new().create(true).append(true).open(path);
    let machine = match file.map(open).transpose()? {
        Some(file) => {
            let records = Queue::start("the log file", RecordFile::new(file))?;
            queues.push(records.clone());
            let layer = fmt::layer()
                .json()
                .flatten_event(true)
                .with_current_span(false)
                .with_span_list(false)
                .log_internal_errors(false)
                .with_writer(move || records.clone())
                .with_filter(LevelFilter::INFO);
            Some(layer)
        }
        None => None,
    };
    tracing_subscriber::registry()
        .with(readable)
        .with(machine)
        .init();
    Ok(Logging(queues))
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
        records.write_all(b"{\"n\":1}\n").expect("there is room");
        // As if there had been room for half of it.
        records.file.write_all(b"{\"half").expect("there is room");
        records.is_torn = true;
        let room = std::mem::replace(&mut records.file, full());
        assert!(records.write_all(b"lost\n").is_err());
        records.file = room;
        records.write_all(b"{\"n\":1}\n").expect("there is room");
        records.write_all(b"{\"n\":1}\n").expect("there is room");
        let written = std::fs::read_to_string(&path).expect("a file");
        let whole = format!("{{\"n\":1,\"process\":{}}}\n", std::process::id());
        assert_eq!(written, format!("{whole}{{\"half\n{whole}{whole}"));
    }
}
