//! The command line: one file per subcommand, each turning arguments into one call of the library.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage or malformed input, 3 connection lost for good,
//! 130 and 143 ended by SIGINT and SIGTERM.

mod play;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A persistent game-agent daemon: it connects to a tournament server, remembers opponent, board
/// and clock from turn to turn, and thinks within its time budget.
#[derive(Debug, Parser)]
#[command(name = "turnwise", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Each variant's documentation is its line in `turnwise --help`.
#[derive(Debug, Subcommand)]
enum Command {
    /// Play on a tournament server: turnwise play SERVER PORT
    Play(play::Arguments),
}

/// Parses the process's arguments, runs the command, and reports an error once, with its causes.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Play(arguments) => play::run(arguments),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("turnwise: {error:#}");
            ExitCode::FAILURE
        }
    }
}
