//! The versions of programs: a SHA-256 of a program's command and files shows that a participant has changed.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;
use turnwise_arena::agents::Kind;
use turnwise_arena::records::Contestant;
use turnwise_engine::files::open_plain;
use turnwise_engine::words::{hex, printable};

/// The maximum number of files and folders that are read for a version.
const MOST_ENTRIES: usize = 100_000;

/// The maximum number of bytes that are read for a version.
const MOST_BYTES: u64 = 512 << 20;

/// The number of bytes of a file that are in memory at a time.
const CHUNK: usize = 1 << 16;

/// The permission bits with which a file is executable for the owner, the group or others.
const EXECUTABLE: u32 = 0o111;

/// The reason why a program has no version.
#[derive(Debug, Error)]
pub enum VersionError {
    /// The program's folder does not exist.
    #[error("expected a folder at {path}, found nothing there", path = printable(&.0.display().to_string()))]
    Missing(PathBuf),
    /// A file cannot be read.
    #[error("cannot read {path}: {cause}", path = printable(&.path.display().to_string()))]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// The folder is too large to be read at each start of the tournament.
    #[error(
        "expected at most {MOST_ENTRIES} files and {} MiB in {path}, got more", MOST_BYTES >> 20,
        path = printable(&.0.display().to_string())
    )]
    TooLarge(PathBuf),
}

/// Returns the version of a program in hexadecimal digits; `None` for a participant that is not a program.
///
/// The version is the SHA-256 of the command and of the names, contents and executable bits of all files in the folder.
/// For a link, its target counts. Without a folder, the files that the command names count; likewise in the current
/// folder, where the tournament itself writes files.
///
/// # Errors
///
/// Returns an error if a file cannot be read, or if the folder is too large.
pub fn version(contestant: &Contestant, kind: &Kind) -> Result<Option<String>, VersionError> {
    let Kind::Program { words, .. } = kind else {
        return Ok(None);
    };
    let mut hash = Sha256::new();
    add(&mut hash, b"command", contestant.spec.as_bytes());
    let mut left = match &contestant.folder {
        Some(folder) if !folder.exists() => return Err(VersionError::Missing(folder.clone())),
        Some(folder) if !is_current(folder) => vec![folder.clone()],
        Some(_) | None => {
            let files = words.iter().map(PathBuf::from);
            files
                .filter(|path| path.is_relative() && path.is_file())
                .collect()
        }
    };
    let root = contestant.folder.clone().unwrap_or_default();
    let (mut entries, mut bytes) = (left.len(), 0);
    while let Some(path) = left.pop() {
        let at = |cause: io::Error| VersionError::Unreadable {
            path: path.clone(),
            cause,
        };
        let kind = fs::symlink_metadata(&path).map_err(at)?.file_type();
        // The folder itself may be a link, unless programs are isolated.
        if kind.is_dir() || path == root {
            let inside = fs::read_dir(&path).map_err(at)?;
            let first = left.len();
            for entry in inside {
                left.push(entry.map_err(at)?.path());
                entries += 1;
                if entries > MOST_ENTRIES {
                    return Err(VersionError::TooLarge(root));
                }
            }
            // The last path is taken first, so the files are read in the order of their names.
            left[first..].sort_unstable_by(|one, other| other.cmp(one));
            continue;
        }
        add(&mut hash, b"path", name_in(&root, &path));
        if kind.is_symlink() {
            let target = fs::read_link(&path).map_err(at)?;
            add(&mut hash, b"link", target.as_os_str().as_bytes());
        } else if kind.is_file() {
            let file = open_plain(&path).map_err(at)?;
            let about = file.metadata().map_err(at)?;
            let is_executable = about.permissions().mode() & EXECUTABLE != 0;
            bytes += about.len();
            if bytes > MOST_BYTES {
                return Err(VersionError::TooLarge(root));
            }
            add(&mut hash, b"executable", &[u8::from(is_executable)]);
            let mut content = Sha256::new();
            // A file that grows meanwhile is not read beyond its size.
            let mut file = BufReader::with_capacity(CHUNK, file.take(about.len()));
            loop {
                let read = file.fill_buf().map_err(at)?;
                if read.is_empty() {
                    break;
                }
                content.update(read);
                let length = read.len();
                file.consume(length);
            }
            add(&mut hash, b"content", &content.finalize());
        }
    }
    Ok(Some(hex(&hash.finalize())))
}

/// Returns true if this is the current folder of the process.
fn is_current(folder: &Path) -> bool {
    let both = [folder, Path::new(".")].map(|folder| folder.canonicalize().ok());
    both[0] == both[1]
}

/// Adds a value to a hash, with its kind and length, so that different values never have equal bytes.
fn add(hash: &mut Sha256, kind: &[u8], value: &[u8]) {
    hash.update(kind);
    hash.update((value.len() as u64).to_le_bytes());
    hash.update(value);
}

/// Returns the path of a file relative to its program's folder, so that the folder may move.
fn name_in<'a>(root: &Path, path: &'a Path) -> &'a [u8] {
    path.strip_prefix(root)
        .unwrap_or(path)
        .as_os_str()
        .as_bytes()
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::symlink;

    use turnwise_arena::agents::Way;

    use super::*;

    fn of(folder: &Path, spec: &str) -> Result<Option<String>, VersionError> {
        let contestant = Contestant {
            name: "ada".to_owned(),
            spec: spec.to_owned(),
            folder: Some(folder.to_owned()),
        };
        let kind = Kind::Program {
            words: vec!["player".to_owned()],
            way: Way::Files,
            part: None,
        };
        version(&contestant, &kind)
    }

    #[test]
    fn a_version_in_the_current_folder_depends_on_the_files_of_the_command_alone() {
        let of_file = |name: &str| {
            let contestant = Contestant {
                name: "ada".to_owned(),
                spec: format!("cmd:sh {name}"),
                folder: Some(PathBuf::from(".")),
            };
            let kind = Kind::Program {
                words: vec!["sh".to_owned(), name.to_owned()],
                way: Way::Files,
                part: None,
            };
            version(&contestant, &kind)
                .expect("it can be read")
                .expect("a program")
        };
        let hash = |parts: &[(&[u8], &[u8])]| {
            let mut hash = Sha256::new();
            for (kind, value) in parts {
                add(&mut hash, kind, value);
            }
            hex(&hash.finalize())
        };
        let content = Sha256::digest(fs::read("Cargo.toml").expect("this crate's manifest"));
        let parts: [(&[u8], &[u8]); 4] = [
            (b"command", b"cmd:sh Cargo.toml"),
            (b"path", b"Cargo.toml"),
            (b"executable", &[0]),
            (b"content", &content),
        ];
        assert_eq!(of_file("Cargo.toml"), hash(&parts));
        assert_eq!(of_file("absent"), hash(&[(b"command", b"cmd:sh absent")]));
    }

    /// Creates a folder with these files, in this order.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("there is room");
            fs::write(path, text).expect("there is room");
        }
        folder
    }

    #[test]
    fn a_version_depends_on_names_contents_executable_bits_and_the_command_alone() {
        let version = |folder: &Path| of(folder, "cmd:player").expect("it can be read");
        let files = [("a", "1"), ("b/c", "2"), ("b.d", "3")];
        let first = folder(&files);
        let same = folder(&[files[2], files[1], files[0]]);
        assert_eq!(version(first.path()), version(same.path()));
        assert_eq!(version(first.path()).expect("a program").len(), 64);
        for other in [
            [("a", "2"), ("b/c", "2"), ("b.d", "3")],
            [("e", "1"), ("b/c", "2"), ("b.d", "3")],
            // The bytes of all names and contents together are equal.
            [("a", "1b/c"), ("b/c", ""), ("b.d", "3")],
        ] {
            let other = folder(&other);
            assert_ne!(version(first.path()), version(other.path()));
        }
        assert_ne!(
            version(first.path()),
            of(first.path(), "cmd:other").expect("read")
        );
        let executable = Permissions::from_mode(0o755);
        fs::set_permissions(same.path().join("a"), executable).expect("it is ours");
        assert_ne!(version(first.path()), version(same.path()));
        for target in ["a", "no-such-file"] {
            let before = version(first.path());
            let _ = fs::remove_file(first.path().join("link"));
            symlink(target, first.path().join("link")).expect("a link");
            assert_ne!(version(first.path()), before, "{target}");
        }
    }

    #[test]
    fn hostile_folders_neither_hang_nor_fill_the_memory() {
        let ada = folder(&[("player", "")]);
        let huge = fs::File::create(ada.path().join("huge")).expect("there is room");
        huge.set_len(MOST_BYTES + 1).expect("it takes no space");
        let why = of(ada.path(), "cmd:player").expect_err("too large");
        assert!(matches!(why, VersionError::TooLarge(_)), "{why}");
        fs::remove_file(ada.path().join("huge")).expect("it is ours");
        symlink(".", ada.path().join("loop")).expect("a link");
        let pipe = std::process::Command::new("mkfifo")
            .arg(ada.path().join("pipe"))
            .status();
        assert!(pipe.expect("it starts").success());
        assert!(of(ada.path(), "cmd:player").is_ok());
        let gone = of(&ada.path().join("gone"), "cmd:player");
        let why = gone.expect_err("missing").to_string();
        assert!(why.contains("expected a folder at"), "{why}");
        let file = of(&ada.path().join("player"), "cmd:player");
        let why = file.expect_err("no folder").to_string();
        assert!(why.contains("cannot read"), "{why}");
    }
}
