//! Measures how fast a log is read and converted into the statistics of a match. For comparison, also measures how fast
//! serde_json parses the lines of the log.
//!
//! `cargo bench --package turnwise-report --bench reading`

use std::ops::ControlFlow;
use std::time::Instant;

use turnwise_games::GAMES;
use turnwise_report::merging::{Keep, Merging};

#[path = "../../../tests/program/many_games.rs"]
mod many_games;

const GAMES_READ: u64 = 5_000;
const RUNS: usize = 5;

fn main() {
    let different = many_games::Games::new();
    let games = (0..GAMES_READ).map(|number| different.lines(number, 50));
    let log: String = [many_games::HEADER.to_owned()]
        .into_iter()
        .chain(games)
        .collect();
    let log = log.as_bytes();
    let figures = || {
        let mut merging = Merging::new(Keep::Figures);
        merging
            .read("log", log, GAMES, &mut || ControlFlow::Continue(()))
            .expect("a log");
        let matches = merging.finish();
        assert_eq!(matches[0].games.len() as u64, GAMES_READ);
    };
    let values = || {
        for line in log
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty())
        {
            let value: serde_json::Value = serde_json::from_slice(line).expect("JSON");
            assert!(value.is_object());
        }
    };
    let speed = |read: &dyn Fn()| {
        let times = (0..RUNS).map(|_| {
            let began = Instant::now();
            read();
            began.elapsed().as_secs_f64()
        });
        log.len() as f64 / 1e6 / times.fold(f64::INFINITY, f64::min)
    };
    let [figures, values] = [&figures as &dyn Fn(), &values].map(speed);
    println!(
        "{:.0} MB of games: {figures:.0} MB/s into figures, {values:.0} MB/s into serde_json's values, {:.2} times as fast",
        log.len() as f64 / 1e6,
        figures / values
    );
}
