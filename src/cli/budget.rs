//! `turnwise budget`: how a player spent its time, as tables.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use comfy_table::Table;

use crate::budget::{self, Record, Spent};
use crate::console::table::{fitted, table};

/// How many of our own moves are summed up in one row.
const MOVES_IN_A_ROW: u32 = 5;

/// Arguments of `turnwise budget`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise play localhost 10000 --log games.jsonl
  turnwise budget games.jsonl

The first table has a row for each game: the clock, the longest move, and by how much a move missed
its latest time of reply (over). The second has the score, the search, and what was learned of the
opponent (how often it played what we expected; the points it gave away in a move). The third shows
how the time was spent in the course of a game: what was meant for a move (soft), what it took (used),
all in milliseconds. Moves are our own.")]
pub struct Arguments {
    /// Logs written by turnwise play or stdio with --log
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
}

/// Prints the tables of each log.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    for log in &arguments.logs {
        println!("{}", tables(log)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// The tables of one log, as text.
pub(super) fn tables(log: &Path) -> anyhow::Result<String> {
    let cannot_read = || format!("cannot read the log {}", log.display());
    let file = File::open(log).with_context(cannot_read)?;
    let records = budget::read(BufReader::new(file)).with_context(cannot_read)?;
    if records.is_empty() {
        return Ok(format!(
            "{} holds no moves or games of a player's own log (play and stdio write one with --log); \
             turnwise report reads an arena's",
            log.display()
        ));
    }
    let [clocks, searches] = games(&records).map(fitted);
    let course = fitted(course(&records));
    let abandoned = abandoned(&records);
    Ok(format!("{clocks}\n\n{searches}\n\n{abandoned}{course}"))
}

fn optional(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}

/// A row for each game: the clock, and the search with what was learned of the opponent. Each fits a
/// terminal of 80 columns.
fn games(records: &[Record]) -> [Table; 2] {
    let mut clocks = table(&[
        "game",
        "role",
        "moves",
        "used s",
        "left s",
        "longest ms",
        "over ms",
        "fallbacks",
    ]);
    let mut searches = table(&[
        "game",
        "role",
        "score",
        "depth",
        "Mnodes",
        "expected",
        "gave away",
    ]);
    for record in records {
        match record {
            Record::Move(_) | Record::Abandoned(_) => {}
            Record::Game(game) => {
                clocks.add_row([
                    game.game.to_string(),
                    game.role.clone(),
                    game.moves.to_string(),
                    format!("{:.2}", game.clock_used_s),
                    format!("{:.2}", game.clock_left_s),
                    format!("{:.0}", game.longest_ms),
                    format!("{:.1}", game.over_budget_ms),
                    game.fallbacks.to_string(),
                ]);
                searches.add_row([
                    game.game.to_string(),
                    game.role.clone(),
                    game.order_score.to_string(),
                    format!("{:.1}", game.mean_depth),
                    format!("{:.1}", game.nodes as f64 / 1e6),
                    optional(game.opponent_expected, |share| {
                        format!("{:.0} %", share * 100.0)
                    }),
                    optional(game.opponent_gave_away, |points| format!("{points:.2}")),
                ]);
            }
        }
    }
    [clocks, searches]
}

/// A line for each game that was cut short, and an empty one behind them.
fn abandoned(records: &[Record]) -> String {
    let lines = records.iter().filter_map(|record| match record {
        Record::Abandoned(game) => Some(format!(
            "Game {} as {} was abandoned at ply {}: {}\n",
            game.game, game.role, game.ply, game.why
        )),
        Record::Move(_) | Record::Game(_) => None,
    });
    let lines: String = lines.collect();
    match lines.is_empty() {
        true => lines,
        false => lines + "\n",
    }
}

fn course(records: &[Record]) -> Table {
    let moves: Vec<_> = records
        .iter()
        .filter_map(|record| match record {
            Record::Move(mv) => Some(mv),
            _ => None,
        })
        .collect();
    let mut table = table(&[
        "role",
        "moves",
        "soft ms",
        "used ms",
        "longest ms",
        "cpu ms",
        "depth",
        "Mnodes/s",
    ]);
    for role in ["ORDER", "CHAOS"] {
        let own = || moves.iter().filter(|mv| mv.role == role);
        // Both players move in turn, Chaos first, so every second ply is ours.
        let number = |ply: u32| ply.div_ceil(2);
        let last = own().map(|mv| number(mv.ply)).max().unwrap_or(0);
        for first in (1..=last).step_by(MOVES_IN_A_ROW as usize) {
            let end = first + MOVES_IN_A_ROW - 1;
            let row = own().filter(|mv| (first..=end).contains(&number(mv.ply)));
            let spent = budget::spent(row.copied());
            table.add_row(course_row(role, (first, end.min(last)), &spent));
        }
    }
    table
}

fn course_row(role: &str, (first, last): (u32, u32), spent: &Spent) -> Vec<String> {
    vec![
        role.to_owned(),
        // Short enough for a table of 80 columns.
        format!("{first}-{last}"),
        format!("{:.0}", spent.mean_soft),
        format!("{:.0}", spent.mean_used),
        format!("{:.0}", spent.longest),
        format!("{:.0}", spent.mean_cpu),
        format!("{:.1}", spent.mean_depth),
        format!("{:.1}", spent.nodes_per_second / 1e6),
    ]
}
