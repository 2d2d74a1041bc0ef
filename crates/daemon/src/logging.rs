//! Where the log goes: readable lines on stderr, JSON lines in a file if one is wanted.
//!
//! Stdout is never written to: it may carry moves. Lines are written by threads of their own, so that no
//! game waits for whoever reads the log.

mod queue;

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use queue::Queue;

/// The environment variable that sets what goes to stderr, such as `warn` or `turnwise=debug`.
pub const FILTER_VARIABLE: &str = "TURNWISE_LOG";

/// Where records go.
#[derive(Debug, Clone, Copy)]
pub struct LogFile<'a> {
    /// The file, which is appended to.
    pub path: &'a Path,
    /// What it may hold, in bytes. Before it would hold more it is renamed to its name with `.1` behind it,
    /// in the place of an older one, and begun anew.
    pub limit: Option<u64>,
}

/// The file of records, each with the number of the process that wrote it: daemons may share a file. What
/// cannot be written is lost, which is told once on stderr; a record of which
/// a part was written leaves the next one a line of its own.
struct RecordFile {
    path: PathBuf,
    file: File,
    /// What a record ends with.
    end: String,
    limit: Option<u64>,
    is_told: bool,
    is_torn: bool,
}

impl RecordFile {
    fn open(LogFile { path, limit }: LogFile) -> io::Result<Self> {
        let file = append_to(path)?;
        Ok(Self {
            // Behind all links, which stay.
            path: fs::canonicalize(path)?,
            file,
            end: format!(",\"process\":{}}}\n", std::process::id()),
            limit,
            is_told: false,
            is_torn: false,
        })
    }

    /// Begins the file anew if it would hold too much with so many bytes more.
    fn make_room(&mut self, more: usize) -> io::Result<()> {
        let Some(limit) = self.limit else {
            return Ok(());
        };
        let ours = self.file.metadata()?;
        if !ours.is_file() || ours.len() == 0 || ours.len() + more as u64 <= limit {
            return Ok(());
        }
        // Another daemon with the same log may have begun it anew already.
        let is_there = |there: fs::Metadata| (there.dev(), there.ino()) == (ours.dev(), ours.ino());
        if fs::metadata(&self.path).is_ok_and(is_there) {
            let mut old = self.path.clone().into_os_string();
            old.push(".1");
            fs::rename(&self.path, old)?;
        }
        self.file = append_to(&self.path)?;
        self.is_torn = false;
        Ok(())
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
        // A record is an object with fields, on one line.
        let fields = record.strip_suffix(b"}\n");
        let more = record.len() + fields.map_or(0, |_| self.end.len());
        let written = self.make_room(more).and_then(|()| {
            let begin: &[u8] = if self.is_torn { b"\n" } else { b"" };
            let line = match fields {
                Some(fields) => [begin, fields, self.end.as_bytes()].concat(),
                None => [begin, record].concat(),
            };
            self.append(&line)
        });
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

fn append_to(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
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
/// written whole. What nobody takes in time is dropped and counted.
///
/// # Errors
///
/// If the file cannot be opened.
pub fn start(file: Option<LogFile>, has_colours: bool) -> io::Result<Logging> {
    let filter = filter_of(env::var(FILTER_VARIABLE).ok());
    let stderr = Queue::start("stderr", io::stderr())?;
    let mut queues = vec![stderr.clone()];
    let readable = fmt::layer()
        .with_writer(move || stderr.clone())
        // Whoever read stderr may be gone; the layer would panic over telling stderr so.
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

/// What a value of [`FILTER_VARIABLE`] lets through to stderr; `info` for what cannot be understood, with a
/// line that says so.
fn filter_of(value: Option<String>) -> Targets {
    let usual = Targets::new().with_default(LevelFilter::INFO);
    match value.as_deref().map(str::trim) {
        None | Some("") => usual,
        Some(text) => text.parse().unwrap_or_else(|error| {
            let mut stderr = io::stderr().lock();
            // Nobody may be reading; the program goes on without this line.
            let _ = writeln!(
                stderr,
                "turnwise: {FILTER_VARIABLE}: expected a level such as debug or module=level,..., got \
                 {text:?} ({error}); going on with info"
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
            filter_of(value.map(str::to_owned)).would_enable("turnwise_daemon::driver", &level)
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
    fn after_a_torn_record_the_next_one_has_a_line_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        let full = || {
            let full = OpenOptions::new().append(true).open("/dev/full");
            full.expect("a full disk")
        };
        let mut records = RecordFile::open(LogFile {
            path: Path::new("/dev/full"),
            limit: None,
        })
        .expect("a full disk");
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
        // Another daemon that still has the old one goes on in the new one, and the old one stays.
        other.write_all(b"<4>\n").expect("there is room");
        assert_eq!([read(&path), read(&old)], ["<3>\n<4>\n", "<1>\n<2>\n"]);
        // A record that is larger than that is written all the same.
        one.write_all(b"<123456789>\n").expect("there is room");
        assert_eq!([read(&path), read(&old)], ["<123456789>\n", "<3>\n<4>\n"]);
    }
}
