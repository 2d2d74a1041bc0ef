//! `turnwise export`: writes players as source files, for judges that run no binaries.

use std::process::ExitCode;
use turnwise_games::GAMES;

use super::Exported;
use crate::cli::game_options::examples;

fn after_help() -> String {
    format!(
        "Examples:\n{}
The files play as this program does and need no other files. Check first whether your course lets you hand in a \
player that you did not write.",
        examples("export", GAMES)
    )
}

/// Arguments of `turnwise export`.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct Arguments {
    #[command(subcommand)]
    player: Exported,
}

/// Writes the chosen player.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    arguments.player.run()
}
