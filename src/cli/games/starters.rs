//! Defines the type of a starter player, which `turnwise new` writes.

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

/// Creates a starter player from the game, the language, the command that runs it, and its source file. Adds the game's
/// README and the language's Makefile. A file after a semicolon belongs to the players for new games.
macro_rules! starter {
    ($game:literal, $language:literal, $run:expr, $file:literal $(; $shared:literal)?) => {
        Starter {
            game: $game,
            language: $language,
            run: $run,
            files: &[
                ("README.md", file!("starters", $game, "README.md")),
                ("Makefile", file!("starters", $game, $language, "Makefile")),
                ($file, file!("starters", $game, $language, $file)),
                $(($shared, file!("templates/game/players", $language, $shared)))?
            ],
        }
    };
}

/// Creates the starter players of a game in all languages. The command runs the Java player. After a semicolon come the
/// files that the players in C++, Java and Rust share with the players for new games.
macro_rules! starters {
    ($game:literal, $java:expr $(; $in_cpp:literal, $in_java:literal, $in_rust:literal)?) => {
        [
            starter!($game, "python", "python3 player.py", "player.py"),
            starter!($game, "cpp", "./player", "player.cpp" $(; $in_cpp)?),
            starter!($game, "java", $java, "Player.java" $(; $in_java)?),
            starter!($game, "rust", "./player", "player.rs" $(; $in_rust)?),
        ]
    };
}

pub(in crate::cli) use {file, starter, starters};

pub(super) const JAVA: &str = "java -cp . Player";
/// The command that runs a Java program with a fast start, for games in which the program is started for every move.
pub(super) const JAVA_AT_ONCE: &str = "java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp . Player";
