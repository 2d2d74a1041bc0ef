//! `fuzz`: feeds random inputs to targets, saves an input that fails, and replays it.

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Parser;
use turnwise_engine::words::fnv1a;
use turnwise_fuzzing::mutation::Mutator;
use turnwise_fuzzing::{TARGETS, Target, corpus, folder, target};

/// The time after which the processing of an input counts as hanging.
const HANGS_AFTER: Duration = Duration::from_secs(30);

/// Feed seeded random inputs to the decoders and readers of turnwise
#[derive(Debug, Parser)]
#[command(
    name = "scripts/fuzz",
    after_help = "\
Examples:
  scripts/fuzz --target all --seconds 10       each target for ten seconds
  scripts/fuzz --target weights --seed 7       one of them, with other inputs
  scripts/fuzz --target weights --replay FILE  what was found, again"
)]
struct Arguments {
    /// Target to run, or all
    #[arg(long, value_name = "NAME")]
    target: String,
    /// Time for each target, in seconds
    #[arg(long, value_name = "S", default_value_t = 60)]
    seconds: u64,
    /// Seed of the random inputs; equal seeds give equal inputs
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Feed only this input
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    let chosen: Vec<(&str, Target)> = match target(&arguments.target) {
        Some(target) => vec![(&arguments.target, target)],
        None if arguments.target == "all" => TARGETS.to_vec(),
        None => {
            let known = names.join(", ");
            eprintln!("expected all or one of {known}, got {:?}", arguments.target);
            return ExitCode::from(2);
        }
    };
    if let Some(path) = &arguments.replay {
        return replay(&chosen, path);
    }
    let time = Duration::from_secs(arguments.seconds);
    let run = |&(name, target): &(&str, Target)| run(name, target, time, arguments.seed);
    let is_sound: Vec<bool> = chosen.iter().map(run).collect();
    ExitCode::from(u8::from(is_sound.contains(&false)))
}

fn replay(chosen: &[(&str, Target)], path: &Path) -> ExitCode {
    match fs::read(path) {
        Ok(input) => {
            for (name, target) in chosen {
                target(&input);
                println!("{name}: nothing is wrong with it");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("cannot read {}: {error}", path.display());
            ExitCode::from(2)
        }
    }
}

/// The time at which the target began to process the current input, and the input itself.
type UnderWay = Arc<Mutex<(Instant, Vec<u8>)>>;

/// Feeds inputs to a target until `time` has passed, beginning with its corpus. Returns false if an input fails.
fn run(name: &str, target: Target, time: Duration, seed: u64) -> bool {
    let inputs: Vec<Vec<u8>> = corpus(name).into_iter().map(|(_, input)| input).collect();
    let mut mutator = Mutator::new(inputs.clone(), seed);
    let mut inputs = inputs.into_iter();
    let under_way: UnderWay = Arc::new(Mutex::new((Instant::now(), Vec::new())));
    watch(name, Arc::clone(&under_way));
    let began = Instant::now();
    let mut slowest = Duration::ZERO;
    let mut executions = 0u64;
    while began.elapsed() < time {
        let input = inputs.next().unwrap_or_else(|| mutator.next_input());
        let before = Instant::now();
        {
            let mut kept = under_way.lock().unwrap_or_else(PoisonError::into_inner);
            kept.0 = before;
            kept.1.clone_from(&input);
        }
        if panic::catch_unwind(AssertUnwindSafe(|| target(&input))).is_err() {
            keep(name, &input);
            return false;
        }
        slowest = slowest.max(before.elapsed());
        executions += 1;
    }
    println!(
        "{name}: {executions} executions in {:.0} s, the slowest {:.1} ms, nothing found",
        began.elapsed().as_secs_f64(),
        slowest.as_secs_f64() * 1e3
    );
    true
}

/// Watches the current input, and ends the program if it takes too long. Returns once the other owner of `under_way`
/// has dropped it.
fn watch(name: &str, under_way: UnderWay) {
    let name = name.to_owned();
    std::thread::spawn(move || {
        while Arc::strong_count(&under_way) > 1 {
            std::thread::sleep(Duration::from_secs(1));
            let (since, input) = &*under_way.lock().unwrap_or_else(PoisonError::into_inner);
            if since.elapsed() > HANGS_AFTER && Arc::strong_count(&under_way) > 1 {
                eprintln!("{name}: an input takes longer than {HANGS_AFTER:?}");
                keep(&name, input);
                std::process::exit(1);
            }
        }
    });
}

/// Saves a failing input, and prints the command that replays it.
fn keep(name: &str, input: &[u8]) {
    let folder = folder().join("artifacts");
    let path = folder.join(format!("{name}-{:016x}", fnv1a(input.iter().copied())));
    let kept = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, input));
    match kept {
        Ok(()) => eprintln!(
            "FOUND: scripts/fuzz --target {name} --replay {}",
            path.display()
        ),
        Err(error) => eprintln!("FOUND, but cannot write {}: {error}", path.display()),
    }
}
