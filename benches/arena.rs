//! Measures how many games the arena plays per second with `--nodes 1000`, and the overhead of the arena.
//!
//! The games are played with one job and with two jobs. On an idle machine with two cores, two jobs should play at
//! least 1.8 times as many games as one job. Run this benchmark with `cargo bench --bench arena`.

use divan::Bencher;
use divan::counter::ItemsCount;
use rustix::time::{ClockId, clock_gettime};
use turnwise_arena::lineup::Lineup;
use turnwise_arena::log::Log;
use turnwise_arena::pairs::{Done, play_all};
use turnwise_arena::records::{Contestant, GameSettings, Settings};
use turnwise_engine::player::TimeControl;
use turnwise_games::{GAMES, start_daemon};

fn main() {
    print_overhead();
    divan::main();
}

/// Returns the CPU time of the whole process so far, in seconds.
fn process_cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Prints the overhead: the arena's own CPU time, relative to the CPU time that the agents spend on thinking.
///
/// Both times are measured in each run.
fn print_overhead() {
    let settings = settings();
    let lineup = Lineup::of(&settings, start_daemon).expect("they can play");
    let folder = tempfile::tempdir().expect("a folder");
    let mut shares: Vec<f64> = (0..RUNS)
        .map(|run| {
            let mut log =
                Log::create(&folder.path().join(format!("{run}")), &settings).expect("a new log");
            let before = process_cpu();
            let standings = play_all(
                (&settings, &lineup),
                Done::new(&settings),
                &mut log,
                1,
                &|| false,
                |_| {},
                &|_| {},
            )
            .expect("a match");
            let all = process_cpu() - before;
            let agents: f64 = standings.duel().expect("two agents").cpu_s.iter().sum();
            100.0 * (all - agents) / agents
        })
        .collect();
    shares.sort_by(f64::total_cmp);
    println!(
        "overhead of the arena in % of the agents' CPU time: {:.2} (from {:.2} to {:.2} in {RUNS} runs)",
        shares[RUNS / 2],
        shares[0],
        shares[RUNS - 1]
    );
}

const PAIRS: u32 = 100;

/// The number of matches that are played to compute the median overhead.
const RUNS: usize = 9;

fn settings() -> Settings {
    let agent = |name: &str| Contestant {
        name: name.to_owned(),
        spec: "turnwise".to_owned(),
        folder: None,
    };
    let game = GameSettings(GAMES[0].by_options(&|_| None).expect("no options"));
    let agents = vec![agent("one"), agent("other")];
    Settings {
        pairs: PAIRS,
        ..Settings::new(game, agents, TimeControl::Nodes { nodes: 1000 })
    }
}

#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1)]
fn games_with_jobs(bencher: Bencher, jobs: usize) {
    let settings = settings();
    let lineup = Lineup::of(&settings, start_daemon).expect("they can play");
    let folder = tempfile::tempdir().expect("a folder");
    let mut number = 0;
    bencher.counter(ItemsCount::new(2 * PAIRS)).bench_local(|| {
        number += 1;
        let mut log =
            Log::create(&folder.path().join(number.to_string()), &settings).expect("a new log");
        play_all(
            (&settings, &lineup),
            Done::new(&settings),
            &mut log,
            jobs,
            &|| false,
            |_| {},
            &|_| {},
        )
        .expect("a match")
    });
}
