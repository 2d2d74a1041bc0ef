//! `turnwise demo`: a whole match on this machine, host and players as separate processes.

use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio::process::{Child, Command};

use super::budget::tables;
use super::host::Scoreboard;
use super::{Runtime, parse_clock};
use crate::games::entropy::referee::RuleBook;
use crate::host::{Config, Event, Host, Stopped};
use crate::{logging, shutdown};
use turnwise_protocol::entropy::Wire;

/// The demonstration's board.
const SIZE: u8 = 5;

/// The players' names.
const PLAYERS: [&str; 2] = ["alpha", "omega"];

/// How long the players may take to end after the host has said goodbye.
const GOODBYE_WITHIN: Duration = Duration::from_secs(10);

/// Arguments of `turnwise demo`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise demo               one war with 10 s clocks
  turnwise demo --clock 1     the same in a tenth of the time

The tournament server runs in this process, the two players in processes of their own; they talk
over loopback sockets.")]
pub struct Arguments {
    /// Time for each player in each game
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_clock)]
    clock: Duration,
    /// Order of the tiles; without it, another one each time
    #[arg(long)]
    seed: Option<u64>,
}

/// Plays one war between two copies of this program and shows how their time was spent.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    logging::start(None)?;
    let config = Config {
        size: SIZE,
        wars: 1,
        clock: arguments.clock,
        rules: RuleBook::Strict,
        pass: false,
        wire: Wire::Json,
        seed: arguments.seed.unwrap_or_else(super::seed_of_now),
        same_tiles: false,
    };
    let folder = Folder::create().context("cannot create a folder for the players' logs")?;
    match Runtime::new()?.block_on(play(config, &folder))? {
        Ok(()) => {}
        Err(Stopped::Signal(signal)) => return Ok(ExitCode::from(shutdown::exit_code(signal))),
        Err(stopped) => return Err(stopped.into()),
    }
    for name in PLAYERS {
        println!("Time budget of {name}\n{}\n", tables(&folder.log(name))?);
    }
    println!(
        "Next: ./run.sh SERVER PORT plays on a tournament server, turnwise --help shows what else \
         there is."
    );
    Ok(ExitCode::SUCCESS)
}

async fn play(config: Config, folder: &Folder) -> anyhow::Result<Result<(), Stopped>> {
    let mut shutdown = shutdown::listen().context("cannot listen to signals")?;
    let host = Host::bind("127.0.0.1:0", config)
        .await
        .context("cannot listen on 127.0.0.1")?;
    let port = host.address()?.port();
    println!(
        "One war of Entropy on a {SIZE}x{SIZE} board, {:?} for each player in each game, seed {}",
        config.clock, config.seed
    );
    let mut players = Vec::new();
    for name in PLAYERS {
        players.push(start_player(name, port, config.clock, folder)?);
    }
    let mut scoreboard = Scoreboard::default();
    let mut faults = 0;
    let watch = |event| {
        if let Event::GameOver(result) = &event {
            faults += u32::from(result.fault.is_some());
        }
        scoreboard.show(event);
    };
    let played = host.run(&mut shutdown, watch).await;
    if played.is_err() {
        // Dropping the players ends them.
        return Ok(played);
    }
    for (name, mut player) in PLAYERS.iter().zip(players) {
        let status = tokio::time::timeout(GOODBYE_WITHIN, player.wait())
            .await
            .with_context(|| format!("{name} did not end when the host said goodbye"))??;
        ensure!(status.success(), "{name} ended with {status}");
    }
    ensure!(faults == 0, "{faults} of the games ended by a fault");
    Ok(played)
}

fn start_player(name: &str, port: u16, clock: Duration, folder: &Folder) -> anyhow::Result<Child> {
    let program = std::env::current_exe().context("cannot find this program")?;
    Command::new(program)
        .args(["play", "127.0.0.1", &port.to_string(), "--name", name])
        .args(["--clock", &clock.as_secs_f64().to_string()])
        .arg("--log")
        .arg(folder.log(name))
        .env(logging::FILTER_VARIABLE, "warn")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {name}"))
}

/// A folder for the logs, removed when the demonstration is over.
struct Folder(PathBuf);

impl Folder {
    fn create() -> std::io::Result<Self> {
        let name = format!("turnwise-demo-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    fn log(&self, player: &str) -> PathBuf {
        self.0.join(format!("{player}.jsonl"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system's cleaning of its temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
