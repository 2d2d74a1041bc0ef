//! `turnwise analyse`: evaluates the moves of an Entropy board and forecasts the final score.

mod view;

use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};

use super::solve;
use crate::cli::WrongUsage;
use crate::console::interrupt::Interrupt;
use crate::console::output::print;
use crate::console::progress::StatusLine;
use crate::console::{note, terminal};
use turnwise_engine::files::{ReadError, read_at_most};
use turnwise_engine::search::analysis::analyse;
use turnwise_engine::search::playouts::{Playouts, final_scores};
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Limits};
use turnwise_entropy::evaluated::Evaluated;
use turnwise_entropy::palindromes::board_score;
use turnwise_entropy::parse::{LONGEST_TEXT, ParseError, parse};
use turnwise_entropy::picture::colour;
use turnwise_entropy::rules::{Colour, Move, Phase, Position};
use turnwise_entropy::weights;
use view::View;

/// The size of the transposition table, in bytes.
const TABLE_BYTES: usize = 64 << 20;

/// The number of playouts, which all start with the best move. Fewer are played if the time does not suffice.
const PLAYOUTS: u32 = 100;

/// The depth of the searches that choose the moves of both sides in a playout, in plies.
const PLAYOUT_DEPTH: u32 = 2;

/// If solving the position took at most this number of nodes, the moves of the playouts are also chosen by solving.
const SOLVED_QUICKLY: u64 = 100_000;

/// The time for the analysis, divided by this number, is the time for the playouts: one quarter.
const PLAYOUT_SHARE: u32 = 4;

/// The maximum number of nodes in all playouts together if no time limit is given. With this number, the playouts take
/// only seconds on any board.
const PLAYOUT_NODES: u64 = 40_000_000;

/// Arguments of `turnwise analyse`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise analyse board.txt
      one second for the board in that file
  turnwise analyse board.txt --time 30
      search more deeply; Ctrl-C shows what is known so far
  turnwise analyse --drawn A < board.txt
      Chaos has drawn an A and places it
  turnwise analyse board.txt --json --nodes 200000
      for programs; the same on every machine
  printf '%s\\n' 'AB.' '...' '..C' | turnwise analyse
      a board typed in

A board is one row per line: a letter from A (or a digit from 1) for a tile, a dot for none; spaces are \
ignored. The format of turnwise and the tournament server, with row and column numbers, is also accepted:

    0 1 2 (cols)
  0  A B .
  1  . . .
  2  . . C
  drawn: B

The last line (or --drawn B) is the tile that Chaos has to place; without it Order is to move. The bag \
contains the tiles that are not on the board. Moves are in the assignment's notation: ROW COLUMN to place \
a tile, ROW COLUMN ROW COLUMN to slide one. The score is the expected final score if both play well; it \
is omitted if unknown. The value is the search's internal evaluation in points for Order, so Chaos \
prefers low values. Boards that turnwise entropy solve has solved are looked up instead of searched.

Exit codes: 0 done, 1 failed, 2 wrong usage or no board, 4 stdout could not be written.")]
pub struct Arguments {
    /// Read the board from this text file; from stdin if it is - or missing
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Limit the time of the whole analysis; 1 if neither --nodes nor --depth is given
    #[arg(long, value_name = "SECONDS", value_parser = crate::cli::parse_clock)]
    time: Option<Duration>,
    /// Search at most this many positions; alone or with --depth, the answer is reproducible
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Search at most this many plies deep
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Rank this many moves; fewer moves are searched more deeply
    #[arg(long, value_name = "K", default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    top: u16,
    /// Seed the playouts that estimate the final score
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Allow Order to pass, as at CodeCup
    #[arg(long)]
    pass: bool,
    /// Set the tile that Chaos must place, if the text does not name it
    #[arg(long, value_name = "COLOUR", value_parser = parse_colour)]
    drawn: Option<Colour>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

fn parse_colour(text: &str) -> Result<Colour, String> {
    let mut letters = text.chars();
    match (letters.next().and_then(colour), letters.next()) {
        (Some(colour), None) => Ok(colour),
        _ => Err("expected a letter from A to Z or a digit from 1 to 9".to_owned()),
    }
}

/// Reads a board, analyzes it, and prints the result.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let file = (arguments.file.as_deref()).filter(|file| *file != Path::new("-"));
    let text = read(file)?;
    let position = parse(&text, arguments.pass, arguments.drawn).map_err(|error| {
        let source = file.map_or("stdin".into(), |file| file.display().to_string());
        let hint = match error {
            ParseError::NothingToMove => ", or --drawn A",
            _ => "",
        };
        WrongUsage(anyhow!("{source}: {error}{hint}"))
    })?;
    let text = if position.phase() == Phase::Over {
        let score = board_score(&position);
        match arguments.json {
            true => json(&serde_json::json!({ "order_score": score }))?,
            false => format!("The game is over; Order's score: {score}\n"),
        }
    } else {
        let view = study(&arguments, position)?;
        match arguments.json {
            true => json(&view)?,
            false => view.text(terminal::has_colours(&io::stdout())),
        }
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn json(value: &impl serde::Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// Reads the text of a board. Reads at most one byte more than the longest valid text has, so that the parser can
/// report a text that is too long.
fn read(file: Option<&Path>) -> anyhow::Result<Vec<u8>> {
    let limit = LONGEST_TEXT as u64 + 1;
    let mut text = Vec::new();
    match file {
        Some(path) => {
            let shown = path.display();
            match read_at_most(path, LONGEST_TEXT as u64) {
                Ok(Some(board)) => text = board,
                Ok(None) => bail!("cannot read the board {shown}: there is no such file"),
                Err(error @ ReadError::TooLarge { .. }) => {
                    return Err(WrongUsage(anyhow!("not a valid board: {error}")).into());
                }
                Err(error) => return Err(error.into()),
            }
        }
        None => {
            let stdin = io::stdin();
            if stdin.is_terminal() {
                note!(
                    "Type a board, one row per line, and end it with Ctrl-D (--help shows an example):"
                );
            }
            stdin
                .lock()
                .take(limit)
                .read_to_end(&mut text)
                .context("cannot read stdin")?;
        }
    }
    Ok(text)
}

fn study(arguments: &Arguments, position: Position) -> anyhow::Result<View> {
    let began = Instant::now();
    let control = stopped_by_signal()?;
    let size = position.size();
    let mut game = Evaluated::new(position, weights::best_known(size));
    let unlimited = arguments.nodes.is_none() && arguments.depth.is_none();
    let time = (arguments.time).or_else(|| unlimited.then_some(Duration::from_secs(1)));
    let limits = Limits {
        depth: arguments.depth.unwrap_or(u32::MAX),
        nodes: arguments.nodes.unwrap_or(u64::MAX),
        hard: time.map(|time| began + time - time / PLAYOUT_SHARE),
        ..Limits::default()
    };
    let mut progress = StatusLine::new();
    let top = usize::from(arguments.top);
    let rules = game.position().rules();
    let analysis = match solve::at_hand(rules) {
        Some(solution) => solution.analysis(game.position(), top)?,
        None => {
            let mut table = Table::new(TABLE_BYTES);
            analyse(&mut game, &mut table, top, limits, &control, |iteration| {
                progress.tell(|| view::headline(iteration, size));
            })
        }
    };
    progress.tell(|| "playing games from the best move".to_owned());
    let how = Playouts {
        count: PLAYOUTS,
        depth: match analysis.nodes {
            1..=SOLVED_QUICKLY if analysis.solved => analysis.depth,
            // The position may be solved only because it was looked up in a solution, so a search may be unable to
            // solve it.
            _ => PLAYOUT_DEPTH,
        },
        seed: arguments.seed,
    };
    let limits = Limits {
        nodes: match time {
            Some(_) => u64::MAX,
            None => PLAYOUT_NODES,
        },
        hard: time.map(|time| began + time),
        ..Limits::default()
    };
    let scores = final_scores(&game, analysis.candidates[0].mv, how, limits, &control);
    progress.clear();
    if control.stopped() {
        note!("turnwise: stopped early; these are the results so far");
    }
    Ok(View::new(&game, &analysis, how, scores))
}

/// Creates the control through which a search is stopped. The first SIGINT or SIGTERM stops the search, and the second
/// ends the program.
fn stopped_by_signal() -> anyhow::Result<Arc<Control<Move>>> {
    let control = Arc::new(Control::new());
    let shared = Arc::clone(&control);
    Interrupt::listen_and(move || shared.stop())?;
    Ok(control)
}
