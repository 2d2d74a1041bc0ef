//! `turnwise stdio entropy` and `turnwise stdio codecup`: a player that communicates over stdin and stdout with a
//! manager program, which starts the players.

use std::num::{NonZeroU16, NonZeroUsize};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tokio_util::codec::Framed;
use turnwise_protocol::entropy::{PlayerCodec, Wire};

use crate::cli::games::entropy::recording::{LogArguments, SeenGames};
use crate::cli::studio::LiveArguments;
use crate::cli::{block_on, parse_clock, parse_threads, start_log};
use turnwise_daemon::world::System;
use turnwise_daemon::{shutdown, standard_streams};
use turnwise_engine::clock::Start;
use turnwise_engine::cpu_time::process_start;
use turnwise_entropy::search_agent::SearchAgent;
use turnwise_entropy_server::conversation::Closing;
use turnwise_entropy_server::conversation::{EntropyConversation, Passing, Settings};
use turnwise_entropy_server::driver::{AtEnd, Ending, drive};
use turnwise_entropy_server::heartbeat::Heartbeat;

/// Arguments of `turnwise stdio entropy`.
#[derive(Debug, clap::Args)]
pub struct EntropyArguments {
    /// Set our time for each game and role
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_clock)]
    clock: Duration,
    /// Allow Order to pass; use this only if the tournament's rules permit it
    #[arg(long)]
    pass: bool,
    #[command(flatten)]
    player: PlayerArguments,
}

/// Arguments of `turnwise stdio codecup`.
#[derive(Debug, clap::Args)]
pub struct CodecupArguments {
    /// Set our time for the game
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_clock)]
    clock: Duration,
    #[command(flatten)]
    player: PlayerArguments,
}

#[derive(Debug, clap::Args)]
struct PlayerArguments {
    /// Search with this many threads; use more than one only if each thread has its own core
    #[arg(long, value_name = "NUMBER", default_value = "1", value_parser = parse_threads)]
    threads: NonZeroUsize,
    /// Set the size of the transposition table in MiB; by default 4 for each second of the clock, at most 64
    #[arg(long, value_name = "MB")]
    hash: Option<NonZeroU16>,
    #[command(flatten)]
    log: LogArguments,
}

impl EntropyArguments {
    /// Plays until stdin ends or the manager ends the game.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let pass = if self.pass {
            Passing::Always
        } else {
            Passing::Never
        };
        play(Wire::Line, self.clock, pass, self.player)
    }
}

impl CodecupArguments {
    /// Plays until stdin ends or the manager ends the game.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        play(
            Wire::Codecup,
            self.clock,
            Passing::usual(Wire::Codecup),
            self.player,
        )
    }
}

fn play(
    wire: Wire,
    clock: Duration,
    pass: Passing,
    player: PlayerArguments,
) -> anyhow::Result<ExitCode> {
    let began = process_start();
    let _log = start_log()?;
    let named = ("turnwise", String::new());
    let live = LiveArguments::default();
    let mut games = SeenGames::start(&player.log, &live, named, clock, pass == Passing::Always)?;
    let ending = block_on(async {
        let mut shutdown = shutdown::listen().context("cannot listen for signals")?;
        let stream = Framed::new(standard_streams::open(), PlayerCodec::new(wire));
        let agent = match player.hash {
            Some(hash) => SearchAgent::with(usize::from(hash.get()) << 20, None),
            None => SearchAgent::for_clock(clock),
        };
        let agent = agent.with_threads(player.threads);
        let settings = Settings {
            wire,
            clock,
            pass,
            latency: Duration::ZERO,
            // The manager's clock for this player may already run when it starts this process, so the time for the
            // start counts as used.
            start: Some(Start {
                began,
                ready: Instant::now(),
            }),
        };
        let mut conversation = EntropyConversation::new(settings, Box::new(agent));
        Ok(drive(
            &System,
            stream,
            AtEnd::AnswerSoon,
            Heartbeat::new(Instant::now()),
            &mut conversation,
            &mut shutdown,
            &mut |seen| games.hear(seen),
        )
        .await)
    })?;
    match ending {
        Ending::Closed(Closing::Goodbye(_)) | Ending::EndOfStream => Ok(ExitCode::SUCCESS),
        Ending::Closed(Closing::WrongWire { theirs, .. }) => {
            bail!(
                "the manager seems to use the {theirs} wire, which turnwise play supports over TCP"
            )
        }
        Ending::Closed(Closing::Flooded) => {
            bail!("the manager sent too much without waiting for replies")
        }
        Ending::Failed(error) => Err(error).context("cannot read stdin or write stdout"),
        Ending::Signal(signal) => Ok(ExitCode::from(shutdown::exit_code(signal))),
    }
}
