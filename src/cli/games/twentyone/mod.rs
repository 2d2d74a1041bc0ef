//! `turnwise twentyone`: plays games as the course's server does, optionally with a person; reports on logged games;
//! and evaluates hands.

mod command;
mod field;
mod one_game;
mod person;
mod report;
pub(super) mod starters;
mod value;

use std::io::{stdin, stdout};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};

use crate::cli::WrongUsage;
use crate::cli::files::write_whole;
use crate::cli::games::arena_instead;
use crate::cli::isolation::{IsolationArguments, tell_what_is_in_force};
use crate::console::{lines, say};
use field::{Participant, participants};
use turnwise_engine::plugin::MOST_SEATS;
use turnwise_engine::words::counted;
use turnwise_process::guard::Guard;
use turnwise_process::isolation::Isolation;
use turnwise_process::pin_to_core;
use turnwise_protocol::twentyone::LINE_LIMIT;
use turnwise_twentyone::game::Game;
use turnwise_twentyone::log::GameLog;
use turnwise_twentyone::rules::{Points, RuleSet, Settings};
use turnwise_twentyone::wire::reply_line;

/// Plays on stdin and stdout until the input ends. Each line of the input is a call, which is answered with one line.
///
/// The settings in the arguments apply to each call that contains no settings itself.
pub fn run_stdio(arguments: &SettingsArguments) -> anyhow::Result<ExitCode> {
    let settings = arguments.settings()?;
    let reply = |line: Option<&[u8]>| ControlFlow::Continue(reply_line(&settings, line));
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    lines::serve(&mut input, &mut output, LINE_LIMIT, reply)
        .context("cannot read stdin or write stdout")?;
    Ok(ExitCode::SUCCESS)
}

/// Arguments of `turnwise twentyone`.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  turnwise twentyone --rules engine
      a game of our player and five baselines
  turnwise twentyone --players ours,basic*9 --seed 7 --log game
      game.csv, game-score.csv and game.json
  turnwise twentyone --players ours,\"ada=cmd:python3 ada/mine.py\" --isolate
      somebody's program, one JSON line per call
  turnwise twentyone report game-score.csv --svg game.svg
      points over rounds
  turnwise twentyone --play
      a seat for you; ? shows the value of each action
  turnwise twentyone value --rules engine
      the value of a hand
  turnwise arena turnwise chart basic --game twentyone --tables --seats 3 \\
      --movetime 1
      many games: who is stronger, at what confidence"
)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    game: GameArguments,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Report points over rounds and players' actions, from score files, turn files and JSON records
    Report(report::Arguments),
    /// Evaluate a hand: exactly, by simulation and by counting cards; also the risk of ruin by stack
    Value(value::Arguments),
}

#[derive(Debug, clap::Args)]
struct GameArguments {
    /// Players: ours, naive, basic, timid, gambler, counter, chart, or [NAME=]cmd:PROGRAM; basic*3 adds three players
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    players: Vec<String>,
    /// Seed of shoe and seating; the same seed plays the same game
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    settings: SettingsArguments,
    /// Write the game to PREFIX.csv, PREFIX-score.csv (as the first player sees it) and PREFIX.json
    #[arg(long, value_name = "PREFIX")]
    log: Option<PathBuf>,
    /// Take a seat yourself
    #[arg(long)]
    play: bool,
    #[command(flatten)]
    many: ManyGamesArguments,
    #[command(flatten)]
    isolation: IsolationArguments,
}

/// Options that moved to the arena; an error shows the arena's command line.
#[derive(Debug, clap::Args)]
struct ManyGamesArguments {
    #[arg(long, hide = true)]
    games: Option<u32>,
    #[arg(long, hide = true)]
    threads: Option<usize>,
    #[arg(long, hide = true)]
    keep: Option<PathBuf>,
}

impl ManyGamesArguments {
    /// Returns true if the user asks for many games, which only the arena plays.
    fn are_wanted(&self) -> bool {
        let are_many = self.games.is_some_and(|games| games != 1);
        are_many || self.threads.is_some() || self.keep.is_some()
    }
}

/// Parameters of a game; the rule set provides the defaults.
#[derive(Debug, Clone, clap::Args)]
pub struct SettingsArguments {
    /// Follow the assignment text, or the course's engine where it differs
    #[arg(long, default_value = "text", value_name = "text|engine")]
    rules: RuleSet,
    /// Set each player's points at the start [default: 10000]
    #[arg(long, value_name = "POINTS")]
    starting_points: Option<Points>,
    /// Set the smallest bid [default: 10]
    #[arg(long, value_name = "POINTS")]
    min_bid: Option<Points>,
    /// Set the largest bid [default: 1000 (text), 100 (engine)]
    #[arg(long, value_name = "POINTS")]
    max_bid: Option<Points>,
    /// Set the number of rounds in a game [default: 1000 (text), 100 (engine)]
    #[arg(long)]
    rounds: Option<u32>,
    /// Set the number of decks in the shoe [default: 3]
    #[arg(long)]
    decks: Option<u8>,
}

impl SettingsArguments {
    /// Returns the settings of a game. The rule set provides all settings that the user does not state. Returns an
    /// error if the settings are invalid.
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

/// Plays a game, with or without a person, or runs a subcommand.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Some(Command::Report(arguments)) => report::run(arguments),
        Some(Command::Value(arguments)) => value::run(arguments),
        None => run_game(&arguments.game),
    }
}

fn run_game(arguments: &GameArguments) -> anyhow::Result<ExitCode> {
    let settings = arguments.settings.settings()?;
    let isolation = arguments.isolation.isolation();
    let isolation = isolation.as_ref();
    let usual = match arguments.play {
        true => "ours,basic,naive",
        false => "ours,naive,basic,timid,gambler,counter",
    };
    let field = participants(&arguments.players, usual, isolation)?;
    if arguments.many.are_wanted() {
        return Err(in_the_arena(arguments, &settings, &field, isolation));
    }
    let (seed, log) = (arguments.seed, arguments.log.as_deref());
    if arguments.play {
        let _guard = guard(&field, isolation);
        return person::run(&settings, &field, seed, log);
    }
    if field.len() < 2 {
        bail!("a game needs two players or more, as in --players ours,basic");
    }
    let _guard = guard(&field, isolation);
    if isolation.is_some() {
        pin_to_core(0);
    }
    one_game::run(&settings, &field, seed, log)
}

/// The number of games in the suggested command line for the arena if the user does not state a number.
const USUAL_GAMES: u32 = 100;

/// Returns the error for a user who asks this command to play many games. The error message contains the command line
/// with which the arena plays these games.
fn in_the_arena(
    arguments: &GameArguments,
    settings: &Settings,
    field: &[Participant],
    isolation: Option<&Isolation>,
) -> anyhow::Error {
    let seats = field.len();
    if !(2..=MOST_SEATS).contains(&seats) {
        return WrongUsage(anyhow!(
            "to play many games, use turnwise arena, with 2 to {MOST_SEATS} players at a table; got {seats}"
        ))
        .into();
    }
    let (many, given) = (&arguments.many, &arguments.settings);
    let games = many.games.unwrap_or(USUAL_GAMES);
    let options = [
        ("game", Some("twentyone".to_owned())),
        ("seats", (seats > 2).then(|| seats.to_string())),
        ("rules", Some(settings.rules.to_string())),
        (
            "starting-points",
            given.starting_points.map(|it| it.to_string()),
        ),
        ("min-bid", given.min_bid.map(|it| it.to_string())),
        ("max-bid", given.max_bid.map(|it| it.to_string())),
        // The number of rounds is always stated, because the arena has another default.
        ("rounds", Some(settings.rounds.to_string())),
        ("decks", given.decks.map(|it| it.to_string())),
        ("pairs", Some(games.div_ceil(seats as u32).to_string())),
        ("seed", Some(arguments.seed.to_string())),
        // One second is the time limit for an action in the assignment text.
        ("movetime", Some("1".to_owned())),
        ("jobs", many.threads.map(|threads| threads.to_string())),
        (
            "log",
            many.keep.as_ref().map(|path| path.display().to_string()),
        ),
        ("memory", isolation.map(|it| (it.memory >> 20).to_string())),
    ];
    let mut words: Vec<String> = field.iter().map(|it| it.agent.clone()).collect();
    for (name, value) in options {
        words.extend(
            value
                .into_iter()
                .flat_map(|value| [format!("--{name}"), value]),
        );
    }
    words.extend((seats > 2).then(|| "--tables".to_owned()));
    words.extend(isolation.map(|_| "--isolate".to_owned()));
    arena_instead(&words)
}

/// If programs take part, starts a guard: a process that ends these programs if this process is killed. Then reports
/// how the programs are isolated.
///
/// If the guard cannot be started, the programs play without it.
fn guard(field: &[Participant], isolation: Option<&Isolation>) -> Option<Guard> {
    let has_programs = field.iter().any(Participant::is_program);
    let guard = has_programs.then(|| Guard::start().ok())?;
    if isolation.is_some() {
        tell_what_is_in_force();
    }
    guard
}

/// Describes the settings of a game in a line.
fn in_words(settings: &Settings) -> String {
    format!(
        "TwentyOne, {} rules: {}, bids {} to {}, {} points each, {}.",
        settings.rules,
        counted(settings.rounds, "round"),
        settings.min_bid,
        settings.max_bid,
        settings.starting_points,
        counted(settings.decks, "deck")
    )
}

/// Shows the final standings of a game. If `prefix` is given, also writes the records of the game.
fn conclude(game: &Game, log: &mut GameLog, prefix: Option<&Path>) -> anyhow::Result<()> {
    log.standings = game.standings();
    say!("\nStandings after round {}:", game.round());
    for standing in &log.standings {
        let name = &log.players[standing.id as usize];
        say!("{:>3}. {name:<16} {:>10}", standing.place, standing.points);
    }
    match prefix {
        Some(prefix) => write_log(prefix, log),
        None => Ok(()),
    }
}

/// Writes the records of a game into three files, whose names begin with `prefix`.
fn write_log(prefix: &Path, log: &GameLog) -> anyhow::Result<()> {
    let write = |ending: &str, text: String| {
        let path = PathBuf::from(format!("{}{ending}", prefix.display()));
        write_whole(&path, text.as_bytes())
    };
    write(".csv", log.turn_file(0))?;
    write("-score.csv", log.score_file(0))?;
    write(".json", serde_json::to_string(log)? + "\n")
}
