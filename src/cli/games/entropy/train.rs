//! `turnwise entropy train`: learns weights from self-play or from a solution.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, ensure};

#[cfg(feature = "cluster")]
use super::batches::Trainers;
use crate::cli::files;
use crate::console::interrupt::Interrupt;
use crate::console::progress::games_bar;
use crate::console::{note, say};
use turnwise_engine::files::read_at_most;
use turnwise_entropy::blocks;
use turnwise_entropy::patterns;
use turnwise_entropy::rules::{MIN_SIZE, Rules};
use turnwise_entropy::solution::index::LARGEST;
use turnwise_entropy::solution::{self, Solution};
use turnwise_entropy::train::exact;
use turnwise_entropy::train::fit::Fit;
use turnwise_entropy::train::self_play::SelfPlay;
use turnwise_entropy::train::{Plan, Training, checkpoint};
use turnwise_entropy::weights::{About, FORMAT, Weights};

/// The maximum size of a checkpoint, in bytes. It suffices for the positions of several million games.
const LARGEST_CHECKPOINT: u64 = 2 << 30;

/// Arguments of `turnwise entropy train`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise entropy train --size 5 --out five.weights
      a generation takes some seconds
  turnwise entropy train --size 5 --out five.weights --generations 30
      continue to 30 generations
  turnwise arena new=turnwise:weights=five.weights turnwise --nodes 100000
      is it stronger?

Each generation plays games against itself with the current weights, then fits the weights to the \
results of the positions of the last few generations. After each generation, the weights are written \
to OUT, and the state to continue from to OUT.checkpoint; Ctrl-C loses at most the current generation. \
If OUT.checkpoint exists, the same command continues where it stopped; only --generations, the settings \
of blocks and --jobs may then differ. The same settings give the same weights on every machine, with \
any number of jobs and machines.

On 5 to 7 rows, longer generations follow, in which blocks of 2x3 cells get values besides lines: they \
evaluate slides from one line into another. On 7 rows, split blocks, whose two lines have another line \
between them, also get values, and so do gaps: empty cells with the tiles that can slide into them. Each \
generation is saved to OUT.blocks.checkpoint. --block-generations 0 skips them.

With --solution, the weights are instead fitted in one step to the exact values of a solution that \
`turnwise entropy solve` has written.

The values of weights rank moves and are not final scores; turnwise entropy calibrate OUT measures which \
final scores they stand for.")]
pub struct Arguments {
    /// Set the side of the board, from 2 to 7
    #[arg(long, visible_alias = "n", value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u8).range(i64::from(MIN_SIZE)..=i64::from(patterns::LONGEST)))]
    size: u8,
    /// Write the weights to this file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Name the weights in logs; by default, the file's name
    #[arg(long)]
    name: Option<String>,
    /// Set the number of generations, including finished generations
    #[arg(long, default_value_t = 15)]
    generations: u32,
    /// Play this many games in each generation
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// Add this many generations that also learn the values of blocks and, on 7 rows, of split blocks and gaps; by
    /// default 8 for 5 to 7 rows, and 0 for other sizes
    #[arg(long, value_name = "GENERATIONS")]
    block_generations: Option<u32>,
    /// Play this many games in each generation of --block-generations
    #[arg(long, value_name = "GAMES", default_value_t = 8_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    block_games: u64,
    /// Fit the weights to the positions of this many latest generations
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    window: u16,
    /// Search this many plies for Order; Chaos searches one ply more if this is 3 or more
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10))]
    depth: u32,
    /// Set the weight of later results in a position's target, from 0 to 1 (the lambda of TD(lambda))
    #[arg(long, default_value_t = 0.4, value_parser = parse_share)]
    lambda: f64,
    /// Play this share of the moves at random
    #[arg(long, default_value_t = 0.03, value_parser = parse_share)]
    exploration: f64,
    /// Also learn from this many positions after alternative moves, for each position of a game
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=100))]
    siblings: u32,
    /// Learn line values from this number of tiles on; boards with fewer tiles share the values for this
    /// number; three fifths of the board by default
    #[arg(long, value_name = "TILES", value_parser = clap::value_parser!(u16).range(0..=100))]
    first_knot: Option<u16>,
    /// Set the number of tiles between two sets of values; two fifths of the board by default, which gives two sets
    #[arg(long, value_name = "TILES", value_parser = clap::value_parser!(u16).range(1..=100))]
    knot_distance: Option<u16>,
    /// Count the prior, the values of holes, as this many positions
    #[arg(long, default_value_t = 20.0, value_parser = parse_prior)]
    prior_samples: f32,
    /// Begin with these weights instead of the values of holes
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// Learn from the values of this solution (without passing) instead of self-play; only --size, --games, --seed,
    /// --name, --jobs and --out then apply
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["generations", "block_generations", "block_games", "window", "depth", "lambda", "exploration", "siblings",
                                "first_knot", "knot_distance", "prior_samples", "start"])]
    solution: Option<PathBuf>,
    /// Seed every game
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Play this many games in parallel; by default, one per core
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Play the games on the workers of a NATS server, such as nats://HOST:4222
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "URL", conflicts_with_all = ["jobs", "solution"])]
    cluster: Option<String>,
}

fn parse_share(text: &str) -> Result<f64, String> {
    (text.parse().ok())
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

fn parse_prior(text: &str) -> Result<f32, String> {
    (text.parse().ok())
        .filter(|samples| (1e-3..=1e6).contains(samples))
        .ok_or_else(|| "expected a number from 0.001 to 1000000".to_owned())
}

/// The default number of generations that learn the values of blocks. It applies to the board sizes on which blocks are
/// known to help: see docs/notes/entropy.md.
const BLOCK_GENERATIONS: u32 = 8;

/// Returns a number of fifths of the cells of a board, rounded up. Matches determined how many fifths each option uses
/// by default: see docs/notes/entropy.md.
fn fifths_of_board(fifths: u16, size: u8) -> u16 {
    (fifths * u16::from(size) * u16::from(size)).div_ceil(5)
}

impl Arguments {
    fn plan(&self) -> Plan {
        Plan {
            seed: self.seed,
            games: self.games,
            window: usize::from(self.window),
            self_play: SelfPlay {
                size: self.size,
                depth: self.depth,
                lambda: self.lambda as f32,
                exploration: self.exploration,
                siblings: self.siblings,
            },
            fit: Fit {
                first_knot: (self.first_knot).unwrap_or_else(|| fifths_of_board(3, self.size)),
                knot_distance: (self.knot_distance)
                    .unwrap_or_else(|| fifths_of_board(2, self.size)),
                prior_samples: self.prior_samples,
                blocks: false,
            },
        }
    }

    fn block_generations(&self) -> u32 {
        let learned = match blocks::ROWS.contains(&self.size) {
            true => BLOCK_GENERATIONS,
            false => 0,
        };
        self.block_generations.unwrap_or(learned)
    }

    fn jobs(&self) -> usize {
        self.jobs.map_or_else(crate::cli::cores, usize::from)
    }

    /// Returns the weights to write to the file: these values, with the number of games from which they were learned.
    fn weights(&self, games: u64, values: Vec<i16>) -> Weights {
        let stem = self.out.file_stem().unwrap_or_default();
        let stem = || stem.to_string_lossy().into_owned();
        Weights {
            about: About {
                format: FORMAT,
                name: self.name.clone().unwrap_or_else(stem),
                size: self.size,
                command: crate::cli::command_line(),
                games,
            },
            forecast: None,
            values,
        }
    }

    fn beside_out(&self, ending: &str) -> PathBuf {
        let mut path = self.out.clone().into_os_string();
        path.push(ending);
        path.into()
    }

    fn checkpoint(&self) -> PathBuf {
        self.beside_out(".checkpoint")
    }

    fn checkpoint_with_blocks(&self) -> PathBuf {
        self.beside_out(".blocks.checkpoint")
    }
}

/// Trains until all generations are finished or the user presses Ctrl-C.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if let Some(path) = &arguments.solution {
        return learn_exactly(&arguments, path);
    }
    let block_generations = arguments.block_generations();
    ensure!(
        block_generations == 0 || blocks::ROWS.contains(&arguments.size),
        "values of blocks are learned on {} to {} rows, not on {}; omit --block-generations",
        blocks::ROWS.start(),
        blocks::ROWS.end(),
        arguments.size
    );
    ensure!(
        arguments.generations > 0 || block_generations > 0,
        "--generations 0 without --block-generations leaves nothing to learn"
    );
    let mut training = begin(&arguments)?;
    // If a file cannot be written, the error is reported now, before the first generation.
    for file in [
        &arguments.out,
        &arguments.checkpoint(),
        &arguments.checkpoint_with_blocks(),
    ] {
        files::check_place(file)?;
    }
    let mut games = Games {
        arguments: &arguments,
        interrupt: Interrupt::listen()?,
        #[cfg(feature = "cluster")]
        trainers: (arguments.cluster.as_deref())
            .map(Trainers::reach)
            .transpose()?,
    };
    let of_lines = Part {
        words: "",
        generations: arguments.generations,
        games_before: 0,
        checkpoint: arguments.checkpoint(),
    };
    if !games.learn(&mut training, &of_lines)? {
        return Ok(games.interrupt.exit_code());
    }
    let mut last = of_lines;
    if block_generations > 0 {
        last = Part {
            words: " with blocks",
            generations: block_generations,
            games_before: games_in(&training),
            checkpoint: arguments.checkpoint_with_blocks(),
        };
        training = go_on_with_blocks(&training, &last, arguments.block_games)?;
        if !games.learn(&mut training, &last)? {
            return Ok(games.interrupt.exit_code());
        }
    }
    if !arguments.out.exists() {
        // An earlier run may have finished all generations, so that only its checkpoint is left. The weights are then
        // written again.
        games.write_weights(&training, &last)?;
    }
    say_done(&arguments.out);
    Ok(ExitCode::SUCCESS)
}

/// A part of the training: either the generations that do not learn the values of blocks, or those that do.
struct Part {
    /// The words that follow the number of a generation in messages, for example ` with blocks`.
    words: &'static str,
    /// The number of generations in this part.
    generations: u32,
    /// The number of games that were played for training before this part.
    games_before: u64,
    checkpoint: PathBuf,
}

/// Returns the number of games from which a training has learned so far.
fn games_in(training: &Training) -> u64 {
    training.plan.games * u64::from(training.generations)
}

/// Plays the games of a training, on this machine or on a cluster, and shows the progress.
struct Games<'a> {
    arguments: &'a Arguments,
    interrupt: Interrupt,
    #[cfg(feature = "cluster")]
    trainers: Option<Trainers>,
}

impl Games<'_> {
    /// Plays the remaining generations of a part of the training, and learns from their games. Returns false if the
    /// user interrupts the training.
    fn learn(&mut self, training: &mut Training, part: &Part) -> anyhow::Result<bool> {
        while training.generations < part.generations {
            let number = training.generations + 1;
            let of_all = format!("{number} of {}{}", part.generations, part.words);
            if !self.learn_from(training, &format!("generation {of_all}"))? {
                note!("stopped; the same command continues with generation {of_all}");
                return Ok(false);
            }
            self.write_weights(training, part)?;
            files::write_whole(&part.checkpoint, &checkpoint::to_bytes(training))?;
        }
        Ok(true)
    }

    fn write_weights(&self, training: &Training, part: &Part) -> anyhow::Result<()> {
        let games = part.games_before + games_in(training);
        let weights = (self.arguments).weights(games, training.values.clone());
        files::write_whole(&self.arguments.out, &weights.to_bytes())
    }

    /// Plays the games of one generation, learns from them and prints the results. Returns false if the user interrupts
    /// the training.
    fn learn_from(&mut self, training: &mut Training, words: &str) -> anyhow::Result<bool> {
        let began = Instant::now();
        let bar = games_bar(words.to_owned(), training.plan.games);
        let go_on = |game| {
            bar.set_position(game);
            !self.interrupt.is_requested()
        };
        let jobs = self.arguments.jobs();
        #[cfg(feature = "cluster")]
        let report = match &mut self.trainers {
            Some(trainers) => trainers.generation(training, &self.arguments.out, &go_on)?,
            None => training.generation(jobs, &go_on),
        };
        #[cfg(not(feature = "cluster"))]
        let report = training.generation(jobs, &go_on);
        drop(bar);
        let Some(report) = report else {
            return Ok(false);
        };
        say!(
            "{words}: mean score {:.1}, {} positions fitted within {:.2} points, {:.0} s",
            report.mean_score,
            report.samples,
            report.error,
            began.elapsed().as_secs_f64(),
        );
        Ok(true)
    }
}

/// Learns weights from a solution instead of from games, and writes them.
fn learn_exactly(arguments: &Arguments, path: &Path) -> anyhow::Result<ExitCode> {
    let (size, seed, games) = (arguments.size, arguments.seed, arguments.games);
    ensure!(
        solution::is_solvable(size),
        "solutions exist for at most {LARGEST} rows, not for {size}; omit --solution to learn from \
         self-play"
    );
    files::check_place(&arguments.out)?;
    let solution = Solution::open(path, Rules { size, pass: false })?;
    solution.verify()?;
    let interrupt = Interrupt::listen()?;
    let bar = games_bar("games".to_owned(), games);
    let plan = exact::Plan { seed, games };
    let values = exact::values(&solution, plan, arguments.jobs(), &|game| {
        bar.set_position(game);
        !interrupt.is_requested()
    })?;
    drop(bar);
    let Some(values) = values else {
        note!("stopped; nothing was written");
        return Ok(interrupt.exit_code());
    };
    files::write_whole(&arguments.out, &arguments.weights(games, values).to_bytes())?;
    say_done(&arguments.out);
    Ok(ExitCode::SUCCESS)
}

fn say_done(out: &Path) {
    let out = out.display();
    say!("weights in {out}; turnwise entropy calibrate {out} adds a forecast of final scores");
}

/// Resumes the training from its checkpoint. If no checkpoint exists, begins a new training.
fn begin(arguments: &Arguments) -> anyhow::Result<Training> {
    let path = arguments.checkpoint();
    let start = (arguments.start.as_deref())
        .map(|path| Weights::read(path, arguments.size))
        .transpose()
        .context("cannot read the weights of --start")?;
    match read_at_most(&path, LARGEST_CHECKPOINT)? {
        Some(bytes) => {
            let training = checkpoint::from_bytes(&bytes)
                .with_context(|| format!("cannot continue from {}", path.display()))?;
            ensure!(
                training.plan == arguments.plan()
                    && training.start.as_ref() == start.as_ref().map(|start| &start.about),
                "{} is from a training with other settings; use the same settings, or remove it to start again",
                path.display()
            );
            note!(
                "continuing after generation {} of {}",
                training.generations,
                path.display()
            );
            Ok(training)
        }
        None => Ok(Training::new(arguments.plan(), start)),
    }
}

/// Resumes the part of the training with blocks from its checkpoint. Starts this part from the beginning if the
/// checkpoint is missing, or if it was started with other values or settings.
fn go_on_with_blocks(training: &Training, part: &Part, games: u64) -> anyhow::Result<Training> {
    let anew = training.with_blocks(games);
    let path = &part.checkpoint;
    let Some(bytes) = read_at_most(path, LARGEST_CHECKPOINT)? else {
        return Ok(anew);
    };
    let kept = checkpoint::from_bytes(&bytes)
        .with_context(|| format!("cannot continue from {}", path.display()))?;
    if (kept.plan, &kept.start) != (anew.plan, &anew.start) {
        note!(
            "{} was started with other values or settings; starting again",
            path.display()
        );
        return Ok(anew);
    }
    note!(
        "continuing after generation {}{}",
        kept.generations,
        part.words
    );
    Ok(kept)
}
