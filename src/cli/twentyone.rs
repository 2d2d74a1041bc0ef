//! `turnwise twentyone`: tournaments, a seat at the table, reports of games, and values of hands.

mod command;
#[cfg(test)]
mod engine_bridge;
mod field;
mod person;
mod report;
mod value;
mod wire;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context, bail};
use rustix::process::Signal;

use super::Runtime;
use super::progress::StatusLine;
use super::table::table_of_names;
use field::{Entrant, entrants};
use turnwise_daemon::shutdown;
use turnwise_engine::statistics::{Estimate, Sample, share};
use turnwise_engine::words::counted;
use turnwise_twentyone::log::GameLog;
use turnwise_twentyone::record::Standing;
use turnwise_twentyone::rules::{Points, RuleSet, Settings};
use turnwise_twentyone::tournament::{self, Plan, summarise};

pub use wire::{StdioArguments, run_stdio};

/// Arguments of `turnwise twentyone`.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  turnwise twentyone --games 100                          ours against five baselines
  turnwise twentyone --rules engine --players ours,basic*9 --games 200 --seed 7
  turnwise twentyone --players ours,\"cmd:python3 mine.py\" --games 20
                                                          a program of yours, one JSON line a call
  turnwise twentyone --games 1 --log game                 game.csv, game-score.csv and game.json
  turnwise twentyone report game-score.csv --svg game.svg  points over rounds
  turnwise twentyone --play                               a seat for you; ? shows what each action
                                                          is worth
  turnwise twentyone value --rules engine                 what a hand is worth"
)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    tournament: TournamentArguments,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Points over rounds and what players did, from score files, turn files and JSON records
    Report(report::Arguments),
    /// Value of a hand: exact, simulated, counted, and what stacks make of it
    Value(value::Arguments),
}

#[derive(Debug, clap::Args)]
struct TournamentArguments {
    /// Who plays: ours, naive, basic, timid, gambler, counter, chart, or cmd:PROGRAM; basic*3 seats three
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    players: Vec<String>,
    /// Games to play
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Seed of shoes and seating; the same seed plays the same games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    settings: SettingsArguments,
    /// Threads that play [default: one for each processor]
    #[arg(long)]
    threads: Option<usize>,
    /// Write the first game to PREFIX.csv, PREFIX-score.csv (as the first player sees it) and
    /// PREFIX.json
    #[arg(long, value_name = "PREFIX")]
    log: Option<PathBuf>,
    /// Take a seat yourself
    #[arg(long, conflicts_with = "games")]
    play: bool,
}

/// Parameters of a game; those not given are the rule set's.
#[derive(Debug, Clone, clap::Args)]
pub struct SettingsArguments {
    /// Rules of the assignment text, or of the course's engine where it differs
    #[arg(long, default_value = "text", value_name = "text|engine")]
    rules: RuleSet,
    /// Points of each player at the start [default: 10000]
    #[arg(long, value_name = "POINTS")]
    starting_points: Option<Points>,
    /// Smallest bid [default: 10]
    #[arg(long, value_name = "POINTS")]
    min_bid: Option<Points>,
    /// Largest bid [default: 1000 (text), 100 (engine)]
    #[arg(long, value_name = "POINTS")]
    max_bid: Option<Points>,
    /// Rounds of a game [default: 1000 (text), 100 (engine)]
    #[arg(long)]
    rounds: Option<u32>,
    /// Decks in the shoe [default: 3]
    #[arg(long)]
    decks: Option<u8>,
}

impl SettingsArguments {
    /// The settings, checked.
    ///
    /// # Errors
    /// If they make no game.
    pub fn settings(&self) -> anyhow::Result<Settings> {
        let of_rules = Settings::of(self.rules);
        let settings = Settings {
            rules: self.rules,
            starting_points: self.starting_points.unwrap_or(of_rules.starting_points),
            min_bid: self.min_bid.unwrap_or(of_rules.min_bid),
            max_bid: self.max_bid.unwrap_or(of_rules.max_bid),
            rounds: self.rounds.unwrap_or(of_rules.rounds),
            decks: self.decks.unwrap_or(of_rules.decks),
        };
        Ok(settings.validated()?)
    }
}

/// Runs a tournament, a game with a person, or a subcommand.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Some(Command::Report(arguments)) => report::run(arguments),
        Some(Command::Value(arguments)) => value::run(arguments),
        None => run_tournament(arguments.tournament),
    }
}

fn run_tournament(arguments: TournamentArguments) -> anyhow::Result<ExitCode> {
    let settings = arguments.settings.settings()?;
    if arguments.play {
        let field = entrants(&arguments.players, "ours,basic,naive")?;
        return person::run(&settings, &field, arguments.seed, arguments.log.as_deref());
    }
    let field = entrants(&arguments.players, "ours,naive,basic,timid,gambler,counter")?;
    if field.len() < 2 {
        bail!("a tournament needs two players or more, as in --players ours,basic");
    }
    let plan = Plan {
        settings,
        players: field.len(),
        games: arguments.games,
        seed: arguments.seed,
        threads: arguments.threads.unwrap_or_else(super::cores),
    };
    let interrupt = Interrupt::listen()?;
    let seat = |_| field.iter().map(|entrant| entrant.seat(true)).collect();
    let names: Vec<String> = field.iter().map(|entrant| entrant.name.clone()).collect();
    let mut log = arguments.log.as_ref().map(|_| {
        GameLog::new(
            plan.settings.clone(),
            names,
            tournament::game_seed(plan.seed, 0),
        )
    });
    let done = AtomicU32::new(0);
    let games = with_progress("games", &done, plan.games, || {
        tournament::play(&plan, &seat, &interrupt.stop, &done, log.as_mut())
    })?;
    if let (Some(prefix), Some(log)) = (&arguments.log, &log) {
        write_log(prefix, log)?;
    }
    print_tournament(&plan, &field, &games)?;
    Ok(interrupt.exit_code())
}

fn print_tournament(plan: &Plan, field: &[Entrant], games: &[Vec<Standing>]) -> anyhow::Result<()> {
    let settings = &plan.settings;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "TwentyOne, {} rules: {} of {}, {}, bids {} to {}, {} starting points, {}, seed {}",
        settings.rules,
        games.len(),
        counted(plan.games, "game"),
        counted(settings.rounds, "round"),
        settings.min_bid,
        settings.max_bid,
        settings.starting_points,
        counted(settings.decks, "deck"),
        plan.seed,
    )?;
    let mut table = table_of_names(&[
        "player",
        "points",
        "place",
        "first",
        "ruined",
        "points to first",
        "places",
    ]);
    let mut rows: Vec<_> = field.iter().zip(summarise(field.len(), games)).collect();
    rows.sort_by(|a, b| a.1.place.mean().total_cmp(&b.1.place.mean()));
    for (entrant, summary) in rows {
        let Estimate { lower, upper, .. } = share(u64::from(summary.ruined), games.len() as u64);
        table.add_row([
            entrant.name.clone(),
            interval(&summary.points, 0),
            interval(&summary.place, 2),
            summary.first.to_string(),
            format!(
                "{} ({:.1} to {:.1} %)",
                summary.ruined,
                100.0 * lower,
                100.0 * upper
            ),
            interval(&summary.points_ahead_of_first, 0),
            interval(&summary.places_behind_first, 2),
        ]);
    }
    writeln!(out, "{table}")?;
    writeln!(
        out,
        "Intervals are 95 %. The last two columns compare with {} in the same games.",
        field[0].name
    )?;
    Ok(())
}

/// A mean with its interval, which one observation does not have.
fn interval(sample: &Sample, digits: usize) -> String {
    if sample.count() < 2 {
        return format!("{:.digits$}", sample.mean());
    }
    format!(
        "{:.digits$} ± {:.digits$}",
        sample.mean(),
        sample.half_width()
    )
}

/// Writes the three records of a game.
fn write_log(prefix: &Path, log: &GameLog) -> anyhow::Result<()> {
    let write = |ending: &str, text: String| {
        let path = PathBuf::from(format!("{}{ending}", prefix.display()));
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    write(".csv", log.turn_file(0))?;
    write("-score.csv", log.score_file(0))?;
    write(".json", serde_json::to_string(log)? + "\n")
}

/// SIGINT and SIGTERM during a long computation: it stops, and what it has found is printed.
struct Interrupt {
    stop: Arc<AtomicBool>,
    signal: Arc<OnceLock<Signal>>,
}

impl Interrupt {
    /// Listens on a thread of its own until the process ends.
    fn listen() -> anyhow::Result<Interrupt> {
        let interrupt = Interrupt {
            stop: Arc::default(),
            signal: Arc::default(),
        };
        let (stop, signal) = (interrupt.stop.clone(), interrupt.signal.clone());
        let runtime = Runtime::new()?;
        std::thread::spawn(move || {
            runtime.block_on(async move {
                // Without handlers, a signal ends the process as usual.
                let Ok(mut shutdown) = shutdown::listen() else {
                    return;
                };
                let _ = signal.set(shutdown.requested().await);
                stop.store(true, Ordering::Relaxed);
                std::future::pending::<()>().await;
            });
        });
        Ok(interrupt)
    }

    fn exit_code(&self) -> ExitCode {
        self.signal.get().map_or(ExitCode::SUCCESS, |signal| {
            shutdown::exit_code(*signal).into()
        })
    }
}

/// Runs `work`, and shows on a terminal how much of it is done.
fn with_progress<T>(what: &str, done: &AtomicU32, all: u32, work: impl FnOnce() -> T) -> T {
    let finished = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut status = StatusLine::new();
            while !finished.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(100));
                status.tell(&format!("{} of {all} {what}", done.load(Ordering::Relaxed)));
            }
        });
        let result = work();
        finished.store(true, Ordering::Relaxed);
        result
    })
}
