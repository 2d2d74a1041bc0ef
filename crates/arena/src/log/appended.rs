//! A log to which a server, or a client of a server, appends its games during play.
//!
//! Such a log is open-ended: each process that appends to the file begins with a header, and a game that was cut short
//! stays in the log.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use turnwise_engine::files::open_to_write;
use turnwise_engine::words::one_line;

use super::{HEADER, HEADER_START, LockedFile, LogError, is_part_of_header, system};
use crate::records::LONGEST_LINE;

/// The maximum number of characters that an error message quotes from a file that is not a log.
const MOST_QUOTED: usize = 60;

/// A log of games, to which whole lines are appended.
///
/// Lines that cannot be written are lost; the first loss is reported on stderr.
#[derive(Debug)]
pub struct AppendedLog {
    path: PathBuf,
    lines: WholeLines<Output>,
    /// The last header, with which each file begins.
    header: Vec<u8>,
    /// The maximum size in bytes, if limited.
    limit: Option<u64>,
    is_told: bool,
}

/// A writer of whole lines. After a write that failed, the next line begins on a new line of the output.
#[derive(Debug)]
pub struct WholeLines<W> {
    out: W,
    is_torn: bool,
}

impl<W: Write> WholeLines<W> {
    /// Creates a writer that appends to `out`; `is_torn` says whether `out` ends within a line.
    pub fn new(out: W, is_torn: bool) -> Self {
        Self { out, is_torn }
    }

    /// Appends lines, in a single write if the output accepts them all at once.
    ///
    /// # Errors
    ///
    /// Returns an error if the output does not accept all lines.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let begin: &[u8] = if self.is_torn { b"\n" } else { b"" };
        let mut rest = &[begin, lines].concat()[..];
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
        Ok(())
    }
}

/// An open file. Only regular files are locked, because several processes may write to one device.
#[derive(Debug)]
enum Output {
    File(LockedFile),
    Device(File),
}

impl Output {
    fn open(path: &Path) -> Result<Self, LogError> {
        let file = open_to_write(OpenOptions::new().create(true).append(true), path);
        let file = file.map_err(system(path))?;
        match file.metadata().map_err(system(path))?.is_file() {
            true => Ok(Self::File(LockedFile::new(path, file)?)),
            false => Ok(Self::Device(file)),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AppendedLog {
    /// Opens a log, or creates it. Before the file would exceed `limit` bytes, it is renamed with the suffix `.1`, which
    /// replaces an older file with that name, and a new file is begun.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened, another process is writing to it, or it is not a log.
    pub fn open(path: &Path, limit: Option<u64>) -> Result<Self, LogError> {
        Ok(Self {
            lines: lines_of(path)?,
            // If the path is a link, the file is renamed and not the link.
            path: fs::canonicalize(path).map_err(system(path))?,
            header: Vec::new(),
            limit,
            is_told: false,
        })
    }

    /// Begins a new file if these lines would make the file exceed the limit, or if the file has been moved or deleted,
    /// as by logrotate.
    fn make_room(&mut self, lines: &[u8]) -> io::Result<()> {
        let Output::File(LockedFile(file)) = &self.lines.out else {
            return Ok(());
        };
        let ours = file.metadata()?;
        let is_there = match fs::metadata(&self.path) {
            Ok(there) => (there.dev(), there.ino()) == (ours.dev(), ours.ino()),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        };
        let longer = ours.len() + lines.len() as u64;
        let is_full = ours.len() > 0 && self.limit.is_some_and(|limit| longer > limit);
        if is_there && !is_full {
            return Ok(());
        }
        if is_there {
            let mut old = self.path.clone().into_os_string();
            old.push(".1");
            fs::rename(&self.path, old)?;
        }
        self.lines = lines_of(&self.path).map_err(io::Error::other)?;
        match lines.starts_with(HEADER_START) {
            true => Ok(()),
            false => self.lines.append(&self.header),
        }
    }
}

impl Write for AppendedLog {
    /// Appends whole lines. A header must be written separately from other lines.
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        if lines.starts_with(HEADER_START) {
            self.header = lines.to_vec();
        }
        let written = self.make_room(lines);
        let written = written.and_then(|()| self.lines.append(lines));
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
        written.map(|()| lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens a log, or creates it.
fn lines_of(path: &Path) -> Result<WholeLines<Output>, LogError> {
    let file = Output::open(path)?;
    let is_torn = match &file {
        Output::File(LockedFile(file)) => ends_torn(path, file)?,
        Output::Device(_) => false,
    };
    Ok(WholeLines::new(file, is_torn))
}

/// Checks that an open file is empty or a log, and removes an incomplete header. Returns true if the file ends within a
/// line, because its writer ran out of space or was killed.
fn ends_torn(path: &Path, file: &File) -> Result<bool, LogError> {
    let mut reader = match File::open(path) {
        // A process may be allowed to append to the file but not to read it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(false),
        opened => BufReader::new(opened.map_err(system(path))?),
    };
    let mut first = Vec::new();
    let mut limited = (&mut reader).take(LONGEST_LINE);
    let read = limited.read_until(b'\n', &mut first);
    read.map_err(system(path))?;
    if is_part_of_header(&first) {
        file.set_len(0).map_err(system(path))?;
        return Ok(false);
    }
    if !first.starts_with(HEADER_START) {
        return Err(LogError::Malformed {
            path: path.to_owned(),
            line: 1,
            expected: HEADER,
            got: one_line(String::from_utf8_lossy(&first).trim_end(), MOST_QUOTED),
        });
    }
    let mut last = [0];
    let seek = reader.seek(SeekFrom::End(-1));
    let read = seek.and_then(|_| reader.read_exact(&mut last));
    read.map_err(system(path))?;
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> String {
        fs::read_to_string(path).expect("it is there")
    }

    fn header(number: u8) -> String {
        format!("{{\"event\":\"match\",\"format\":{number}}}\n")
    }

    #[test]
    fn what_another_process_left_torn_is_no_part_of_our_first_record() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        let [old, new] = [1, 2].map(header);
        for (before, kept) in [
            (String::new(), String::new()),
            (old.clone(), old.clone()),
            (format!("{old}{{\"half"), format!("{old}{{\"half\n")),
            (old[..9].to_owned(), String::new()),
            (old.trim_end().to_owned(), String::new()),
        ] {
            fs::write(&path, before).expect("there is room");
            let mut log = AppendedLog::open(&path, None).expect("a log");
            log.write_all(new.as_bytes()).expect("there is room");
            assert_eq!(read(&path), format!("{kept}{new}"));
        }
    }

    #[test]
    fn a_file_that_was_moved_or_deleted_is_begun_anew_with_the_header() {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, moved] = ["log", "log.old"].map(|name| folder.path().join(name));
        let mut log = AppendedLog::open(&path, None).expect("a log");
        let mut append = |line: &str| log.write_all(line.as_bytes()).expect("there is room");
        append(&header(1));
        append("first\n");
        fs::rename(&path, &moved).expect("it is there");
        append("second\n");
        assert_eq!(read(&moved), format!("{}first\n", header(1)));
        assert_eq!(read(&path), format!("{}second\n", header(1)));
        fs::remove_file(&path).expect("it is there");
        append(&header(2));
        assert_eq!(read(&path), header(2));
        // A foreign file in the log's place is left alone.
        fs::write(&moved, "a letter\n").expect("there is room");
        fs::rename(&moved, &path).expect("it is there");
        log.write_all(b"third\n").expect_err("not a log");
        assert_eq!(read(&path), "a letter\n");
    }

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
        let whole = "{\"n\":1}\n";
        for room in 0..whole.len() {
            let mut lines = WholeLines::new(Small(Vec::new(), room), false);
            for _ in 0..2 {
                lines.append(whole.as_bytes()).expect_err("no room");
            }
            lines.out.1 = usize::MAX;
            for _ in 0..2 {
                lines.append(whole.as_bytes()).expect("there is room");
            }
            let torn = match room {
                0 => String::new(),
                room => format!("{}\n", &whole[..room]),
            };
            let written = String::from_utf8(lines.out.0).expect("text");
            assert_eq!(written, format!("{torn}{whole}{whole}"));
        }
    }

    #[test]
    fn other_files_are_refused_and_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes");
        fs::write(&path, "my notes\n").expect("there is room");
        let error = AppendedLog::open(&path, None).expect_err("it is no log");
        let text = error.to_string();
        assert!(
            text.ends_with("line 1: expected the header of a match, got my notes"),
            "{text}"
        );
        assert_eq!(read(&path), "my notes\n");
    }

    #[test]
    fn one_process_at_a_time_appends() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        let first = AppendedLog::open(&path, None).expect("a log");
        let second = AppendedLog::open(&path, None).expect_err("it is locked");
        assert!(matches!(second, LogError::InUse(_)), "{second}");
        drop(first);
        AppendedLog::open(&path, None).expect("it is free");
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let mut log = AppendedLog::open(Path::new("/dev/full"), None).expect("a full disk");
        assert!(log.write_all(b"lost\n").is_err());
    }

    #[test]
    fn a_file_that_is_full_is_kept_and_the_next_begins_with_the_header() {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, old] = ["log", "log.1"].map(|name| folder.path().join(name));
        let [one, two] = [1, 2].map(header);
        let limit = one.len() as u64 + 8;
        let mut log = AppendedLog::open(&path, Some(limit)).expect("a log");
        for line in [&one, "<1>\n", "<2>\n", "<3>\n", &two] {
            log.write_all(line.as_bytes()).expect("there is room");
        }
        assert_eq!(
            [read(&path), read(&old)],
            [two.clone(), format!("{one}<3>\n")]
        );
        // A record larger than the limit is written anyway.
        log.write_all(b"<123456789>\n").expect("there is room");
        assert_eq!(
            [read(&path), read(&old)],
            [format!("{two}<123456789>\n"), two]
        );
    }
}
