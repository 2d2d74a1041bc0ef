//! Defines the type of a starter player, which `turnwise new` writes. Each game declares its own starter players.

/// A starter player for a game, in a programming language.
pub(in crate::cli) struct Starter {
    pub game: &'static str,
    pub language: &'static str,
    /// The command that runs the player after it has been built.
    pub run: &'static str,
    pub files: &'static [(&'static str, &'static str)],
}

/// Includes the text of a file in this repository. The parts of its path are given separately.
macro_rules! file {
    ($($part:expr),+) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR") $(, "/", $part)+))
    };
}

/// Creates a starter player from the game, the language, the command that runs it, and its source files. Adds the
/// game's README and the language's Makefile. A file after a semicolon belongs to the players for new games.
macro_rules! starter {
    ($game:literal, $language:literal, $run:expr, $($file:literal),+ $(; $shared:literal)?) => {
        $crate::cli::games::starters::Starter {
            game: $game,
            language: $language,
            run: $run,
            files: &[
                ("README.md", $crate::cli::games::starters::file!("starters", $game, "README.md")),
                ("Makefile", $crate::cli::games::starters::file!("starters", $game, $language, "Makefile")),
                $(($file, $crate::cli::games::starters::file!("starters", $game, $language, $file)),)+
                $(($shared, $crate::cli::games::starters::file!("templates/game/players", $language, $shared)))?
            ],
        }
    };
}

pub(in crate::cli) use {file, starter};

pub(in crate::cli) const SCRIPT: &str = "python3 player.py";
pub(in crate::cli) const PROGRAM: &str = "./player";
pub(in crate::cli) const JAVA: &str = "java -cp . Player";
/// The command that runs a Java program with a fast start, for games in which the program is started for every move.
pub(in crate::cli) const JAVA_AT_ONCE: &str =
    "java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp . Player";
