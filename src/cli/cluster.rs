//! Plays matches on many machines: implements the option `--cluster` of the arena, and the command `turnwise cluster`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use clap::Subcommand;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use turnwise_arena::pairs::{Work, play_all_by};
use turnwise_arena::records::Settings;
use turnwise_arena::referee::Event;
use turnwise_cluster::access::Access;
use turnwise_cluster::attachments::{self, Attachments, Programs};
use turnwise_cluster::build::Build;
use turnwise_cluster::coordinator::{self, Run};
use turnwise_cluster::files::FilesError;
use turnwise_cluster::server::{Error, Server};
use turnwise_cluster::tending;
use turnwise_cluster::units::Pairs;
use turnwise_cluster::watching;
use turnwise_daemon::runtime::runtime;
use turnwise_engine::words::printable;
use turnwise_games::GAMES;
use turnwise_studio::serving::{Limits, serve};
use turnwise_studio::spectators::SpectatorServer;

use super::WrongUsage;
use super::arena::{Opened, Shown, concluded, view::View};
use crate::console::interrupt::Interrupt;
use crate::console::output::print;
use crate::console::table::{fitted, table_with_words};
use crate::console::{note, output};

/// The media type with which metrics are sent to Prometheus.
const FIGURES: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// How long a coordinator waits for a server that is starting, and the pause between two attempts to connect.
const STARTED: Duration = Duration::from_secs(10);
const AGAIN: Duration = Duration::from_millis(100);

/// Arguments of `turnwise cluster`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise cluster status nats://HOST  workers, matches and waiting work
  turnwise cluster drain nats://HOST   workers end after their running pairs
  turnwise cluster kick nats://HOST attic  one worker ends at once
  turnwise cluster purge nats://HOST   forget all matches; running ones restart

Exit codes: 0 done, 1 failed, 2 wrong usage.")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show workers, matches and waiting work
    Status(Address),
    /// Stop the current workers after their running pairs
    Drain(Address),
    /// Stop one worker now; other workers play its pairs
    Kick {
        #[command(flatten)]
        address: Address,
        /// The worker's name, as cluster status shows it
        name: String,
    },
    /// Forget all matches, and all results that are not yet in a log
    Purge(Address),
}

/// The address of a NATS server.
#[derive(Debug, clap::Args)]
struct Address {
    /// The NATS server, such as nats://HOST:4222
    #[arg(value_name = "URL")]
    url: String,
}

/// Shows workers and matches, stops the workers, or forgets all matches.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let (Command::Status(address)
    | Command::Drain(address)
    | Command::Kick { address, .. }
    | Command::Purge(address)) = &arguments.command;
    let Cluster { runtime, server } = Cluster::reach_within(&address.url, Duration::ZERO)?;
    runtime.block_on(async {
        match &arguments.command {
            Command::Status(_) => {
                let text = status(&server).await?;
                print(&text)?;
            }
            Command::Drain(_) => tending::drain(&server).await?,
            Command::Kick { name, .. } => tending::kick(&server, name).await?,
            Command::Purge(_) => tending::purge(&server).await?,
        }
        Ok(ExitCode::SUCCESS)
    })
}

async fn status(server: &Server) -> anyhow::Result<String> {
    let mut workers = table_with_words(
        &["worker", "program", "jobs", "speed", "doing", "done"],
        &[0, 1],
    );
    let mut refused = Vec::new();
    for worker in tending::workers(server).await? {
        refused.extend(worker.refused.iter().map(|refused| {
            let [name, title, why] = [&worker.name, &refused.title, &refused.failure.reason];
            printable(&format!("{name} does not play {title}: {why}")) + "\n"
        }));
        let paused = worker.paused.iter();
        refused
            .extend(paused.map(|why| printable(&format!("{} pauses: {why}", worker.name)) + "\n"));
        workers.add_row([
            printable(&worker.name),
            printable(&worker.build.to_string()),
            worker.jobs.to_string(),
            format!("{:.0}", worker.speed),
            worker.doing.to_string(),
            worker.done.to_string(),
        ]);
    }
    let columns = [
        "run",
        "program",
        "units",
        "bundles waiting",
        "leased",
        "leased again",
    ];
    let mut runs = table_with_words(&columns, &[0, 1]);
    for run in tending::runs(server).await? {
        let [title, build, units] = match &run.about {
            Some(about) => [
                about.title.clone(),
                about.build.to_string(),
                about.units.to_string(),
            ],
            None => [run.name, String::new(), String::new()],
        };
        runs.add_row([
            printable(&title),
            printable(&build),
            units,
            run.waiting.to_string(),
            run.leased.to_string(),
            run.leased_again.to_string(),
        ]);
    }
    let refused = refused.concat();
    Ok(format!(
        "{}\n\n{}\n\n{refused}",
        fitted(workers),
        fitted(runs)
    ))
}

/// Returns a value that identifies this build of the program. The programs of a cluster compare their builds.
pub(super) fn build() -> anyhow::Result<Build> {
    Build::of_this_program(env!("CARGO_PKG_VERSION")).context("cannot read the program's own file")
}

/// Checks that a match can be played on other machines. If it cannot, returns an error with the reason.
pub(super) fn check(settings: &Settings) -> Result<(), WrongUsage> {
    let name = settings.game.about().name;
    if GAMES.iter().all(|game| game.about().name != name) {
        return Err(WrongUsage(anyhow!(
            "the rules of {name} are a program in a folder, which the workers do not have; play it without --cluster"
        )));
    }
    attachments::check(settings).map_err(|error| WrongUsage(error.into()))
}

/// Packs the files of all agents, so that other machines can play the match. Returns an error if that is impossible.
pub(super) fn pack(settings: &Settings) -> anyhow::Result<Attachments> {
    check(settings)?;
    let mut missing = None;
    let files = Attachments::of(settings, &mut |place, error| {
        let agent = &settings.agents[place].name;
        missing.get_or_insert_with(|| anyhow!("agent `{agent}`: {error}"));
    })?;
    missing.map_or(Ok(files), Err)
}

/// A connection to a NATS server, and the tokio runtime on which it runs.
pub(super) struct Cluster {
    pub runtime: Runtime,
    pub server: Server,
}

impl Cluster {
    /// Connects to the server at `url`, which may still be starting.
    pub fn reach(url: &str) -> anyhow::Result<Self> {
        Self::reach_within(url, STARTED)
    }

    /// Connects to the server at `url`. If no server is there, tries again for the time `patience`.
    ///
    /// The environment may provide the user, the password and the certificates.
    pub fn reach_within(url: &str, patience: Duration) -> anyhow::Result<Self> {
        let runtime = runtime()?;
        let access = Access::of(url, &|name| std::env::var(name).ok());
        let access = access.map_err(|error| WrongUsage(error.into()))?;
        let begun = Instant::now();
        let mut is_told = false;
        loop {
            let connected = Server::connect(&access, "turnwise", output::note);
            match runtime.block_on(connected) {
                Err(error @ Error::Unreachable { .. }) if begun.elapsed() < patience => {
                    if !std::mem::replace(&mut is_told, true) {
                        note!("turnwise: {error}; waiting for it");
                    }
                    sleep(AGAIN);
                }
                connected => {
                    let server = connected?;
                    return Ok(Self { runtime, server });
                }
            }
        }
    }

    /// If an address is given, starts serving metrics for Prometheus at this address, until this value is dropped.
    pub fn show_figures(
        &self,
        address: Option<SocketAddr>,
        text: impl Fn() -> String + Clone + Send + Sync + 'static,
    ) -> anyhow::Result<()> {
        let Some(address) = address else {
            return Ok(());
        };
        let bound = self.runtime.block_on(TcpListener::bind(address));
        let listener = bound.with_context(|| format!("cannot listen on {address}"))?;
        note!(
            "turnwise: metrics at http://{}/metrics",
            listener.local_addr()?
        );
        let shown = move || async move { ([(CONTENT_TYPE, FIGURES)], text()) };
        let router = Router::new().route("/metrics", get(shown));
        (self.runtime).spawn(serve(listener, router, Limits::default()));
        Ok(())
    }

    /// Plays the remaining pairs of a match or tournament on the workers. If the run is watched, `follow` is called
    /// with every event of the games.
    fn play(
        &self,
        run: &Run,
        is_resumed: bool,
        (settings, work): (&Settings, Work),
        is_stopped: &dyn Fn() -> bool,
        follow: &dyn Fn(Event),
    ) -> anyhow::Result<()> {
        let server = &self.server;
        let mut pairs = Pairs::new(settings, work)?;
        let tell: &dyn Fn(&str) = &output::note;
        self.runtime.block_on(async {
            let played =
                coordinator::conduct(server, run, is_resumed, &mut pairs, is_stopped, tell);
            tokio::select! {
                played = played => Ok(played?),
                // This branch completes only if the connection is lost, and that also ends the match.
                followed = watching::follow(server, run, settings, follow) => Ok(followed?),
            }
        })
    }

    /// Plays a match on the workers until it ends or the user stops it.
    pub fn conduct(
        self,
        (opened, files): (Opened, Attachments),
        is_resumed: bool,
        shown: Shown,
        live: Option<SpectatorServer>,
        metrics: Option<SocketAddr>,
    ) -> anyhow::Result<ExitCode> {
        let Opened {
            mut log,
            settings,
            done,
            ..
        } = opened;
        let interrupt = Interrupt::listen_and(|| {
            note!(
                "turnwise: stopping; --resume plays the running pairs again (the log stays valid)"
            );
        })?;
        if Programs::of(&settings) == Programs::Any {
            note!(
                "turnwise: the programs are not isolated, so only workers with --allow-programs play them; with \
                 --isolate, all workers that can isolate programs do"
            );
        }
        let again = "turnwise arena --resume";
        let mut run = Run::of_match(&settings, files, log.path(), build()?, again)?;
        if live.is_some() {
            run = run.watched();
        }
        let figures = run.figures.clone();
        self.show_figures(metrics, move || figures.text())?;
        let figures = run.figures.clone();
        let view = View::new(shown, &settings, &log, done.pairs());
        let mut view = view.with_aside(move || figures.in_short());
        let watch = |standings: &_| view.update(standings);
        let standings = play_all_by(&settings, done, &mut log, watch, |work| {
            let is_stopped = || interrupt.is_requested();
            let follow = |event: Event| {
                live.iter().for_each(|live| live.announcer().hear(event));
            };
            self.play(&run, is_resumed, (&settings, work), &is_stopped, &follow)
        })?;
        Ok(concluded(view, &standings, &log, &interrupt))
    }
}

/// The workers of a cluster, for playing a tournament on them.
pub(super) struct Workers {
    cluster: Cluster,
    log: PathBuf,
    /// True if the tournament resumes, because its log already existed.
    is_resumed: bool,
    metrics: Option<SocketAddr>,
    /// The description of the tournament that is sent to the workers; `None` until the participants' files have been
    /// packed.
    run: Option<Run>,
}

impl Workers {
    /// Connects to the server at `url` for a tournament; `log` is the path of the tournament's log. If `metrics` is
    /// given, [`play`](Self::play) serves metrics at that address.
    pub fn reach(url: &str, log: &Path, metrics: Option<SocketAddr>) -> anyhow::Result<Self> {
        Ok(Self {
            cluster: Cluster::reach(url)?,
            log: log.to_owned(),
            is_resumed: log.exists(),
            metrics,
            run: None,
        })
    }

    /// Packs the participants' files, which are sent to the workers. Calls `missing` for each participant whose files
    /// cannot be sent.
    pub fn pack(
        &mut self,
        settings: &Settings,
        missing: &mut dyn FnMut(usize, FilesError),
    ) -> anyhow::Result<()> {
        let files = Attachments::of(settings, missing)?;
        let run = Run::of_match(settings, files, &self.log, build()?, "the same command")?;
        self.run = Some(run);
        Ok(())
    }

    /// Plays the remaining pairs of the tournament, in which the participants with the indexes in `absent` do not play.
    /// If `is_watched` is true, `follow` is called with every event of the games.
    pub fn play(
        self,
        (settings, absent): (&Settings, Vec<usize>),
        work: Work,
        is_stopped: &dyn Fn() -> bool,
        (is_watched, follow): (bool, &dyn Fn(Event)),
    ) -> anyhow::Result<()> {
        let mut run = self
            .run
            .context("internal error: no files were packed for the workers")?
            .without(absent);
        if is_watched {
            run = run.watched();
        }
        let figures = run.figures.clone();
        (self.cluster).show_figures(self.metrics, move || figures.text())?;
        let work = (settings, work);
        (self.cluster).play(&run, self.is_resumed, work, is_stopped, follow)
    }
}
