//! The commands that belong to a single game, and the parts of common commands that depend on the game. Each game has a
//! folder.

pub mod entropy;
pub(super) mod export;
pub(super) mod guesswho;
pub(super) mod halma;
pub(super) mod masterchef;
pub mod moved;
pub(super) mod starters;
pub(super) mod stdio;
pub(super) mod twentyone;

use std::process::ExitCode;

use clap::Subcommand;

use starters::{JAVA, JAVA_AT_ONCE, Starter, file, starter, starters};

/// The port to which the remote participants of a tournament connect. It belongs to Entropy, the only game with a
/// protocol for such connections.
pub(super) use entropy::host::port;

/// Prepares a worker to play batches of games for a training. This belongs to Entropy, the only game that has
/// trainings.
#[cfg(feature = "cluster")]
pub(super) use entropy::batches::prepare_batches;

/// The starter players that `turnwise new` can write; each entry contains those for one game.
pub(super) static STARTERS: [[Starter; 4]; 5] = [
    starters!("entropy", JAVA),
    starters!("halma", JAVA_AT_ONCE),
    starters!("masterchef", JAVA_AT_ONCE),
    starters!("guesswho", JAVA),
    starters!("twentyone", JAVA; "json.hpp", "Json.java", "json.rs"),
];

/// The players that `turnwise export` writes.
#[derive(Debug, Subcommand)]
enum Exported {
    /// Entropy as at CodeCup: one Rust file
    Codecup(entropy::export::Arguments),
    /// Guess Who in the course's framework: three Java players
    GuesswhoJava(guesswho::export::Arguments),
    /// TwentyOne in the course's engine: one Haskell file
    TwentyoneHaskell(twentyone::export::Arguments),
}

impl Exported {
    /// Writes the player.
    fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Codecup(arguments) => entropy::export::run(arguments),
            Self::GuesswhoJava(arguments) => guesswho::export::run(arguments),
            Self::TwentyoneHaskell(arguments) => twentyone::export::run(arguments),
        }
    }
}

/// The protocols of `turnwise stdio`.
#[derive(Debug, Subcommand)]
enum Spoken {
    /// Entropy in the plain lines of the assignment text
    Entropy(entropy::stdio::EntropyArguments),
    /// Entropy as at CodeCup 2023: 7x7, Order may pass
    Codecup(entropy::stdio::CodecupArguments),
    /// TwentyOne, one JSON line per call: protocol/twentyone.md
    Twentyone(twentyone::SettingsArguments),
    /// Guess Who, one line per request and reply: protocol/guesswho.md
    Guesswho(guesswho::StdioArguments),
}

impl Spoken {
    /// Plays until stdin ends or the manager ends the game.
    fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Entropy(arguments) => arguments.run(),
            Self::Codecup(arguments) => arguments.run(),
            Self::Twentyone(arguments) => twentyone::run_stdio(&arguments),
            Self::Guesswho(arguments) => guesswho::run_stdio(arguments),
        }
    }
}
