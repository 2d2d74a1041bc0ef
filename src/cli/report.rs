//! `turnwise report`: summarizes an arena's logs as tables, pictures and a page.

mod data;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, anyhow};
use turnwise_arena::records::{GameRecord, Settings};
use turnwise_engine::files::open_regular;
use turnwise_games::GAMES;

use super::WrongUsage;
use super::files::{open_log, write_whole, write_whole_by};
use super::game_options::{examples, first_roles, known_games};
#[cfg(feature = "cluster")]
use super::judging::{Asked, Judges};
use crate::console::interrupt::Interrupt;
use crate::console::note;
use crate::console::output::{Stdout, print};
use crate::console::progress::{Bar, StatusLine, games_bar};
use crate::console::table::{fitted, table_with_words};
use turnwise_report::Match;
use turnwise_report::charts::charts;
use turnwise_report::logs::{self, Log, ReadError};
use turnwise_report::luck;
use turnwise_report::merging::{Keep, Merging, read_for_page};
use turnwise_report::page::{Chart, page};
use turnwise_report::ranking::Ranking;
use turnwise_report::standings::test;
use turnwise_report::tables::{Table, tables};

/// The maximum number of columns of a table that is shown in the terminal. Wider tables are only on the page.
const WIDEST: usize = 16;

/// The name of the file that contains the page.
const PAGE: &str = "report.html";

const EXAMPLES: &str = "\
Examples:
  turnwise report match.jsonl               the tables
  turnwise report match.jsonl --out report  also a page: report/report.html
  turnwise report monday.jsonl tuesday.jsonl --out report
  turnwise report match.jsonl --out report --studio ../site/index.html
                                            with links to review and analysis
  turnwise report match.jsonl --json        everything, for programs
  turnwise report match.jsonl --csv         a row per pairing, for spreadsheets
";

const EXPLANATION: &str = "\
Logs of the same agents, in the same order, under the same conditions are merged; others are shown \
separately. Points a pair are an agent's score in the first role minus its opponent's score in that role from the same beginning: the mean, and \
after ± half the width of its 95 % interval. The columns \"as ROLE\" are the first role's mean scores in the games \
where the agent had that role. The first role is ";

const LUCK: &str = "\
With --luck, every random draw of a game is judged: the search's expected final score after the draw is compared \
with its expected scores after the other possible draws. The points without luck estimate the same strength from \
fewer games.

The page needs no network: open it as a file, send it by mail. turnwise replay shows a game in the \
terminal.";

fn after_help() -> String {
    let (own, roles) = (examples("report", GAMES), first_roles());
    format!("{EXAMPLES}{own}\n{EXPLANATION}{roles}.\n\n{LUCK}")
}

/// Arguments of `turnwise report`.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct Arguments {
    /// Logs of games, as arena, tournament, play and host write them
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Write report.html and the pictures (SVG) into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Link the page's games to turnwise studio, or to the site that scripts/site writes, at this address for review
    /// and analysis
    #[arg(long, value_name = "ADDRESS", requires = "out", value_parser = web_address)]
    studio: Option<String>,
    /// Estimate how lucky the draws were, and show the points per pair without luck
    #[arg(long)]
    luck: bool,
    /// Judge the draws on the workers of a NATS server, such as nats://HOST:4222
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "URL", requires = "luck")]
    cluster: Option<String>,
    /// Print one JSON object instead of the tables
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print a CSV row for every two agents that met, instead of the tables
    #[arg(long)]
    csv: bool,
}

/// Parses an address for links on a page. Only web addresses and relative addresses are accepted, because other
/// addresses could contain scripts.
fn web_address(text: &str) -> Result<String, String> {
    let address = text.split('#').next().unwrap_or_default();
    let scheme = address.split('/').next().unwrap_or_default();
    match ["http:", "https:", "file:"].contains(&scheme) || !scheme.contains(':') {
        true if !address.is_empty() => Ok(address.to_owned()),
        _ => Err(
            "expected an address such as http://127.0.0.1:7365/ or studio/index.html".to_owned(),
        ),
    }
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let mut matches = read_all(&arguments, &interrupt)?;
    for note in matches.iter().flat_map(|of| &of.notes) {
        note!("turnwise: {note}");
    }
    if arguments.luck {
        #[cfg(feature = "cluster")]
        if let Some(url) = &arguments.cluster {
            let judges = Judges::reach(url, interrupt.clone())?;
            judge_luck(&mut matches, &|of, bar| judge_there(&judges, of, bar))?;
            if let Some(code) = judges.stopped() {
                return Ok(code);
            }
        } else {
            judge_luck(&mut matches, &|of, bar| Ok(judge_here(of, bar, &interrupt)))?;
        }
        #[cfg(not(feature = "cluster"))]
        judge_luck(&mut matches, &|of, bar| Ok(judge_here(of, bar, &interrupt)))?;
    }
    let told = arguments.out.as_deref();
    let told = told
        .map(|folder| write(folder, &matches, arguments.studio.as_deref()))
        .transpose()?;
    if !arguments.json && !arguments.csv {
        let text: Vec<String> = matches.iter().map(summary).chain(told).collect();
        print(&text.join("\n"))?;
        return Ok(interrupt.exit_code());
    }
    told.iter().for_each(|told| note!("{}", told.trim_end()));
    if arguments.json {
        let mut out = BufWriter::new(Stdout);
        data::json(&matches, &mut out)?;
        out.flush()?;
    } else {
        print(&data::csv(&matches).context("cannot write CSV")?)?;
    }
    Ok(interrupt.exit_code())
}

/// Reads and merges the logs. Meanwhile, shows a status line. Stops early if the user interrupts the command.
fn read_all(arguments: &Arguments, interrupt: &Interrupt) -> anyhow::Result<Vec<Match>> {
    let Arguments {
        logs, out, luck, ..
    } = arguments;
    // Most lines of a log are about single moves, which only the pictures and the page show. A file is read again for
    // the games on the page; a pipe can be read only once, and so can /dev/stdin on some systems.
    // Luck is judged in all games.
    let is_file = |log: &PathBuf| log.is_file() && !log.starts_with("/dev");
    let reads_again = out.is_some() && !luck && logs.iter().all(is_file);
    let keep = match (out, luck) {
        _ if reads_again => Keep::Figures,
        (Some(_), _) => Keep::Moves,
        (None, true) => Keep::Records,
        (None, false) => Keep::Figures,
    };
    let mut merging = Merging::new(keep);
    let mut status = StatusLine::new();
    let mut games = 0_u64;
    for path in logs {
        let name = path.display().to_string();
        let mut proceed = || {
            games += 1;
            status.tell(|| format!("{}: {games} games read", path.display()));
            interrupt.proceed()
        };
        let read = merging.read(&name, open_log(path)?, known_games(), &mut proceed);
        read.map_err(|error| no_log(path, error))?;
        if interrupt.is_requested() {
            status.clear();
            note!("turnwise: interrupted; these are the results of the {games} games read so far");
            break;
        }
    }
    if !reads_again {
        return Ok(merging.finish());
    }
    let open = |input: usize| open_log(&logs[input]).map_err(io::Error::other);
    Ok(merging.finish_for_page(open, known_games())?)
}

/// Publishes the page, the pictures and the tables of a log that grows. All clones of a publisher share one state.
#[derive(Clone)]
pub(super) struct Publisher(Arc<Mutex<Published>>);

struct Published {
    log: PathBuf,
    folder: Option<PathBuf>,
}

impl Publisher {
    /// Creates a publisher for this log. If `folder` is `None`, the publisher writes no files.
    pub fn new(log: PathBuf, folder: Option<PathBuf>) -> Self {
        Self(Arc::new(Mutex::new(Published { log, folder })))
    }

    /// Reads the log, and returns its current tables as text, or its results `as_json`. If the publisher has a folder,
    /// also writes the page, pictures, JSON and CSV into it.
    ///
    /// Only the games on the page are in memory as a whole. Concurrent calls run one after another.
    pub fn publish(&self, as_json: bool) -> anyhow::Result<String> {
        let published = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Published { log, folder } = &*published;
        // The page may be shown to the public, so it contains only the file name of the log and not the path of the
        // folder.
        let name = log.file_name().unwrap_or(log.as_os_str()).to_string_lossy();
        let open = || {
            Ok(BufReader::new(open_regular(
                File::options().read(true),
                log,
            )?))
        };
        let of = read_for_page(&name, open, known_games()).map_err(|error| no_log(log, error))?;
        let matches = [of];
        let text = match as_json {
            true => {
                let mut out = Vec::new();
                data::json(&matches, &mut out)?;
                String::from_utf8(out)?
            }
            false => matches.iter().map(summary).collect(),
        };
        let Some(folder) = folder else {
            return Ok(text);
        };
        make(folder)?;
        let save = |name: &str, text: String| write_whole(&folder.join(name), text.as_bytes());
        write_whole_by(&folder.join("results.json"), |out| {
            data::json(&matches, out)
        })?;
        save("results.csv", data::csv(&matches)?)?;
        let of_ranking = matches.iter().map(data::ranking_csv);
        save("ranking.csv", of_ranking.collect::<anyhow::Result<_>>()?)?;
        let told = write(folder, &matches, None)?;
        Ok(match as_json {
            true => text,
            false => format!("{text}\n{told}"),
        })
    }

    /// Returns the log's path.
    pub fn log(&self) -> PathBuf {
        let published = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        published.log.clone()
    }
}

/// Returns a match in which the pairs in `done` have already been played.
pub(super) fn match_so_far(settings: &Settings, done: &[Vec<GameRecord>]) -> Match {
    let mut of = Match::new(settings.clone());
    for record in done.iter().flatten() {
        of.add(record);
    }
    of
}

/// The standings of a running match.
pub(super) struct Board(Match);

impl Board {
    /// Creates the standings of a match in which the pairs in `done` have already been played.
    pub fn new(settings: &Settings, done: &[Vec<GameRecord>]) -> Self {
        Self(match_so_far(settings, done))
    }

    /// Adds the games of a finished pair.
    pub fn add(&mut self, games: &[GameRecord]) {
        for record in games {
            self.0.add(record);
        }
    }

    /// Returns the current standings as a table for the terminal.
    pub fn standings(&self) -> String {
        let table = self.0.ranking().map(Ranking::table);
        table.map_or_else(String::new, |table| format!("{}\n", laid_out(&table)))
    }
}

/// A function that analyzes the luck in all games of a match, and advances the bar after each of them. It returns false
/// if the match's game involves no chance.
type JudgeLuck<'a> = dyn Fn(&mut Match, &Bar) -> anyhow::Result<bool> + 'a;

/// Analyzes the luck in all games of a match on this machine.
fn judge_here(of: &mut Match, bar: &Bar, interrupt: &Interrupt) -> bool {
    luck::judge(of, super::cores(), &|| {
        bar.inc(1);
        interrupt.proceed()
    })
}

/// Analyzes the luck in all games of a match on the workers of a cluster.
#[cfg(feature = "cluster")]
fn judge_there(judges: &Judges, of: &mut Match, bar: &Bar) -> anyhow::Result<bool> {
    if of.header.game.0.luck_judge().is_none() {
        return Ok(false);
    }
    let asked = Asked {
        settings: &of.header.game,
        title: of.title(),
        log: Path::new(of.sources.first().map_or("", String::as_str)),
        games: of.whole_games().map(|game| &game.record).collect(),
    };
    let luck = judges.luck(&asked, bar)?;
    of.set_luck(luck);
    Ok(true)
}

/// Analyzes the luck in all games of all matches with the function `judge`. On a terminal, shows a progress bar.
fn judge_luck(matches: &mut [Match], judge: &JudgeLuck) -> anyhow::Result<()> {
    for of in matches {
        let bar = games_bar("judging draws".to_owned(), of.games.len() as u64);
        let has_draws = judge(of, &bar)?;
        drop(bar);
        if !has_draws {
            let game = of.header.game.title();
            note!("turnwise: {game} has no random draws, so there is no luck to judge");
        }
    }
    Ok(())
}

/// Like [`open()`], but also prints the notes about unusable lines.
pub(super) fn open_and_tell(path: &Path) -> anyhow::Result<Log> {
    let log = open(path)?;
    for note in &log.notes {
        note!("turnwise: {}: {note}", path.display());
    }
    Ok(log)
}

/// Reads the log in a file. A file that is not a log counts as incorrect usage.
pub(super) fn open(path: &Path) -> anyhow::Result<Log> {
    let read = logs::read(open_log(path)?, known_games());
    read.map_err(|error| no_log(path, error))
}

/// Returns the error for a log that cannot be read. If the reason is that the file is not a log, the error counts as
/// incorrect usage.
pub(super) fn no_log(path: &Path, error: ReadError) -> anyhow::Error {
    match error {
        ReadError::Io(error) => anyhow!("cannot read {}: {error}", path.display()),
        error => WrongUsage(anyhow!("{} is not a log of games: {error}", path.display())).into(),
    }
}

fn summary(of: &Match) -> String {
    let mut text = format!("{}\n{}\n", of.title(), of.conditions());
    if let Some(verdict) = of.verdict() {
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

/// Creates a folder if it does not exist.
fn make(folder: &Path) -> anyhow::Result<()> {
    let made = fs::create_dir_all(folder);
    made.with_context(|| format!("cannot create the folder {}", folder.display()))
}

/// Writes the page and the pictures into a folder, and returns a message with the paths.
fn write(folder: &Path, matches: &[Match], studio: Option<&str>) -> anyhow::Result<String> {
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
    write_whole_by(&folder.join(PAGE), |out| page(&drawn, studio, out))?;
    let page = folder.join(PAGE);
    let mut told = format!("Wrote {} (open it in a browser)", page.display());
    if !names.is_empty() {
        told += &format!(" and the pictures {}", names.join(", "));
    }
    Ok(told + "\n")
}
