//! The commands that belong to one game, a folder for each game; and all that each has for commands of all games.

pub mod entropy;
pub(super) mod guesswho;
pub(super) mod halma;
pub(super) mod masterchef;
pub(super) mod starters;
pub(super) mod stdio;
pub(super) mod twentyone;

use std::process::ExitCode;

use anyhow::anyhow;
use clap::Subcommand;

use super::WrongUsage;

use starters::Starter;

/// Where participants of a tournament come in: one game has a server's wire, which daemons speak.
pub(super) use entropy::host::port;

/// What workers play for trainings: one game has them.
#[cfg(feature = "cluster")]
pub(super) use entropy::batches::prepare_batches;

/// Players to begin with, which `turnwise new` writes.
pub(super) const STARTERS: &[&[Starter]] = &[
    entropy::starters::STARTERS,
    halma::starters::STARTERS,
    masterchef::starters::STARTERS,
    guesswho::starters::STARTERS,
    twentyone::starters::STARTERS,
];

/// What `turnwise stdio` speaks.
#[derive(Debug, Subcommand)]
enum Spoken {
    /// Entropy in the plain lines of the assignment text
    Entropy(entropy::stdio::EntropyArguments),
    /// Entropy as at CodeCup 2023: 7x7, Order may pass
    Codecup(entropy::stdio::CodecupArguments),
    /// TwentyOne, one JSON line a call: protocol/twentyone.md
    Twentyone(twentyone::SettingsArguments),
    /// Guess Who, a request and a reply a line: protocol/guesswho.md
    Guesswho(guesswho::StdioArguments),
}

impl Spoken {
    /// Plays until stdin ends or the manager says so.
    fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Entropy(arguments) => arguments.run(),
            Self::Codecup(arguments) => arguments.run(),
            Self::Twentyone(arguments) => twentyone::run_stdio(&arguments),
            Self::Guesswho(arguments) => guesswho::run_stdio(arguments),
        }
    }
}

/// The error for many games that are asked for by a game's own command: a match of the arena, by these words.
fn arena_instead(words: &[String]) -> anyhow::Error {
    let words = shlex::try_join(words.iter().map(String::as_str));
    let words = words.expect("the words of a command have no zero bytes");
    WrongUsage(anyhow!(
        "many games are a match of the arena: turnwise arena {words}"
    ))
    .into()
}
