//! `turnwise studio`: play, analyze and review games in a browser. Also defines the option `--live` of commands that
//! play games.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use super::files::announce;
use super::game_options::{GameParser, known_games};
use super::{block_on, parse_listen};
use crate::console::{note, say};
use turnwise_daemon::runtime::runtime;
use turnwise_daemon::shutdown;
use turnwise_engine::plugin::Plugin;
use turnwise_report::Match;
use turnwise_studio::folder::Folders;
use turnwise_studio::serving::Limits;
use turnwise_studio::spectators::SpectatorServer;
use turnwise_studio::{Config, PublicUrl, Studio, listen};

/// Arguments of `turnwise studio`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise studio               opens the browser: play, analyse, review
  turnwise studio logs          the same, with the logs in that folder
  turnwise studio --no-browser  print only the address

Only this machine can reach it unless --listen or --public-url names another address; then the printed \
link contains a token that every visitor needs. \
Ctrl-C ends it.")]
pub struct Arguments {
    /// Show these logs of matches, and the logs in these folders
    #[arg(value_name = "FOLDER|LOG")]
    logs: Vec<PathBuf>,
    /// Also offer the game in this folder; can be repeated
    #[arg(long, value_name = "DIR", value_parser = GameParser)]
    game: Vec<&'static Plugin>,
    /// Listen on this address and port; port 0 selects a free port
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = parse_listen)]
    listen: Option<SocketAddr>,
    /// Use this address in links, for a studio behind a reverse proxy
    #[arg(long, value_name = "URL")]
    public_url: Option<PublicUrl>,
    /// Write the port to this file once the studio is ready
    #[arg(long, value_name = "FILE")]
    port_file: Option<PathBuf>,
    /// Do not open the browser
    #[arg(long)]
    no_browser: bool,
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    for path in &arguments.logs {
        let cannot = || format!("cannot read {}", path.display());
        std::fs::metadata(path).with_context(cannot)?;
    }
    let signal = block_on(async {
        let mut shutdown = shutdown::listen().context("cannot listen for signals")?;
        let listener = listener(arguments.listen)?;
        let port = listener.local_addr()?.port();
        let config = Config {
            games: known_games(),
            puzzles: turnwise_games::puzzles,
            cores: super::cores(),
            folders: Folders::new(arguments.logs),
            limits: Limits::default(),
            public: arguments.public_url,
        };
        let studio = Studio::new(listener, config)?;
        let link = studio.link();
        say!("The studio is at {link}");
        if let Some(file) = &arguments.port_file {
            announce(file, port)?;
        }
        if !arguments.no_browser && has_desktop() && open::that_detached(&link).is_err() {
            note!("turnwise: cannot open a browser");
        }
        tokio::select! {
            () = studio.serve() => {}
            signal = shutdown.requested() => return Ok(Some(signal)),
        }
        Ok(None)
    })?;
    Ok(signal.map_or(ExitCode::SUCCESS, |signal| {
        ExitCode::from(shutdown::exit_code(signal))
    }))
}

/// Returns true if the user works on a graphical desktop. On other systems, no browser should be opened, because that
/// could start a text browser in the terminal.
fn has_desktop() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(target_os = "macos") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// The address of a spectator server; `--live` without a value selects the default.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(super) struct LiveArguments {
    /// Let people watch the games in a browser: on this machine, or at a given address and port with a token in the
    /// link
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, require_equals = true,
          value_parser = parse_listen)]
    live: Option<Option<SocketAddr>>,
}

impl LiveArguments {
    /// If the user asked for spectators, starts a server that shows a match to them, and prints the link to the server.
    /// The games that the match already has count in the standings.
    pub fn start(&self, of: Match) -> anyhow::Result<Option<SpectatorServer>> {
        let title = of.title();
        self.start_under(of, title)
    }

    /// Like [`start`](Self::start), but the spectators see this title instead of the title of the match.
    pub fn start_under(&self, of: Match, title: String) -> anyhow::Result<Option<SpectatorServer>> {
        let Some(address) = self.live else {
            return Ok(None);
        };
        let listener = listener(address)?;
        let config = Config {
            games: known_games(),
            puzzles: turnwise_games::puzzles,
            // The server must run no searches, because the players need all cores.
            cores: 0,
            folders: Folders::default(),
            limits: Limits::default(),
            public: None,
        };
        let server = SpectatorServer::start(runtime()?, listener, config, of, title)?;
        note!("turnwise: watch at {}", server.link());
        Ok(Some(server))
    }
}

fn listener(address: Option<SocketAddr>) -> anyhow::Result<TcpListener> {
    listen(address).with_context(|| match address {
        Some(address) => format!("cannot listen on {address}"),
        None => "no port is free on 127.0.0.1".to_owned(),
    })
}
