//! Files that are read and written whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

/// A file is larger than whatever could be in it.
#[derive(Debug, thiserror::Error)]
#[error("{file} is larger than {most}")]
pub(super) struct TooLarge {
    file: String,
    most: String,
}

/// Reads a file of at most `most` bytes, else the error is [`TooLarge`]; `None` if there is none.
pub(super) fn read_at_most(path: &Path, most: u64) -> anyhow::Result<Option<Vec<u8>>> {
    let shown = path.display();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(anyhow::Error::new(error).context(format!("cannot open {shown}")));
        }
    };
    let mut bytes = Vec::new();
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {shown}"))?;
    if bytes.len() as u64 > most {
        let most = if most >= 1 << 20 {
            format!("{} MiB", most >> 20)
        } else {
            format!("{} KiB", most >> 10)
        };
        let file = shown.to_string();
        return Err(TooLarge { file, most }.into());
    }
    Ok(Some(bytes))
}

/// Reads a text file of at most `most` bytes.
pub(super) fn read_text(path: &Path, most: u64) -> anyhow::Result<String> {
    let shown = path.display();
    let bytes = read_at_most(path, most)?;
    let bytes = bytes.with_context(|| format!("cannot read {shown}: there is no such file"))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        anyhow::anyhow!("{shown}: not UTF-8 at byte {valid}")
    })
}

/// Where a file is written before it is whole.
fn temporary(path: &Path) -> anyhow::Result<PathBuf> {
    let name = path
        .file_name()
        .with_context(|| format!("{} is not the name of a file", path.display()))?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(temporary))
}

/// Removes what is left in a folder of files of these names that were never written whole, because
/// whoever wrote them was killed. Nobody else may be writing them now.
pub(super) fn clear_temporaries(folder: &Path, names: &[&str]) {
    let is_one = |found: &str| {
        let digits = names.iter().find_map(|name| {
            let rest = found.strip_prefix('.')?.strip_prefix(name)?;
            rest.strip_prefix('.')?.strip_suffix(".tmp")
        });
        digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    // What cannot be listed or removed is in nobody's way.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_one) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes a file beside its place and renames it, so that nobody ever reads half of it.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let temporary = temporary(path)?;
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        // The error to report is the first one; what is left of the temporary file goes if it can.
        let _ = fs::remove_file(&temporary);
        anyhow::Error::new(error).context(format!("cannot write {}", path.display()))
    })
}

/// Makes sure that [`write_whole`] can make its file, as far as that can be told before, for those whose
/// work takes long until then.
pub(super) fn check_place(path: &Path) -> anyhow::Result<()> {
    ensure!(
        !path.is_dir(),
        "cannot write {}: it is a folder; name a file in it",
        path.display()
    );
    let temporary = temporary(path)?;
    File::create(&temporary)
        .and_then(|_| fs::remove_file(&temporary))
        .with_context(|| format!("cannot write {}", path.display()))
}
