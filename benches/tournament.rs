//! Measures the time and the peak memory of `turnwise tournament` with a thousand participants.
//!
//! The tournament is a Swiss tournament with ten rounds of Entropy on 2 x 2 boards, between agents that hardly think.
//! The schedule, the log, the ranking and the report therefore dominate the cost.
//!
//! Run this benchmark with `cargo bench --bench tournament`, or with `-- 100` added for a hundred participants.

use std::fmt::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use wait4::Wait4;

const PARTICIPANTS: usize = 1_000;
const AGENTS: [&str; 4] = ["greedy", "random", "turnwise", "holes"];

const HEADER: &str = r#"
game = "entropy"
[settings]
size = 2
[time]
nodes = 100
[format]
kind = "swiss"
rounds = 10
"#;

fn main() {
    // Cargo adds its own arguments, so the number of participants may be at any place among the arguments.
    let participants = std::env::args().find_map(|word| word.parse().ok());
    let participants: usize = participants.unwrap_or(PARTICIPANTS);
    let folder = tempfile::tempdir().expect("a folder");
    let mut class = HEADER.to_owned();
    for (number, agent) in (0..participants).zip(AGENTS.into_iter().cycle()) {
        let entry = writeln!(
            class,
            "[[participant]]\nname = \"{agent} {number}\"\nagent = \"{agent}\""
        );
        entry.expect("memory takes it");
    }
    let file = folder.path().join("class.toml");
    std::fs::write(&file, class).expect("there is room");
    for what in ["playing and reporting", "reporting alone"] {
        let began = Instant::now();
        let mut child = Command::new(env!("CARGO_BIN_EXE_turnwise"))
            .arg("tournament")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let ended = child.wait4().expect("it ends");
        assert!(ended.status.success(), "{:?}", ended.status);
        println!(
            "{participants} participants, {what}: {:.1} s, {:.1} s of CPU time, {:.0} MB at most",
            began.elapsed().as_secs_f64(),
            (ended.rusage.utime + ended.rusage.stime).as_secs_f64(),
            ended.rusage.maxrss as f64 / 1e6,
        );
    }
}
