//! `turnwise guesswho`: plays a game as in the course framework, and draws decision trees.

pub(super) mod export;
mod game;

use std::io::{stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::builder::{PathBufValueParser, TypedValueParser};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::cli::EXIT_WRONG_USAGE;
use crate::cli::files::{read_text, write_whole};
use crate::console::output::print;
use crate::console::{lines, note};
use turnwise_engine::words::{printable, printable_lines};
use turnwise_guesswho::board::Board;
use turnwise_guesswho::conversation::Conversation;
use turnwise_guesswho::parse::{self, ParseError, Problem, Strictness};
use turnwise_guesswho::strategies::StrategyKind;
use turnwise_guesswho::tree::{self, Tree};
use turnwise_protocol::guesswho::LONGEST_REQUEST;

/// The maximum size of an input file, in bytes. It is a hundred times the size of a file with 10,000 persons and 20
/// attributes.
const LARGEST_FILE: u64 = 512 << 20;

/// The maximum number of errors that are shown for a file, and the maximum number of warnings; further ones are only
/// counted.
const MOST_PROBLEMS: usize = 20;
const MOST_WARNINGS: usize = 5;

/// Arguments of `turnwise guesswho`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub struct Arguments {
    /// Game configuration: attributes with their values, a blank line, persons
    config: PathBuf,
    /// Chosen person file ("P1 P3": player 1's and player 2's person), or `random` for persons that are drawn
    #[arg(required_unless_present = "tree",
          value_parser = PathBufValueParser::new().try_map(not_all))]
    chosen: Option<PathBuf>,
    /// The player who guesses first: random, binary, custom (the strongest), optimal or lookahead
    #[arg(required_unless_present = "tree", value_parser = strategy_kind)]
    player1: Option<StrategyKind>,
    /// The player who guesses second
    #[arg(required_unless_present = "tree", value_parser = strategy_kind)]
    player2: Option<StrategyKind>,
    /// Also write the log of the game to this file
    #[arg(short = 'l', value_name = "LOG")]
    log: Option<PathBuf>,
    /// Set the random seed; the same seed gives the same output
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Reject undeclared values and identical persons, which are warnings otherwise
    #[arg(long)]
    strict: bool,
    /// The default, for command lines that state it
    #[arg(long, hide = true, conflicts_with = "strict")]
    lenient: bool,
    /// Draw the decision tree with the fewest rounds on average, instead of playing
    #[arg(long, conflicts_with_all = ["chosen", "player1", "player2", "log", "json"])]
    tree: bool,
    /// Also write the tree as a drawing to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// The usage in two lines, because clap does not wrap it.
const USAGE: &str = "turnwise guesswho [OPTIONS] <CONFIG>
                         [CHOSEN] [PLAYER1] [PLAYER2]";

const EXAMPLES: &str = "\
Examples:
  One game as in the course framework, with its log:
    turnwise guesswho -l game.log game1.config game1.chosen custom binary
  The best decision tree as text and as a drawing:
    turnwise guesswho --tree game1.config --svg tree.svg
  Many games, of 50 random pairs of persons, or of all pairs of ten persons:
    turnwise arena turnwise binary --game guesswho --board game1.config
    turnwise arena turnwise binary --game guesswho --board game1.config \\
      --all-persons --pairs 100";

/// Prints the problems in a file, each with its location and a hint for the user. Returns the exit code for an invalid
/// file.
fn report_problems(path: &Path, error: &ParseError, strictness: Strictness) -> ExitCode {
    let problems = &error.problems;
    note_first(MOST_PROBLEMS, problems, path, "turnwise: ", " problems");
    if strictness == Strictness::Strict && problems.iter().all(|problem| problem.is_doubtful) {
        note!("turnwise: without --strict these are warnings, and the file is accepted");
    }
    ExitCode::from(EXIT_WRONG_USAGE)
}

fn report_warnings(path: &Path, warnings: &[Problem]) {
    note_first(MOST_WARNINGS, warnings, path, "turnwise: warning: ", "");
}

/// Prints the first problems in a file, at most `most`, and states how many further problems exist.
fn note_first(most: usize, problems: &[Problem], path: &Path, intro: &str, of_what: &str) {
    let path = path.display();
    for problem in problems.iter().take(most) {
        note!("{intro}{path}:{}", printable(&problem.to_string()));
    }
    if problems.len() > most {
        note!("{intro}{path}: and {} more{of_what}", problems.len() - most);
    }
}

/// Plays a game, or draws the decision tree if the user asks for it.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if arguments.svg.is_some() && !arguments.tree {
        note!("turnwise: --svg draws a tree: add --tree");
        return Ok(ExitCode::from(EXIT_WRONG_USAGE));
    }
    let strictness = match arguments.strict {
        true => Strictness::Strict,
        false => Strictness::Lenient,
    };
    let text = read_text(&arguments.config, LARGEST_FILE)?;
    let parsed = match parse::configuration(&text, strictness) {
        Ok(parsed) => parsed,
        Err(error) => return Ok(report_problems(&arguments.config, &error, strictness)),
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
        Some("random") => None,
        _ => match parse::chosen(&read_text(path, LARGEST_FILE)?, board.configuration()) {
            Ok(chosen) => Some(chosen),
            Err(error) => return Ok(report_problems(path, &error, strictness)),
        },
    };
    let plan = game::Plan {
        board: &board,
        chosen,
        players: [player1, player2],
        seed: arguments.seed,
    };
    game::run(&plan, arguments.log.as_deref(), arguments.json)
}

/// Rejects `all`, which played all pairs of persons in earlier versions. A file of that name is `./all`.
fn not_all(path: PathBuf) -> Result<PathBuf, &'static str> {
    match path.to_str() {
        Some("all") => Err("expected a file, or random"),
        _ => Ok(path),
    }
}

/// Arguments of `turnwise stdio guesswho`.
#[derive(Debug, clap::Args)]
pub struct StdioArguments {
    /// Play this strategy: random, binary, custom, optimal or lookahead
    #[arg(long, value_parser = strategy_kind, default_value = "custom")]
    player: StrategyKind,
    /// Set the random seed
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

/// Plays a game that another program runs, which communicates over stdin and stdout, until the input ends.
pub fn run_stdio(arguments: StdioArguments) -> anyhow::Result<ExitCode> {
    let random = Xoshiro256PlusPlus::seed_from_u64(arguments.seed);
    let mut load = load;
    let mut conversation = Conversation::new(arguments.player, random, &mut load);
    let reply = |line: Option<&[u8]>| conversation.reply(line).map_continue(Some);
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    lines::serve(&mut input, &mut output, LONGEST_REQUEST, reply)?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a game configuration from a file. Undeclared values and identical persons only cause warnings, which are
/// printed to stderr.
fn load(path: &str) -> Result<Board, String> {
    let path = Path::new(path);
    let text = read_text(path, LARGEST_FILE).map_err(|error| format!("{error:#}"))?;
    let parsed = parse::configuration(&text, Strictness::Lenient)
        .map_err(|error| format!("{}:{}", path.display(), error.problems[0]))?;
    report_warnings(path, &parsed.warnings);
    Ok(Board::new(parsed.configuration))
}

fn draw_tree(board: &Board, svg: Option<&Path>) -> anyhow::Result<ExitCode> {
    let persons = board.configuration().persons.len();
    let tree = Tree::optimal(board).with_context(|| {
        format!(
            "{persons} persons are too many to draw: the maximum is {}",
            tree::MOST_PERSONS
        )
    })?;
    let rounds = tree.rounds();
    let total: u32 = rounds.iter().sum();
    let most = rounds.iter().max().copied().unwrap_or(0);
    let mean = f64::from(total) / persons as f64;
    let mut text = format!(
        "{persons} person(s), {mean:.3} rounds on average ({total}/{persons}), {most} at most\n"
    );
    text.push_str(&printable_lines(&tree.to_text(board)));
    if let Some(path) = svg {
        write_whole(path, tree.to_svg(board).as_bytes())?;
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
