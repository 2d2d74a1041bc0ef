//! `turnwise twentyone report`: what the logs of games show.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use comfy_table::Table;
use plotters::prelude::*;

use crate::console::output::{print, until_closed};
use crate::console::table::{table, table_of_names};
use turnwise_twentyone::game_file::{Actions, GameFile, PointsByRound};
use turnwise_twentyone::log::TurnLine;
use turnwise_twentyone::rules::Points;

/// Arguments of `turnwise twentyone report`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise twentyone report game-score.csv              points over rounds
  turnwise twentyone report game.csv game.json          what each player did, and both
  turnwise twentyone report game.json --svg game.svg    a picture of it

A file may be the course's score file or turn file, or a JSON record; the format is detected.
A score file names no players: they are shown as you, other 1, other 2 ...")]
pub struct Arguments {
    /// Logs to read
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Draw the points over rounds of the first score file or record into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Prints tables, and draws a picture if asked.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut drawable = Vec::new();
    let mut text = String::new();
    for path in &arguments.files {
        let content = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let GameFile { points, turns } =
            (content.parse()).with_context(|| format!("cannot read {}", path.display()))?;
        writeln!(text, "{}", path.display())?;
        if let Some(points) = points {
            writeln!(text, "{}\n", points_table(&points))?;
            drawable.push(points);
        }
        if let Some(turns) = turns {
            writeln!(text, "{}\n", turns_table(&turns))?;
        }
    }
    if let Some(path) = &arguments.svg {
        let Some(points) = drawable.first() else {
            bail!("--svg needs a score file or a JSON record: a turn file tells no points");
        };
        draw(path, points)?;
    }
    until_closed(print(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// Rounds shown in a table.
const ROWS: usize = 12;

fn points_table(by_round: &PointsByRound) -> Table {
    let mut header = vec!["round"];
    header.extend(by_round.names.iter().map(String::as_str));
    let mut table = table(&header);
    let step = by_round.lines.len().div_ceil(ROWS).max(1);
    for (index, line) in by_round.lines.iter().enumerate() {
        if index % step == 0 || index + 1 == by_round.lines.len() {
            let points = line.points.iter().map(Points::to_string);
            table.add_row(std::iter::once(line.round.to_string()).chain(points));
        }
    }
    table
}

fn turns_table(turns: &[TurnLine]) -> Table {
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
    for (name, actions) in Actions::by_player(turns) {
        let count = |action: &str| actions.count(action).to_string();
        table.add_row([
            name.to_string(),
            actions.rounds.to_string(),
            format!("{:.1}", actions.mean_bid()),
            count("Hit"),
            count("Stand"),
            count("DoubleDown"),
            count("Split"),
            count("Insurance"),
            actions.busts().to_string(),
        ]);
    }
    table
}

fn draw(path: &Path, by_round: &PointsByRound) -> anyhow::Result<()> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (960, 540)).into_drawing_area();
        area.fill(&WHITE)?;
        let rounds = by_round.lines.last().map_or(1, |line| line.round).max(1);
        let most = by_round
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
        for (index, name) in by_round.names.iter().enumerate() {
            let colour = Palette99::pick(index).to_rgba();
            let points = by_round
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
