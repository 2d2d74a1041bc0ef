//! Configures the log: readable lines on stderr, and optionally JSON lines in a file.
//!
//! The log never writes to stdout, which may carry moves. Separate threads write the lines, so no game waits for a slow
//! reader of the log.

mod queue;
mod record_lines;

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};
use turnwise_engine::files::open_to_write;

use queue::Queue;
pub use record_lines::RecordLines;

/// The environment variable that filters the log on stderr. Its value is for example `warn` or `turnwise=debug`.
pub const FILTER_VARIABLE: &str = "TURNWISE_LOG";

/// A log file and its size limit.
#[derive(Debug, Clone, Copy)]
pub struct LogFile<'a> {
    /// The path of the file, to which records are appended.
    pub path: &'a Path,
    /// The maximum size in bytes, if limited.
    ///
    /// Before the file would exceed the limit, it is renamed with the suffix `.1`, which replaces an older file with
    /// that name, and a new file is started.
    pub limit: Option<u64>,
}

/// The writer of a log file.
///
/// Each record contains the process ID, because several daemons may share a file. Records that cannot be written are
/// lost; the first loss is reported on stderr.
struct RecordFile {
    path: PathBuf,
    lines: RecordLines<File>,
    limit: Option<u64>,
    is_told: bool,
}

impl RecordFile {
    fn open(LogFile { path, limit }: LogFile) -> io::Result<Self> {
        let file = append_to(path)?;
        Ok(Self {
            lines: RecordLines::new(file, ends_torn(path)?),
            // Resolve all links, so that renaming the file does not replace a link.
            path: fs::canonicalize(path)?,
            limit,
            is_told: false,
        })
    }

    /// Starts a new file if this record would make the file exceed the limit.
    fn make_room(&mut self, record: &[u8]) -> io::Result<()> {
        let Some(limit) = self.limit else {
            return Ok(());
        };
        let ours = self.lines.out().metadata()?;
        let more = self.lines.line(record).len() as u64;
        if !ours.is_file() || ours.len() == 0 || ours.len() + more <= limit {
            return Ok(());
        }
        // Another daemon that shares the log may have started the new file already.
        let is_there = |there: fs::Metadata| (there.dev(), there.ino()) == (ours.dev(), ours.ino());
        if fs::metadata(&self.path).is_ok_and(is_there) {
            let mut old = self.path.clone().into_os_string();
            old.push(".1");
            fs::rename(&self.path, old)?;
        }
        self.lines = RecordLines::new(append_to(&self.path)?, false);
        Ok(())
    }
}

impl Write for RecordFile {
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        let written = self
            .make_room(record)
            .and_then(|()| self.lines.write(record));
        if let Err(error) = &written
            && !self.is_told
        {
            self.is_told = true;
            // Stderr may be closed.
            let _ = writeln!(
                io::stderr(),
                "turnwise: cannot write to the log file, records are lost: {error}"
            );
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lines.flush()
    }
}

/// Returns true if a file ends with an incomplete line, because its writer ran out of space and exited.
fn ends_torn(path: &Path) -> io::Result<bool> {
    // The path may name a pipe, which must not be read.
    if !fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let mut file = match File::open(path) {
        // A process may be allowed to append to the file but not to read it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(false),
        opened => opened?,
    };
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

fn append_to(path: &Path) -> io::Result<File> {
    open_to_write(OpenOptions::new().create(true).append(true), path)
}

/// A running log. When it is dropped, it writes the last lines, unless an output blocks for too long.
#[derive(Debug)]
pub struct Logging(Vec<Queue>);

impl Drop for Logging {
    fn drop(&mut self) {
        self.0.iter().for_each(Queue::flush_soon);
    }
}

/// Starts logging for the rest of the process.
///
/// The log goes to stderr at level `info`, unless [`FILTER_VARIABLE`] says otherwise, and in color if `has_colours` is
/// true. It is also appended to `file` at level `info`. Each record is written as a whole. Lines that an output does
/// not accept in time are dropped and counted.
///
/// # Errors
///
/// Returns an error if the file cannot be opened.
pub fn start(file: Option<LogFile>, has_colours: bool) -> io::Result<Logging> {
    let filter = filter_of(env::var(FILTER_VARIABLE).ok());
    let stderr = Queue::start("stderr", io::stderr())?;
    let mut queues = vec![stderr.clone()];
    let readable = fmt::layer()
        .with_writer(move || stderr.clone())
        // If stderr is closed, the layer would panic when it reports its own errors there.
        .log_internal_errors(false)
        .with_ansi(has_colours)
        .with_target(false)
        .with_filter(filter);
    let machine = match file.map(RecordFile::open).transpose()? {
        Some(file) => {
            let records = Queue::start("the log file", file)?;
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

/// Parses a value of [`FILTER_VARIABLE`]. Reports an invalid value on stderr and uses `info` instead.
fn filter_of(value: Option<String>) -> Targets {
    let usual = Targets::new().with_default(LevelFilter::INFO);
    match value.as_deref().map(str::trim) {
        None | Some("") => usual,
        Some(text) => text.parse().unwrap_or_else(|error| {
            let mut stderr = io::stderr().lock();
            // If stderr is closed, continue without this line.
            let _ = writeln!(
                stderr,
                "turnwise: {FILTER_VARIABLE}: expected a level such as debug or module=level,..., got {text:?} \
                 ({error}); using info"
            );
            usual
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_sets_levels_and_nonsense_leaves_info() {
        let lets = |value: Option<&str>, level| {
            filter_of(value.map(str::to_owned)).would_enable("turnwise_daemon::serve", &level)
        };
        use tracing::Level;
        assert!(lets(None, Level::INFO) && !lets(None, Level::DEBUG));
        assert!(lets(Some(" "), Level::INFO) && !lets(Some(""), Level::DEBUG));
        assert!(lets(Some("debug"), Level::DEBUG) && !lets(Some("warn"), Level::INFO));
        assert!(lets(Some("turnwise=debug"), Level::DEBUG));
        assert!(!lets(Some("tokio=debug"), Level::ERROR));
        assert!(lets(Some("=loud="), Level::INFO) && !lets(Some("=loud="), Level::DEBUG));
    }

    #[test]
    fn what_another_process_left_torn_is_no_part_of_our_first_record() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        let file = LogFile {
            path: &path,
            limit: None,
        };
        let whole = format!("{{\"n\":1,\"process\":{}}}\n", std::process::id());
        for (before, after) in [
            ("", whole.clone()),
            ("{}\n", format!("{{}}\n{whole}")),
            ("{\"half", format!("{{\"half\n{whole}")),
        ] {
            fs::write(&path, before).expect("there is room");
            let mut records = RecordFile::open(file).expect("there is room");
            records.write_all(b"{\"n\":1}\n").expect("there is room");
            assert_eq!(fs::read_to_string(&path).expect("a file"), after);
        }
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let mut records = RecordFile::open(LogFile {
            path: Path::new("/dev/full"),
            limit: None,
        })
        .expect("a full disk");
        assert!(records.write_all(b"lost\n").is_err());
    }

    #[test]
    fn a_file_that_is_full_is_kept_and_begun_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, old] = ["log", "log.1"].map(|name| folder.path().join(name));
        let file = LogFile {
            path: &path,
            limit: Some(8),
        };
        let mut one = RecordFile::open(file).expect("there is room");
        let mut other = RecordFile::open(file).expect("there is room");
        let read = |path| fs::read_to_string(path).expect("it is there");
        for record in ["<1>\n", "<2>\n", "<3>\n"] {
            one.write_all(record.as_bytes()).expect("there is room");
        }
        assert_eq!([read(&path), read(&old)], ["<3>\n", "<1>\n<2>\n"]);
        // Another daemon that still has the old file open continues in the new file, and the old file stays.
        other.write_all(b"<4>\n").expect("there is room");
        assert_eq!([read(&path), read(&old)], ["<3>\n<4>\n", "<1>\n<2>\n"]);
        // A record larger than the limit is written anyway.
        one.write_all(b"<123456789>\n").expect("there is room");
        assert_eq!([read(&path), read(&old)], ["<123456789>\n", "<3>\n<4>\n"]);
    }
}
