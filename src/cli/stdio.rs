//! `turnwise stdio`: a player on stdin and stdout, for managers that start their players themselves.

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Subcommand;
use tokio_util::codec::Framed;
use turnwise_protocol::entropy::{PlayerCodec, Wire};

use super::{LogArguments, block_on, guesswho, parse_clock, parse_threads, start_log, twentyone};
use turnwise_daemon::driver::{AtEnd, Ending, drive};
use turnwise_daemon::heartbeat::Heartbeat;
use turnwise_daemon::world::System;
use turnwise_daemon::{shutdown, standard_streams};
use turnwise_engine::clock::Start;
use turnwise_engine::conversation::Closing;
use turnwise_engine::cpu_time::process_start;
use turnwise_entropy::conversation::{EntropyConversation, Settings};
use turnwise_entropy::search_agent::SearchAgent;

/// Arguments of `turnwise stdio`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise stdio entropy             under the stock Python client, which starts it for each game
  turnwise stdio codecup --clock 30  under a CodeCup manager
  turnwise stdio twentyone           at a TwentyOne table, one JSON line a call
  turnwise stdio guesswho            under the Java adapter of the Guess Who course

Stdout carries only moves and replies, each flushed at once; the log goes to stderr.")]
pub struct Arguments {
    #[command(subcommand)]
    game: Game,
}

#[derive(Debug, Subcommand)]
enum Game {
    /// Entropy in the plain lines of the assignment text
    Entropy(EntropyArguments),
    /// Entropy as at CodeCup 2023: 7x7, Order may pass
    Codecup(CodecupArguments),
    /// TwentyOne, one JSON line a call: protocol/twentyone.md
    Twentyone(twentyone::SettingsArguments),
    /// Guess Who, a request and a reply a line: protocol/guesswho.md
    Guesswho(guesswho::StdioArguments),
}

#[derive(Debug, clap::Args)]
struct EntropyArguments {
    /// Our time for each game and role
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_clock)]
    clock: Duration,
    /// Order may leave the board as it is; only where the tournament's rules say so
    #[arg(long)]
    pass: bool,
    #[command(flatten)]
    player: PlayerArguments,
}

#[derive(Debug, clap::Args)]
struct CodecupArguments {
    /// Our time for the game
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_clock)]
    clock: Duration,
    #[command(flatten)]
    player: PlayerArguments,
}

#[derive(Debug, clap::Args)]
struct PlayerArguments {
    /// Threads that search; more than one pays only if each has a core of its own
    #[arg(long, value_name = "NUMBER", default_value = "1", value_parser = parse_threads)]
    threads: NonZeroUsize,
    #[command(flatten)]
    log: LogArguments,
}

/// Plays until stdin ends or the manager says so.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.game {
        Game::Entropy(game) => play(Wire::Line, game.clock, game.pass, game.player),
        Game::Codecup(game) => play(Wire::Codecup, game.clock, true, game.player),
        Game::Twentyone(game) => twentyone::run_stdio(&game),
        Game::Guesswho(game) => guesswho::run_stdio(game),
    }
}

fn play(
    wire: Wire,
    clock: Duration,
    pass: bool,
    player: PlayerArguments,
) -> anyhow::Result<ExitCode> {
    let began = process_start();
    let _log = start_log(&player.log)?;
    let ending = block_on(async {
        let mut shutdown = shutdown::listen().context("cannot listen to signals")?;
        let stream = Framed::new(standard_streams::open(), PlayerCodec::new(wire));
        let agent = SearchAgent::for_clock(clock).with_threads(player.threads);
        let settings = Settings {
            wire,
            clock,
            pass,
            latency: Duration::ZERO,
            // A manager's clock may run from the moment it starts us.
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
        )
        .await)
    })?;
    match ending {
        Ending::Closed(Closing::Goodbye(_)) | Ending::EndOfStream => Ok(ExitCode::SUCCESS),
        Ending::Closed(Closing::WrongWire { theirs, .. }) => {
            bail!(
                "the manager seems to speak the {theirs} wire; turnwise play speaks that over TCP"
            )
        }
        Ending::Closed(Closing::Flooded) => {
            bail!("the manager sent more than it can have waited for")
        }
        Ending::Failed(error) => Err(error).context("cannot go on reading stdin or writing stdout"),
        Ending::Signal(signal) => Ok(ExitCode::from(shutdown::exit_code(signal))),
    }
}
