//! `turnwise entropy budget`: shows in tables how a player used the time on its clock.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use comfy_table::Table;
use serde::Deserialize;
use turnwise_engine::statistics::Sample;
use turnwise_engine::words::printable;

use crate::cli::files::read_log;
use crate::console::output::print;
use crate::console::table::{columns, fitted, table};

/// A row of the table summarizes this number of the player's own moves.
const MOVES_IN_A_ROW: u32 = 5;

/// The maximum length of a line, in bytes. The lines that a player writes are much shorter.
const LONGEST_LINE: usize = 1 << 20;

/// Arguments of `turnwise entropy budget`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise play localhost 10000 --log games.jsonl
  turnwise entropy budget games.jsonl

The first table has a row for each game: the clock, the longest move, and by how much a move missed \
its reply deadline (over). The second has the score, the search, and facts about the opponent (how \
often it played the move that we expected; the points that it gave away per move). The third shows the \
use of time over the course of a game: the time planned for a move (soft) and used for it (used), all in \
milliseconds. Moves are our own.")]
pub struct Arguments {
    /// Logs written by turnwise play or stdio with --log
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
}

/// A record in a player's log that contains data about time.
///
/// The log of an arena also contains moves and games, but they lack fields that are required here. So they are not read
/// as records.
#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Record {
    Move(Move),
    Game(Game),
    Abandoned {
        game: u32,
        role: String,
        ply: u32,
        why: String,
    },
}

#[derive(Debug, Deserialize)]
struct Move {
    /// The number of moves that both players have made, including this move.
    ply: u32,
    role: String,
    soft_ms: f64,
    used_ms: f64,
    cpu_ms: f64,
    depth: u32,
    nodes: u64,
    /// The time from the player's previous reply to the next request. Only the log of a player has this field.
    #[serde(rename = "wait_ms")]
    _wait_ms: f64,
}

/// A completed game.
#[derive(Debug, Deserialize)]
struct Game {
    game: u32,
    role: String,
    order_score: u32,
    moves: u32,
    fallbacks: u32,
    clock_used_s: f64,
    clock_left_s: f64,
    longest_ms: f64,
    over_budget_ms: f64,
    nodes: u64,
    mean_depth: f64,
    /// The share of the opponent's moves that the player had expected, from 0 to 1.
    opponent_expected: Option<f64>,
    opponent_gave_away: Option<f64>,
}

/// Prints the tables about the use of time for each log.
pub(in crate::cli) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    for log in &arguments.logs {
        print(&format!("{}\n", tables(log)?))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a log, and returns its tables as text.
pub(super) fn tables(log: &Path) -> anyhow::Result<String> {
    let told = tables_of(&read_log(log)?);
    let told = told.with_context(|| format!("cannot read the log {}", log.display()))?;
    Ok(told.unwrap_or_else(|| {
        format!(
            "{} contains no moves or games of a player's own log (play and stdio write one with --log); \
             turnwise report reads an arena's log",
            log.display()
        )
    }))
}

/// Returns the tables of a log, laid out for the terminal; `None` if the log has no moves and no games.
///
/// # Errors
///
/// Returns an error if a line is not a JSON object.
pub fn tables_of(log: &[u8]) -> anyhow::Result<Option<String>> {
    let records = read(log)?;
    if records.is_empty() {
        return Ok(None);
    }
    let [clocks, searches] = games(&records).map(fitted);
    let course = fitted(course(&records));
    let abandoned = abandoned(&records);
    let text = format!("{clocks}\n\n{searches}\n\n{abandoned}{course}");
    Ok(Some(text))
}

fn optional(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}

/// Parses the records of a log. Lines about other events are skipped.
///
/// If a line is not a JSON object, returns an error with the number of the line.
fn read(log: &[u8]) -> anyhow::Result<Vec<Record>> {
    let mut records = Vec::new();
    for (number, line) in (1..).zip(log.split_inclusive(|&byte| byte == b'\n')) {
        ensure!(
            line.len() <= LONGEST_LINE,
            "line {number} is longer than {LONGEST_LINE} bytes"
        );
        let line = line.trim_ascii_end();
        match serde_json::from_slice(line) {
            Ok(record) => records.push(made_printable(record)),
            Err(_) => {
                let other: serde_json::Result<serde_json::Value> = serde_json::from_slice(line);
                other.with_context(|| format!("line {number}: expected a JSON object"))?;
            }
        }
    }
    Ok(records)
}

/// Replaces control characters and line feeds in the texts of a record, so that a terminal can show them.
fn made_printable(mut record: Record) -> Record {
    match &mut record {
        // The role of a move is never printed. It is only compared with the known roles.
        Record::Move(_) => {}
        Record::Game(game) => game.role = printable(&game.role),
        Record::Abandoned { role, why, .. } => {
            *role = printable(role);
            *why = printable(why);
        }
    }
    record
}

/// Creates two tables, which have a row for each game.
///
/// The first table is about the clock, the second about the search and the opponent. Both fit into 80 columns.
fn games(records: &[Record]) -> [Table; 2] {
    let mut clocks = table(&columns(
        "game | role | moves | used s | left s | longest ms | over ms | fallbacks",
    ));
    let mut searches = table(&columns(
        "game | role | score | depth | Mnodes | expected | gave away",
    ));
    for record in records {
        if let Record::Game(game) = record {
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
    [clocks, searches]
}

/// Returns a text with a line for each game that was not finished, and an empty line at the end.
fn abandoned(records: &[Record]) -> String {
    let lines = records.iter().filter_map(|record| match record {
        Record::Abandoned {
            game,
            role,
            ply,
            why,
        } => Some(format!(
            "Game {game} as {role} was abandoned at ply {ply}: {why}\n"
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
    let mut table = table(&columns(
        "role | moves | soft ms | used ms | longest ms | cpu ms | depth | Mnodes/s",
    ));
    for role in ["ORDER", "CHAOS"] {
        let own = || moves.iter().filter(|mv| mv.role == role);
        // Chaos begins, and the players alternate, so this player makes every second ply.
        let number = |ply: u32| ply.div_ceil(2).max(1);
        let last = own().map(|mv| number(mv.ply)).max().unwrap_or(0);
        // A map contains only rows that have moves. A list could become huge, because a log may contain any ply number.
        let mut rows: BTreeMap<u32, Vec<&Move>> = BTreeMap::new();
        for mv in own() {
            let row = (number(mv.ply) - 1) / MOVES_IN_A_ROW;
            rows.entry(row).or_default().push(mv);
        }
        for (row, moves) in rows {
            let first = row * MOVES_IN_A_ROW + 1;
            let end = last.min(first + MOVES_IN_A_ROW - 1);
            table.add_row(course_row(role, (first, end), &moves));
        }
    }
    table
}

fn course_row(role: &str, (first, last): (u32, u32), moves: &[&Move]) -> Vec<String> {
    let mean = |of: fn(&Move) -> f64| moves.iter().map(|mv| of(mv)).collect::<Sample>().mean();
    let longest = moves.iter().map(|mv| mv.used_ms).fold(0.0, f64::max);
    let nodes = moves
        .iter()
        .fold(0u64, |sum, mv| sum.saturating_add(mv.nodes));
    let cpu_ms: f64 = moves.iter().map(|mv| mv.cpu_ms).sum();
    vec![
        role.to_owned(),
        // The text is short, so that the table fits into 80 columns.
        format!("{first}-{last}"),
        format!("{:.0}", mean(|mv| mv.soft_ms)),
        format!("{:.0}", mean(|mv| mv.used_ms)),
        format!("{longest:.0}"),
        format!("{:.0}", mean(|mv| mv.cpu_ms)),
        format!("{:.1}", mean(|mv| f64::from(mv.depth))),
        // Nodes per microsecond of CPU time are millions of nodes per second.
        format!("{:.1}", nodes as f64 / 1e3 / cpu_ms.max(1e-3)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_records_are_passed_over_and_broken_lines_named() {
        let log = "{\"event\":\"abandoned\",\"game\":1,\"role\":\"ORDER\",\"ply\":3,\"why\":\"x\"}\n\
                   {\"message\":\"connected\"}\n";
        let records = read(log.as_bytes()).expect("both lines are objects");
        assert!(matches!(&records[..], [Record::Abandoned { ply: 3, .. }]));
        let twice = log.replace("\"game\":1", "\"game\":1,\"game\":2");
        let records = read(twice.as_bytes()).expect("both lines are objects");
        assert!(records.is_empty(), "{records:?}");
        let error = read("{}\nno\n".as_bytes()).expect_err("the second line is no object");
        assert!(error.to_string().starts_with("line 2:"), "{error}");
        let long = [b"{}\n".as_slice(), &vec![b'['; LONGEST_LINE + 1]].concat();
        let error = read(&long).expect_err("the second line is too long");
        assert_eq!(error.to_string(), "line 2 is longer than 1048576 bytes");
        assert!(read(b"").expect("nothing is wrong").is_empty());
    }

    #[test]
    fn a_log_takes_no_hold_of_the_terminal() {
        let log = r#"{"event":"abandoned","game":1,"role":"\u001b[2J","ply":3,"why":"no\nGame 2"}"#;
        let tables = tables_of(log.as_bytes()).expect("an object");
        let tables = tables.expect("a game");
        let line = "Game 1 as \u{fffd}[2J was abandoned at ply 3: no\u{fffd}Game 2\n";
        assert!(tables.contains(line), "{tables:?}");
    }

    #[test]
    fn a_ply_beyond_all_games_makes_one_row() {
        let mv = |ply: u32| {
            format!(
                "{{\"event\":\"move\",\"ply\":{ply},\"role\":\"ORDER\",\"soft_ms\":1.0,\"used_ms\":1.0,\
                 \"cpu_ms\":1.0,\"depth\":1,\"nodes\":1,\"wait_ms\":0.0}}\n"
            )
        };
        let log = [mv(0), mv(2), mv(u32::MAX)].concat();
        let tables = tables_of(log.as_bytes()).expect("objects").expect("moves");
        let rows: Vec<&str> = (tables.lines().filter(|line| line.contains("ORDER"))).collect();
        assert_eq!(rows.len(), 2, "{tables}");
        assert!(rows[1].contains("2147483646-2147483648"), "{tables}");
    }

    #[test]
    fn means_are_over_moves_and_the_rate_over_cpu_time() {
        let mv = |used_ms, cpu_ms, nodes| Move {
            ply: 1,
            role: "ORDER".to_owned(),
            soft_ms: 30.0,
            used_ms,
            cpu_ms,
            depth: 3,
            nodes,
            _wait_ms: 0.0,
        };
        let moves = [mv(10.0, 5.0, 1_000_000), mv(30.0, 15.0, 3_000_000)];
        assert_eq!(
            course_row("ORDER", (1, 5), &moves.each_ref())[2..],
            ["30", "20", "30", "10", "3.0", "200.0"]
        );
        assert_eq!(
            course_row("ORDER", (1, 5), &[])[2..],
            ["0", "0", "0", "0", "0.0", "0.0"]
        );
    }
}
