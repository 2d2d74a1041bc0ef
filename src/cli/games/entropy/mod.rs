//! The commands for Entropy: player, server, analysis and training.

pub(in crate::cli) mod analyse;
#[cfg(feature = "cluster")]
pub(in crate::cli) mod batches;
pub(in crate::cli) mod calibrate;
pub(in crate::cli) mod demo;
pub(in crate::cli) mod export;
pub(in crate::cli) mod host;
pub(in crate::cli) mod play;
pub(in crate::cli) mod recording;
pub(in crate::cli) mod solve;
pub(in crate::cli) mod stdio;
pub(in crate::cli) mod train;

use std::process::ExitCode;

use clap::Subcommand;

/// Arguments of `turnwise entropy`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Solve a small board and store the value of every position
    Solve(solve::Arguments),
    /// Learn weights from self-play
    Train(train::Arguments),
    /// Calibrate trained weights: map evaluations to expected final scores
    Calibrate(calibrate::Arguments),
}

/// Runs a command that only Entropy has.
pub(in crate::cli) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Command::Solve(arguments) => solve::run(arguments),
        Command::Train(arguments) => train::run(arguments),
        Command::Calibrate(arguments) => calibrate::run(arguments),
    }
}
