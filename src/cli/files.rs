//! Reads files, and replaces files in one step: no reader sees an incomplete file, and an existing file survives if the
//! disk is full.

use std::fs::{self, Metadata, OpenOptions, Permissions};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};
use tempfile::{Builder, NamedTempFile};
use turnwise_engine::files::{
    open_input, open_to_write, read_at_most, replace_whole, write_through,
};

/// The permissions of a new file, before the system applies the user's umask.
const MODE: u32 = 0o666;

/// The number of random letters and digits in the name of a temporary file.
const RANDOM: usize = 12;

/// The kind of object to which an output path refers.
enum Place {
    /// A regular file, or a file to create. The path contains no links. The metadata is `None` if the file does not
    /// exist yet.
    File(PathBuf, Option<Metadata>),
    /// A device, a pipe or a dangling link. The data is written through it; no new file replaces it.
    Through,
}

fn place(path: &Path) -> io::Result<Place> {
    match fs::metadata(path) {
        Ok(there) if there.is_file() => Ok(Place::File(fs::canonicalize(path)?, Some(there))),
        Ok(_) => Ok(Place::Through),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.is_symlink() {
            true => Ok(Place::Through),
            false => Ok(Place::File(path.to_owned(), None)),
        },
        Err(error) => Err(error),
    }
}

/// The size of the buffer for reading a log, in bytes.
const READ_AHEAD: usize = 1 << 18;

/// Opens a log to read it line by line. The log may have any size, and may be a file or a pipe.
pub(super) fn open_log(path: &Path) -> anyhow::Result<BufReader<Box<dyn Read>>> {
    let shown = path.display();
    let input = open_input(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => anyhow!("cannot read the log {shown}: there is no such file"),
        _ => anyhow!("cannot read {shown}: {error}"),
    })?;
    Ok(BufReader::with_capacity(READ_AHEAD, input))
}

/// Reads a text file; a file of more than `most` bytes is an error.
pub(super) fn read_text(path: &Path, most: u64) -> anyhow::Result<String> {
    let shown = path.display();
    let bytes = read_at_most(path, most)?;
    let bytes = bytes.with_context(|| format!("cannot read {shown}: there is no such file"))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        anyhow!("{shown}: not UTF-8 at byte {valid}")
    })
}

/// Creates a temporary file with an unpredictable name in the folder of the destination.
///
/// The file is removed when the returned value is dropped, unless the file has been renamed.
fn temporary(path: &Path, there: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    let mode = there.map_or(MODE, |there| there.permissions().mode() & 0o777);
    Builder::new()
        .prefix(&prefix)
        .suffix(".tmp")
        .rand_bytes(RANDOM)
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder_of(path))
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// Removes temporary files from a folder. Such files remain if a process is killed while it writes a file; `names` are
/// the names of the files that were being written.
///
/// While this function runs, no other process may write files with these names.
pub(super) fn clear_temporaries(folder: &Path, names: &[&str]) {
    let is_one = |found: &str| {
        let middle = names.iter().find_map(|name| {
            let rest = found.strip_prefix('.')?.strip_prefix(name)?;
            rest.strip_prefix('.')?.strip_suffix(".tmp")
        });
        middle.is_some_and(|middle| {
            middle.len() == RANDOM && middle.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    };
    // Errors are ignored, because a leftover file does no harm.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_one) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes a file so that readers see either the old content or the complete new content.
///
/// A regular file is written under a temporary name in the destination's folder, and then renamed. To a device or a
/// pipe, data is written directly.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write_whole_by(path, |out| out.write_all(bytes))
}

/// Like [`write_whole`], but `write` writes the data piece by piece.
pub(super) fn write_whole_by(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    let write = || match place(path)? {
        Place::File(path, there) => {
            let file = temporary(&path, there.as_ref())?;
            let sync = |file: &NamedTempFile| file.as_file().sync_all();
            replace_whole(file, write, sync, |file| {
                Ok(file.persist(path).map(drop)?)
            })
        }
        Place::Through => {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true);
            write_through(&mut open_to_write(&mut options, path)?, write)
        }
    };
    write().map_err(|error: io::Error| cannot_write(path, error))
}

/// Writes a port number to a file, for which another process may be waiting. Once the file exists, it contains the
/// complete number.
pub(super) fn announce(file: &Path, port: u16) -> anyhow::Result<()> {
    write_whole(file, format!("{port}\n").as_bytes()).context("cannot write the port file")
}

/// Returns the folder for turnwise's files of one kind: `turnwise` in the folder that the variable names, or in the
/// folder `usual` of the user's home.
///
/// Returns `None` if the user has no home folder.
pub(super) fn users_folder(variable: &str, usual: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let folder = match named.filter(|folder| folder.is_absolute()) {
        Some(folder) => folder,
        None => PathBuf::from(std::env::var_os("HOME")?).join(usual),
    };
    Some(folder.join("turnwise"))
}

/// Returns the default folder for solutions. Returns `None` if the user has no home folder.
pub(super) fn solutions() -> Option<PathBuf> {
    users_folder("XDG_DATA_HOME", ".local/share")
}

/// Checks, as far as this is possible in advance, that [`write_whole`] can write to this path. Call this before long
/// work.
pub(super) fn check_place(path: &Path) -> anyhow::Result<()> {
    ensure!(
        !path.is_dir(),
        "cannot write {}: it is a folder; name a file in it",
        path.display()
    );
    let check = || match place(path)? {
        Place::File(path, there) => temporary(&path, there.as_ref()).map(drop),
        Place::Through => Ok(()),
    };
    check().map_err(|error| cannot_write(path, error))
}

fn cannot_write(path: &Path, error: io::Error) -> anyhow::Error {
    anyhow::Error::new(error).context(format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_link_stays_a_link_and_the_file_behind_it_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        write_whole(&file, b"old").expect("there is room");
        fs::set_permissions(&file, Permissions::from_mode(0o640)).expect("it is ours");
        symlink("file", &link).expect("there is none yet");
        write_whole(&link, b"new").expect("there is room");
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).expect("it is there"), b"new");
        let mode = fs::metadata(&file)
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
    }

    /// Creates a socket and returns its path. Writing to the socket fails, like writing to a file on a full disk.
    fn unwritable(folder: &Path) -> PathBuf {
        let path = folder.join("socket");
        drop(UnixListener::bind(&path).expect("there is none yet"));
        path
    }

    #[test]
    fn at_whatever_byte_it_breaks_off_the_old_file_stays_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        for new in 0..=3 {
            for old in [None, Some("old")] {
                let _ = fs::remove_file(&path);
                if let Some(old) = old {
                    fs::write(&path, old).expect("there is room");
                }
                let broken = write_whole_by(&path, |out| {
                    out.write_all(&b"new"[..new])?;
                    Err(io::ErrorKind::StorageFull.into())
                });
                broken.expect_err("it breaks off");
                assert_eq!(fs::read_to_string(&path).ok().as_deref(), old);
                let left = fs::read_dir(&folder).expect("a folder").count();
                assert_eq!(left, usize::from(old.is_some()));
            }
        }
    }

    /// Tests writing to paths that are not regular files, namely a pipe and a socket. The system's devices are not
    /// used, because a failing test could replace them with files.
    #[test]
    fn what_is_no_regular_file_is_written_to_and_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo is there").success());
        check_place(&pipe).expect("it is there");
        let mut both = OpenOptions::new();
        let mut reader = both.read(true).write(true).open(&pipe).expect("a pipe");
        write_whole(&pipe, b"gone").expect("it takes that much");
        let mut read = [0; 4];
        let metadata = fs::metadata(&pipe).expect("it is there");
        assert!(metadata.file_type().is_fifo());
        reader.read_exact(&mut read).expect("it was written");
        assert_eq!(&read, b"gone");
        let socket = unwritable(folder.path());
        let error = write_whole(&socket, b"no").expect_err("it takes nothing");
        assert_eq!(
            error.to_string(),
            format!("cannot write {}", socket.display())
        );
        let metadata = fs::metadata(&socket).expect("it is there");
        assert!(metadata.file_type().is_socket());
    }

    #[test]
    fn whatever_lies_at_a_name_that_can_be_guessed_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let [file, victim] = ["file", "victim"].map(|name| folder.path().join(name));
        fs::write(&victim, "precious").expect("there is room");
        let guessed = format!(".file.{}.tmp", std::process::id());
        symlink(&victim, folder.path().join(guessed)).expect("there is none yet");
        write_whole(&file, b"new").expect("there is room");
        assert_eq!(fs::read(&victim).expect("it is there"), b"precious");
    }

    #[test]
    fn what_was_never_written_whole_is_cleared() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = [
            ".a.x7Yz0123abcD.tmp",
            ".a.x.tmp",
            ".b.x7Yz0123abcD.tmp",
            "a",
        ];
        for name in names {
            fs::write(folder.path().join(name), "").expect("there is room");
        }
        clear_temporaries(folder.path(), &["a"]);
        let left = |name: &&str| folder.path().join(name).exists();
        let left: Vec<_> = names.iter().copied().filter(left).collect();
        assert_eq!(left, [".a.x.tmp", ".b.x7Yz0123abcD.tmp", "a"]);
    }
}
