//! Reviews all games of a log: reports how many points the moves of each player lost.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::Context;
use serde::Serialize;
use turnwise_engine::parallel;
use turnwise_engine::plugin::{self, JudgedMove, Judging};
use turnwise_engine::search::Stop;
use turnwise_engine::statistics::Sample;
use turnwise_engine::words::counted;
use turnwise_report::charts::{DrawError, Losses, losses};
use turnwise_report::logs::{Game, Log};
use turnwise_report::luck::at_fault;
use turnwise_study::review::{Review, ReviewedMove, Reviewer, loss_judge};

use super::{Arguments, percent, unit};
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
use crate::console::table::{fitted, table_with_words};

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
    reviewed: &'a ReviewedMove,
}

/// One of the last lines of the JSON output: the accuracy of a player in one role.
#[derive(Serialize)]
struct PlayerLine<'a> {
    player: &'a str,
    role: &'a str,
    games: u64,
    /// The mean over the games, in percent; `None` without moves.
    accuracy: Option<f64>,
}

/// The losses, the accuracy and the marks of a player in one role, per game.
#[derive(Default)]
struct Given {
    whole: Sample,
    phases: [Sample; PHASES],
    accuracy: Sample,
    /// The numbers of inaccuracies, mistakes and blunders.
    marks: [Sample; 3],
    /// The number of moves, and the number of moves whose loss is known exactly.
    moves: u64,
    exact: u64,
}

impl Given {
    /// Returns the mean accuracy over the games, in percent; `None` without moves.
    fn accuracy(&self) -> Option<f64> {
        Some(self.accuracy.mean()).filter(|_| self.accuracy.count() > 0)
    }
}

/// Judges all games of a log, and prints how many points the moves lost.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let log = open_and_tell(arguments.game.log())?;
    arguments.check_rules(&log.header.game)?;
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
    let stop = Stop::default();
    let judge = || loss_judge(&*settings.0, &by, &stop).map_err(anyhow::Error::msg);
    judge()?;
    let interrupt = Interrupt::listen()?;
    let bar = games_bar("judging moves".to_owned(), log.games.len() as u64);
    let here = || {
        let jobs = arguments.jobs.map_or_else(crate::cli::cores, usize::from);
        let worker = || judge().ok();
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
            let luck = settings.0.luck_judge().and_then(|mut judge| {
                let at_fault = at_fault(settings, record);
                judge.luck(&record.result.fields, &record.moves, at_fault)
            });
            bar.inc(1);
            ControlFlow::Continue((number as usize, judged.map(|()| moves), luck))
        })
    };
    #[cfg(feature = "cluster")]
    let judged = match &arguments.cluster {
        Some(_) if judge()?.is_solved() => {
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
            let luck = match settings.0.luck_judge() {
                Some(_) => {
                    let bar = games_bar("judging luck".to_owned(), log.games.len() as u64);
                    judges.luck(&asked, &bar)?
                }
                None => BTreeMap::new(),
            };
            let luck = |number| luck.get(&number).copied().flatten();
            let judged = judged.into_iter();
            judged
                .map(|(number, judged)| (number, judged, luck(number)))
                .collect()
        }
        None => here(),
    };
    #[cfg(not(feature = "cluster"))]
    let judged = here();
    drop(bar);
    let mut games = Vec::new();
    for (number, judged, luck) in judged {
        let game = &log.games[number];
        match judged.and_then(|moves| reviewed(&log, game, moves, luck)) {
            Ok(review) => games.push((game, review)),
            Err(why) => {
                let (pair, game) = (game.record.pair, game.record.game);
                note!("turnwise: skipping pair {pair}, game {game}: {why}");
            }
        }
    }
    let given = given(&log, &games);
    let text = match arguments.json {
        true => lines(&games, &given)?,
        false => table(&log, &games, &given),
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

fn reviewed(
    log: &Log,
    game: &Game,
    moves: Vec<JudgedMove>,
    luck: Option<f64>,
) -> Result<Review, String> {
    let settled = &*log.header.game.0;
    let record = &game.record;
    let result = &record.result.fields;
    let beginning = settled.open(plugin::Beginning::Logged(result))?;
    let mut reviewer = Reviewer::new(settled, beginning, result, record.opening.len());
    for (made, judged) in record.moves.iter().zip(moves) {
        reviewer.add(made, judged);
    }
    Ok(reviewer.finish(luck))
}

/// Returns the moves of a game without its random opening, each with the index of the move in the game.
fn chosen<'a>(
    game: &Game,
    review: &'a Review,
) -> impl Iterator<Item = (usize, &'a ReviewedMove)> + use<'a> {
    let moves = review.moves.iter().enumerate();
    moves.skip(game.record.opening.len())
}

fn lines(games: &[(&Game, Review)], all: &AllGiven) -> anyhow::Result<String> {
    let mut text = String::new();
    for (game, review) in games {
        let record = &game.record;
        for (at, reviewed) in chosen(game, review) {
            let side = reviewed.judged.side;
            let line = MoveLine {
                pair: record.pair,
                game: record.game,
                ply: at + 1,
                player: &record.result.players[side],
                role: review.roles[side],
                made: &record.moves[at],
                reviewed,
            };
            text += &serde_json::to_string(&line)?;
            text.push('\n');
        }
    }
    for ((player, _, role), given) in all {
        let line = PlayerLine {
            player,
            role,
            games: given.whole.count(),
            accuracy: given.accuracy(),
        };
        text += &serde_json::to_string(&line)?;
        text.push('\n');
    }
    Ok(text)
}

/// The losses of all players in all roles. A key consists of the player, the index of the role and the name of the
/// role.
type AllGiven<'a> = BTreeMap<(&'a str, usize, &'a str), Given>;

fn given<'a>(log: &Log, games: &'a [(&Game, Review)]) -> AllGiven<'a> {
    let (parts, _) = unit(log.header.game.about());
    let mut all = AllGiven::new();
    for (game, review) in games {
        for (side, (player, role)) in game.record.result.by_role().enumerate() {
            let given = all.entry((player, side, role)).or_default();
            let mut phases = [0.0; PHASES];
            let moves = chosen(game, review).map(|(_, reviewed)| &reviewed.judged);
            for judged in moves.filter(|judged| judged.side == side) {
                let phase = (judged.progress * PHASES as f64) as usize;
                phases[phase.min(PHASES - 1)] += parts * judged.lost;
                given.moves += 1;
                given.exact += u64::from(judged.is_exact);
            }
            given.whole.add(phases.iter().sum());
            let of = &review.sides[side];
            of.accuracy
                .into_iter()
                .for_each(|accuracy| given.accuracy.add(accuracy));
            let marks = [of.inaccuracies, of.mistakes, of.blunders];
            for (sample, count) in given.marks.iter_mut().zip(marks) {
                sample.add(count.into());
            }
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

fn table(log: &Log, games: &[(&Game, Review)], all: &AllGiven) -> String {
    let mut table = table_with_words(
        &[
            "player", "role", "games", "lost", "1", "2", "3", "4", "exact",
        ],
        &[0, 1],
    );
    let mean = |sample: &Sample| match sample.count() {
        ..2 => format!("{:.2}", sample.mean()),
        _ => format!("{:.2} ± {:.2}", sample.mean(), sample.half_width()),
    };
    let mut marks = table_with_words(&["player", "role", "accuracy", "?!", "?", "??"], &[0, 1]);
    for ((player, _, role), given) in all {
        let mut row = vec![(*player).to_owned(), (*role).to_owned()];
        row.push(percent(given.accuracy()));
        row.extend(given.marks.iter().map(|of| format!("{:.2}", of.mean())));
        marks.add_row(row);
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
    let mut luck = Sample::default();
    let of_games = games.iter().filter_map(|(_, review)| review.luck);
    of_games.for_each(|of_game| luck.add(of_game));
    let about = log.header.game.about();
    let luck = match luck.count() {
        0 => String::new(),
        _ => format!(
            "\nLuck: the draws brought {} {} a game.\n",
            about.roles[0],
            mean(&luck)
        ),
    };
    let [table, marks] = [table, marks].map(fitted);
    let failed = games
        .iter()
        .filter(|(game, _)| game.record.faults().count() > 0);
    let faults = match failed.count() as u64 {
        0 => String::new(),
        count => format!(
            "\nFaults: in {}; turnwise report lists them.\n",
            counted(count, "game")
        ),
    };
    format!(
        "{}: {} lost a game, by quarters of the game, {} judged\n{table}\n\n\
         Accuracy, and marks a game: inaccuracies (?!), mistakes (?) and blunders (??)\n{marks}\n{luck}{faults}",
        about.title,
        unit(about).1,
        counted(games.len() as u64, "game"),
    )
}
