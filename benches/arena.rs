//! How many games a second the arena plays with `--nodes 1000`, with one job and with two.
//!
//! `cargo bench --bench arena`; on an idle machine with two cores, two jobs should play at least 1.8
//! times as many as one.

use divan::Bencher;
use divan::counter::ItemsCount;
use turnwise::arena::interrupt::Stop;
use turnwise::arena::log::Log;
use turnwise::arena::pairs::play_all;
use turnwise::records::{Contestant, Counts, FORMAT, Settings, TimeControl, Via};

fn main() {
    divan::main();
}

const PAIRS: u32 = 100;

fn settings() -> Settings {
    let agent = |name: &str| Contestant {
        name: name.to_owned(),
        spec: "turnwise".to_owned(),
    };
    Settings {
        format: FORMAT,
        turnwise: "bench".to_owned(),
        game: "entropy".to_owned(),
        agents: vec![agent("one"), agent("other")],
        size: 5,
        seed: 1,
        pairs: PAIRS,
        opening_plies: 0,
        time: TimeControl::Nodes { nodes: 1000 },
        counts: Counts::Wall,
        via: Via::Process,
        jobs: 1,
        pass: false,
        gauntlet: None,
        sprt: None,
    }
}

#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1)]
fn games_with_jobs(bencher: Bencher, jobs: usize) {
    let settings = settings();
    let folder = tempfile::tempdir().expect("a folder");
    let mut number = 0;
    bencher.counter(ItemsCount::new(2 * PAIRS)).bench_local(|| {
        number += 1;
        let mut log =
            Log::create(&folder.path().join(number.to_string()), &settings).expect("a new log");
        play_all(&settings, &[], &mut log, jobs, &Stop::default(), |_| {}).expect("a match")
    });
}
