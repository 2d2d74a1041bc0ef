//! Reads whole files of limited size, and writes whole files safely.
//!
//! Opening a file never blocks. Folders, devices and named pipes are rejected as input, because reading a device may
//! never end and a named pipe may have no writer. The pipes that a shell creates (`cat log | turnwise report
//! /dev/stdin`, `turnwise report <(zcat log.gz)`) are accepted.

use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::time::Duration;

use thiserror::Error;

#[cfg(unix)]
use on_unix::open_patiently;
#[cfg(unix)]
pub use on_unix::{open_plain, open_regular, open_to_write};

/// The maximum time that a pipe may deliver no data before a read from it fails.
const PIPE_PATIENCE: Duration = Duration::from_secs(30);

/// The reason why a file could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file could not be opened or read, or it is a pipe that delivered no data for too long.
    #[error("cannot read {path}: {cause}")]
    Failed {
        /// The path of the file, as the caller gave it.
        path: String,
        /// The error that the operating system reported.
        cause: io::Error,
    },
    /// The file is larger than the caller allows.
    #[error("{path} is larger than {}", size(*most))]
    TooLarge {
        /// The path of the file, as the caller gave it.
        path: String,
        /// The maximum size that the caller allows, in bytes.
        most: u64,
    },
}

/// Formats a number of bytes in a suitable unit, for messages.
fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// Opens a regular file or a pipe created by a shell for reading. A read from a pipe fails if no data arrives for half
/// a minute.
///
/// # Errors
///
/// Returns an error if the file cannot be opened, or is neither a regular file nor a pipe created by a shell.
pub fn open_input(path: &Path) -> io::Result<Box<dyn Read>> {
    open_patiently(path, PIPE_PATIENCE)
}

/// Reads a regular file, or a pipe created by a shell, of at most `most` bytes. Returns `None` if the file does not
/// exist.
///
/// # Errors
///
/// Returns a [`ReadError`] if the file cannot be read, or is too large.
pub fn read_at_most(path: &Path, most: u64) -> Result<Option<Vec<u8>>, ReadError> {
    read_patiently(path, most, PIPE_PATIENCE)
}

/// Implements [`read_at_most`]. `patience` is the time that a pipe may deliver no data before the read fails.
fn read_patiently(
    path: &Path,
    most: u64,
    patience: Duration,
) -> Result<Option<Vec<u8>>, ReadError> {
    let path_text = || path.display().to_string();
    let mut bytes = Vec::new();
    let read = open_patiently(path, patience)
        .and_then(|input| input.take(most.saturating_add(1)).read_to_end(&mut bytes));
    match read {
        Ok(length) if length as u64 > most => Err(ReadError::TooLarge {
            path: path_text(),
            most,
        }),
        Ok(_) => Ok(Some(bytes)),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(ReadError::Failed {
            path: path_text(),
            cause,
        }),
    }
}

/// Writes a new file and replaces the old file with it, completely or not at all. If writing is interrupted, even by
/// the end of the process or a loss of power, the path holds either the complete old file or the complete new file.
///
/// Until the replacement, `new` must not affect the old file, and if it is dropped, it must leave no trace. `sync` waits
/// until all written data is safe from a loss of power. `take_place` replaces the old file in one step, so that readers
/// never find a missing or incomplete file.
///
/// # Errors
///
/// Returns an error if writing, `sync` or `take_place` fails. The old file then stays unchanged.
pub fn replace_whole<W: Write, P>(
    mut new: W,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    sync: impl FnOnce(&W) -> io::Result<()>,
    take_place: impl FnOnce(W) -> io::Result<P>,
) -> io::Result<P> {
    write_through(&mut new, write)?;
    // Without this, the disk might store the new file's name before its data.
    sync(&new)?;
    take_place(new)
}

/// Calls `write` with a buffered writer to the file, so that many small writes need few system calls.
///
/// # Errors
///
/// Returns an error if writing fails.
pub fn write_through(
    file: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    write(&mut file)?;
    file.flush()
}

/// Opens a file with these options. This version is for systems without named pipes and devices.
///
/// # Errors
///
/// Returns an error if the system cannot open the file.
#[cfg(not(unix))]
pub fn open_regular(options: &mut std::fs::OpenOptions, path: &Path) -> io::Result<std::fs::File> {
    options.open(path)
}

/// Always returns an error, because this program does not support reading files on this system.
#[cfg(not(unix))]
fn open_patiently(_path: &Path, _patience: Duration) -> io::Result<Box<dyn Read>> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
mod on_unix {
    use std::fs::{File, FileType, OpenOptions};
    use std::io::{self, Read};
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    use std::path::Path;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    #[cfg(target_os = "linux")]
    use rustix::fs::fstatfs;
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use rustix::io::Errno;

    /// The file system type of unnamed pipes, as `fstatfs` returns it on Linux.
    #[cfg(target_os = "linux")]
    const PIPE_FS: i64 = 0x5049_5045;

    /// Opens a file with these options and flags, without waiting for the other end of a pipe.
    fn open_at_once(options: &mut OpenOptions, flags: OFlags, path: &Path) -> io::Result<File> {
        let flags = flags | OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed()).open(path)
    }

    fn name_of(kind: FileType) -> &'static str {
        match kind {
            _ if kind.is_dir() => "a folder",
            _ if kind.is_fifo() => "a named pipe",
            _ if kind.is_socket() => "a socket",
            _ => "a device",
        }
    }

    fn not_regular(got: &str) -> io::Error {
        let why = format!("expected a regular file, got {got}");
        io::Error::new(io::ErrorKind::InvalidInput, why)
    }

    /// Opens a regular file with these options.
    ///
    /// # Errors
    ///
    /// Returns an error if the system cannot open the file, or if the path leads to a folder, a pipe, a socket or a
    /// device.
    pub fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        regular(open_at_once(options, OFlags::empty(), path)?)
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    ///
    /// Returns an error in the cases in which [`open_regular`] does, and also if the path is a link.
    pub fn open_plain(path: &Path) -> io::Result<File> {
        let file = open_at_once(OpenOptions::new().read(true), OFlags::NOFOLLOW, path);
        regular(file.map_err(|error| match error.raw_os_error() {
            Some(code) if code == Errno::LOOP.raw_os_error() => not_regular("a link"),
            _ => error,
        })?)
    }

    fn regular(file: File) -> io::Result<File> {
        let kind = file.metadata()?.file_type();
        match kind.is_file() {
            true => Ok(file),
            false => Err(not_regular(name_of(kind))),
        }
    }

    /// Opens a file, a device or a pipe for writing with these options.
    ///
    /// # Errors
    ///
    /// Returns an error if the system cannot open the file, or if the pipe has no reader.
    pub fn open_to_write(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        let file = open_at_once(options, OFlags::empty(), path).map_err(|error| {
            match error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) {
                true => io::Error::other(
                    "nothing reads this pipe or socket: expected a regular file, or a pipe whose \
                     reader was started first",
                ),
                false => error,
            }
        })?;
        // The pipe is open, so from here on a write may wait until the reader has taken earlier data.
        let flags = fcntl_getfl(&file)?;
        fcntl_setfl(&file, flags - OFlags::NONBLOCK)?;
        Ok(file)
    }

    /// Returns true if the pipe is unnamed. A shell creates such pipes to connect commands.
    #[cfg(target_os = "linux")]
    fn is_of_a_shell(pipe: &File) -> bool {
        fstatfs(pipe).is_ok_and(|about| about.f_type == PIPE_FS)
    }

    /// Returns true if the pipe is unnamed, which means that no folder contains a link to it. A shell creates such
    /// pipes.
    #[cfg(not(target_os = "linux"))]
    fn is_of_a_shell(pipe: &File) -> bool {
        pipe.metadata()
            .is_ok_and(|about| std::os::unix::fs::MetadataExt::nlink(&about) == 0)
    }

    /// Opens a regular file or a pipe created by a shell for reading. A pipe may deliver no data for at most
    /// `patience`.
    pub fn open_patiently(path: &Path, patience: Duration) -> io::Result<Box<dyn Read>> {
        let file = open_at_once(OpenOptions::new().read(true), OFlags::empty(), path)?;
        match file.metadata()?.file_type() {
            kind if kind.is_file() => Ok(Box::new(file)),
            kind if kind.is_fifo() && is_of_a_shell(&file) => Ok(Box::new(Pipe { file, patience })),
            kind => Err(not_regular(name_of(kind))),
        }
    }

    /// A pipe from which a read fails if no data arrives for longer than `patience`.
    struct Pipe {
        file: File,
        patience: Duration,
    }

    impl Read for Pipe {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let patience = Timespec::try_from(self.patience).ok();
            loop {
                let waiting = PollFd::new(&self.file, PollFlags::IN);
                if poll(&mut [waiting], patience.as_ref())? == 0 {
                    let waited = self.patience.as_secs_f64();
                    let why = format!("it is a pipe, and nothing was written to it for {waited} s");
                    return Err(io::Error::new(io::ErrorKind::TimedOut, why));
                }
                match self.file.read(bytes) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    read => return read,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_file_may_be_as_large_as_it_may_be_and_no_larger() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, "four").expect("there is room");
        let whole = read_at_most(&path, 4).expect("it fits");
        assert_eq!(whole.as_deref(), Some(b"four".as_slice()));
        let error = read_at_most(&path, 3).expect_err("it is larger");
        assert!(error.to_string().ends_with("file is larger than 3 bytes"));
        let missing = read_at_most(&folder.path().join("missing"), 4);
        assert_eq!(missing.expect("that is no error"), None);
        assert!(read_at_most(folder.path(), 4).is_err());
    }

    fn pipe_in(folder: &tempfile::TempDir) -> PathBuf {
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo runs").success());
        path
    }

    #[test]
    fn nothing_but_files_and_shells_pipes_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("socket");
        let _listener = UnixListener::bind(&socket).expect("it is free");
        for (path, kind) in [
            (pipe_in(&folder), "a named pipe"),
            (folder.path().to_owned(), "a folder"),
            ("/dev/zero".into(), "a device"),
            ("/dev/null".into(), "a device"),
        ] {
            let why = format!("expected a regular file, got {kind}");
            let error = read_at_most(&path, 4).expect_err(kind);
            let shown = path.display();
            assert_eq!(error.to_string(), format!("cannot read {shown}: {why}"));
            let error = open_regular(OpenOptions::new().read(true), &path).expect_err(kind);
            assert_eq!(error.to_string(), why);
            assert_eq!(open_plain(&path).expect_err(kind).to_string(), why);
            let link = folder.path().join("link");
            symlink(&path, &link).expect("it is free");
            assert!(read_at_most(&link, 4).is_err());
            let error = open_plain(&link).expect_err("a link").to_string();
            assert_eq!(error, "expected a regular file, got a link");
            std::fs::remove_file(&link).expect("it is there");
        }
        // The system does not open a socket as a file, so this fails without a check of ours.
        assert!(read_at_most(&socket, 4).is_err());
    }

    #[test]
    fn a_named_pipe_is_written_to_only_if_somebody_reads_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = pipe_in(&folder);
        let error = open_to_write(OpenOptions::new().append(true), &path).expect_err("no reader");
        assert!(
            error.to_string().starts_with("nothing reads this pipe"),
            "{error}"
        );
        let reading = path.clone();
        let reader = std::thread::spawn(move || std::fs::read(reading));
        let mut file = loop {
            match open_to_write(OpenOptions::new().append(true), &path) {
                Ok(file) => break file,
                Err(_) => std::thread::yield_now(),
            }
        };
        // This is more than the pipe holds, so the writer waits for the reader.
        file.write_all(&[b'x'; 1 << 20]).expect("it is read");
        drop(file);
        let read = reader.join().expect("no panic").expect("it ends");
        assert_eq!(read.len(), 1 << 20);
    }

    /// Returns the path of one end of a pipe, in the form that a shell passes to a command.
    fn path_of(end: &impl AsRawFd) -> PathBuf {
        format!("/proc/self/fd/{}", end.as_raw_fd()).into()
    }

    #[test]
    fn a_silent_pipe_of_a_shell_is_given_up() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let path = path_of(&reader);
        let given_up = || {
            let patience = Duration::from_millis(20);
            let error = read_patiently(&path, 1 << 20, patience).expect_err("nobody writes");
            let told = error.to_string();
            let why = "it is a pipe, and nothing was written to it for 0.02 s";
            assert!(told.ends_with(why), "{told}");
        };
        given_up();
        writer.write_all(b"half").expect("there is room");
        given_up();
    }

    #[test]
    fn a_pipe_of_a_shell_is_read_to_its_end() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let writing = std::thread::spawn(move || writer.write_all(&[b'x'; 100_000]));
        let read = read_at_most(&path_of(&reader), 1 << 20).expect("it ends");
        assert_eq!(read.expect("it is there").len(), 100_000);
        writing.join().expect("no panic").expect("it was read");
    }
}
