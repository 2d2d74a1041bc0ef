//! Packs files and folders to send them to another machine, and unpacks them there.
//!
//! Files are packed as tar archives, which are identified by hashes of their contents. Only plain files, folders and
//! the executable flag are sent; links, devices and other entries are not. Nothing is unpacked outside the target
//! folder. Sender and receiver both enforce these rules, because neither trusts its input.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};
use tar::{Archive, Builder, EntryType, Header};
use thiserror::Error;
use turnwise_engine::words::hex;

/// The maximum total size in bytes of the files in one packed folder.
pub const LARGEST: u64 = 64 << 20;

/// The maximum number of files and folders in one packed folder.
pub const MOST_FILES: usize = 10_000;

/// The maximum number of bytes that an archive needs in addition to a file's content, for example for its name.
const LARGEST_HEAD: u64 = 10 << 10;

/// The maximum size of a packed folder in bytes.
pub(crate) const LARGEST_PACKED: u64 = LARGEST + MOST_FILES as u64 * LARGEST_HEAD;

/// The maximum total size of a run's packed files in bytes.
pub(crate) const LARGEST_TOGETHER: u64 = 4 << 30;

/// The name, inside its archive, of a file that is packed alone.
pub(crate) const FILE: &str = "file";

/// The modes of unpacked files: all users may read the files, because programs may run as other users.
const READABLE: u32 = 0o644;
const RUNNABLE: u32 = 0o755;

/// The reason why a file or folder cannot be packed or unpacked.
#[derive(Debug, Error)]
pub enum FilesError {
    /// The system cannot read or write a file, or the data is not a valid archive.
    #[error("{path}: {cause}")]
    System {
        /// The path of the file, or its name in the archive.
        path: String,
        /// The system's error.
        cause: io::Error,
    },
    /// The entry is neither a plain file nor a folder.
    #[error(
        "{0} is neither a plain file nor a folder; links and special files are not sent to workers"
    )]
    Kind(String),
    /// The name of an entry in the archive leads out of the target folder.
    #[error("{0:?} points outside its folder")]
    Outside(PathBuf),
    /// The folder contains more than [`MOST_FILES`] files and folders.
    #[error("expected at most {MOST_FILES} files and folders to send to workers, got more")]
    TooMany,
    /// The files of the folder are larger than [`LARGEST`] together.
    #[error("expected at most {} MiB to send to workers, got more", LARGEST >> 20)]
    TooLarge,
    /// The packed files of all participants are too large together.
    #[error("expected at most {} GiB for all participants together, got more", LARGEST_TOGETHER >> 30)]
    TooLargeTogether,
}

fn system(path: &Path) -> impl Fn(io::Error) -> FilesError {
    let path = path.display().to_string();
    move |cause| FilesError::System {
        path: path.clone(),
        cause,
    }
}

/// Returns the hash that identifies these bytes: their SHA-256 in hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// An archive that is being written, and how many bytes and files may still be added.
struct Packing {
    tar: Builder<Vec<u8>>,
    left: u64,
    files: usize,
}

impl Packing {
    fn new() -> Self {
        Self {
            tar: Builder::new(Vec::new()),
            left: LARGEST,
            files: 0,
        }
    }

    fn add(&mut self, name: &Path, kind: EntryType, mode: u32, content: &[u8]) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_mode(mode);
        // The time is set to 0, so that equal contents give equal archives.
        header.set_mtime(0);
        self.tar.append_data(&mut header, name, content)
    }

    /// Adds the plain file at `path` to the archive, under the name `name`.
    fn file(&mut self, path: &Path, name: &Path) -> Result<(), FilesError> {
        let kind = || FilesError::Kind(path.display().to_string());
        let file = OpenOptions::new()
            .read(true)
            // If the file has been replaced by a link or a pipe, neither follow the link nor wait for the pipe.
            .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
            .open(path)
            .map_err(system(path))?;
        let about = file.metadata().map_err(system(path))?;
        if !about.is_file() {
            return Err(kind());
        }
        let mut content = Vec::new();
        let read = file.take(self.left + 1).read_to_end(&mut content);
        read.map_err(system(path))?;
        self.left = (self.left)
            .checked_sub(content.len() as u64)
            .ok_or(FilesError::TooLarge)?;
        let mode = match about.permissions().mode() & 0o111 {
            0 => READABLE,
            _ => RUNNABLE,
        };
        self.add(name, EntryType::Regular, mode, &content)
            .map_err(system(path))
    }

    /// Adds the content of a folder to the archive, with its entries sorted by name.
    fn folder(&mut self, path: &Path, name: &Path) -> Result<(), FilesError> {
        let entries = fs::read_dir(path).map_err(system(path))?;
        let mut names = Vec::new();
        for entry in entries {
            self.files += 1;
            if self.files > MOST_FILES {
                return Err(FilesError::TooMany);
            }
            names.push(entry.map_err(system(path))?.file_name());
        }
        names.sort();
        for entry in names {
            let (path, name) = (path.join(&entry), name.join(&entry));
            let kind = fs::symlink_metadata(&path).map_err(system(&path))?;
            if kind.is_file() {
                self.file(&path, &name)?;
            } else if kind.is_dir() {
                let added = self.add(&name, EntryType::Directory, RUNNABLE, &[]);
                added.map_err(system(&path))?;
                self.folder(&path, &name)?;
            } else {
                return Err(FilesError::Kind(path.display().to_string()));
            }
        }
        Ok(())
    }

    fn packed(self, path: &Path) -> Result<Vec<u8>, FilesError> {
        self.tar.into_inner().map_err(system(path))
    }
}

/// Returns the total size of a run's packed files in bytes, after adding `packed` to the total `before`.
///
/// # Errors
///
/// Returns an error if the total exceeds [`LARGEST_TOGETHER`].
pub(crate) fn together(before: u64, packed: &[u8]) -> Result<u64, FilesError> {
    let together = before + packed.len() as u64;
    match together <= LARGEST_TOGETHER {
        true => Ok(together),
        false => Err(FilesError::TooLargeTogether),
    }
}

/// Packs a folder into an archive. Equal contents give equal archives.
///
/// # Errors
///
/// Returns an error if an entry cannot be packed, or if the folder is too large.
pub fn pack_folder(path: &Path) -> Result<Vec<u8>, FilesError> {
    let mut packing = Packing::new();
    packing.folder(path, Path::new(""))?;
    packing.packed(path)
}

/// Packs a single file into an archive.
///
/// # Errors
///
/// Returns an error if the file is not a plain file, or if it is too large.
pub fn pack_file(path: &Path) -> Result<Vec<u8>, FilesError> {
    // If the user has named a link, it is followed.
    let real = path.canonicalize().map_err(system(path))?;
    let mut packing = Packing::new();
    packing.file(&real, Path::new(FILE))?;
    packing.packed(path)
}

/// Packs `content` into an archive, as the content of a single file.
pub(crate) fn pack_bytes(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut packing = Packing::new();
    packing.add(Path::new(FILE), EntryType::Regular, READABLE, content)?;
    packing.tar.into_inner()
}

/// Unpacks an archive into the existing, empty folder `into`, which only this user may access. Returns the paths of all
/// unpacked files and folders.
///
/// # Errors
///
/// Returns an error if the bytes are not an archive, if an entry is not allowed, or if the archive is too large.
/// Entries that were unpacked before the error stay in the folder.
pub fn unpack(packed: &[u8], into: &Path) -> Result<Vec<PathBuf>, FilesError> {
    let (mut left, mut places) = (LARGEST, Vec::new());
    let mut archive = Archive::new(packed);
    for entry in archive.entries().map_err(system(into))? {
        let mut entry = entry.map_err(system(into))?;
        if places.len() == MOST_FILES {
            return Err(FilesError::TooMany);
        }
        let name = entry.path().map_err(system(into))?.into_owned();
        if !is_inside(&name) {
            return Err(FilesError::Outside(name));
        }
        let place = into.join(&name);
        let failed = system(&name);
        let mode = match entry.header().entry_type() {
            EntryType::Directory => {
                DirBuilder::new().create(&place).map_err(&failed)?;
                RUNNABLE
            }
            EntryType::Regular => {
                // If an entry with this name already exists, this fails and does not overwrite it.
                let mut file = File::create_new(&place).map_err(&failed)?;
                let copied =
                    io::copy(&mut (&mut entry).take(left + 1), &mut file).map_err(&failed)?;
                left = left.checked_sub(copied).ok_or(FilesError::TooLarge)?;
                match entry.header().mode().map_err(&failed)? & 0o111 {
                    0 => READABLE,
                    _ => RUNNABLE,
                }
            }
            _ => return Err(FilesError::Kind(name.display().to_string())),
        };
        fs::set_permissions(&place, Permissions::from_mode(mode)).map_err(failed)?;
        places.push(place);
    }
    Ok(places)
}

/// Returns true if a name is relative and does not lead out of its folder.
fn is_inside(name: &Path) -> bool {
    let mut parts = name.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests;
