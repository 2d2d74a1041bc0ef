//! Files and folders as they travel: packed as tar, known by what they hold, and unpacked where nothing of them
//! leads out.
//!
//! Plain files and folders travel, and whether a file may be run; links, devices and whatever else a folder can
//! hold do not. Both ends hold to that by themselves, because neither trusts what it is given.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use ring::digest::{SHA256, digest};
use rustix::fs::OFlags;
use tar::{Archive, Builder, EntryType, Header};
use thiserror::Error;

/// Bytes that the files of a folder may have together.
pub const LARGEST: u64 = 64 << 20;

/// Files and folders that a folder may hold.
pub const MOST_FILES: usize = 10_000;

/// Bytes that the names and the like of one file take at most when it is packed.
const LARGEST_HEAD: u64 = 10 << 10;

/// Bytes that a packed folder may have.
pub(crate) const LARGEST_PACKED: u64 = LARGEST + MOST_FILES as u64 * LARGEST_HEAD;

/// Bytes that all that comes with a run may have together when it is packed.
pub(crate) const LARGEST_TOGETHER: u64 = 4 << 30;

/// The name under which a file travels that is no part of a folder.
pub(crate) const FILE: &str = "file";

/// Who may do what with files and folders that have come: programs may be other users.
const READABLE: u32 = 0o644;
const RUNNABLE: u32 = 0o755;

/// Why something does not travel.
#[derive(Debug, Error)]
pub enum FilesError {
    /// The system does not let it be read or written, or it is no archive.
    #[error("{path}: {cause}")]
    System {
        /// The file or folder by its path, or by its name in an archive.
        path: String,
        /// What the system says.
        cause: io::Error,
    },
    /// Something else than a file or a folder.
    #[error("{0} is neither a plain file nor a folder; links and the like do not travel")]
    Kind(String),
    /// A name that leads out.
    #[error("{0:?} leads out of its folder")]
    Outside(PathBuf),
    /// Too many files and folders.
    #[error("more than {MOST_FILES} files and folders do not travel")]
    TooMany,
    /// Too much in them.
    #[error("more than {} MiB do not travel", LARGEST >> 20)]
    TooLarge,
    /// Too much of all participants together.
    #[error("more than {} GiB of all participants together do not travel", LARGEST_TOGETHER >> 30)]
    TooLargeTogether,
}

fn system(path: &Path) -> impl Fn(io::Error) -> FilesError {
    let path = path.display().to_string();
    move |cause| FilesError::System {
        path: path.clone(),
        cause,
    }
}

/// What bytes are known by: their SHA-256 in hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    let digest = digest(&SHA256, bytes);
    (digest.as_ref().iter())
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// What is packed, and what may still come.
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
        // Nothing that differs where the content does not.
        header.set_mtime(0);
        self.tar.append_data(&mut header, name, content)
    }

    /// Adds the plain file at this path under this name.
    fn file(&mut self, path: &Path, name: &Path) -> Result<(), FilesError> {
        let kind = || FilesError::Kind(path.display().to_string());
        let file = OpenOptions::new()
            .read(true)
            // What has become a link or a pipe meanwhile is neither followed nor waited for.
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

    /// Adds all that is in a folder, in the order of the names.
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

/// What has been packed by now with one more, in bytes.
///
/// # Errors
///
/// If that is more than may come with a run.
pub(crate) fn together(before: u64, packed: &[u8]) -> Result<u64, FilesError> {
    let together = before + packed.len() as u64;
    match together <= LARGEST_TOGETHER {
        true => Ok(together),
        false => Err(FilesError::TooLargeTogether),
    }
}

/// A folder as it travels: the same bytes for the same content.
///
/// # Errors
///
/// If it holds what does not travel, or too much.
pub fn pack_folder(path: &Path) -> Result<Vec<u8>, FilesError> {
    let mut packing = Packing::new();
    packing.folder(path, Path::new(""))?;
    packing.packed(path)
}

/// A file as it travels alone.
///
/// # Errors
///
/// If it is no plain file, or too large.
pub fn pack_file(path: &Path) -> Result<Vec<u8>, FilesError> {
    // A link that the user has named is meant.
    let real = path.canonicalize().map_err(system(path))?;
    let mut packing = Packing::new();
    packing.file(&real, Path::new(FILE))?;
    packing.packed(path)
}

/// The content of a file as it travels alone.
pub(crate) fn pack_bytes(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut packing = Packing::new();
    packing.add(Path::new(FILE), EntryType::Regular, READABLE, content)?;
    packing.tar.into_inner()
}

/// Unpacks into a folder that is there and empty, and this user's alone.
///
/// # Errors
///
/// If it is no packed folder, or holds what does not travel, or too much. What has been unpacked by then stays.
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
                // No other name for what is there already, and nothing written over.
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

/// Copies so many bytes at most; how many there were.
fn copy(from: &mut impl Read, to: &mut impl Write, most: u64) -> io::Result<u64> {
    io::copy(&mut from.take(most), to)
}

/// True for a name that leads to a place in the folder it is seen from.
fn is_inside(name: &Path) -> bool {
    let mut parts = name.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests;
