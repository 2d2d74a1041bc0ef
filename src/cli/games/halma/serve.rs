//! `turnwise halma serve`: the daemon that chooses moves for the processes of `turnwise halma`.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use tokio::net::TcpListener;

use crate::cli::files::announce;
use crate::cli::{block_on, parse_clock, parse_listen, start_log};
use turnwise_daemon::serve::{Entrance, Server};
use turnwise_daemon::shutdown;
use turnwise_daemon::world::System;
use turnwise_engine::own_socket::OwnFolder;
use turnwise_halma::service::games::{Games, Limits};
use turnwise_halma::shim::asking::SOCKET;

/// The address on which the daemon listens by default if the user asks for a port file.
const USUAL_ADDRESS: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7361));

/// The size of the transposition table of each game, in bytes.
const TABLE: usize = 32 << 20;

/// Arguments of `turnwise halma serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise halma serve
      for `turnwise halma` on this machine
  turnwise halma serve --listen 127.0.0.1:7361
      on a port, for --daemon 127.0.0.1:7361
  turnwise halma serve --games 2 --idle 60
      little memory: 32 MiB a game

Under a name such as homework11, the player asks a daemon only on request:
homework11 --daemon own.

The daemon keeps each game's table, plans and observations of the opponent from move to move, and \
charges its own CPU time to the time in input.txt. It listens on a socket in a folder that only \
its user can enter, turnwise in XDG_RUNTIME_DIR or turnwise-UID in the folder for temporary files; one \
daemon per user can listen there. With --listen, anyone who can reach the address, including every \
user of this machine, can make it compute, and a shim that uses the address trusts whatever listens \
there. Ctrl-C ends it.

Exit codes: 1 failed, 2 wrong usage, 130 SIGINT, 143 SIGTERM.")]
pub struct Arguments {
    /// Listen on this address and port instead of the user's own socket; port 0 selects a free port
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = parse_listen)]
    listen: Option<SocketAddr>,
    /// Write the port to this file once the daemon accepts questions; without --listen, the port of 127.0.0.1:7361
    #[arg(long, value_name = "FILE")]
    port_file: Option<PathBuf>,
    /// Keep this many games, and search for this many moves, in parallel
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    games: u16,
    /// Drop a game without a question for this long
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = parse_clock)]
    idle: Duration,
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let _log = start_log()?;
    let limits = Limits {
        games: arguments.games.into(),
        idle: arguments.idle,
        table: TABLE,
    };
    let signal = block_on(async {
        let mut shutdown = shutdown::listen().context("cannot listen for signals")?;
        let entrance = arguments.entrance().await?;
        let server = Server::new(System, entrance, Games::new(limits));
        Ok(server.run(&mut shutdown).await)
    })?;
    Ok(ExitCode::from(shutdown::exit_code(signal)))
}

impl Arguments {
    /// Starts listening on the address that the arguments name or, without an address, on the user's own socket.
    async fn entrance(&self) -> anyhow::Result<Entrance> {
        // If a port file is wanted, the daemon must listen on a TCP address, because the user's own socket has no port.
        let usual = self.port_file.as_ref().map(|_| USUAL_ADDRESS);
        let Some(address) = self.listen.or(usual) else {
            let listener = OwnFolder::usual().listen(SOCKET).context("cannot listen")?;
            tracing::info!("listening on {}", listener.path().display());
            return Ok(Entrance::own(listener)?);
        };
        let cannot = || format!("cannot listen on {address}");
        let listener = TcpListener::bind(address).await.with_context(cannot)?;
        let address = listener.local_addr()?;
        tracing::info!("listening on {address}");
        if !address.ip().is_loopback() {
            tracing::warn!("{address} can be reached from other machines");
        }
        if let Some(file) = &self.port_file {
            announce(file, address.port())?;
        }
        Ok(Entrance::Port(Box::new(listener)))
    }
}
