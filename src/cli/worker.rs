//! `turnwise worker`: plays for other machines' arenas, tournaments and trainings, and judges games for them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;
use turnwise_arena::lineup::Lineup;
use turnwise_arena::pairs::play_pair;
use turnwise_arena::records::{Contestant, GameSettings, Settings};
use turnwise_arena::schedule::Pair;
use turnwise_arena::settings::JOBS;
use turnwise_cluster::attachments::Programs;
use turnwise_cluster::figures::WorkerFigures;
use turnwise_cluster::playing::{Games, PlayBatch, Shelves};
use turnwise_cluster::worker::{self, Worker};
use turnwise_engine::player::TimeControl;
use turnwise_engine::search::Stop;
use turnwise_engine::words::{counted, printable};
use turnwise_games::{GAMES, start_daemon};
use turnwise_process::Scratch;
use turnwise_process::cores::Others;
use turnwise_process::guard::Guard;
use turnwise_process::isolation::missing;

use super::arena::whole;
use super::cluster::{Cluster, build};
use super::games::prepare_batches;
use super::isolation::tell_what_is_in_force;
use super::judging;
use crate::console::interrupt::Interrupt;
use crate::console::{note, output};

/// Arguments of `turnwise worker`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise worker nats://HOST  one pair per core in parallel
  turnwise worker nats://HOST --jobs 2 --name attic
  turnwise worker nats://HOST --idle  only while nobody else uses the machine

It plays pairs of matches and tournaments and games of trainings at that NATS server, and judges games for \
reports, if their coordinator (turnwise arena, tournament, train, review or report with --cluster) is the same \
program file. Press Ctrl-C once to finish the running games within 30 seconds, twice to stop at once; other \
workers then play them. docs/how-to/cluster.md explains the setup.

Exit codes: 0 drained or stopped, 1 failed, 2 wrong usage.")]
pub struct Arguments {
    /// The NATS server, such as nats://HOST:4222
    #[arg(value_name = "URL")]
    url: String,
    /// Play this many pairs in parallel; by default, one per core
    #[arg(long, value_parser = clap::value_parser!(u16).range(whole(JOBS)))]
    jobs: Option<u16>,
    /// Run programs as their matches require, isolated or not; by default, the worker runs programs only if they can
    /// access neither this machine's files nor the network
    #[arg(long)]
    allow_programs: bool,
    /// Pause while others use the machine, or FILE exists
    #[arg(long, value_name = "FILE")]
    idle: Option<Option<PathBuf>>,
    /// Set the worker's name; by default, the machine's name and the process ID
    #[arg(long)]
    name: Option<String>,
    /// Serve metrics to Prometheus at this address, under /metrics
    #[arg(long, value_name = "ADDRESS:PORT")]
    metrics: Option<SocketAddr>,
}

/// The maximum time for a unit without clocks. Nobody waits longer for a pair, and a longer search is a mistake.
const LIFETIME: Duration = Duration::from_secs(3600);

/// How long running pairs may continue after the first signal or `turnwise cluster drain`.
const FAREWELL: Duration = Duration::from_secs(30);

/// Runs a worker until a signal or `turnwise cluster drain` stops it.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let own_name = || {
        let machine = rustix::system::uname();
        let machine = machine.nodename().to_string_lossy();
        format!("{machine}-{}", std::process::id())
    };
    let cluster = Cluster::reach_within(&arguments.url, Duration::MAX)?;
    let why_paused = match arguments.idle {
        Some(lock) => idle(lock)?,
        None => Box::new(|| None),
    };
    // When this process ends, the guard kills programs that are left running. The current folder is changed to an empty
    // folder, so that relative paths in commands refer to nothing.
    let _guard = Guard::start()?;
    let home = Scratch::new()?;
    std::env::set_current_dir(home.path())?;
    let programs = match (arguments.allow_programs, missing().is_empty()) {
        (true, _) => Programs::Any,
        (false, true) => Programs::Isolated,
        (false, false) => Programs::None,
    };
    let fetch = {
        let (runtime, server) = (cluster.runtime.handle().clone(), cluster.server.clone());
        move |run: &str, hash: &str, stop: &Stop| runtime.block_on(server.fetch(run, hash, stop))
    };
    let jobs = arguments.jobs.map_or_else(super::cores, usize::from);
    let worker = Worker {
        name: printable(&arguments.name.unwrap_or_else(own_name)),
        build: build()?,
        jobs,
        speed: speed()?,
        figures: WorkerFigures::default(),
        programs,
        lifetime: LIFETIME,
        farewell: FAREWELL,
        why_paused,
        player: Arc::new(Games {
            games: GAMES,
            start_daemon,
            prepare_batches: prepare,
            jobs,
            programs,
            fetch: Box::new(fetch),
            tell: output::note,
            ready: Shelves::default(),
        }),
    };
    let interrupt = Interrupt::listen_and(|| {
        note!("turnwise: finishing the running pairs; press Ctrl-C again to stop now");
    })?;
    let figures = worker.figures.clone();
    cluster.show_figures(arguments.metrics, move || figures.text())?;
    let Cluster { runtime, server } = cluster;
    tell_what_is_in_force();
    note!(
        "turnwise: {} works at {} ({}, {:.0} nodes a second each, {})",
        worker.name,
        server.address(),
        counted(worker.jobs, "job"),
        worker.speed,
        worker.build
    );
    let is_stopped = || interrupt.is_requested();
    let worked = worker::work(&server, &worker, &is_stopped, &output::note);
    let done = runtime.block_on(worked)?;
    note!(
        "turnwise: {} has done {}",
        worker.name,
        counted(done, "unit")
    );
    Ok(ExitCode::SUCCESS)
}

/// Prepares the work that an order asks for: judging games, or playing games for a training.
fn prepare(order: &Value, file: Option<&[u8]>) -> Result<Box<PlayBatch>, String> {
    match judging::is_order(order) {
        true => judging::prepare(order, file),
        false => prepare_batches(order, file),
    }
}

/// The number of cores that other programs may use while a worker with `--idle` plays.
const MOST_OTHERS: f64 = 0.5;
/// The interval between two measurements of the cores that other programs use.
const MEASURED_OTHERS: Duration = Duration::from_secs(5);

/// Returns a function that returns the reason why an idle worker must pause now, if any. The worker pauses while the
/// file `lock` exists, or while other programs use the machine.
fn idle(lock: Option<PathBuf>) -> anyhow::Result<Box<dyn Fn() -> Option<String> + Send + Sync>> {
    let lock = lock.map(std::path::absolute).transpose()?;
    let measured = Mutex::new((Others::default(), Instant::now(), None));
    Ok(Box::new(move || {
        if let Some(lock) = lock.as_ref().filter(|lock| lock.exists()) {
            return Some(format!("{} exists", lock.display()));
        }
        let mut measured = measured.lock().unwrap_or_else(PoisonError::into_inner);
        let (others, since, used) = &mut *measured;
        if used.is_none() || since.elapsed() >= MEASURED_OTHERS {
            *used = others.cores();
            *since = Instant::now();
        }
        used.filter(|&used| used >= MOST_OTHERS)
            .map(|used| format!("other programs use {used:.1} cores"))
    }))
}

/// The minimum time for measuring this machine's speed.
const MEASURED: Duration = Duration::from_millis(100);

/// Measures how many nodes per second one job searches on this machine, by repeatedly playing the same pair of the
/// first of the program's games.
fn speed() -> anyhow::Result<f64> {
    let agent = |name: &str| Contestant {
        name: name.to_owned(),
        spec: GAMES[0].about().agents[0].name.to_owned(),
        folder: None,
    };
    let game = GAMES[0].by_options(&|_| None).map_err(anyhow::Error::msg)?;
    let agents = vec![agent("one"), agent("other")];
    let settings = Settings::new(
        GameSettings(game),
        agents,
        TimeControl::Nodes { nodes: 1000 },
    );
    let lineup = Lineup::of(&settings, start_daemon)?;
    let pair = Pair::between(1, 0, 1, 1);
    let nodes_of = || -> anyhow::Result<u64> {
        let lines = play_pair(&settings, &lineup, &pair, &|_event| {})?.into_lines();
        let lines = serde_json::Deserializer::from_slice(&lines).into_iter::<Value>();
        let nodes = lines.map(|line| Ok(line?["nodes"].as_u64().unwrap_or_default()));
        nodes.sum()
    };
    // This first pair is not measured, because it also loads data that later pairs reuse.
    nodes_of().context("cannot measure this machine's speed")?;
    let begun = Instant::now();
    let mut nodes = 0;
    while begun.elapsed() < MEASURED {
        nodes += nodes_of()?;
    }
    Ok(nodes as f64 / begun.elapsed().as_secs_f64())
}
