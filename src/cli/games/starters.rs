//! What a player to begin with is, for `turnwise new`; each game has its own ones.

/// A player to begin with.
pub(in crate::cli) struct Starter {
    pub game: &'static str,
    pub language: &'static str,
    /// How it is run once it is built.
    pub run: &'static str,
    pub files: &'static [(&'static str, &'static str)],
}

/// A file of the folder with all starters.
macro_rules! file {
    ($($part:expr),+) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/starters" $(, "/", $part)+))
    };
}

/// The game, the language, how it is run, and its own files; a README and a Makefile come with all of them.
macro_rules! starter {
    ($game:literal, $language:literal, $run:expr, $($file:literal),+) => {
        $crate::cli::games::starters::Starter {
            game: $game,
            language: $language,
            run: $run,
            files: &[
                ("README.md", $crate::cli::games::starters::file!($game, "README.md")),
                ("Makefile", $crate::cli::games::starters::file!($game, $language, "Makefile")),
                $(($file, $crate::cli::games::starters::file!($game, $language, $file))),+
            ],
        }
    };
}

pub(in crate::cli) use {file, starter};

pub(in crate::cli) const SCRIPT: &str = "python3 player.py";
pub(in crate::cli) const PROGRAM: &str = "./player";
pub(in crate::cli) const JAVA: &str = "java -cp . Player";
/// Where each move starts it anew.
pub(in crate::cli) const JAVA_AT_ONCE: &str =
    "java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp . Player";
