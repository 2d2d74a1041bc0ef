//! Measures the cost of starting a program: from the process's creation to its end, or to its first move.
//!
//! The yardstick is an empty Rust program that is compiled for this purpose. When you compare results, compare the
//! ratios of other programs' times to the yardstick's, not the times themselves. Before its first move, a player on a
//! 7x7 board loads its learned weights, numbers the patterns of lines and builds its table. The peak memory is an upper
//! bound, because a process begins with its parent's memory.
//!
//! The benchmark prints a table and asserts nothing. Run it with `cargo bench --bench startup`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

const RUNS: usize = 41;

/// The measurements of one start of a program.
///
/// They are the wall time until the program answers or exits, its total CPU time, and its peak memory in bytes.
#[derive(Clone, Copy)]
struct Start {
    answered: Duration,
    cpu: Duration,
    memory: u64,
}

/// Starts a program and waits for its one-line answer to `request`. Without a request, waits until it exits.
fn start(command: &mut Command, request: Option<&str>) -> Start {
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    if let Some(request) = request {
        stdin.write_all(request.as_bytes()).expect("it listens");
        stdout.read_line(&mut line).expect("it answers");
        assert!(!line.is_empty(), "no answer to {request:?}");
    } else {
        while stdout.read_line(&mut line).expect("it writes") > 0 {}
    }
    let answered = began.elapsed();
    drop(stdin);
    let ended = child.wait4().expect("it ends");
    Start {
        answered,
        cpu: ended.rusage.utime + ended.rusage.stime,
        memory: ended.rusage.maxrss,
    }
}

fn median<T: Ord + Copy>(starts: &[Start], of: impl Fn(&Start) -> T) -> T {
    let mut all: Vec<T> = starts.iter().map(of).collect();
    all.sort_unstable();
    all[all.len() / 2]
}

/// Compiles an empty program in this folder and returns its command, or `None` if no compiler is installed.
fn empty_program(folder: &Path) -> Option<Command> {
    let source = folder.join("empty.rs");
    fs::write(&source, "fn main() {}\n").ok()?;
    let program = folder.join("empty");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled = Command::new(rustc)
        .args(["-C", "opt-level=3", "-o"])
        .args([&program, &source])
        .status();
    compiled.ok()?.success().then(|| Command::new(program))
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let turnwise = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnwise"));
        command.args(arguments);
        command
    };
    let first_move = "Start\n3\n";
    let mut programs = Vec::new();
    match empty_program(folder.path()) {
        Some(empty) => programs.push(("an empty Rust program", empty, None)),
        None => println!("no rustc found: ratios are to turnwise --version"),
    }
    programs.push(("turnwise --version", turnwise(&["--version"]), None));
    programs.push((
        "turnwise, 7x7, to its first move",
        turnwise(&["stdio", "codecup", "--clock", "0.001"]),
        Some(first_move),
    ));
    // The programs take turns, so that other load on the machine affects all programs alike.
    let mut starts = vec![Vec::new(); programs.len()];
    for _ in 0..RUNS {
        for ((_, command, request), starts) in programs.iter_mut().zip(&mut starts) {
            starts.push(start(command, *request));
        }
    }
    let unit = median(&starts[0], |start| start.answered);
    println!("| program | wall | ratio | CPU | peak memory |");
    println!("|---|---|---|---|---|");
    for ((name, _, _), starts) in programs.iter().zip(&starts) {
        let wall = median(starts, |start| start.answered);
        println!(
            "| {name} | {:.2} ms | {:.1} | {:.2} ms | {:.1} MiB |",
            wall.as_secs_f64() * 1e3,
            wall.as_secs_f64() / unit.as_secs_f64(),
            median(starts, |start| start.cpu).as_secs_f64() * 1e3,
            median(starts, |start| start.memory) as f64 / f64::from(1 << 20),
        );
    }
}
