//! Files that are read whole, none of them larger than whatever could be in it, and files that are written whole.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use thiserror::Error;

#[cfg(unix)]
use on_unix::read;

/// How long a pipe may be silent before and between bytes.
const PIPE_PATIENCE: Duration = Duration::from_secs(30);

/// Why a file was not read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It could not be opened or read.
    #[error("cannot read {path}: {cause}")]
    Failed {
        /// The path as it was given.
        path: String,
        /// What the system says.
        cause: io::Error,
    },
    /// There is more in it than could be.
    #[error("{path} is larger than {}", size(*most))]
    TooLarge {
        /// The path as it was given.
        path: String,
        /// What it may hold, in bytes.
        most: u64,
    },
    /// It is a pipe, and nobody writes to it.
    #[error("{path} is a pipe into which nothing was written for {} s", waited.as_secs_f64())]
    Silent {
        /// The path as it was given.
        path: String,
        /// How long that was waited for.
        waited: Duration,
    },
}

/// A number of bytes in a unit that suits it, for messages.
fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// Reads a file, pipe or device of at most `most` bytes; `None` if there is none.
///
/// # Errors
///
/// [`ReadError`].
pub fn read_at_most(path: &Path, most: u64) -> Result<Option<Vec<u8>>, ReadError> {
    read_patiently(path, most, PIPE_PATIENCE)
}

/// The same, with so much patience with a silent pipe.
fn read_patiently(
    path: &Path,
    most: u64,
    patience: Duration,
) -> Result<Option<Vec<u8>>, ReadError> {
    let shown = || path.display().to_string();
    match read(path, most, patience) {
        Ok(Some(bytes)) if bytes.len() as u64 > most => Err(ReadError::TooLarge {
            path: shown(),
            most,
        }),
        Ok(Some(bytes)) => Ok(Some(bytes)),
        Ok(None) => Err(ReadError::Silent {
            path: shown(),
            waited: patience,
        }),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(ReadError::Failed {
            path: shown(),
            cause,
        }),
    }
}

/// A new file that is to take the place of another, or what stands in for one. Until then it is in nobody's way,
/// and if it never does, nothing is left of it.
pub trait Replacement: Write {
    /// What it is once it has the place.
    type Placed;

    /// Returns when all that was written survives a loss of power.
    ///
    /// # Errors
    ///
    /// If the system cannot promise that.
    fn sync(&mut self) -> io::Result<()>;

    /// Takes the place at once: nobody ever finds none or half of one there.
    ///
    /// # Errors
    ///
    /// If the system refuses; whatever has the place keeps it then.
    fn take_place(self) -> io::Result<Self::Placed>;
}

/// Writes a file whole: whatever breaks this off, the process's end and a loss of power too, leaves the old file or
/// the new one in the place.
///
/// # Errors
///
/// Whatever goes wrong with writing; the old file is there then.
pub fn replace_whole<R: Replacement>(
    mut new: R,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<R::Placed> {
    write_through(&mut new, write)?;
    // A name may be on the disk before what it stands for.
    new.sync()?;
    new.take_place()
}

/// Writes piece by piece, with few calls to the system.
///
/// # Errors
///
/// Whatever goes wrong with writing.
pub fn write_through(
    file: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    write(&mut file)?;
    file.flush()
}

/// Where there are no files.
#[cfg(not(unix))]
fn read(_path: &Path, _most: u64, _patience: Duration) -> io::Result<Option<Vec<u8>>> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
mod on_unix {
    use std::fs::{File, Metadata, OpenOptions};
    use std::io::{self, Read};
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    use std::path::Path;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::OFlags;

    /// Reads a file, or a pipe that is not silent for too long: one byte more than `most`, if there is one.
    pub fn read(path: &Path, most: u64, patience: Duration) -> io::Result<Option<Vec<u8>>> {
        // Not even opening a pipe may wait for whoever writes to it.
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
            .open(path)?;
        let metadata = file.metadata()?;
        match metadata.file_type().is_fifo() {
            true => read_pipe(&file, most, patience),
            false => read_file(&file, &metadata, most).map(Some),
        }
    }

    /// Reads one byte more than `most`, if there is one.
    fn read_file(file: &File, metadata: &Metadata, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(metadata.len().min(most) as usize);
        file.take(most + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The same for a pipe; none if it is silent for too long.
    fn read_pipe(mut pipe: &File, most: u64, patience: Duration) -> io::Result<Option<Vec<u8>>> {
        let patience = Timespec::try_from(patience).ok();
        let mut bytes = Vec::new();
        let mut part = [0; 8192];
        while bytes.len() as u64 <= most {
            let ready = poll(&mut [PollFd::new(pipe, PollFlags::IN)], patience.as_ref());
            match ready {
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            match pipe.read(&mut part) {
                Ok(0) => break,
                Ok(length) => bytes.extend_from_slice(&part[..length]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Some(bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write;
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

    #[test]
    fn endless_devices_end() {
        let error = read_at_most(Path::new("/dev/zero"), 1 << 20).expect_err("it has no end");
        assert_eq!(error.to_string(), "/dev/zero is larger than 1 MiB");
    }

    fn pipe_in(folder: &tempfile::TempDir) -> PathBuf {
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo runs").success());
        path
    }

    #[test]
    fn a_silent_pipe_is_given_up_with_and_without_a_writer() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = pipe_in(&folder);
        let given_up = || {
            let patience = Duration::from_millis(20);
            let error = read_patiently(&path, 1 << 20, patience).expect_err("nobody writes");
            let told = error.to_string();
            let why = "pipe is a pipe into which nothing was written for 0.02 s";
            assert!(told.ends_with(why), "{told}");
        };
        given_up();
        let mut both = OpenOptions::new();
        let mut writer = both.read(true).write(true).open(&path).expect("a pipe");
        given_up();
        writer.write_all(b"half").expect("there is room");
        given_up();
    }

    #[test]
    fn a_pipe_is_read_to_its_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = pipe_in(&folder);
        let written = path.clone();
        let writer = std::thread::spawn(move || std::fs::write(written, vec![b'x'; 100_000]));
        let read = read_at_most(&path, 1 << 20).expect("it ends");
        assert_eq!(read.expect("it is there").len(), 100_000);
        writer.join().expect("no panic").expect("it was read");
    }
}
