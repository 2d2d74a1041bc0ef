//! `turnwise twentyone`: tournaments, a seat at the table, reports of games, and values of hands.

mod command;
mod field;
mod kept;
mod person;
mod report;
pub(super) mod starters;
mod value;

use std::fmt::Write as _;
use std::io::{stdin, stdout};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, bail};

use crate::cli::files::write_whole;
use crate::cli::isolation::{IsolationArguments, tell_what_is_in_force};
use crate::console::interrupt::Interrupt;
use crate::console::lines;
use crate::console::output::print;
use crate::console::progress::games_bar;
use crate::console::table::table_of_names;
use field::{Participant, participants};
use kept::{Kept, Terms};
use turnwise_engine::statistics::{Sample, share};
use turnwise_engine::words::{counted, printable};
use turnwise_process::guard::Guard;
use turnwise_process::isolation::Isolation;
use turnwise_process::pin_to_core;
use turnwise_protocol::twentyone::LINE_LIMIT;
use turnwise_twentyone::log::GameLog;
use turnwise_twentyone::rules::{Points, RuleSet, Settings};
use turnwise_twentyone::tournament::{self, Plan, Played, not_told_apart, rotations, summarise};
use turnwise_twentyone::wire::reply_line;

/// Answers a call a line on stdin and stdout until the input ends; the arguments hold where calls carry no
/// settings.
pub fn run_stdio(arguments: &SettingsArguments) -> anyhow::Result<ExitCode> {
    let settings = arguments.settings()?;
    let reply = |line: Option<&[u8]>| ControlFlow::Continue(reply_line(&settings, line));
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    lines::serve(&mut input, &mut output, LINE_LIMIT, reply)
        .context("cannot go on reading stdin or writing stdout")?;
    Ok(ExitCode::SUCCESS)
}

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
  turnwise twentyone --players ours,\"ada=cmd:python3 ada/mine.py\" --isolate
                                                          somebody else's program
  turnwise twentyone --games 3000 --keep games.json       once more, and it goes on where it was
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
    /// Value of a hand: exact, simulated, with cards counted, and the risk of ruin by stack
    Value(value::Arguments),
}

#[derive(Debug, clap::Args)]
struct TournamentArguments {
    /// Players: ours, naive, basic, timid, gambler, counter, chart, or [NAME=]cmd:PROGRAM; basic*3 seats
    /// three
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    players: Vec<String>,
    /// Games to play; players change seats from game to game, and a shoe is played until all had all
    /// seats [default: 100 or more, until they have]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    games: Option<u32>,
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
    /// Keep the games in FILE; the same command goes on with those that it has, also with more --games
    #[arg(long, value_name = "FILE", conflicts_with_all = ["log", "play"])]
    keep: Option<PathBuf>,
    /// Take a seat yourself
    #[arg(long, conflicts_with = "games")]
    play: bool,
    #[command(flatten)]
    isolation: IsolationArguments,
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
    /// The settings, those not given as usual for the rules; an error if they cannot be.
    fn settings(&self) -> anyhow::Result<Settings> {
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

/// Games of a tournament, unless its players need some more to change seats.
const USUAL_GAMES: u32 = 100;

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
    let isolation = arguments.isolation.isolation();
    let isolation = isolation.as_ref();
    if arguments.play {
        let field = participants(&arguments.players, "ours,basic,naive", isolation)?;
        let _guard = guard(&field, isolation);
        return person::run(&settings, &field, arguments.seed, arguments.log.as_deref());
    }
    let usual = "ours,naive,basic,timid,gambler,counter";
    let field = participants(&arguments.players, usual, isolation)?;
    if field.len() < 2 {
        bail!("a tournament needs two players or more, as in --players ours,basic");
    }
    let terms = Terms {
        settings: settings.clone(),
        players: field.iter().map(Participant::words).collect(),
        seed: arguments.seed,
    };
    let kept = arguments.keep.as_deref();
    let kept = kept.map(|path| Kept::open(path, terms)).transpose()?;
    let plan = Plan {
        settings,
        known: kept.as_ref().map(Kept::games).unwrap_or_default(),
        games: (arguments.games).unwrap_or(USUAL_GAMES.next_multiple_of(field.len() as u32)),
        seed: arguments.seed,
        threads: arguments.threads.unwrap_or_else(crate::cli::cores),
    };
    let interrupt = Interrupt::listen()?;
    let _guard = guard(&field, isolation);
    let seated = AtomicUsize::new(0);
    let seat = || {
        if isolation.is_some() {
            // A thread that has been given a core before keeps it.
            pin_to_core(seated.fetch_add(1, Ordering::Relaxed));
        }
        field.iter().map(Participant::seat).collect()
    };
    let mut log = arguments.log.as_ref().map(|_| {
        let names = field.iter().map(|participant| participant.name.clone());
        let seed = tournament::game_seed(plan.seed, 0);
        GameLog::new(plan.settings.clone(), names.collect(), seed)
    });
    let bar = games_bar("playing".to_owned(), plan.games.into());
    bar.inc(plan.known.len() as u64);
    // A file that cannot be written is told of when it is over.
    let done = |game: &Played| {
        bar.inc(1);
        kept.iter().for_each(|kept| drop(kept.add(game)));
    };
    let is_stopped = || interrupt.is_requested();
    let games = tournament::play(&plan, &seat, &is_stopped, &done, log.as_mut())?;
    drop(bar);
    if let Some(kept) = &kept {
        kept.finish()?;
    }
    if let (Some(prefix), Some(log)) = (&arguments.log, &log) {
        write_log(prefix, log)?;
    }
    print_tournament(&plan, &field, &games)?;
    Ok(interrupt.exit_code())
}

/// Guards the programs of a field, if it has any, and says what their isolation comes to; without a guard they
/// play all the same.
fn guard(field: &[Participant], isolation: Option<&Isolation>) -> Option<Guard> {
    let has_programs = field.iter().any(Participant::is_program);
    let guard = has_programs.then(|| Guard::start().ok())?;
    if isolation.is_some() {
        tell_what_is_in_force();
    }
    guard
}

fn print_tournament(plan: &Plan, field: &[Participant], games: &[Played]) -> anyhow::Result<()> {
    let settings = &plan.settings;
    let mut out = String::new();
    writeln!(
        out,
        "TwentyOne, {} rules: {} of {}, {}, bids {} to {}, {} starting points, {}, seed {}",
        settings.rules,
        games.len(),
        counted(plan.games.max(games.len() as u32), "game"),
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
    for (participant, summary) in rows {
        let ruined = share(summary.ruined.into(), games.len() as u64).map(|share| 100.0 * share);
        table.add_row([
            participant.name.clone(),
            interval(&summary.points, 0),
            interval(&summary.place, 2),
            summary.first.to_string(),
            format!(
                "{} ({:.1} to {:.1} %)",
                summary.ruined, ruined.lower, ruined.upper
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
    out += &doubts(field, games);
    out += &faults(field, games);
    if rotations(field.len(), games).any(|rotation| rotation.len() < field.len()) {
        let seats = counted(field.len() as u64, "game");
        writeln!(
            out,
            "Not everybody had every seat: that takes {seats} with each shoe."
        )?;
    }
    Ok(print(&out)?)
}

/// So many couples of players are named; more are counted.
const MOST_COUPLES: usize = 20;

/// Who cannot be told apart by points.
fn doubts(field: &[Participant], games: &[Played]) -> String {
    let mut couples = not_told_apart(field.len(), games);
    if couples.is_empty() {
        return "By points everybody is told apart.\n".to_owned();
    }
    let more = couples.len().saturating_sub(MOST_COUPLES);
    couples.truncate(MOST_COUPLES);
    let couples = couples.into_iter();
    let couples =
        couples.map(|(one, other)| format!("{} - {}", field[one].name, field[other].name));
    let couples: Vec<String> = couples.collect();
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("By points not told apart: {}{more}.\n", couples.join(", "))
}

/// Who was put out, how often, and why it was the first time.
fn faults(field: &[Participant], games: &[Played]) -> String {
    let mut text = String::new();
    for (summary, (id, participant)) in summarise(field.len(), games).iter().zip((0..).zip(field)) {
        let mut all = games.iter().flat_map(|game| &game.faults);
        if let Some(first) = all.find(|fault| fault.player == id) {
            text += &format!(
                "{} was put out in {}, first in round {}: {}\n",
                participant.name,
                counted(summary.faults, "game"),
                first.round,
                printable(&first.reason)
            );
        }
    }
    text
}

/// A mean with its interval, which one observation does not have.
fn interval(sample: &Sample, digits: usize) -> String {
    let mean = sample.mean();
    match sample.count() {
        ..2 => format!("{mean:.digits$}"),
        _ => format!("{mean:.digits$} ± {:.digits$}", sample.half_width()),
    }
}

/// Writes the three records of a game.
fn write_log(prefix: &Path, log: &GameLog) -> anyhow::Result<()> {
    let write = |ending: &str, text: String| {
        let path = PathBuf::from(format!("{}{ending}", prefix.display()));
        write_whole(&path, text.as_bytes())
    };
    write(".csv", log.turn_file(0))?;
    write("-score.csv", log.score_file(0))?;
    write(".json", serde_json::to_string(log)? + "\n")
}
