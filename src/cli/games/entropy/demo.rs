//! `turnwise demo`: plays a whole match on this machine, with host and players as separate processes.

mod live;

use std::cell::RefCell;
use std::fs::File;
use std::path::PathBuf;
use std::pin::pin;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use rustix::process::Signal;
use tokio::process::{Child, Command};

use super::host::Scoreboard;
use super::recording::{HostedGames, LogArguments};
use crate::cli::budget::tables;
use crate::cli::studio::LiveArguments;
use crate::cli::{block_on, parse_clock, start_log};
use crate::console::interrupt::Interrupt;
use crate::console::output::show;
use crate::console::{note, say};
use live::{Live, TICK};
use turnwise_daemon::shutdown::Shutdown;
use turnwise_daemon::{logging, shutdown};
use turnwise_engine::files::read_at_most;
use turnwise_entropy::referee::RuleBook;
use turnwise_entropy_server::host::{Config, Event, Host, HostError, Hosting};
use turnwise_process::Scratch;
use turnwise_protocol::entropy::Wire;

const SIZE: u8 = 5;

const PLAYERS: [&str; 2] = ["alpha", "omega"];

/// How long the players' processes may take to end after the host has said goodbye.
const GOODBYE_WITHIN: Duration = Duration::from_secs(10);

/// The maximum number of bytes that are shown of a player's output on stderr.
const MOST_SAID: u64 = 1 << 20;

/// Arguments of `turnwise demo`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise demo            one war with 10 s clocks
  turnwise demo --clock 1  the same in a tenth of the time
  turnwise demo --live     people watch in a browser

The tournament server runs in this process, the two players in processes of their own; they talk \
over loopback sockets. A terminal shows the board while they play; anything else gets a line every \
two seconds.")]
pub struct Arguments {
    /// Set the time for each player in each game
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_clock)]
    clock: Duration,
    /// Seed the order of the tiles; by default, a new order each time
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    live: LiveArguments,
}

/// Plays one war, which is two games with swapped roles, between two copies of this program. Then shows how both
/// players spent their time.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let _log = start_log()?;
    let config = Config {
        wars: 1,
        clock: arguments.clock,
        seed: arguments.seed.unwrap_or_else(crate::cli::seed_of_now),
        same_chances: false,
    };
    let folder = Scratch::new().context("cannot create a folder for the players' logs")?;
    if let Some(signal) = block_on(play(config, &folder, &arguments.live))? {
        return Ok(ExitCode::from(shutdown::exit_code(signal)));
    }
    let interrupt = Interrupt::listen()?;
    for name in PLAYERS {
        let tables = tables(&log(&folder, name), &interrupt)?;
        say!("Time budget of {name}\n{tables}\n");
    }
    say!(
        "Next: ./run.sh SERVER PORT plays on a tournament server; turnwise --help shows all \
         commands."
    );
    Ok(ExitCode::SUCCESS)
}

/// Plays the match. Returns the signal that stopped it, if any.
async fn play(
    config: Config,
    folder: &Scratch,
    live: &LiveArguments,
) -> anyhow::Result<Option<Signal>> {
    let mut shutdown = shutdown::listen().context("cannot listen for signals")?;
    let hosting = Hosting {
        size: SIZE,
        rules: RuleBook::Strict,
        pass: false,
        wire: Wire::Json,
    };
    let games = HostedGames::start(&LogArguments::default(), live, &hosting, &config)?;
    let host = Host::bind("127.0.0.1:0", hosting, config)
        .await
        .context("cannot listen on 127.0.0.1")?;
    let port = host.address().port();
    say!(
        "One war of Entropy on a {SIZE}x{SIZE} board, {:?} for each player in each game, seed {}",
        config.clock,
        config.seed
    );
    let mut players = Vec::new();
    for name in PLAYERS {
        players.push(start_player(name, port, config.clock, folder)?);
    }
    // If the match is stopped or fails, the players are dropped, which ends their processes.
    let faults = match watch(host, config, games, &mut shutdown).await {
        Err(HostError::Signal(signal)) => return Ok(Some(signal)),
        played => played?,
    };
    for (name, mut player) in PLAYERS.iter().zip(players) {
        let ended = tokio::time::timeout(GOODBYE_WITHIN, player.wait()).await;
        let said = read_at_most(&stderr(folder, name), MOST_SAID);
        let said = said.ok().flatten().unwrap_or_default();
        String::from_utf8_lossy(&said)
            .lines()
            .for_each(|line| note!("{name}: {line}"));
        let status =
            ended.with_context(|| format!("{name} did not exit after the host said goodbye"))??;
        ensure!(status.success(), "{name} ended with {status}");
    }
    ensure!(faults == 0, "{faults} of the games ended by a fault");
    Ok(None)
}

/// Shows the match while it runs. Returns the number of games that ended because of a fault.
async fn watch(
    host: Host,
    config: Config,
    mut games: HostedGames,
    shutdown: &mut Shutdown,
) -> Result<u32, HostError> {
    let mut scoreboard = Scoreboard::default();
    let mut faults = 0;
    let live = RefCell::new(Live::new(2 * config.wars));
    let hear = |event| {
        games.hear(&event);
        let mut live = live.borrow_mut();
        match event {
            Event::Turn(turn) => return live.turn(turn),
            Event::GameOver(ref result) => {
                faults += u32::from(result.fault.is_some());
                live.game_over();
            }
            _ => live.clear(),
        }
        scoreboard.show(event);
    };
    let played = {
        let mut playing = pin!(host.run(shutdown, hear));
        let mut ticks = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                played = &mut playing => break played,
                _ = ticks.tick() => live.borrow_mut().tick(),
            }
        }
    };
    if let Err(HostError::Signal(_)) = played {
        // The carriage return makes the text overwrite the `^C` that the terminal shows.
        show("\rStopped before the end of the match.\n");
    }
    played.map(|()| faults)
}

fn start_player(name: &str, port: u16, clock: Duration, folder: &Scratch) -> anyhow::Result<Child> {
    let program = std::env::current_exe().context("cannot find this program")?;
    Command::new(program)
        .args(["play", "127.0.0.1", &port.to_string(), "--name", name])
        .args(["--clock", &clock.as_secs_f64().to_string()])
        // The players must not try to reconnect: this process is the server, and a lost server does not come back.
        .args(["--reconnect", "never"])
        .arg("--log")
        .arg(log(folder, name))
        .env(logging::FILTER_VARIABLE, "warn")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(stderr(folder, name))?)
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {name}"))
}

fn log(folder: &Scratch, player: &str) -> PathBuf {
    folder.path().join(format!("{player}.jsonl"))
}

/// Returns the path of the file that receives a player's stderr, because the output would damage the board on the
/// terminal.
fn stderr(folder: &Scratch, player: &str) -> PathBuf {
    folder.path().join(format!("{player}.stderr"))
}
