//! `turnwise entropy solve`: computes the value of every board of a small game.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use turnwise_entropy::picture::notation;
use turnwise_entropy::rules::{MIN_SIZE, Move, Position, Rules};
use turnwise_entropy::solution::index::LARGEST;
use turnwise_entropy::solution::{self, Solution, SolutionError, Work, boards, file_name, solve};

use crate::cli::files::solutions;
use crate::console::interrupt::Interrupt;
use crate::console::note;
use crate::console::output::print;
use crate::console::progress::counting_bar;
use crate::console::table::table_of_names;

/// Arguments of `turnwise entropy solve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise entropy solve --size 3         seconds
  turnwise entropy solve --size 4         minutes, 1.5 GB memory, a 1.1 GB file
  turnwise entropy solve --size 4 --pass  if Order may pass, as at CodeCup

It computes the final score of every board under perfect play and writes the scores to a file: by default \
where turnwise analyse looks for it, in $XDG_DATA_HOME/turnwise or ~/.local/share/turnwise. Boards with the \
same number of tiles are solved together: Ctrl-C loses at most the current number, and the same command \
continues. If the file is already complete, it is checked and its values are printed. docs/explanation/solved.md describes \
the method and how anyone can check the result.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 stdout could not be written, 130 stopped by Ctrl-C, \
143 by SIGTERM.")]
pub struct Arguments {
    /// Set the side of the board, from 2 to 4
    #[arg(long, visible_alias = "n", value_name = "N", default_value_t = LARGEST,
          value_parser = clap::value_parser!(u8).range(i64::from(MIN_SIZE)..=i64::from(LARGEST)))]
    size: u8,
    /// Allow Order to pass, as at CodeCup
    #[arg(long)]
    pass: bool,
    /// Write the values to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Use this many threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

/// Solves a game, or checks the solution if one already exists. Then prints the values of some boards.
///
/// These are the empty board and the boards after each possible first placement.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let rules = Rules {
        size: arguments.size,
        pass: arguments.pass,
    };
    let path = match arguments.out {
        Some(path) => path,
        None => {
            let folder = solutions().context("expected HOME to be set, or a file with --out")?;
            folder.join(file_name(rules))
        }
    };
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let interrupt = Interrupt::listen()?;
    // The bar counts each board twice: with Order to move, and with Chaos to move.
    let bar = counting_bar("solving".to_owned(), 2 * boards(rules), "boards");
    let work = Work {
        threads: arguments.jobs.map_or_else(crate::cli::cores, usize::from),
        done: &|boards| bar.inc(boards),
        found: &|boards| bar.found(boards),
        is_stopped: &|| interrupt.is_requested(),
    };
    let solved = match Solution::open(&path, rules) {
        Ok(solution) => solution.verify().map(|()| solution),
        Err(_) => solve(&path, rules, &work),
    };
    drop(bar);
    let solution = match solved {
        Err(stopped @ SolutionError::Stopped { .. }) => {
            note!("turnwise: {stopped}");
            return Ok(interrupt.exit_code());
        }
        solved => solved?,
    };
    print(&summary(&path, rules, &solution)?)?;
    Ok(ExitCode::SUCCESS)
}

fn summary(path: &Path, rules: Rules, solution: &Solution) -> anyhow::Result<String> {
    let size = rules.size;
    let pass = if rules.pass { ", Order may pass" } else { "" };
    let mut position = Position::new(rules);
    let value = solution.value(&position)?;
    let mut text = format!(
        "Entropy {size}x{size}{pass}: {} boards up to symmetry, in {}.\n\
         The final score when both sides play perfectly: {value:.4}\n\nChaos's first placement:\n",
        boards(rules),
        path.display(),
    );
    let mut table = table_of_names(&["cell", "final score"]);
    position.make(Move::Draw(1));
    // Only the placements in a triangle of cells between a corner and the middle are shown. By symmetry, every other
    // cell is equivalent to a cell in this triangle.
    let middle = u16::from(size.div_ceil(2));
    for (row, column) in (0..middle).flat_map(|row| (row..middle).map(move |column| (row, column)))
    {
        let place = Move::Place(row * u16::from(size) + column);
        let mut placed = position.clone();
        placed.make(place);
        table.add_row([
            notation(place, size),
            format!("{:.4}", solution.value(&placed)?),
        ]);
    }
    writeln!(text, "{table}")?;
    Ok(text)
}

/// Opens the finished solution for these rules in the default folder; `None` if it is missing or unusable.
///
/// If the solution is unusable, the reason is printed to stderr.
pub(super) fn at_hand(rules: Rules) -> Option<Solution> {
    solution::at_hand(&solutions()?, rules).unwrap_or_else(|error| {
        note!("turnwise: searching instead: {error}");
        None
    })
}
