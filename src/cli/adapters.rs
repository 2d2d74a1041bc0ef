//! The built-in adapters, which are referees for the games of other projects, such as `openspiel:NAME`.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;

use super::files::{users_folder, write_whole};
use super::games::starters::file;

/// The files of an adapter: their names and contents.
type Files = &'static [(&'static str, &'static str)];

/// The library for referees in Python, which every adapter uses.
pub(super) const LIBRARY: (&str, &str) = (
    "turnwise_referee.py",
    file!("templates/game/python/turnwise_referee.py"),
);

/// Creates the entry of an adapter from its name, which is also its folder, and from the names of its files.
macro_rules! adapter {
    ($name:literal, $($file:literal),+) => {
        ($name, &[LIBRARY, $(($file, file!("adapters", $name, $file))),+])
    };
}

const ADAPTERS: [(&str, Files); 2] = [
    adapter!("openspiel", "game.toml", "qualify.py", "referee.py"),
    adapter!("pettingzoo", "game.toml", "referee.py"),
];

/// Writes the files of the adapter with this name into the user's cache, and returns the folder. Returns `None` if the
/// program has no such adapter.
pub(super) fn folder(name: &str) -> Option<anyhow::Result<PathBuf>> {
    let (_, files) = ADAPTERS.iter().find(|(known, _)| *known == name)?;
    Some(written(name, files).with_context(|| format!("cannot write the adapter {name}")))
}

fn written(name: &str, files: Files) -> anyhow::Result<PathBuf> {
    let cache = users_folder("XDG_CACHE_HOME", ".cache");
    let cache = cache.context("expected a home folder in HOME")?;
    let version = env!("CARGO_PKG_VERSION");
    let folder = cache.join("adapters").join(version).join(name);
    fs::create_dir_all(&folder)?;
    for (name, text) in files {
        let path = folder.join(name);
        // A file with the right contents is left alone, because another command may be reading it.
        if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            write_whole(&path, text.as_bytes())?;
        }
    }
    Ok(folder)
}
