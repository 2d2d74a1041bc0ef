//! `turnwise report`: what an arena's logs say, as tables, pictures and a page.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use comfy_table::{CellAlignment, Table, presets};

use crate::report::charts::{Chart, charts};
use crate::report::page::page;
use crate::report::records::{self, Log, ReadError};
use crate::report::standings::{pairings, standings, with_interval};
use crate::report::{Match, merge};

/// The exit code for a file that is no log.
const EXIT_MALFORMED: u8 = 2;

/// The page's name in the folder.
const PAGE: &str = "report.html";

/// Arguments of `turnwise report`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise report match.jsonl                 the tables
  turnwise report match.jsonl --out report    and report/report.html with pictures and replays
  turnwise report monday.jsonl tuesday.jsonl --out report

Logs of the same agents on the same terms are put together; others are shown apart. The difference
of a pair is what an agent scored as Order less what its opponent scored as Order on the same tiles;
behind ± is half the 95 % interval of the mean. The page needs no network: open it as a file, send
it by mail. turnwise replay shows a game in the terminal.")]
pub struct Arguments {
    /// Logs written by turnwise arena
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Write report.html and the pictures (SVG) into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints the tables and writes the page.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut logs = Vec::new();
    for path in &arguments.logs {
        match open(path)? {
            Ok(log) => logs.push((path.display().to_string(), log)),
            Err(code) => return Ok(code),
        }
    }
    let matches = merge(logs);
    for note in matches.iter().flat_map(|of| &of.notes) {
        eprintln!("turnwise: {note}");
    }
    let mut text: Vec<String> = matches.iter().map(tables).collect();
    if let Some(folder) = &arguments.out {
        text.push(write(folder, matches)?);
    }
    until_closed(print(&text.join("\n")))?;
    Ok(ExitCode::SUCCESS)
}

/// A log, or the exit code after telling the user why the file is none.
pub(super) fn open(path: &Path) -> anyhow::Result<Result<Log, ExitCode>> {
    let cannot_read = || format!("cannot read the log {}", path.display());
    let file = File::open(path).with_context(cannot_read)?;
    match records::read(BufReader::new(file)) {
        Ok(log) => Ok(Ok(log)),
        Err(ReadError::Io(error)) => Err(error).with_context(cannot_read),
        Err(error) => {
            eprintln!("turnwise: {} is no arena log: {error}", path.display());
            Ok(Err(ExitCode::from(EXIT_MALFORMED)))
        }
    }
}

/// Prints at once.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A reader that has seen enough, such as `head`, is no failure.
pub(super) fn until_closed(printed: io::Result<()>) -> io::Result<()> {
    match printed {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn table(header: &[&str], left: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(header);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_cell_alignment(match left.contains(&at) {
            true => CellAlignment::Left,
            false => CellAlignment::Right,
        });
    }
    table
}

fn tables(of: &Match) -> String {
    let mut text = format!("{}\n{}\n", of.title(), of.conditions());
    for verdict in &of.verdicts {
        let _ = writeln!(text, "Verdict: {verdict}");
    }
    let _ = writeln!(text, "\n{}", standings_table(of));
    if of.header.agents.len() > 2 {
        let _ = writeln!(text, "\n{}", pairings_table(of));
    }
    if let Some(faults) = faults_table(of) {
        let _ = writeln!(text, "\n{faults}");
    }
    text
}

fn standings_table(of: &Match) -> Table {
    let mut table = table(
        &[
            "agent",
            "difference a pair",
            "pairs",
            "won",
            "drawn",
            "lost",
            "as Order",
            "as Chaos",
            "games",
            "faults",
        ],
        &[0],
    );
    let mean =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
    for standing in standings(of) {
        let pairs = standing.pairs;
        table.add_row([
            standing.agent.to_owned(),
            with_interval(&pairs.difference),
            pairs.difference.count().to_string(),
            pairs.won.to_string(),
            pairs.drawn.to_string(),
            pairs.lost.to_string(),
            mean(standing.as_order.mean()),
            mean(standing.as_chaos.mean()),
            standing.games.to_string(),
            standing.faults.to_string(),
        ]);
    }
    table
}

fn pairings_table(of: &Match) -> Table {
    let mut table = table(
        &[
            "pairing",
            "difference a pair",
            "pairs",
            "won",
            "drawn",
            "lost",
        ],
        &[0],
    );
    for (first, second, tally) in pairings(of) {
        table.add_row([
            format!("{first} against {second}"),
            with_interval(&tally.difference),
            tally.difference.count().to_string(),
            tally.won.to_string(),
            tally.drawn.to_string(),
            tally.lost.to_string(),
        ]);
    }
    table
}

fn faults_table(of: &Match) -> Option<Table> {
    let mut table = table(
        &["pair", "game", "at fault", "as", "fault", "what happened"],
        &[2, 3, 4, 5],
    );
    for game in &of.games {
        if let Some(fault) = &game.record.fault {
            table.add_row([
                game.record.pair.to_string(),
                game.record.game.to_string(),
                fault.agent.clone(),
                fault.role.name().to_owned(),
                fault.kind.name().to_owned(),
                fault.reason.clone(),
            ]);
        }
    }
    (!table.is_empty()).then_some(table)
}

/// Writes the page and the pictures, and says what is where.
fn write(folder: &Path, matches: Vec<Match>) -> anyhow::Result<String> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let save = |name: &str, content: &str| {
        let path = folder.join(name);
        fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))
    };
    let several = matches.len() > 1;
    let mut drawn: Vec<(Match, Vec<Chart>)> = Vec::new();
    let mut names = Vec::new();
    for (number, of) in (1..).zip(matches) {
        let charts = charts(&of).context("cannot draw the pictures")?;
        for chart in &charts {
            let name = match several {
                true => format!("match-{number}-{}.svg", chart.name),
                false => format!("{}.svg", chart.name),
            };
            if let Some(svg) = &chart.svg {
                save(&name, svg)?;
                names.push(name);
            }
        }
        drawn.push((of, charts));
    }
    save(PAGE, &page(&drawn))?;
    Ok(format!(
        "Wrote {} (open it in a browser) and the pictures {}\n",
        folder.join(PAGE).display(),
        names.join(", "),
    ))
}
