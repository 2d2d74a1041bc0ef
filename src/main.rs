//! The `turnwise` binary: parse the command line, run the command, turn the result into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    turnwise::cli::main()
}
