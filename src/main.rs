//! The `turnwise` binary: parse the command line, run the command, turn the result into an exit code.

#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

fn main() -> ExitCode {
    turnwise::cli::main()
}
