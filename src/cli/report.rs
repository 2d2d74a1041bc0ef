//! `turnwise report`: what an arena's logs say, as tables, pictures and a page.

mod data;

use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, anyhow};
use turnwise_arena::records::{GameRecord, Settings};
use turnwise_games::GAMES;

use super::WrongUsage;
use super::files::{read_log, write_whole, write_whole_by};
use crate::console::note;
use crate::console::output::{Stdout, print};
use crate::console::progress::games_bar;
use crate::console::table::{fitted, table_with_words};
use turnwise_report::charts::{Chart, charts};
use turnwise_report::logs::{self, Game, Log, ReadError};
use turnwise_report::luck;
use turnwise_report::page::page;
use turnwise_report::ranking::Ranking;
use turnwise_report::standings::test;
use turnwise_report::tables::{Table, tables};
use turnwise_report::{Match, merge};

/// Tables of more columns are on the page only.
const WIDEST: usize = 16;

/// The page's name in the folder.
const PAGE: &str = "report.html";

/// Arguments of `turnwise report`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise report match.jsonl                 the tables
  turnwise report match.jsonl --out report    and report/report.html with pictures and replays
  turnwise report monday.jsonl tuesday.jsonl --out report
  turnwise report match.jsonl --luck          how much of it was luck of the tiles
  turnwise report match.jsonl --json          for programs: everything, the estimates with their ends
  turnwise report match.jsonl --csv           for spreadsheets: a row for every two agents that met

Logs of the same agents on the same terms are merged; others are shown separately. Points
a pair are what an agent scored as Order less what its opponent scored as Order on the same tiles:
the mean, and after ± half its 95 % interval. As Order and as Chaos are Order's mean scores in the
games where the agent had that role.

With --luck every draw of Entropy is judged by what the searching player expects with the tile that
came against those that could have come. The points with that taken off estimate the same strength
from fewer games. It takes about 1.5 s of a core for each pair on 7x7, less on smaller boards.

The page needs no network: open it as a file, send it by mail. turnwise replay shows a game in the
terminal.")]
pub struct Arguments {
    /// Logs written by turnwise arena
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Write report.html and the pictures (SVG) into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Judge how lucky the draws were, and show the points a pair without that
    #[arg(long)]
    luck: bool,
    /// Print one JSON object instead of the tables
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print a row of CSV for every two agents that met instead of the tables
    #[arg(long)]
    csv: bool,
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut logs = Vec::new();
    for path in &arguments.logs {
        logs.push((path.display().to_string(), open(path)?));
    }
    let mut matches = merge(logs);
    for note in matches.iter().flat_map(|of| &of.notes) {
        note!("turnwise: {note}");
    }
    if arguments.luck {
        judge_luck(&mut matches);
    }
    let told = arguments.out.as_deref();
    let told = told.map(|folder| write(folder, &matches)).transpose()?;
    if !arguments.json && !arguments.csv {
        let text: Vec<String> = matches.iter().map(summary).chain(told).collect();
        print(&text.join("\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    told.iter().for_each(|told| note!("{}", told.trim_end()));
    if arguments.json {
        let mut out = BufWriter::new(Stdout);
        data::json(&matches, &mut out)?;
        out.flush()?;
    } else {
        print(&data::csv(&matches).context("cannot write CSV")?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Where a log's page, pictures and tables go. Clones are the same one.
#[derive(Clone)]
pub(super) struct Publisher(Arc<Mutex<Published>>);

struct Published {
    log: PathBuf,
    folder: PathBuf,
}

impl Publisher {
    /// Of this log, into this folder.
    pub fn new(log: PathBuf, folder: PathBuf) -> Self {
        Self(Arc::new(Mutex::new(Published { log, folder })))
    }

    /// The tables of the log as it is now, after writing its page, its pictures, and its results as JSON and
    /// CSV. Does so once at a time.
    pub fn publish(&self) -> anyhow::Result<String> {
        let published = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Published { log, folder } = &*published;
        // The page may be published: whose folder the log is in is nobody's business.
        let name = log.file_name().unwrap_or(log.as_os_str()).to_string_lossy();
        let matches = merge([(name.into_owned(), open(log)?)]);
        let text: String = matches.iter().map(summary).collect();
        make(folder)?;
        let save = |name: &str, text: String| write_whole(&folder.join(name), text.as_bytes());
        write_whole_by(&folder.join("results.json"), |out| {
            data::json(&matches, out)
        })?;
        save("results.csv", data::csv(&matches)?)?;
        let of_ranking = matches.iter().map(data::ranking_csv);
        save("ranking.csv", of_ranking.collect::<anyhow::Result<_>>()?)?;
        let told = write(folder, &matches)?;
        Ok(format!("{text}\n{told}"))
    }

    /// Where the log is.
    pub fn log(&self) -> PathBuf {
        let published = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        published.log.clone()
    }
}

/// The standings of a match that is being played.
pub(super) struct Board(Match);

impl Board {
    /// The standings of a match in which these pairs were already played.
    pub fn new(settings: &Settings, done: &[[GameRecord; 2]]) -> Self {
        let mut board = Self(Match::new(settings.clone()));
        for games in done {
            board.add(games.each_ref());
        }
        board
    }

    /// Takes a pair in.
    pub fn add(&mut self, games: [&GameRecord; 2]) {
        for record in games {
            self.0.add(Game {
                record: record.clone(),
                moves: Vec::new(),
                luck: None,
            });
        }
    }

    /// The standings as a table for the terminal.
    pub fn standings(&self) -> String {
        let table = self.0.ranking().map(Ranking::table);
        table.map_or_else(String::new, |table| format!("{}\n", laid_out(&table)))
    }
}

/// Judges the draws of all matches that have some, with a bar on a terminal.
fn judge_luck(matches: &mut [Match]) {
    for of in matches {
        let bar = games_bar("judging draws".to_owned(), of.games.len() as u64);
        let has_draws = luck::judge(of, super::cores(), &|| bar.inc(1));
        drop(bar);
        if !has_draws {
            let game = of.header.game.title();
            note!("turnwise: nothing is drawn in {game}, so there is no luck to judge");
        }
    }
}

/// The log in a file; if it is none, that is wrong usage.
pub(super) fn open(path: &Path) -> anyhow::Result<Log> {
    logs::read(&*read_log(path)?, GAMES).map_err(|error| match error {
        ReadError::Io(error) => error.into(),
        error => WrongUsage(anyhow!("{} is no arena log: {error}", path.display())).into(),
    })
}

fn summary(of: &Match) -> String {
    let mut text = format!("{}\n{}\n", of.title(), of.conditions());
    for verdict in &of.verdicts {
        let _ = writeln!(text, "Verdict: {verdict}");
    }
    if let Some(test) = test(of) {
        let (low, high) = test.test.bounds();
        let _ = writeln!(text, "LLR: {:.2} ({low:.2}, {high:.2})", test.ratio());
    }
    if let Some(ranking) = of.ranking() {
        let _ = writeln!(text, "{}", ranking.trust());
    }
    for table in tables(of)
        .iter()
        .filter(|table| table.header.len() <= WIDEST)
    {
        let _ = writeln!(text, "\n{}", laid_out(table));
    }
    text
}

fn laid_out(table: &Table) -> comfy_table::Table {
    let mut laid_out = table_with_words(&table.header, table.words);
    laid_out.add_rows(&table.rows);
    fitted(laid_out)
}

/// Makes a folder, if it is not there yet.
fn make(folder: &Path) -> anyhow::Result<()> {
    let made = fs::create_dir_all(folder);
    made.with_context(|| format!("cannot create the folder {}", folder.display()))
}

/// Writes the page and the pictures, and says what is where.
fn write(folder: &Path, matches: &[Match]) -> anyhow::Result<String> {
    make(folder)?;
    let save = |name: &str, content: &str| write_whole(&folder.join(name), content.as_bytes());
    let several = matches.len() > 1;
    let mut drawn: Vec<(&Match, Vec<Chart>)> = Vec::new();
    let mut names = Vec::new();
    for (number, of) in (1..).zip(matches) {
        let charts = charts(of).context("cannot draw the pictures")?;
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
    write_whole_by(&folder.join(PAGE), |out| page(&drawn, out))?;
    Ok(format!(
        "Wrote {} (open it in a browser) and the pictures {}\n",
        folder.join(PAGE).display(),
        names.join(", "),
    ))
}
