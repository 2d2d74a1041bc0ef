//! `turnwise play`: the daemon towards a tournament server.

use std::process::ExitCode;

/// Arguments of `turnwise play`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Host name or address of the tournament server
    server: String,
    /// TCP port of the tournament server
    port: u16,
}

/// Plays until the server says goodbye.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    anyhow::bail!("cannot reach {}:{} yet", arguments.server, arguments.port)
}
