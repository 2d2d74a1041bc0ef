//! `turnwise guard`, which no person calls: the process that clears away what a killed arena leaves.

use std::process::ExitCode;

use turnwise_process::guard::stand;

/// Arguments of `turnwise guard`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The guard's name
    name: String,
}

/// Guards the process at the other end of stdin.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    stand(&arguments.name, std::io::stdin());
    Ok(ExitCode::SUCCESS)
}
