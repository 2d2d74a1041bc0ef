//! Measures the CPU time that the arena and its supervisors need per ply of a game between two programs.
//!
//! The programs' own CPU time is excluded. The measurement is repeated while the machine also runs 3, 300 and 3,000
//! sleeping processes.
//!
//! The yardstick is a referee with two pipes that reads, parses and writes one JSON line per ply. The budget for
//! trusted programs is 75 µs per ply, and also three times the yardstick. Isolated programs that are frozen may add 150
//! µs, and Java machines with 40 threads may add a further 500 µs. A game with its two program starts may cost 3 ms in
//! addition to its plies.
//!
//! The benchmark prints a table and asserts nothing. Run it with `cargo bench --bench ply`, or with `-- 9` added for
//! nine runs of each mode.

use std::fs::{self, File, Permissions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use rustix::fs::fchmod;
use rustix::process::{WaitOptions, getpid, set_child_subreaper, wait};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use turnwise_process::pin_to_core;
use wait4::Wait4;

/// The usual number of runs of each mode. The table shows the median of the runs.
const RUNS: usize = 5;

const SLEEPERS: [usize; 3] = [3, 300, 3_000];

/// The board size of a short game; the constant below is the board size of a long game.
const SHORT: u32 = 2;
const LONG: u32 = 26;

/// The number of pairs of short games that are played to compute the cost of a game.
const PAIRS: u32 = 10;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |word: &str| word.parse::<u32>().expect("a number");
    match words[..] {
        ["bot", report] => bot(Path::new(report)),
        ["sleepers", sleepers] => sleep(number(sleepers)),
        ["yardstick", size, pairs, report] => yardstick(number(size), number(pairs), report),
        ["all", ref program @ ..] => run_with_orphans(program),
        _ => bench(words.iter().find_map(|word| word.parse().ok())),
    }
}

/// Returns the number of plies that a game has on a board with `size` rows.
///
/// Chaos fills the board, and Order answers every placement except the last one.
fn plies(size: u32) -> u32 {
    2 * size * size - 1
}

fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// Runs a bot that plays Entropy without thinking.
///
/// As Chaos, it fills the board from the first cell to the last; as Order, it passes. When the yardstick referee runs
/// it, it echoes each JSON object. At the end, it writes its CPU time to `report`.
fn bot(report: &Path) {
    let began = own_cpu();
    let (mut size, mut placed) = (1, 0);
    for line in io::stdin().lines() {
        let line = line.expect("a line of text");
        let words: Vec<&str> = line.split(' ').collect();
        let answer = match words[..] {
            [json] if json.starts_with('{') => line,
            ["ORDER" | "CHAOS"] => continue,
            [word] => {
                if let Ok(number) = word.parse() {
                    size = number;
                    continue;
                }
                placed += 1;
                format!("{} {}", (placed - 1) / size, (placed - 1) % size)
            }
            [row, column, _] => {
                placed += 1;
                if placed == size * size {
                    continue;
                }
                format!("{row} {column} {row} {column}")
            }
            _ => continue,
        };
        let answer = answer + "\n";
        io::stdout().write_all(answer.as_bytes()).expect("a reader");
    }
    let cpu = (own_cpu() - began).as_nanos() as u64;
    let mut report = File::options().write(true).open(report).expect("a pipe");
    report.write_all(&cpu.to_ne_bytes()).expect("there is room");
}

/// Starts `number` processes that sleep until their stdin ends.
fn sleep(number: u32) {
    let start = |_| Command::new("cat").spawn().expect("there is `cat`");
    let started: Vec<Child> = (0..number).map(start).collect();
    println!("asleep");
    for mut child in started {
        child.wait().expect("it ends");
    }
}

/// Runs a program and waits until it and all its orphaned child processes have exited.
///
/// The waiting makes this process's CPU time include theirs.
fn run_with_orphans(program: &[&str]) {
    set_child_subreaper(Some(getpid())).expect("Linux");
    let mut child = Command::new(program[0]);
    let mut child = child
        .args(&program[1..])
        .spawn()
        .expect("it can be started");
    assert!(child.wait().expect("it ends").success(), "{program:?}");
    while wait(WaitOptions::empty()).is_ok() {}
}

/// The message that the yardstick referee sends to a bot for each ply, and that the bot sends back.
#[derive(Serialize, Deserialize)]
struct Ply {
    ply: u32,
    cell: [u32; 2],
}

/// Runs the yardstick referee, which exchanges as many messages with two bots per game as the arena has plies.
fn yardstick(size: u32, pairs: u32, report: &str) {
    pin_to_core(0);
    for _ in 0..2 * pairs {
        let mut bots = [(); 2].map(|()| Bot::start(report));
        for ply in 0..plies(size) {
            let bot = &mut bots[ply as usize % 2];
            let cell = [ply / size, ply % size];
            let request = serde_json::to_string(&Ply { ply, cell }).expect("numbers");
            let answer: Ply = serde_json::from_str(&bot.ask(request + "\n")).expect("an echo");
            assert_eq!((answer.ply, answer.cell), (ply, cell));
        }
        for bot in bots {
            bot.end();
        }
    }
}

struct Bot {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Bot {
    fn start(report: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let command = command.args(["bot", report]);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = piped.spawn().expect("it can be started");
        Self {
            requests: process.stdin.take().expect("a pipe"),
            answers: BufReader::new(process.stdout.take().expect("a pipe")),
            process,
        }
    }

    fn ask(&mut self, request: String) -> String {
        self.requests
            .write_all(request.as_bytes())
            .expect("it reads");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("it answers");
        answer
    }

    fn end(mut self) {
        drop(self.requests);
        self.process.wait().expect("it ends");
    }
}

/// A row of the table: the command that both players run, and the arena's options.
///
/// Without options, the row is a measurement of the yardstick.
struct Mode {
    name: &'static str,
    bot: String,
    options: Option<&'static [&'static str]>,
}

impl Mode {
    /// Returns the CPU time for `pairs` pairs of games on boards of size `size`, without the bots' CPU time.
    fn cost(&self, folder: &Path, size: u32, pairs: u32) -> Duration {
        let (mut reports, report) = io::pipe().expect("a pipe");
        // Bots may run as other users, so they open the report through an inherited file descriptor.
        fchmod(&report, rustix::fs::Mode::from_raw_mode(0o666)).expect("it is ours");
        let inherited = rustix::io::dup(report.as_fd()).expect("a number");
        let place = format!("/proc/self/fd/{}", inherited.as_raw_fd());
        let [size, pairs] = [size, pairs].map(|number| number.to_string());
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.arg("all").current_dir(folder);
        match self.options {
            None => {
                let own = command.arg(std::env::current_exe().expect("this program"));
                own.args(["yardstick", &size, &pairs, &place]);
            }
            Some(options) => {
                let agent = |name| format!("{name}=cmd:{} {place}", self.bot);
                command.args([env!("CARGO_BIN_EXE_turnwise"), "arena"]);
                command.args([agent("one"), agent("other")]);
                command.args(["--pass", "--size", &size, "--pairs", &pairs, "--jobs", "1"]);
                command.args(["--clock", "1000", "--seed", "1", "--quiet", "--log", "log"]);
                command.args(options);
            }
        }
        let log = folder.join("log");
        let _ = fs::remove_file(&log);
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
        let ended = quiet
            .stderr(Stdio::null())
            .spawn()
            .expect("it can be started")
            .wait4();
        drop((report, inherited));
        let ended = ended.expect("it ends");
        assert!(ended.status.success(), "{command:?}");
        if self.options.is_some() {
            let log = fs::read_to_string(&log).expect("a log");
            assert!(!log.contains("\"fault\":{"), "{log}");
        }
        let mut reported = Vec::new();
        reports.read_to_end(&mut reported).expect("a pipe");
        let (numbers, _) = reported.as_chunks();
        let games = 2 * pairs.parse::<usize>().expect("a number");
        assert_eq!(numbers.len(), 2 * games, "a report of each bot");
        let bots = numbers
            .iter()
            .map(|&number| u64::from_ne_bytes(number))
            .sum();
        let all = ended.rusage.utime + ended.rusage.stime;
        all.saturating_sub(Duration::from_nanos(bots))
    }

    /// Returns the seconds per ply, and the seconds per game in addition to the plies.
    fn costs(&self, folder: &Path) -> [f64; 2] {
        // Each measurement includes the start of the arena, the games and their plies.
        let [one, many, long] = [(SHORT, 1), (SHORT, PAIRS), (LONG, 1)]
            .map(|(size, pairs)| self.cost(folder, size, pairs).as_secs_f64());
        let games = |pairs: u32| f64::from(2 * pairs);
        let ply = (long - one) / games(1) / f64::from(plies(LONG) - plies(SHORT));
        let game = (many - one) / games(PAIRS - 1) - ply * f64::from(plies(SHORT));
        [ply, game]
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Compiles a Java program that plays like the bot, and returns its command, or `None` if Java is not installed.
fn java_bot(folder: &Path) -> Option<String> {
    let source = folder.join("Bot.java");
    fs::write(&source, include_str!("Bot.java")).ok()?;
    let compiled = Command::new("javac").arg(&source).status().ok()?;
    compiled
        .success()
        .then(|| format!("java -cp {} Bot", folder.display()))
}

fn bench(runs: Option<usize>) {
    let runs = runs.unwrap_or(RUNS);
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    // Isolated bots may run as other users, which must be able to read the folder.
    let readable = || Permissions::from_mode(0o755);
    fs::set_permissions(folder, readable()).expect("it is ours");
    // An isolated bot can read the folder that its command names, but not the current folder.
    let bots = folder.join("bots");
    fs::create_dir(&bots).expect("there is room");
    let bot = bots.join("player");
    fs::copy(std::env::current_exe().expect("this program"), &bot).expect("there is room");
    fs::set_permissions(&bot, readable()).expect("it is ours");
    let mode = |name, bot: &str, options| Mode {
        name,
        bot: bot.to_owned(),
        options,
    };
    let bot = format!("{} bot", bot.display());
    let frozen: &[_] = &["--isolate", "--ponder", "freeze"];
    let mut modes = vec![
        mode("yardstick", &bot, None),
        mode("allowed", &bot, Some(&["--ponder", "allow"])),
        mode("frozen, isolated", &bot, Some(frozen)),
    ];
    match java_bot(&bots) {
        Some(java) => modes.push(mode("frozen, isolated, Java", &java, Some(frozen))),
        None => println!("skipped: Java, as there is no javac"),
    }
    println!("| mode | other processes | a ply | of the yardstick | a game beyond its plies |");
    println!("|---|---|---|---|---|");
    for sleepers in SLEEPERS {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["sleepers", &sleepers.to_string()]);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut asleep = piped.spawn().expect("it can be started");
        let said = asleep.stdout.take().expect("a pipe");
        BufReader::new(said)
            .read_line(&mut String::new())
            .expect("it says so");
        // The modes take turns, so that other load on the machine affects all modes alike.
        let mut all = vec![Vec::new(); modes.len()];
        for _ in 0..runs {
            for (mode, all) in modes.iter().zip(&mut all) {
                all.push(mode.costs(folder));
            }
        }
        drop(asleep.stdin.take());
        asleep.wait().expect("it ends");
        let of =
            |all: &[[f64; 2]], which: usize| median(all.iter().map(|costs| costs[which]).collect());
        let unit = of(&all[0], 0);
        for (mode, all) in modes.iter().zip(&all) {
            let ply = of(all, 0);
            println!(
                "| {} | {sleepers} | {:.1} µs | {:.1} | {:.1} ms |",
                mode.name,
                ply * 1e6,
                ply / unit,
                of(all, 1) * 1e3,
            );
        }
    }
}
