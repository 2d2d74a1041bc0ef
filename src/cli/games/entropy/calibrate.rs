//! `turnwise entropy calibrate`: learns which final score can be expected for each evaluation that trained weights give a
//! position.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;

use crate::cli::{WrongUsage, files};
use crate::console::interrupt::Interrupt;
use crate::console::progress::games_bar;
use crate::console::table::table;
use crate::console::{note, say};
use turnwise_arena::standings::signed;
use turnwise_engine::statistics::Sample;
use turnwise_engine::words::printable;
use turnwise_entropy::evaluation::{Evaluation, GamePhase};
use turnwise_entropy::forecast::{FORMAT, Forecast};
use turnwise_entropy::train::calibration::{self, PARTS, Plan, Played};
use turnwise_entropy::weights::Weights;

/// Arguments of `turnwise entropy calibrate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise entropy calibrate five.weights
      after turnwise entropy train; about a minute
  turnwise entropy calibrate five.weights --check
      the error of its forecasts, in other games
  turnwise entropy calibrate five.weights --check --nodes 300000
      the same with longer searches

The search's values rank moves; as final scores they are far too low early in a game. This command \
plays games of the player against itself, measures by how much the final score exceeds the value for \
each number of tiles on the board, and writes that forecast into FILE, beside the weights. Logs and \
turnwise analyse then show the expected final score (\"score\") beside the value. Neither the weights \
nor any move changes. The same settings give the same forecast, with any number of jobs; Ctrl-C leaves \
FILE unchanged.

--check writes nothing. It plays games of another seed and reports by how much forecasts and values \
exceed the final scores in each fifth of a game, with 95 % intervals.")]
pub struct Arguments {
    /// A weights file from turnwise entropy train
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Test the forecast in FILE instead of making a forecast
    #[arg(long)]
    check: bool,
    /// Play this many games
    #[arg(long, default_value_t = 250, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    games: u64,
    /// Search this many positions for each move
    #[arg(long, default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Seed every game; 1 by default, and with --check one more than the forecast's seed
    #[arg(long)]
    seed: Option<u64>,
    /// Let Order pass, as at CodeCup, to test forecasts there
    #[arg(long, requires = "check")]
    pass: bool,
    /// Name the forecast; by default, the weights' name followed by "-forecast-1"
    #[arg(long, conflicts_with = "check")]
    name: Option<String>,
    /// Play this many games in parallel; by default, one per core
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
}

/// Makes a forecast for trained weights, or tests the forecast that the weights already have.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let weights = Weights::read_any(&arguments.file)?;
    let interrupt = Interrupt::listen()?;
    let played = match arguments.check {
        true => check(&arguments, weights, &interrupt)?,
        false => make(&arguments, weights, &interrupt)?,
    };
    Ok(match played {
        true => ExitCode::SUCCESS,
        false => interrupt.exit_code(),
    })
}

impl Arguments {
    fn plan(&self, seed: u64) -> Plan {
        Plan {
            seed,
            games: self.games,
            nodes: self.nodes,
            pass: self.pass,
        }
    }
}

/// Plays the games of a plan. Returns `None` if the user interrupts the command.
fn play(
    arguments: &Arguments,
    evaluation: Evaluation,
    plan: Plan,
    interrupt: &Interrupt,
) -> Option<Vec<Played>> {
    let bar = games_bar(printable(evaluation.name()), plan.games);
    let jobs = arguments.jobs.map_or_else(crate::cli::cores, usize::from);
    calibration::games(&Arc::new(evaluation), plan, jobs, &|game| {
        bar.set_position(game);
        !interrupt.is_requested()
    })
}

/// Makes a forecast and writes it to the weights file. Returns false if the user interrupts the command.
fn make(arguments: &Arguments, weights: Weights, interrupt: &Interrupt) -> anyhow::Result<bool> {
    // If the file cannot be written, the error is reported now and not only after all games have been played.
    files::check_place(&arguments.file)?;
    let plan = arguments.plan(arguments.seed.unwrap_or(1));
    let evaluation = weights.clone().into_evaluation();
    let Some(games) = play(arguments, evaluation, plan, interrupt) else {
        note!("stopped; {} is unchanged", arguments.file.display());
        return Ok(false);
    };
    let gains = |game_phase| calibration::gains(&games, weights.about.size, game_phase);
    let default_name = || format!("{}-forecast-1", weights.about.name);
    let forecast = Forecast {
        format: FORMAT,
        name: arguments.name.clone().unwrap_or_else(default_name),
        command: crate::cli::command_line(),
        games: plan.games,
        nodes: plan.nodes,
        seed: plan.seed,
        before_draw: gains(GamePhase::BeforeDraw),
        before_slide: gains(GamePhase::BeforeSlide),
    };
    let told = format!(
        "{} in {}: from {} games, mean score {:.1}",
        printable(&forecast.name),
        arguments.file.display(),
        plan.games,
        mean_score(&games),
    );
    let weights = Weights {
        forecast: Some(forecast),
        ..weights
    };
    files::write_whole(&arguments.file, &weights.to_bytes())?;
    say!("{told}");
    Ok(true)
}

/// Tests a forecast and prints the result. Returns false if the user interrupts the command.
fn check(arguments: &Arguments, weights: Weights, interrupt: &Interrupt) -> anyhow::Result<bool> {
    let forecast = (weights.forecast.clone()).with_context(|| no_forecast(&arguments.file))?;
    let seed = arguments.seed.unwrap_or(forecast.seed.wrapping_add(1));
    if seed == forecast.seed {
        let why = anyhow::anyhow!(
            "expected a seed other than {seed}: {} was made from the games of that seed",
            printable(&forecast.name)
        );
        return Err(WrongUsage::from(why).into());
    }
    let plan = arguments.plan(seed);
    let Some(games) = play(arguments, weights.into_evaluation(), plan, interrupt) else {
        return Ok(false);
    };
    say!(
        "{}: {} games with {} nodes a move, seed {seed}, mean score {:.1}",
        printable(&forecast.name),
        plan.games,
        plan.nodes,
        mean_score(&games)
    );
    let forecasts = calibration::errors(&games, |finding| finding.forecast);
    let values = calibration::errors(&games, |finding| Some(finding.value));
    let mut table = table(&[
        "fifth",
        "forecast minus final score",
        "value minus final score",
    ]);
    for part in 0..PARTS {
        table.add_row([
            (part + 1).to_string(),
            error(&forecasts[part]),
            error(&values[part]),
        ]);
    }
    say!("{table}");
    Ok(true)
}

fn mean_score(games: &[Played]) -> f64 {
    let scores: Sample = games.iter().map(|game| f64::from(game.score)).collect();
    scores.mean()
}

fn no_forecast(file: &Path) -> String {
    let file = file.display();
    format!("{file} contains no forecast to test; turnwise entropy calibrate {file} makes one")
}

fn error(of: &Sample) -> String {
    (of.estimate()).map_or_else(|| "-".to_owned(), |error| signed(error, 2))
}
