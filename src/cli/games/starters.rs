//! Defines starter players for `turnwise new`; each game provides its own.

/// A starter player.
pub(in crate::cli) struct Starter {
    pub game: &'static str,
    pub language: &'static str,
    /// The command that runs the built player.
    pub run: &'static str,
    pub files: &'static [(&'static str, &'static str)],
}

/// Includes a file from the folder of all starters.
macro_rules! file {
    ($($part:expr),+) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/starters" $(, "/", $part)+))
    };
}

/// Creates a starter from game, language, run command and own files; adds the shared README and Makefile.
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
/// For games that start the program for each move.
pub(in crate::cli) const JAVA_AT_ONCE: &str =
    "java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp . Player";
