//! Measures the CPU time that a ply costs the arena if the rules are a program that answers at once.
//!
//! The referee is another process of this bench. The figure is the CPU time that one request per ply costs the arena,
//! without the players and without the referee.

use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use turnwise_engine::plugin::{AnyState, Beginning, Registered};

const PLIES: u64 = 200;
const GAMES: u64 = 500;

/// The most that a ply should cost, in microseconds.
const GOAL: f64 = 60.0;

fn main() {
    if std::env::args().any(|word| word == "referee") {
        referee();
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = std::env::current_exe().expect("this program");
    let manifest = format!(
        "name = \"counting\"\ncommand = [{:?}, \"referee\"]\nlongest = {PLIES}\n",
        program.display().to_string()
    );
    let game = turnwise_outside::Folder::new(folder.path(), None, &manifest).expect("a game");
    let game = game.by_options(&|_| None).expect("settings");
    let (began, before) = (Instant::now(), cpu());
    for seed in 0..GAMES {
        let beginning = Beginning::Seed { seed, meetings: 0 };
        let mut state = game.open(beginning).expect("a beginning");
        play(&mut *state);
    }
    let plies = (GAMES * PLIES) as f64;
    let used = (cpu() - before).as_secs_f64() * 1e6 / plies;
    let wall = began.elapsed().as_secs_f64() * 1e6 / plies;
    println!("{used:.1} us of CPU and {wall:.1} us of wall time a ply; goal: {GOAL} us of CPU");
}

/// Plays a game as the arena does: each move is parsed, checked and played.
fn play(state: &mut dyn AnyState) {
    while state.turn().is_some() {
        let code = state.parse("1").expect("a move");
        assert!(state.is_legal(code), "{:?}", state.failure());
        state.apply(code);
    }
}

/// Returns the CPU time that this process has used.
fn cpu() -> Duration {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec as u64, used.tv_nsec as u32)
}

/// Answers requests as a referee of a game in which every move is legal.
fn referee() {
    let (mut out, mut ply) = (std::io::stdout().lock(), 0);
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let id = line
            .split("\"id\":")
            .nth(1)
            .and_then(|rest| rest.split(',').next())
            .unwrap_or("0");
        let result = if line.contains("\"describe\"") {
            r#"{"protocol":1,"name":"counting","abilities":[]}"#.to_owned()
        } else if line.contains("\"end\"") {
            "{}".to_owned()
        } else {
            ply = if line.contains("\"start\"") {
                0
            } else {
                ply + 1
            };
            match ply == PLIES {
                true => r#"{"scores":[0.5,0.5]}"#.to_owned(),
                false => format!(r#"{{"seat":{},"lines":["your move"]}}"#, ply % 2),
            }
        };
        writeln!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).expect("it is read");
        out.flush().expect("it is read");
    }
}
