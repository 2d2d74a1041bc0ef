//! The files of the front end, which are compiled into the program: see [`FILES`].

/// A file of the front end.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// The file's name, below `/web/` on the server.
    pub name: &'static str,
    /// The content of the file.
    pub bytes: &'static [u8],
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(Asset { name: $name, bytes: include_bytes!(concat!("../web/", $name)) }),*]
    };
}

/// All files of the front end.
pub const FILES: &[Asset] = files![
    "index.html",
    "analysis.js",
    "board.js",
    "cards.js",
    "course.js",
    "dom.js",
    "engine.js",
    "evaluation.js",
    "folder.js",
    "friend.js",
    "home.js",
    "http.js",
    "live.js",
    "log.js",
    "logs.js",
    "main.js",
    "placing.js",
    "play.js",
    "projector.js",
    "puzzles.js",
    "ranking.js",
    "replay.js",
    "review.js",
    "rules.js",
    "saving.js",
    "setup.js",
    "sound.js",
    "steps.js",
    "store.js",
    "stream.js",
    "style.css",
    "view.js",
    "viewer.css",
    "words.js",
];

impl Asset {
    /// Returns the file with this name, if it exists.
    pub fn named(name: &str) -> Option<&'static Self> {
        FILES.iter().find(|file| file.name == name)
    }

    /// Returns the media type of the file, which follows from its extension.
    pub fn media_type(&self) -> &'static str {
        match self.name.rsplit_once('.') {
            Some((_, "html")) => "text/html; charset=utf-8",
            Some((_, "js")) => "text/javascript; charset=utf-8",
            Some((_, "css")) => "text/css; charset=utf-8",
            Some((_, "svg")) => "image/svg+xml",
            Some((_, "json")) => "application/json",
            Some((_, "wasm")) => "application/wasm",
            Some((_, "png")) => "image/png",
            _ => "application/octet-stream",
        }
    }
}
