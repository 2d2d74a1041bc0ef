//! `turnwise puzzles`: mines puzzles from games, and proves them again by deeper searches.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{bail, ensure};
use serde::Serialize;
use turnwise_arena::records::GameRecord;
use turnwise_engine::fields::Fields;
use turnwise_engine::parallel;
use turnwise_engine::plugin::Plugin;
use turnwise_engine::search::Stop;
use turnwise_engine::words::counted;
use turnwise_games::GAMES;
use turnwise_study::Allowed;
use turnwise_study::position::{Beginning, Position};
use turnwise_study::puzzles::{Miner, Puzzle};
use turnwise_study::review::Mark;

use super::files::{check_place, solutions, write_whole};
use super::game_options::{GameParser, known_games};
use super::one_of;
use super::report::open_and_tell;
use crate::console::interrupt::Interrupt;
use crate::console::progress::StatusLine;
use crate::console::say;

/// The largest share of puzzles that may fail the proof.
const MOST_FAILURES: f64 = 0.02;

/// The maximum number of games that are played for each requested puzzle.
const GAMES_OF_A_PUZZLE: u64 = 50;

const MARKS: [(&str, &str, Mark); 3] = [
    ("inaccuracy", "Lose a little", Mark::Inaccuracy),
    ("mistake", "Lose much", Mark::Mistake),
    ("blunder", "Lose very much", Mark::Blunder),
];

const EXPLANATION: &str = "\
A puzzle is a position in which every move except one has at least the --mark by a search of --nodes. Each puzzle is \
graded by the highest level that misses the good move in most of nine attempts, and searched again with ten times the \
nodes: every other move must then still be an inaccuracy at least, and with --mark blunder a mistake. At most half of \
the puzzles have the same grade. If more than 2 % of the puzzles fail this proof, nothing is written. \
Ctrl-C writes the puzzles that are proven so far. \
docs/reference/review.md states the losses of each mark.";

fn after_help() -> String {
    let name = GAMES[0].about().name;
    format!(
        "Examples:\n  turnwise puzzles {name} --out {name}.json\n  \
         turnwise puzzles {name} --log match.jsonl --out {name}.json --count 50\n\n{EXPLANATION}"
    )
}

/// Arguments of `turnwise puzzles`.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct Arguments {
    /// The game
    #[arg(value_parser = GameParser)]
    game: &'static Plugin,
    /// Write the set of puzzles to this file (JSON)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Take the positions from this log instead of from games between levels
    #[arg(long, value_name = "LOG")]
    log: Option<PathBuf>,
    /// Mine this many puzzles
    #[arg(long, value_name = "N", default_value = "200")]
    count: NonZeroU64,
    /// Require every other move to be this bad
    #[arg(long, value_name = "MARK", value_parser = one_of(&MARKS), default_value = "blunder")]
    mark: Mark,
    /// Search this many positions for each move
    #[arg(long, value_name = "N", default_value = "20000")]
    nodes: NonZeroU64,
    /// Set the seed of the games
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u32,
}

/// A set of puzzles as a file stores it.
#[derive(Serialize)]
struct Set<'a> {
    game: &'a str,
    settings: &'a Fields,
    /// The smallest loss of every other move in the proof.
    margin: f64,
    /// The maximum number of search nodes per position in the proof.
    nodes: u64,
    puzzles: Vec<&'a Puzzle>,
}

/// Mines, proves and writes a set of puzzles.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    check_place(&arguments.out)?;
    let about = arguments.game.about();
    let (settings, logged) = match &arguments.log {
        None => {
            let settled = arguments.game.by_options(&|_| None);
            (settled.map_err(anyhow::Error::msg)?.fields(), None)
        }
        Some(path) => {
            let log = open_and_tell(path)?;
            let of = &log.header.game;
            let got = of.about().name;
            ensure!(got == about.name, "the log contains games of {got}");
            let settings = of.0.fields();
            let position = |record: &GameRecord| Position {
                game: got.to_owned(),
                settings: settings.clone(),
                beginning: Beginning::Logged(record.result.fields.clone()),
                moves: record.moves.clone(),
            };
            let games = log.games.iter().map(|game| position(&game.record));
            let games: Vec<Position> = games.collect();
            (settings, Some(games))
        }
    };
    let stop = Stop::default();
    let stopped = stop.clone();
    let interrupt = Interrupt::listen_and(move || stopped.stop())?;
    let solutions = solutions();
    let miner = Miner {
        games: known_games(),
        game: about.name,
        settings,
        nodes: arguments.nodes.get(),
        mark: arguments.mark,
        allowed: Allowed {
            time: Duration::from_secs(3600),
            nodes: u64::MAX,
            solutions: solutions.as_deref(),
        },
        stop,
    };
    let wanted = arguments.count.get();
    let jobs = super::cores();
    let all = match &logged {
        Some(games) => games.len() as u64,
        None => wanted * GAMES_OF_A_PUZZLE,
    };
    let most_of_a_level = match about.levels.is_empty() {
        true => wanted,
        false => wanted.div_ceil(2),
    };
    let mut progress = StatusLine::new();
    let (mut puzzles, mut proven, mut games): (Vec<Puzzle>, Vec<bool>, u64) = Default::default();
    while games < all && (puzzles.len() as u64) < wanted {
        let batch = (all - games).min(jobs as u64);
        let mined = parallel::map(
            batch,
            jobs,
            || (),
            |(), number| {
                interrupt.proceed()?;
                let number = games + number;
                let game = match &logged {
                    Some(games) => Ok(games[number as usize].clone()),
                    None => miner.play((u64::from(arguments.seed) << 32) + number),
                };
                ControlFlow::Continue(game.map(|game| miner.mine(&game)))
            },
        );
        if interrupt.is_requested() {
            break;
        }
        let before = puzzles.len();
        for mined in mined {
            for puzzle in mined? {
                let same = puzzles.iter().filter(|other| other.level == puzzle.level);
                if (same.count() as u64) < most_of_a_level && !puzzles.contains(&puzzle) {
                    puzzles.push(puzzle);
                }
            }
        }
        puzzles.truncate(wanted as usize);
        let new = &puzzles[before..];
        proven.extend(parallel::map(
            new.len() as u64,
            jobs,
            || (),
            |(), number| ControlFlow::Continue(miner.holds(&new[number as usize])),
        ));
        if interrupt.is_requested() {
            // The interrupt may have stopped the proof of these puzzles.
            puzzles.truncate(before);
            break;
        }
        games += batch;
        let found = counted(puzzles.len() as u64, "puzzle");
        progress.tell(|| format!("{found} in {}", counted(games, "game")));
    }
    progress.clear();
    if interrupt.is_requested() && puzzles.is_empty() {
        return Ok(interrupt.exit_code());
    }
    ensure!(!puzzles.is_empty(), "{games} games contain no puzzle");
    let kept = puzzles.iter().zip(proven).filter(|(_, holds)| *holds);
    let kept: Vec<&Puzzle> = kept.map(|(puzzle, _)| puzzle).collect();
    let failed = puzzles.len() - kept.len();
    let share = failed as f64 / puzzles.len() as f64;
    if share > MOST_FAILURES {
        bail!(
            "{failed} of {} puzzles failed the proof; expected at most {:.0} %, try more --nodes",
            puzzles.len(),
            100.0 * MOST_FAILURES
        );
    }
    let mut levels: BTreeMap<u8, u64> = BTreeMap::new();
    for puzzle in &kept {
        *levels.entry(puzzle.level).or_default() += 1;
    }
    let set = Set {
        game: about.name,
        settings: &miner.settings,
        margin: miner.proven_mark().least(&about.thresholds),
        nodes: 10 * miner.nodes,
        puzzles: kept,
    };
    let text = serde_json::to_string(&set)?.replace("{\"beginning\"", "\n{\"beginning\"") + "\n";
    write_whole(&arguments.out, text.as_bytes())?;
    say!(
        "{} from {}; {failed} failed the proof; {} bytes",
        counted(set.puzzles.len() as u64, "puzzle"),
        counted(games, "game"),
        text.len()
    );
    for (level, count) in levels {
        say!("missed up to level {level}: {count}");
    }
    Ok(interrupt.exit_code())
}
