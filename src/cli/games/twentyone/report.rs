//! `turnwise twentyone report`: summarizes logged games of TwentyOne.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use comfy_table::Table;
use plotters::prelude::*;

use crate::cli::files::{read_text, write_whole};
use crate::console::output::print;
use crate::console::table::{table, table_of_names};
use turnwise_twentyone::game_file::{Actions, GameFile, PointsByRound};
use turnwise_twentyone::rules::Points;

/// Arguments of `turnwise twentyone report`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise twentyone report game-score.csv            points over rounds
  turnwise twentyone report game.csv game.json        each player's actions
  turnwise twentyone report game.json --svg game.svg  a picture of it

A file may be the course's score file or turn file, or a JSON record; the format is detected. \
A score file names no players: they are shown as you, other 1, other 2 ...")]
pub struct Arguments {
    /// Score files, turn files or JSON records to read
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Draw the points over rounds of the first score file or record into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Prints tables that summarize the logs, and draws a picture if the user asks for it.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut drawable = Vec::new();
    let mut text = String::new();
    for path in &arguments.files {
        let content = read_text(path, LARGEST_FILE)?;
        let GameFile { points, actions } =
            (content.parse()).with_context(|| format!("cannot read {}", path.display()))?;
        writeln!(text, "{}", path.display())?;
        if let Some(points) = points {
            writeln!(text, "{}\n", points_table(&points))?;
            drawable.push(points);
        }
        if let Some(actions) = actions {
            writeln!(text, "{}\n", actions_table(&actions))?;
        }
    }
    if let Some(path) = &arguments.svg {
        let Some(points) = drawable.first() else {
            bail!("--svg needs a score file or a JSON record: a turn file contains no points");
        };
        draw(path, points)?;
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The maximum size of a log file, in bytes. The record of a game in the course is always smaller.
const LARGEST_FILE: u64 = 512 << 20;

/// The maximum number of rounds that a table shows, evenly spaced; the last round is always shown in addition.
const ROWS: usize = 12;

fn points_table(by_round: &PointsByRound) -> Table {
    let mut header = vec!["round"];
    header.extend(by_round.names.iter().map(String::as_str));
    let mut table = table(&header);
    let rounds = &by_round.rounds;
    let step = rounds.len().div_ceil(ROWS).max(1);
    for (index, (round, points)) in rounds.iter().enumerate() {
        if index % step == 0 || index + 1 == rounds.len() {
            let points = points.iter().map(Points::to_string);
            table.add_row(std::iter::once(round.to_string()).chain(points));
        }
    }
    table
}

fn actions_table(players: &BTreeMap<String, Actions>) -> Table {
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
    for (name, actions) in players {
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
        let rounds = by_round.rounds.last().map_or(1, |(round, _)| *round).max(1);
        let points = by_round.rounds.iter().flat_map(|(_, points)| points);
        let most = points.max().copied().unwrap_or(1);
        // The players' names are drawn to the right of the last round, where they do not cover any line.
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
            let rounds = by_round.rounds.iter();
            let points = rounds.map(|(round, points)| (*round, points[index] as f64));
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
    write_whole(path, svg.as_bytes())
}
