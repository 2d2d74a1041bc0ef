//! The `turnwise` binary: parses the command line, runs the command, and returns the exit code.

#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

fn main() -> ExitCode {
    turnwise::cli::main()
}
