//! The program `simulate`, which plays seeds in the simulated world and reports seeds that violate an invariant.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Parser;
use turnwise_simulation::run::{Report, catch_panics, run};

/// Play seeds in a simulated world where anything can go wrong
#[derive(Debug, Parser)]
#[command(
    name = "scripts/simulate",
    after_help = "\
Examples:
  scripts/simulate --seeds 1000     play seeds 1 to 1000
  scripts/simulate --seed 17        play one of them again and print what happened"
)]
struct Arguments {
    /// Number of seeds to play
    #[arg(long, value_name = "N", default_value_t = 1000)]
    seeds: u64,
    /// First seed
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    first: u64,
    /// Play only this seed, twice, and print what happened
    #[arg(long, value_name = "SEED", conflicts_with_all = ["seeds", "first"])]
    seed: Option<u64>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    catch_panics();
    match arguments.seed {
        Some(seed) => one(seed),
        None => many(arguments.first, arguments.seeds),
    }
}

fn one(seed: u64) -> ExitCode {
    let report = run(seed);
    print!("{}", report.trace);
    for violation in &report.violations {
        println!("violated: {violation}");
    }
    if run(seed) != report {
        println!("violated: the same seed gives the same run");
        return ExitCode::FAILURE;
    }
    ExitCode::from(u8::from(!report.violations.is_empty()))
}

fn many(first: u64, seeds: u64) -> ExitCode {
    let began = Instant::now();
    let next = AtomicU64::new(first);
    let end = first.saturating_add(seeds);
    let play = || {
        let mut total = Report::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return total;
            }
            let report = run(seed);
            for violation in &report.violations {
                println!("seed {seed}: {violation}");
            }
            total.add(report);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let total = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(play)).collect();
        let totals = threads.into_iter().map(|thread| thread.join());
        totals.fold(Report::default(), |mut sum, one| {
            let broken = |_panic| Report {
                violations: vec!["the simulation itself does not panic".to_owned()],
                ..Report::default()
            };
            sum.add(one.unwrap_or_else(broken));
            sum
        })
    });
    println!(
        "{seeds} seeds, {} games, {} moves, {} connections ({} disturbed), {} violations, {:.1} s",
        total.games,
        total.moves,
        total.connections,
        total.faults,
        total.violations.len(),
        began.elapsed().as_secs_f64(),
    );
    ExitCode::from(u8::from(!total.violations.is_empty()))
}
