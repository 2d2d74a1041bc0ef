//! `turnwise serve`: the daemon behind Halma's shim.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;

use super::host::announce;
use super::{LogArguments, block_on, parse_clock, start_log};
use turnwise_daemon::serve::Server;
use turnwise_daemon::shutdown;
use turnwise_halma::service::games::{Games, Limits};
use turnwise_halma::shim;

/// Arguments of `turnwise serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise serve                            for `turnwise halma` on this machine
  turnwise serve --listen 127.0.0.1:7400    on another port: turnwise halma --daemon 127.0.0.1:7400
  turnwise serve --games 2 --idle 60        little memory: 32 MiB a game

Called homework11 and the like, the player asks a daemon only if it is told to:
homework11 --daemon 127.0.0.1:7361.

It keeps each game's table, plans and what it has seen of the opponent from move to move, and
charges its own CPU time against the time in input.txt. It listens to this machine only, unless
--listen names another address: whoever reaches it can make it compute. Ctrl-C ends it.
Exit codes: 1 failed, 2 wrong usage, 130 SIGINT, 143 SIGTERM.")]
pub struct Arguments {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = shim::USUAL_ADDRESS)]
    listen: SocketAddr,
    /// Write the port to this file once questions can be asked
    #[arg(long, value_name = "FILE")]
    port_file: Option<PathBuf>,
    /// Games to keep, and single moves to think about, at the same time
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    games: u16,
    /// Drop a game that nobody has asked about for so long
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = parse_clock)]
    idle: Duration,
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let _log = start_log(&LogArguments::default())?;
    let limits = Limits {
        games: arguments.games.into(),
        idle: arguments.idle,
    };
    let signal = block_on(async {
        let mut shutdown = shutdown::listen().context("cannot listen to signals")?;
        let server = Server::bind(arguments.listen, Games::new(limits))
            .await
            .with_context(|| format!("cannot listen on {}", arguments.listen))?;
        let address = server.address()?;
        tracing::info!("listening on {address}");
        if !address.ip().is_loopback() {
            tracing::warn!("{address} can be reached from other machines");
        }
        if let Some(file) = &arguments.port_file {
            announce(file, address.port())?;
        }
        Ok(server.run(&mut shutdown).await)
    })?;
    Ok(ExitCode::from(shutdown::exit_code(signal)))
}
