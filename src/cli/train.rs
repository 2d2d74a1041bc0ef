//! `turnwise train`: learn weights from self-play.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::arena::interrupt;
use crate::games::entropy::evaluation::{self, Evaluation};
use crate::games::entropy::patterns;
use crate::games::entropy::rules::{MIN_SIZE, Rules};
use crate::games::entropy::weights::{About, FORMAT, Weights};
use crate::train::learner::Fit;
use crate::train::self_play::{Played, Sample, SelfPlay, SelfPlayer};

/// Games played with the same weights before these learn from them, in the order of their numbers,
/// so that the result does not depend on the number of jobs.
const GAMES_A_BATCH: u64 = 32;

/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_secs(10);

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The game
    #[arg(value_parser = ["entropy"])]
    game: String,
    /// Side of the board
    #[arg(long, visible_alias = "n", value_name = "N", default_value_t = 7,
          value_parser = clap::value_parser!(u8).range(i64::from(MIN_SIZE)..=i64::from(patterns::LONGEST)))]
    size: u8,
    /// Games of self-play in all
    #[arg(long, default_value_t = 20_000)]
    games: u64,
    /// Determines every game
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Plies that both sides search
    #[arg(long, default_value_t = 2)]
    depth: u32,
    /// How much of what comes later counts, from 0 to 1
    #[arg(long, default_value_t = 0.9)]
    lambda: f32,
    #[arg(long, default_value_t = 1)]
    knots: u16,
    #[arg(long, default_value_t = 20.0)]
    prior: f32,
    #[arg(long)]
    trust: bool,
    #[arg(long, default_value_t = 10)]
    generations: usize,
    #[arg(long, default_value_t = 4)]
    window: usize,
    /// The share of moves played at random
    #[arg(long, default_value_t = 0.03)]
    exploration: f64,
    #[arg(long, default_value_t = 0)]
    siblings: u32,
    /// Begin with these weights instead of the values of holes
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// Where the weights go
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The name of the weights; the file's by default
    #[arg(long)]
    name: Option<String>,
    /// Games played at the same time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let stop = interrupt::listen()?;
    let size = arguments.size;
    let how = SelfPlay {
        rules: Rules { size, pass: false },
        depth: arguments.depth,
        lambda: arguments.lambda,
        exploration: arguments.exploration,
        siblings: arguments.siblings,
    };
    let start = match &arguments.start {
        None => evaluation::by_holes(size),
        Some(path) => Arc::new(read(path)?.into_evaluation()),
    };
    let fit = Fit {
        size,
        knot_distance: arguments.knots,
        prior_samples: arguments.prior,
    };
    let prior = evaluation::by_holes(size);
    let mut evaluation = start;
    let mut batches: std::collections::VecDeque<Vec<Sample>> = Default::default();
    let mut values = Vec::new();
    let mut games = 0;
    for generation in 0..arguments.generations {
        if stop.requested() {
            break;
        }
        let began = Instant::now();
        let mut how = how;
        if generation == 0 && arguments.start.is_none() {
            how.lambda = 1.0;
        }
        let end = games + arguments.games;
        let played = play_batch(&arguments, how, &evaluation, games..end);
        let mean = played.iter().map(|p| f64::from(p.score)).sum::<f64>() / played.len() as f64;
        games = end;
        batches.push_back(
            played
                .into_iter()
                .flat_map(|played| played.samples)
                .collect(),
        );
        if batches.len() > arguments.window {
            batches.pop_front();
        }
        if generation == 1 && arguments.start.is_none() {
            batches.pop_front();
        }
        let samples: Vec<Sample> = batches.iter().flatten().cloned().collect();
        let played = began.elapsed();
        let (fitted, errors) = fit.values(&samples, if arguments.trust { &evaluation } else { &prior });
        values = fitted;
        evaluation = Arc::new(Evaluation::learned(size, values.clone()));
        eprintln!(
            "generation {generation}: {games} games, mean score {mean:.2}, errors {:.2} {:.2}, played {:.0} s, fit {:.0} s",
            errors[0].sqrt(),
            errors[1].sqrt(),
            played.as_secs_f64(),
            (began.elapsed() - played).as_secs_f64()
        );
        write(&arguments, &values, games)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn play_batch(
    arguments: &Arguments,
    how: SelfPlay,
    evaluation: &Arc<Evaluation>,
    games: std::ops::Range<u64>,
) -> Vec<Played> {
    let numbers: Vec<u64> = games.collect();
    let share = numbers.len().div_ceil(arguments.jobs);
    thread::scope(|scope| {
        let parts: Vec<_> = numbers
            .chunks(share)
            .map(|numbers| {
                scope.spawn(move || {
                    let mut player = SelfPlayer::new(how, Arc::clone(evaluation));
                    let seed =
                        |number: u64| arguments.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number;
                    numbers
                        .iter()
                        .map(|&number| player.play(seed(number)))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().expect("self-play does not panic"))
            .collect()
    })
}

fn read(path: &Path) -> anyhow::Result<Weights> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let weights = Weights::from_bytes(&bytes).with_context(|| format!("in {}", path.display()))?;
    Ok(weights)
}

fn write(arguments: &Arguments, values: &[i16], games: u64) -> anyhow::Result<()> {
    let out = &arguments.out;
    let name = arguments
        .name
        .clone()
        .or_else(|| Some(out.file_stem()?.to_string_lossy().into_owned()));
    let Some(name) = name else {
        bail!("{} is no file name", out.display())
    };
    let weights = Weights {
        about: About {
            format: FORMAT,
            name,
            size: arguments.size,
            command: String::new(),
            games,
        },
        values: values.to_vec(),
    };
    let new = out.with_extension("new");
    std::fs::File::create(&new)?.write_all(&weights.to_bytes())?;
    std::fs::rename(&new, out)?;
    Ok(())
}
