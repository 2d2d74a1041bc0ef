//! `turnwise review`: shows a logged game move by move, with the loss of each move, or the losses in all games.

mod all_games;

use std::fmt::Write as _;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::anyhow;
use serde::Serialize;
use turnwise_arena::records::{Fault, GameSettings, Settings};
use turnwise_engine::plugin::{About, Plugin, Scoring};
use turnwise_engine::search::Stop;
use turnwise_engine::words::counted;
use turnwise_outside::FROM_LOGS;
use turnwise_report::logs::Game;
use turnwise_study::Allowed;
use turnwise_study::position::{Beginning, Position};
use turnwise_study::review::{Effort, Mark, Review, review};

use super::WrongUsage;
use super::files::solutions;
use super::game_options::GameParser;
use super::replay::{self, ChosenGame};
use crate::console::interrupt::Interrupt;
use crate::console::output::print;
use crate::console::progress::StatusLine;
use crate::console::table::{fitted, table_with_words};

/// Arguments of `turnwise review`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise review match.jsonl                    losses, accuracy and marks of each player
  turnwise review match.jsonl --game 3           every move of the third game
  turnwise review match.jsonl --pair 2 --game 1  the same game, by its pair
  turnwise review match.jsonl --nodes 1000000    judged by a deeper search
  turnwise review match.jsonl --svg lost.svg     also a picture
  turnwise review match.jsonl --json             every move, for programs
  turnwise review match.jsonl --rules ./nim      of a game in a folder

A move lost the value of the best move minus its own value: in points if the game is scored in points, in hundredths \
of a win if it is won and lost. This is exact on boards of a solved game and where the search sees the end of the \
game. Elsewhere it is an estimate by a search of --nodes for each position, which should be far more than the players \
searched. docs/reference/review.md describes what is judged in each game, which losses make an inaccuracy, a mistake or a \
blunder, and how accuracy is computed. Luck is the first role's gain from the \
draws, whatever the players did with them. Moves of a random opening and forced moves have no marks. Columns 1 to 4 are the quarters \
of the game; in the review of one game, 1 to 3 are its thirds. Ctrl-C prints the results so far.")]
pub struct Arguments {
    #[command(flatten)]
    game: ChosenGame,
    /// The folder of the game, if its rules are a program; the review runs it
    #[arg(long, value_name = "FOLDER", value_parser = GameParser)]
    rules: Option<&'static Plugin>,
    /// Search this many positions per move if the exact value is unknown
    #[arg(long, value_name = "N", default_value = "200000")]
    nodes: NonZeroU64,
    /// Judge this many games in parallel [default: one per core]
    #[arg(long, value_name = "N", conflicts_with_all = ONE_GAME, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Judge the games on the workers of a NATS server, such as nats://HOST:4222
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "URL", conflicts_with = "jobs", conflicts_with_all = ONE_GAME)]
    cluster: Option<String>,
    /// Print JSON: one object for each move of all games, then one for each player and role; or one for the chosen game
    #[arg(long)]
    json: bool,
    /// Also draw the table of all games: a bar for each player and quarter of the game, by role
    #[arg(long, value_name = "FILE", conflicts_with_all = ONE_GAME)]
    svg: Option<PathBuf>,
}

/// The options that choose one game.
const ONE_GAME: [&str; 2] = ["game", "pair"];

impl Arguments {
    /// Checks that `--rules` names the game of the log, and that it is given if its rules are a program.
    fn check_rules(&self, of: &GameSettings) -> Result<(), WrongUsage> {
        let about = of.about();
        let title = about.title;
        match self.rules {
            Some(rules) if rules.about().name != about.name => Err(WrongUsage(anyhow!(
                "--rules: expected the folder of {title}, which the log contains, got {}",
                rules.about().title
            ))),
            None if FROM_LOGS.reads(about.name, &of.0.fields()) => Err(WrongUsage(anyhow!(
                "{title} is a game in a folder: name the folder with --rules FOLDER"
            ))),
            _ => Ok(()),
        }
    }
}

/// Reviews the chosen game or, if the user chose none, all games of the log.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.game.is_chosen() {
        true => one_game(arguments),
        false => all_games::run(&arguments),
    }
}

/// Returns the unit in which losses are shown for a game: first the factor that converts a loss to this unit, then the
/// name of the unit.
fn unit(about: &About) -> (f64, &'static str) {
    match about.scoring {
        Scoring::Points => (1.0, "points"),
        Scoring::Win => (100.0, "hundredths of a won game"),
    }
}

/// A review as `--json` prints it.
#[derive(Serialize)]
struct Reviewed<'a> {
    #[serde(flatten)]
    review: &'a Review,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<&'a Fault>,
}

/// Judges each move of the chosen game, and prints how many points each move lost.
fn one_game(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let (header, game) = arguments.game.find()?;
    arguments.check_rules(&header.game)?;
    let stop = Stop::default();
    let stopped = stop.clone();
    let interrupt = Interrupt::listen_and(move || stopped.stop())?;
    let solutions = solutions();
    let allowed = Allowed {
        time: Duration::MAX,
        nodes: u64::MAX,
        solutions: solutions.as_deref(),
    };
    let record = &game.record;
    let of = &header.game;
    let position = Position {
        game: of.about().name.to_owned(),
        settings: of.0.fields(),
        beginning: Beginning::Logged(record.result.fields.clone()),
        moves: record.moves.clone(),
    };
    let mut progress = StatusLine::new();
    let mut judged = 0;
    let reviewed = review(
        &position,
        record.opening.len(),
        super::game_options::known_games(),
        Effort {
            nodes: Some(arguments.nodes.get()),
            allowed: &allowed,
            stop: &stop,
        },
        &mut |_| {
            judged += 1;
            let all = counted(record.moves.len(), "move");
            progress.tell(|| format!("judged {judged} of {all}"));
        },
    )?;
    progress.clear();
    let faults: Vec<&Fault> = record.faults().collect();
    let in_json = Reviewed {
        review: &reviewed,
        faults,
    };
    print(&match arguments.json {
        true => serde_json::to_string_pretty(&in_json)? + "\n",
        false => text(&header, &game, &reviewed),
    })?;
    Ok(interrupt.exit_code())
}

/// Formats an accuracy; the text is empty without moves.
fn percent(accuracy: Option<f64>) -> String {
    accuracy.map_or_else(String::new, |accuracy| format!("{accuracy:.0} %"))
}

fn text(header: &Settings, game: &Game, reviewed: &Review) -> String {
    let (about, record) = (header.game.about(), &game.record);
    let (parts, unit) = unit(about);
    let (players, roles) = (&record.result.players, reviewed.roles);
    let shown = |lost: f64| match parts * lost {
        lost if lost < 0.005 => String::new(),
        lost => format!("{lost:.2}"),
    };
    let row = |ply: usize| {
        let mv = &reviewed.moves[ply];
        let judged = &mv.judged;
        let better = match shown(judged.lost).is_empty() {
            true => "",
            false => &*mv.best_words,
        };
        vec![
            (ply + 1).to_string(),
            format!("{} ({})", players[judged.side], roles[judged.side]),
            mv.words.clone(),
            mv.mark.map_or("", Mark::name).to_owned(),
            judged
                .score
                .map_or_else(String::new, |score| format!("{:.2}", parts * score)),
            match ply < record.opening.len() {
                true => "opening".to_owned(),
                false => shown(judged.lost),
            },
            better.to_owned(),
        ]
    };
    let moves = |plies: &mut dyn Iterator<Item = usize>| {
        let header = ["ply", "player", "move", "mark", "score", "lost", "better"];
        let mut table = table_with_words(&header, &[1, 2, 3, 6]);
        plies.for_each(|ply| {
            table.add_row(row(ply));
        });
        fitted(table)
    };
    let mut text = format!(
        "{}\n{}\n",
        replay::who_plays(record),
        replay::result(record),
    );
    for fault in record.faults() {
        text += &replay::fault_lines(fault, about);
    }
    let first = roles[0];
    let _ = match about.scoring {
        Scoring::Points => writeln!(text, "score: {first}'s expected final score after the move"),
        Scoring::Win => writeln!(
            text,
            "score: {first}'s chances after the move, in hundredths"
        ),
    };
    let _ = writeln!(text, "lost: {unit}");
    let of = reviewed.thresholds;
    let [inaccuracy, mistake, blunder] =
        [of.inaccuracy, of.mistake, of.blunder].map(|least| parts * least);
    let _ = writeln!(
        text,
        "mark: inaccuracy from {inaccuracy:.2}, mistake from {mistake:.2}, blunder from {blunder:.2} lost\n"
    );
    let all = moves(&mut (0..reviewed.moves.len()));
    let _ = writeln!(text, "{all}");
    if reviewed.moves.len() < record.moves.len() {
        let got = reviewed.moves.len();
        let of = counted(record.moves.len(), "move");
        let _ = writeln!(text, "\nStopped early: {got} of {of} are judged.");
    }
    if !reviewed.stops.is_empty() {
        let stops = moves(&mut reviewed.stops.iter().copied());
        let _ = writeln!(text, "\nMistakes and blunders\n{stops}");
    }
    let header = [
        "player", "moves", "accuracy", "?!", "?", "??", "lost", "1", "2", "3",
    ];
    let mut table = table_with_words(&header, &[0]);
    for ((player, role), side) in players.iter().zip(roles).zip(&reviewed.sides) {
        let mut row = vec![format!("{player} ({role})"), side.moves.to_string()];
        row.push(percent(side.accuracy));
        row.extend([side.inaccuracies, side.mistakes, side.blunders].map(|of| of.to_string()));
        let lost = [side.lost].into_iter().chain(side.by_phase);
        row.extend(lost.map(|lost| format!("{:.2}", parts * lost)));
        table.add_row(row);
    }
    let _ = writeln!(text, "\nSkill\n{}", fitted(table));
    if let Some(luck) = reviewed.luck {
        let _ = write!(text, "\nLuck: the draws brought {first} {luck:+.2}");
        // A forfeited score does not come from the draws.
        let _ = match record.fault {
            Some(_) => writeln!(text, "."),
            None => writeln!(
                text,
                "; the score without them is {:.2}.",
                record.result.score() - luck
            ),
        };
    }
    text
}
