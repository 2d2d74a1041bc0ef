//! Reviews all games of a log: reports how many points the moves of each player lost.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::{Context, bail};
use serde::Serialize;
use turnwise_engine::parallel;
use turnwise_engine::plugin::{JudgedMove, Judging};
use turnwise_engine::statistics::Sample;
use turnwise_engine::words::counted;
use turnwise_report::charts::{DrawError, Losses, losses};
use turnwise_report::logs::{Game, Log};

use super::{Arguments, unit};
#[cfg(feature = "cluster")]
use crate::cli::WrongUsage;
use crate::cli::files::{check_place, solutions, write_whole};
#[cfg(feature = "cluster")]
use crate::cli::judging::{Asked, Judges};
use crate::cli::report::open_and_tell;
use crate::console::interrupt::Interrupt;
use crate::console::note;
use crate::console::output::print;
use crate::console::progress::games_bar;
use crate::console::table::table_with_words;

/// The number of equal parts into which each game is divided for the report.
const PHASES: usize = 4;

/// One line of the JSON output: a judged move.
#[derive(Serialize)]
struct MoveLine<'a> {
    pair: u32,
    game: u8,
    ply: usize,
    player: &'a str,
    role: &'a str,
    #[serde(rename = "move")]
    made: &'a str,
    #[serde(flatten)]
    judged: &'a JudgedMove,
}

/// How many points per game the moves of a player lost in one role: in total, and in each part of the game.
///
/// Also contains the number of these moves, and the number of moves whose loss is known exactly.
#[derive(Default)]
struct Given {
    whole: Sample,
    phases: [Sample; PHASES],
    moves: u64,
    exact: u64,
}

/// Judges all games of a log, and prints how many points the moves lost.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let log = open_and_tell(arguments.game.log())?;
    if let Some(path) = &arguments.svg {
        // If the file cannot be written, the error is reported now and not only after all games have been judged.
        check_place(path)?;
    }
    let solutions = solutions();
    let by = Judging {
        solutions: solutions.as_deref(),
        nodes: arguments.nodes.get(),
    };
    let settings = &log.header.game;
    let judge = || settings.0.loss_judge(&by).map_err(anyhow::Error::msg);
    let Some(_) = judge()? else {
        bail!("moves of {} cannot be judged", settings.title());
    };
    let interrupt = Interrupt::listen()?;
    let bar = games_bar("judging moves".to_owned(), log.games.len() as u64);
    let here = || {
        let jobs = arguments.jobs.map_or_else(crate::cli::cores, usize::from);
        let worker = || judge().ok().flatten();
        parallel::map(log.games.len() as u64, jobs, worker, |judge, number| {
            interrupt.proceed()?;
            let record = &log.games[number as usize].record;
            let judge = judge.as_mut().expect("there is one for this game");
            let mut moves = Vec::new();
            let judged = judge.judge(&record.result.fields, &record.moves, &mut |mv| {
                moves.push(mv);
                interrupt.proceed()
            });
            let is_whole = judged.is_err() || moves.len() == record.moves.len();
            if interrupt.is_requested() && !is_whole {
                return ControlFlow::Break(());
            }
            bar.inc(1);
            ControlFlow::Continue((number as usize, judged.map(|()| moves)))
        })
    };
    #[cfg(feature = "cluster")]
    let judged = match &arguments.cluster {
        Some(_) if judge()?.is_some_and(|judge| judge.is_solved()) => {
            let why = "this machine has the solution of this game and looks its moves up at once; omit --cluster";
            return Err(WrongUsage(anyhow::anyhow!(why)).into());
        }
        Some(url) => {
            let judges = Judges::reach(url, interrupt.clone())?;
            let asked = Asked {
                settings,
                title: arguments.game.log().display().to_string(),
                log: arguments.game.log(),
                games: log.games.iter().map(|game| &game.record).collect(),
            };
            let judged = judges.losses(&asked, arguments.nodes, &bar)?;
            judged.into_iter().collect()
        }
        None => here(),
    };
    #[cfg(not(feature = "cluster"))]
    let judged = here();
    drop(bar);
    let mut games = Vec::new();
    for (number, judged) in judged {
        let game = &log.games[number];
        match judged {
            Ok(moves) => games.push((game, moves)),
            Err(why) => {
                let (pair, game) = (game.record.pair, game.record.game);
                note!("turnwise: skipping pair {pair}, game {game}: {why}");
            }
        }
    }
    let given = given(&log, &games);
    let text = match arguments.json {
        true => lines(&games)?,
        false => table(&log, games.len(), &given),
    };
    print(&text)?;
    if let Some(path) = &arguments.svg {
        let unit = format!("{} lost a game", unit(log.header.game.about()).1);
        match drawn(&given, &unit).context("cannot draw the picture")? {
            Some(svg) => write_whole(path, svg.as_bytes())?,
            None => note!("turnwise: no game was judged, so there is nothing to draw"),
        }
    }
    Ok(interrupt.exit_code())
}

/// Returns the judged moves of a game without its random opening, each with the index of the move in the game.
fn chosen<'a>(
    game: &Game,
    moves: &'a [JudgedMove],
) -> impl Iterator<Item = (usize, &'a JudgedMove)> + use<'a> {
    moves.iter().enumerate().skip(game.record.opening.len())
}

fn lines(games: &[(&Game, Vec<JudgedMove>)]) -> anyhow::Result<String> {
    let mut text = String::new();
    for (game, moves) in games {
        let record = &game.record;
        let roles = record.result.roles();
        for (at, judged) in chosen(game, moves) {
            let line = MoveLine {
                pair: record.pair,
                game: record.game,
                ply: at + 1,
                player: &record.result.players[judged.side],
                role: roles[judged.side],
                made: &record.moves[at],
                judged,
            };
            text += &serde_json::to_string(&line)?;
            text.push('\n');
        }
    }
    Ok(text)
}

/// The losses of all players in all roles. A key consists of the player, the index of the role and the name of the
/// role.
type AllGiven<'a> = BTreeMap<(&'a str, usize, &'a str), Given>;

fn given<'a>(log: &Log, games: &'a [(&Game, Vec<JudgedMove>)]) -> AllGiven<'a> {
    let (parts, _) = unit(log.header.game.about());
    let mut all = AllGiven::new();
    for (game, moves) in games {
        for (side, (player, role)) in game.record.result.by_role().enumerate() {
            let given = all.entry((player, side, role)).or_default();
            let mut phases = [0.0; PHASES];
            for (_, judged) in chosen(game, moves).filter(|(_, judged)| judged.side == side) {
                let phase = (judged.progress * PHASES as f64) as usize;
                phases[phase.min(PHASES - 1)] += parts * judged.lost;
                given.moves += 1;
                given.exact += u64::from(judged.is_exact);
            }
            given.whole.add(phases.iter().sum());
            for (sample, lost) in given.phases.iter_mut().zip(phases) {
                sample.add(lost);
            }
        }
    }
    all
}

fn drawn(all: &AllGiven, unit: &str) -> Result<Option<String>, DrawError> {
    let mut all: Vec<_> = all.iter().collect();
    all.sort_by_key(|((_, side, _), _)| *side);
    let bars = all.into_iter().map(|(&(player, _, role), given)| Losses {
        player,
        role,
        parts: &given.phases,
    });
    losses(&bars.collect::<Vec<_>>(), unit)
}

fn table(log: &Log, games: usize, all: &AllGiven) -> String {
    let mut table = table_with_words(
        &[
            "player", "role", "games", "lost", "1", "2", "3", "4", "exact",
        ],
        &[0, 1],
    );
    for ((player, _, role), given) in all {
        let mean = |sample: &Sample| match sample.count() {
            ..2 => format!("{:.2}", sample.mean()),
            _ => format!("{:.2} ± {:.2}", sample.mean(), sample.half_width()),
        };
        let exact = 100.0 * given.exact as f64 / given.moves.max(1) as f64;
        let mut row = vec![
            (*player).to_owned(),
            (*role).to_owned(),
            given.whole.count().to_string(),
            mean(&given.whole),
        ];
        row.extend(
            given
                .phases
                .iter()
                .map(|sample| format!("{:.2}", sample.mean())),
        );
        row.push(format!("{exact:.0} %"));
        table.add_row(row);
    }
    format!(
        "{}: {} lost a game, by quarters of the game, {} judged\n{table}\n",
        log.header.game.title(),
        unit(log.header.game.about()).1,
        counted(games as u64, "game"),
    )
}
