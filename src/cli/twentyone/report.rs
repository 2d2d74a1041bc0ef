//! `turnwise twentyone report`: what the logs of games show.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use comfy_table::Table;
use plotters::prelude::*;

use crate::console::output::{print, until_closed};
use crate::console::table::{table, table_of_names};
use turnwise_twentyone::cards::Card;
use turnwise_twentyone::log::{GameLog, ScoreLine, TurnLine, read_score_file, read_turn_file};
use turnwise_twentyone::rules::{HandValue, Points, hand_value};

/// Arguments of `turnwise twentyone report`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise twentyone report game-score.csv              points over rounds
  turnwise twentyone report game.csv game.json          what each player did, and both
  turnwise twentyone report game.json --svg game.svg    a picture of it

A file may be the course's score file or turn file, or a JSON record; which it is, is seen from it.
A score file names no players: they are shown as you, other 1, other 2 ...")]
pub struct Arguments {
    /// Logs to read
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Draw the points over rounds of the first score file or record into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Points of named players by round.
struct Course {
    names: Vec<String>,
    lines: Vec<ScoreLine>,
}

/// Prints tables, and draws a picture if asked.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut courses = Vec::new();
    let mut text = String::new();
    for path in &arguments.files {
        let content = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let (course, turns) =
            read(&content).with_context(|| format!("cannot read {}", path.display()))?;
        writeln!(text, "{}", path.display())?;
        if let Some(course) = course {
            writeln!(text, "{}\n", course_table(&course))?;
            courses.push(course);
        }
        if let Some(turns) = turns {
            writeln!(text, "{}\n", turns_table(&turns))?;
        }
    }
    if let Some(path) = &arguments.svg {
        let Some(course) = courses.first() else {
            bail!("--svg needs a score file or a JSON record: a turn file tells no points");
        };
        draw(path, course)?;
    }
    until_closed(print(&text))?;
    Ok(ExitCode::SUCCESS)
}

type Read = (Option<Course>, Option<Vec<TurnLine>>);

fn read(content: &str) -> anyhow::Result<Read> {
    let first = content
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("");
    match first.split(',').count() {
        _ if first.starts_with('{') => {
            let log: GameLog = serde_json::from_str(content).context("not a record of a game")?;
            Ok((Some(course_of(&log)?), Some(turns_of(&log))))
        }
        3 => {
            let lines = read_score_file(content)?;
            let others = lines.first().map_or(0, |line| line.points.len() - 1);
            let mut names = vec!["you".to_string()];
            names.extend((1..=others).map(|index| format!("other {index}")));
            Ok((Some(Course { names, lines }), None))
        }
        8 => Ok((None, Some(read_turn_file(content)?))),
        fields => bail!(
            "{fields} fields in the first line: expected a score file (3), a turn file (8) or a \
             JSON record"
        ),
    }
}

fn course_of(log: &GameLog) -> anyhow::Result<Course> {
    let players = log.players.len();
    if let Some(round) = log
        .rounds
        .iter()
        .find(|round| round.points.len() != players)
    {
        bail!(
            "round {} has points of {} players: expected {players}",
            round.round,
            round.points.len()
        );
    }
    let lines = log
        .rounds
        .iter()
        .map(|round| ScoreLine {
            round: round.round,
            points: round.points.clone(),
        })
        .collect();
    Ok(Course {
        names: log.players.clone(),
        lines,
    })
}

fn turns_of(log: &GameLog) -> Vec<TurnLine> {
    let name = |id: u32| {
        log.players
            .get(id as usize)
            .cloned()
            .unwrap_or_else(|| id.to_string())
    };
    let line = |turn: &turnwise_twentyone::record::TurnRecord| TurnLine {
        round: turn.round,
        cards: turn.cards.clone(),
        player: name(turn.player),
        yours: turn.player == 0,
        hand: turn.hand,
        action: turn.action.name().to_string(),
        bid: turn.bid,
        up_card: turn.up_card,
    };
    log.turns.iter().map(line).collect()
}

/// Rounds shown in a table.
const ROWS: usize = 12;

fn course_table(course: &Course) -> Table {
    let mut header = vec!["round"];
    header.extend(course.names.iter().map(String::as_str));
    let mut table = table(&header);
    let step = course.lines.len().div_ceil(ROWS).max(1);
    for (index, line) in course.lines.iter().enumerate() {
        if index % step == 0 || index + 1 == course.lines.len() {
            let points = line.points.iter().map(Points::to_string);
            table.add_row(std::iter::once(line.round.to_string()).chain(points));
        }
    }
    table
}

/// What a player did in a game.
#[derive(Default)]
struct Deeds {
    rounds: u32,
    bids: Points,
    actions: BTreeMap<String, u32>,
    /// Last cards of each hand of each round.
    hands: BTreeMap<(u32, u32), Vec<Card>>,
}

fn turns_table(turns: &[TurnLine]) -> Table {
    let mut players: BTreeMap<&str, Deeds> = BTreeMap::new();
    for turn in turns {
        let deeds = players.entry(&turn.player).or_default();
        if turn.action == "Bid" {
            deeds.rounds += 1;
            deeds.bids = deeds.bids.saturating_add(turn.bid);
        } else {
            deeds
                .hands
                .insert((turn.round, turn.hand), turn.cards.clone());
        }
        *deeds.actions.entry(turn.action.clone()).or_default() += 1;
    }
    let mut table = table_of_names(&[
        "player",
        "rounds",
        "mean bid",
        "Hit",
        "Stand",
        "Double",
        "Split",
        "Insurance",
        "bust",
    ]);
    for (name, deeds) in players {
        let count = |action: &str| deeds.actions.get(action).copied().unwrap_or(0).to_string();
        let bust = deeds
            .hands
            .values()
            .filter(|cards| hand_value(cards) == HandValue::Bust)
            .count();
        table.add_row([
            name.to_string(),
            deeds.rounds.to_string(),
            format!("{:.1}", deeds.bids as f64 / f64::from(deeds.rounds.max(1))),
            count("Hit"),
            count("Stand"),
            count("DoubleDown"),
            count("Split"),
            count("Insurance"),
            bust.to_string(),
        ]);
    }
    table
}

fn draw(path: &Path, course: &Course) -> anyhow::Result<()> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (960, 540)).into_drawing_area();
        area.fill(&WHITE)?;
        let rounds = course.lines.last().map_or(1, |line| line.round).max(1);
        let most = course
            .lines
            .iter()
            .flat_map(|line| &line.points)
            .max()
            .copied()
            .unwrap_or(1);
        // The names stand to the right of the last round, where no line runs.
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .caption("TwentyOne: points over rounds", ("sans-serif", 18))
            .x_label_area_size(32)
            .y_label_area_size(72)
            .build_cartesian_2d(0..rounds + rounds / 6, 0.0..most.max(1) as f64 * 1.05)?;
        chart
            .configure_mesh()
            .x_desc("round")
            .y_desc("points")
            .y_label_formatter(&|points| format!("{points:.0}"))
            .light_line_style(WHITE)
            .draw()?;
        for (index, name) in course.names.iter().enumerate() {
            let colour = Palette99::pick(index).to_rgba();
            let points = course
                .lines
                .iter()
                .map(|line| (line.round, line.points[index] as f64));
            chart
                .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
                .label(name)
                .legend(move |(x, y)| {
                    PathElement::new(vec![(x, y), (x + 18, y)], colour.stroke_width(2))
                });
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        area.present()?;
    }
    std::fs::write(path, svg).with_context(|| format!("cannot write {}", path.display()))
}
