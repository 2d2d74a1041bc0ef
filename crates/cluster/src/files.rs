//! Files and folders in transit: packed as tar, identified by content hashes, and unpacked without leaving the folder.
//!
//! Only plain files, folders and the executable flag travel; links, devices and other entries do not. Both ends enforce
//! that, because neither trusts its input.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use ring::digest::{SHA256, digest};
use rustix::fs::OFlags;
use tar::{Archive, Builder, EntryType, Header};
use thiserror::Error;

/// The maximum total size of a folder's files in bytes.
pub const LARGEST: u64 = 64 << 20;

/// The maximum number of files and folders in a folder.
pub const MOST_FILES: usize = 10_000;

/// The maximum overhead of a packed file in bytes, for example for its name.
const LARGEST_HEAD: u64 = 10 << 10;

/// The maximum size of a packed folder in bytes.
pub(crate) const LARGEST_PACKED: u64 = LARGEST + MOST_FILES as u64 * LARGEST_HEAD;

/// The maximum total size of a run's packed files in bytes.
pub(crate) const LARGEST_TOGETHER: u64 = 4 << 30;

/// The name of a file that travels alone.
pub(crate) const FILE: &str = "file";

/// The modes of unpacked files and folders: programs may run as other users.
const READABLE: u32 = 0o644;
const RUNNABLE: u32 = 0o755;

/// Why a file or folder cannot travel.
#[derive(Debug, Error)]
pub enum FilesError {
    /// The system denies reading or writing, or the data is no archive.
    #[error("{path}: {cause}")]
    System {
        /// The path, or the name in an archive.
        path: String,
        /// The system's error.
        cause: io::Error,
    },
    /// The entry is neither a file nor a folder.
    #[error(
        "{0} is neither a plain file nor a folder; links and special files are not sent to workers"
    )]
    Kind(String),
    /// The name leads out of the folder.
    #[error("{0:?} points outside its folder")]
    Outside(PathBuf),
    /// There are too many files and folders.
    #[error("expected at most {MOST_FILES} files and folders to send to workers, got more")]
    TooMany,
    /// The files of a folder are too large.
    #[error("expected at most {} MiB to send to workers, got more", LARGEST >> 20)]
    TooLarge,
    /// The files of all participants are too large together.
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

/// Returns the identifier of bytes: their SHA-256 in hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    let digest = digest(&SHA256, bytes);
    (digest.as_ref().iter())
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// An archive in progress, and its remaining limits.
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
        // Exclude metadata that differs between equal contents.
        header.set_mtime(0);
        self.tar.append_data(&mut header, name, content)
    }

    /// Adds the plain file at `path` as `name`.
    fn file(&mut self, path: &Path, name: &Path) -> Result<(), FilesError> {
        let kind = || FilesError::Kind(path.display().to_string());
        let file = OpenOptions::new()
            .read(true)
            // If it has become a link or a pipe meanwhile, neither follow it nor wait for it.
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

    /// Adds the content of a folder in the order of names.
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

/// Returns the total size in bytes after another packed file.
///
/// # Errors
///
/// Returns an error if the total exceeds the limit of a run.
pub(crate) fn together(before: u64, packed: &[u8]) -> Result<u64, FilesError> {
    let together = before + packed.len() as u64;
    match together <= LARGEST_TOGETHER {
        true => Ok(together),
        false => Err(FilesError::TooLargeTogether),
    }
}

/// Packs a folder: equal contents give equal bytes.
///
/// # Errors
///
/// Returns an error if an entry cannot travel, or if the folder is too large.
pub fn pack_folder(path: &Path) -> Result<Vec<u8>, FilesError> {
    let mut packing = Packing::new();
    packing.folder(path, Path::new(""))?;
    packing.packed(path)
}

/// Packs a single file.
///
/// # Errors
///
/// Returns an error if the file is not plain or too large.
pub fn pack_file(path: &Path) -> Result<Vec<u8>, FilesError> {
    // Follow a link that the user has named.
    let real = path.canonicalize().map_err(system(path))?;
    let mut packing = Packing::new();
    packing.file(&real, Path::new(FILE))?;
    packing.packed(path)
}

/// Packs the content of a single file.
pub(crate) fn pack_bytes(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut packing = Packing::new();
    packing.add(Path::new(FILE), EntryType::Regular, READABLE, content)?;
    packing.tar.into_inner()
}

/// Unpacks into an existing empty folder that belongs to this user alone.
///
/// # Errors
///
/// Returns an error if this is no packed folder, an entry cannot travel, or it is too large. Unpacked entries stay.
pub fn unpack(packed: &[u8], into: &Path) -> Result<(), FilesError> {
    let (mut left, mut files) = (LARGEST, 0);
    let mut archive = Archive::new(packed);
    for entry in archive.entries().map_err(system(into))? {
        let mut entry = entry.map_err(system(into))?;
        files += 1;
        if files > MOST_FILES {
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
                // Never overwrite an entry or give it another name.
                let mut file = File::create_new(&place).map_err(&failed)?;
                let copied = copy(&mut entry, &mut file, left + 1).map_err(&failed)?;
                left = left.checked_sub(copied).ok_or(FilesError::TooLarge)?;
                match entry.header().mode().map_err(&failed)? & 0o111 {
                    0 => READABLE,
                    _ => RUNNABLE,
                }
            }
            _ => return Err(FilesError::Kind(name.display().to_string())),
        };
        fs::set_permissions(&place, Permissions::from_mode(mode)).map_err(failed)?;
    }
    Ok(())
}

/// Copies at most this many bytes, and returns their number.
fn copy(from: &mut impl Read, to: &mut impl Write, most: u64) -> io::Result<u64> {
    io::copy(&mut from.take(most), to)
}

/// Returns true if a relative name stays within its folder.
fn is_inside(name: &Path) -> bool {
    let mut parts = name.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests;
