//! The commands for Halma: a process that plays a single move, a daemon that chooses the moves for such processes, and
//! a master that starts the processes of both players.

pub(in crate::cli) mod master;
pub(in crate::cli) mod serve;
pub(in crate::cli) mod shim;

use std::process::ExitCode;

use clap::Subcommand;

/// Arguments of `turnwise halma`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, after_help = shim::EXAMPLES)]
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    pub mv: shim::Arguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a game between two commands, like the course's master
    Master(Box<master::Arguments>),
    /// Run the daemon that chooses moves and remembers each game
    Serve(serve::Arguments),
}

/// Plays a move, or runs another command that only Halma has.
pub(in crate::cli) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        None => shim::run(arguments.mv),
        Some(Command::Master(arguments)) => master::run(*arguments),
        Some(Command::Serve(arguments)) => serve::run(arguments),
    }
}
