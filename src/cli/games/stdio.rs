//! `turnwise stdio`: a player that communicates over stdin and stdout with a manager program, which starts the players.

use std::process::ExitCode;
use turnwise_games::GAMES;

use super::Spoken;
use crate::cli::game_options::examples;

fn after_help() -> String {
    format!(
        "Examples:\n{}
Stdout carries only moves and replies, each flushed at once; the log goes to stderr.",
        examples("stdio", GAMES)
    )
}

/// Arguments of `turnwise stdio`.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct Arguments {
    #[command(subcommand)]
    game: Spoken,
}

/// Plays until stdin ends or the manager ends the game.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    arguments.game.run()
}
