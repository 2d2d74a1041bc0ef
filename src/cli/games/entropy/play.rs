//! `turnwise play`: connects the daemon to a tournament server.

use std::num::{NonZeroU16, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use turnwise_protocol::entropy::{MAX_NAME, Wire, is_name};

use crate::console::note;

use crate::cli::files::read_text;
use crate::cli::games::entropy::recording::{LogArguments, SeenGames};
use crate::cli::studio::LiveArguments;
use crate::cli::{
    EXIT_LOST, WrongUsage, block_on, parse_clock, parse_host, parse_threads, quotable, seed_of_now,
    start_log,
};
use turnwise_daemon::shutdown;
use turnwise_daemon::world::System;
use turnwise_engine::guest::{BEFORE_SECRET, Secret, with_secret};
use turnwise_engine::player::allowed_times;
use turnwise_entropy::agents::{BuiltIn, Resources};
use turnwise_entropy_server::client::ServerPlayer;
use turnwise_entropy_server::client::{self, Config, Finished, PlayError, Reconnect};
use turnwise_entropy_server::conversation::Passing;

/// The maximum size of the file that contains the player's secret, in bytes.
const MOST_OF_SECRET: u64 = 4096;

/// Arguments of `turnwise play`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise play localhost 10000
      one player on a server on this machine
  turnwise play 10.0.0.7 10000 --name bazooka
      under a name of your own
  turnwise play localhost 10000 --log games.jsonl
      log every move for report, review and budget
  turnwise play localhost 10000 --threads 2
      search on two cores, if both are free
  turnwise play localhost 10000 --reconnect never
      end when the server does
  turnwise play localhost 10000 --live
      people watch its games in a browser
  turnwise play 10.0.0.7 5005 --name ada --secret-file ada.secret
      on a host that asks ada for her secret

The daemon plays any number of games and ends when the server says goodbye. If a \
server only closes the connection, or disconnects the daemon for a temporary reason such as a long silence, the \
daemon reconnects for as long as --reconnect allows. The daemon logs its events to stderr; TURNWISE_LOG=warn (or \
debug) sets their level, and TURNWISE_LOG_FORMAT=json (or full) their format.

Exit codes:
  0    the server said goodbye; or it closed the connection between two games,
       after a complete one, and no longer answers
  1    rejected for a permanent reason; wrong wire; or other failure
  2    wrong usage
  3    connection permanently lost: no complete game was played, or the last one
       was cut short; or never accepted for as long as --reconnect allows
  130  SIGINT
  143  SIGTERM")]
pub struct Arguments {
    /// Host name or address of the tournament server
    #[arg(value_parser = parse_host)]
    server: String,
    /// TCP port of the tournament server
    port: u16,
    /// Play under this name, which the server lists
    #[arg(long, default_value = "turnwise", value_parser = parse_name)]
    name: String,
    /// Prove the name with the secret in this file, for a host that asks for it
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// Play with this agent: turnwise, or one of the baselines random, greedy, holes and passer
    #[arg(long, default_value = "turnwise", value_parser = BuiltIn::from_str)]
    agent: BuiltIn,
    /// Seed the baselines' random choices; by default, a new seed each time
    #[arg(long)]
    seed: Option<u64>,
    /// Search with this many threads; use more than one only if each thread has its own core
    #[arg(long, value_name = "NUMBER", default_value = "1", value_parser = parse_threads)]
    threads: NonZeroUsize,
    /// Set the size of the transposition table in MiB
    #[arg(long, value_name = "MB", default_value = "64")]
    hash: NonZeroU16,
    /// Use this protocol; auto detects it from the server's first message
    #[arg(long, value_enum, default_value_t = WireName::Auto)]
    wire: WireName,
    /// Set our time for each game and role
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_clock)]
    clock: Duration,
    /// Let Order pass: always, if the tournament's rules permit it; auto, the default on the JSON wire, once the server
    /// has accepted a pass of the opponent; or never
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "always",
          value_parser = PossibleValuesParser::new(Passing::ALL.map(Passing::name)).map(named_passing))]
    pass: Option<Passing>,
    #[command(flatten)]
    log: LogArguments,
    /// Retry failed connections for this long: a number of seconds, never or forever. A connection has failed if the
    /// server is unreachable, hangs up, or rejects the daemon for a temporary reason. After a crash, the Python
    /// server's port refuses connections for about 60 s
    #[arg(long, value_name = "POLICY", default_value = "180")]
    reconnect: ReconnectPolicy,
    #[command(flatten)]
    live: LiveArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum WireName {
    /// Detect the protocol from the server's first message
    Auto,
    /// JSON envelope of the Python tournament server
    Json,
    /// Plain lines as in the assignment text
    Line,
}

#[derive(Debug, Clone, Copy)]
struct ReconnectPolicy(Reconnect);

impl FromStr for ReconnectPolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "never" => Ok(Self(Reconnect::Never)),
            "forever" => Ok(Self(Reconnect::Forever)),
            _ => parse_clock(text)
                .map(|limit| Self(Reconnect::For(limit)))
                .map_err(|_| format!("expected {}, never or forever", allowed_times())),
        }
    }
}

/// Returns the value of `--pass` with this name, which is one of the possible values.
fn named_passing(name: String) -> Passing {
    let mut all = Passing::ALL.into_iter();
    all.find(|passing| passing.name() == name)
        .expect("a possible value")
}

fn parse_name(text: &str) -> Result<String, String> {
    if text.len() > MAX_NAME || !is_name(text) {
        return Err(format!(
            "expected 1 to {MAX_NAME} bytes with a letter or a digit, without control characters, not beginning with a \
             brace"
        ));
    }
    Ok(text.to_owned())
}

/// Reads the secret that proves the player's name from the first line of a file.
fn secret(file: &Path, name: &str) -> anyhow::Result<Secret> {
    let text = read_text(file, MOST_OF_SECRET)?;
    let secret = text.lines().next().unwrap_or_default().trim();
    ensure!(
        !secret.is_empty(),
        "{}: expected the secret in the first line, got an empty line",
        file.display()
    );
    let secret = Secret::new(secret.to_owned());
    let said = with_secret(name, &secret);
    ensure!(
        said.len() <= MAX_NAME && !said.contains(char::is_control),
        "{}: expected a secret without control characters, of at most {MAX_NAME} bytes together with the \
         name",
        file.display()
    );
    ensure!(
        !name.contains(BEFORE_SECRET),
        "expected a --name without `{BEFORE_SECRET}`, which separates the name from the secret of --secret-file"
    );
    Ok(secret)
}

/// Connects to the server, and plays until the server says goodbye.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let _log = start_log()?;
    let secret = match &arguments.secret_file {
        Some(file) => Some(secret(file, &arguments.name).map_err(WrongUsage)?),
        None => None,
    };
    let config = Config {
        server: arguments.server,
        port: arguments.port,
        name: arguments.name,
        secret,
        reconnect: arguments.reconnect.0,
    };
    let player = ServerPlayer {
        wire: match arguments.wire {
            WireName::Auto => None,
            WireName::Json => Some(Wire::Json),
            WireName::Line => Some(Wire::Line),
        },
        agent: arguments.agent,
        resources: Resources {
            threads: arguments.threads,
            table: usize::from(arguments.hash.get()) << 20,
            ..Resources::default()
        },
        seed: arguments.seed.unwrap_or_else(seed_of_now),
        clock: arguments.clock,
        pass: arguments.pass,
    };
    let server = format!("{}:{}", config.server, config.port);
    let named = (&*config.name, format!("{} at {server}", config.name));
    let (log, live) = (&arguments.log, &arguments.live);
    let has_passes = player.pass == Some(Passing::Always);
    let mut games = SeenGames::start(log, live, named, player.clock, has_passes)?;
    let watch = |seen| games.hear(seen);
    let finished = block_on(async {
        let mut shutdown = shutdown::listen().context("cannot listen for signals")?;
        Ok(client::play(&System, &config, &player, &mut shutdown, watch).await)
    })?;
    match finished {
        Ok(Finished::ByServer | Finished::NobodyAnswers) => Ok(ExitCode::SUCCESS),
        Ok(Finished::BySignal(signal)) => Ok(ExitCode::from(shutdown::exit_code(signal))),
        Err(lost @ PlayError::GaveUp { .. }) => {
            note!("turnwise: {}", quotable(&lost.to_string()));
            Ok(ExitCode::from(EXIT_LOST))
        }
        Err(wrong @ (PlayError::WrongWire { .. } | PlayError::Refused(_))) => Err(wrong.into()),
    }
}
