//! `turnwise guesswho`: games as in the course framework, many games, and decision trees.

mod human;
mod report;

use std::fs::File;
use std::io::{BufWriter, Read, Write, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::console::output::{print, until_closed};
use crate::console::{lines, note};
use turnwise_guesswho::board::Board;
use turnwise_guesswho::conversation::Conversation;
use turnwise_guesswho::game::{self, GameError};
use turnwise_guesswho::parse::{self, ParseError, Strictness};
use turnwise_guesswho::player::{Strategy, StrategyError};
use turnwise_guesswho::strategies::StrategyKind;
use turnwise_guesswho::tree::{self, Tree};
use turnwise_protocol::guesswho::LONGEST_REQUEST;

/// The largest file that is read: a hundred times a board of 10,000 persons with 20 attributes.
const LARGEST_FILE: u64 = 512 << 20;

/// Problems and warnings about one file that are shown before the rest is only counted.
const MOST_PROBLEMS: usize = 20;
const MOST_WARNINGS: usize = 5;

/// What is said to a person who has left.
const LEFT: &str = "You have left the game before its end.";

/// The exit code for wrong usage and malformed input.
const MALFORMED: u8 = 2;

/// Arguments of `turnwise guesswho`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Game configuration: attributes with their values, a blank line, persons
    config: PathBuf,
    /// Chosen person file ("P1 P3": player 1's and player 2's person), or `random` for persons
    /// drawn anew in each game, or `all` for every pair of persons once
    #[arg(required_unless_present = "tree")]
    chosen: Option<PathBuf>,
    /// The player who guesses first
    #[arg(required_unless_present = "tree", value_enum)]
    player1: Option<PlayerKind>,
    /// The player who guesses second
    #[arg(required_unless_present = "tree", value_enum)]
    player2: Option<PlayerKind>,
    /// Also write the log of the game, or of all games, to this file
    #[arg(short = 'l', value_name = "LOG")]
    log: Option<PathBuf>,
    /// Play this many games and print a summary instead of the log
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Seed of everything random; the same seed gives the same output
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Refuse undeclared values and persons who are alike, which are warnings otherwise
    #[arg(long)]
    strict: bool,
    /// The default, for command lines that state it
    #[arg(long, hide = true, conflicts_with = "strict")]
    lenient: bool,
    /// Draw the decision tree with the fewest rounds on average instead of playing
    #[arg(long, conflicts_with_all = ["chosen", "player1", "player2", "games", "log", "json"])]
    tree: bool,
    /// Also write the tree as a drawing to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  One game as in the course framework, with its log:
    turnwise guesswho -l game.log game1.config game1.chosen custom binary
  Ten thousand games between persons drawn at random:
    turnwise guesswho --games 10000 --seed 7 game1.config random custom random
  Every pair of persons once, as JSON:
    turnwise guesswho --json game1.config all custom binary
  Play against the strongest player yourself:
    turnwise guesswho game1.config random human custom
  The best decision tree as text and as a drawing:
    turnwise guesswho --tree game1.config --svg tree.svg";

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum PlayerKind {
    /// Guesses any attribute and value of the remaining candidates
    Random,
    /// Divides the remaining candidates most evenly
    Binary,
    /// The strongest: plays the race against the other player
    Custom,
    /// Needs the fewest rounds on average, whatever the other player does
    Optimal,
    /// You, at the keyboard: ? helps, q leaves
    Human,
}

impl PlayerKind {
    fn name(self) -> &'static str {
        self.strategy_kind().map_or("human", StrategyKind::name)
    }

    fn strategy_kind(self) -> Option<StrategyKind> {
        match self {
            PlayerKind::Random => Some(StrategyKind::Random),
            PlayerKind::Binary => Some(StrategyKind::Binary),
            PlayerKind::Custom => Some(StrategyKind::Custom),
            PlayerKind::Optimal => Some(StrategyKind::Optimal),
            PlayerKind::Human => None,
        }
    }

    fn create(self) -> Box<dyn Strategy> {
        self.strategy_kind().map_or_else(
            || Box::new(human::Human::default()) as Box<dyn Strategy>,
            StrategyKind::create,
        )
    }
}

/// Which persons the players have.
#[derive(Clone, Copy, Debug)]
enum Chosen {
    Fixed([u32; 2]),
    Random,
    All,
}

/// Reads a whole file, refusing what is too large to be meant.
fn read(path: &Path) -> anyhow::Result<String> {
    let doing = || format!("cannot read {}", path.display());
    let file = File::open(path).with_context(doing)?;
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1)
        .read_to_end(&mut bytes)
        .with_context(doing)?;
    anyhow::ensure!(
        bytes.len() as u64 <= LARGEST_FILE,
        "{}: larger than {LARGEST_FILE} bytes",
        path.display()
    );
    String::from_utf8(bytes).map_err(|error| {
        anyhow::anyhow!(
            "{}: not UTF-8 at byte {}",
            path.display(),
            error.utf8_error().valid_up_to()
        )
    })
}

/// Prints every problem of a file with its place, and what may help.
fn report_problems(path: &Path, error: &ParseError, strictness: Strictness) {
    for problem in error.problems.iter().take(MOST_PROBLEMS) {
        note!("turnwise: {}:{problem}", path.display());
    }
    if error.problems.len() > MOST_PROBLEMS {
        note!(
            "turnwise: {}: and {} more problems",
            path.display(),
            error.problems.len() - MOST_PROBLEMS
        );
    }
    let doubtful = |problem: &parse::Problem| {
        matches!(
            problem.fault,
            parse::Fault::UnknownValue { .. } | parse::Fault::Alike { .. }
        )
    };
    if strictness == Strictness::Strict && error.problems.iter().all(doubtful) {
        note!("turnwise: without --strict these are warnings, and the file is accepted");
    }
}

fn report_warnings(path: &Path, warnings: &[parse::Problem]) {
    for warning in warnings.iter().take(MOST_WARNINGS) {
        note!("turnwise: warning: {}:{warning}", path.display());
    }
    if warnings.len() > MOST_WARNINGS {
        note!(
            "turnwise: warning: {}: and {} more",
            path.display(),
            warnings.len() - MOST_WARNINGS
        );
    }
}

/// Plays, or draws the tree.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if arguments.svg.is_some() && !arguments.tree {
        note!("turnwise: --svg draws a tree: add --tree");
        return Ok(ExitCode::from(MALFORMED));
    }
    let strictness = if arguments.strict {
        Strictness::Strict
    } else {
        Strictness::Lenient
    };
    let parsed = match parse::configuration(&read(&arguments.config)?, strictness) {
        Ok(parsed) => parsed,
        Err(error) => {
            report_problems(&arguments.config, &error, strictness);
            return Ok(ExitCode::from(MALFORMED));
        }
    };
    report_warnings(&arguments.config, &parsed.warnings);
    let board = Board::new(parsed.configuration);
    if arguments.tree {
        return draw_tree(&board, arguments.svg.as_deref());
    }
    let (Some(path), Some(player1), Some(player2)) =
        (&arguments.chosen, arguments.player1, arguments.player2)
    else {
        unreachable!("clap requires all three without --tree");
    };
    let chosen = match path.to_str() {
        Some("random") => Chosen::Random,
        Some("all") => Chosen::All,
        _ => match parse::chosen(&read(path)?, board.configuration()) {
            Ok(chosen) => Chosen::Fixed(chosen.map(|person| person as u32)),
            Err(error) => {
                report_problems(path, &error, strictness);
                return Ok(ExitCode::from(MALFORMED));
            }
        },
    };
    let plan = report::Plan {
        board: &board,
        chosen,
        players: [player1, player2],
        seed: arguments.seed,
    };
    let log = match &arguments.log {
        Some(path) => {
            Some(BufWriter::new(File::create(path).with_context(|| {
                format!("cannot write {}", path.display())
            })?))
        }
        None => None,
    };
    match (arguments.games, chosen) {
        (None, Chosen::Fixed(_) | Chosen::Random) => one_game(&plan, log, arguments.json),
        (games, _) => report::many_games(&plan, games, log, arguments.json),
    }
}

/// One game, its log line by line on standard output as in the course framework.
fn one_game(
    plan: &report::Plan<'_>,
    mut log: Option<BufWriter<File>>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
    let chosen = plan.persons(0, &mut random);
    let [mut first, mut second] = plan.players.map(PlayerKind::create);
    let mut lines = Vec::new();
    let mut failure = None;
    let outcome = game::play(
        plan.board,
        chosen,
        [&mut *first, &mut *second],
        &mut random,
        &mut |line| {
            let written = log.as_mut().map_or(Ok(()), |log| {
                writeln!(log, "{line}").and_then(|()| log.flush())
            });
            let shown = if json {
                Ok(())
            } else {
                writeln!(stdout(), "{line}")
            };
            failure = failure.take().or(written.and(shown).err());
            if json {
                lines.push(line.to_string());
                plan.tell_people(line);
            }
        },
    );
    if let Some(error) = failure {
        return Err(error).context("cannot write the log");
    }
    let Some(outcome) = unless_left(outcome)? else {
        note!("{LEFT}");
        return Ok(ExitCode::SUCCESS);
    };
    if json {
        let json = report::game_as_json(plan, chosen, outcome, &lines);
        until_closed(print(&format!("{json}\n")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How a game ended, if nobody has left it.
fn unless_left(
    outcome: Result<game::Outcome, GameError>,
) -> Result<Option<game::Outcome>, GameError> {
    match outcome {
        Ok(outcome) => Ok(Some(outcome)),
        Err(GameError::Strategy {
            cause: StrategyError::Left,
            ..
        }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Arguments of `turnwise stdio guesswho`.
#[derive(Debug, clap::Args)]
pub struct StdioArguments {
    /// Which strategy plays
    #[arg(long, value_parser = strategy_kind, default_value = "custom")]
    player: StrategyKind,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn strategy_kind(name: &str) -> Result<StrategyKind, String> {
    let known = || StrategyKind::ALL.map(StrategyKind::name).join(", ");
    StrategyKind::ALL
        .into_iter()
        .find(|kind| kind.name() == name)
        .ok_or_else(|| format!("expected one of {}", known()))
}

/// Plays for another program on stdin and stdout until the input ends.
pub fn run_stdio(arguments: StdioArguments) -> anyhow::Result<ExitCode> {
    let random = Xoshiro256PlusPlus::seed_from_u64(arguments.seed);
    let mut load = load;
    let mut conversation = Conversation::new(arguments.player, random, &mut load);
    let reply = |line: Option<&[u8]>| conversation.reply(line).map_continue(Some);
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    lines::serve(&mut input, &mut output, LONGEST_REQUEST, reply)?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a configuration leniently; warnings go to stderr.
fn load(path: &str) -> Result<Board, String> {
    let path = Path::new(path);
    let text = read(path).map_err(|error| format!("{error:#}"))?;
    let parsed = parse::configuration(&text, Strictness::Lenient)
        .map_err(|error| format!("{}:{}", path.display(), error.problems[0]))?;
    report_warnings(path, &parsed.warnings);
    Ok(Board::new(parsed.configuration))
}

fn draw_tree(board: &Board, svg: Option<&Path>) -> anyhow::Result<ExitCode> {
    let persons = board.configuration().persons.len();
    let tree = Tree::optimal(board).with_context(|| {
        format!(
            "{persons} persons are too many to draw: at most {} are",
            tree::MOST_PERSONS
        )
    })?;
    let rounds: Vec<u32> = tree.rounds().into_iter().map(|(_, round)| round).collect();
    let total: u32 = rounds.iter().sum();
    let most = rounds.iter().max().copied().unwrap_or(0);
    let mean = f64::from(total) / persons as f64;
    let mut text = format!(
        "{persons} person(s), {mean:.3} rounds on average ({total}/{persons}), {most} at most\n"
    );
    text.push_str(&tree.to_text(board));
    until_closed(print(&text))?;
    if let Some(path) = svg {
        std::fs::write(path, tree.to_svg(board))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
