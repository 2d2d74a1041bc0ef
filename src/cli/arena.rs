//! `turnwise arena`: matches between agents, and what they prove.

mod summary;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{parse_clock, seed_of_now};
use crate::arena::interrupt::{self, Stop};
use crate::arena::log::{Log, LogError};
use crate::arena::pairs::play_all;
use crate::arena::schedule::pairings;
use crate::arena::spec::{Spec, unique_names};

use crate::arena::standings::Standings;
use crate::games::entropy::rules::{MAX_SIZE, MIN_SIZE};
use crate::records::{
    Contestant, Counts, FORMAT, GameRecord, Settings, Sprt, TimeControl, Unit, Via,
};

/// How often the progress bar is drawn even if nothing happens.
const TICK: Duration = Duration::from_millis(200);

/// Seeds are numbers that every JSON reader can hold.
const LARGEST_SEED: u64 = (1 << 53) - 1;

/// Arguments of `turnwise arena`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Agents:
  turnwise[:nodes=N,depth=N]   this program's searching agent, in this process
  random, greedy, holes        baselines: any move, best score at once, four plies full width
  cmd:WORDS, cmd/codecup:WORDS a process for each game on stdin and stdout, plain lines or CodeCup
  daemon:WORDS                 a process for each pair that connects by TCP; {port} in its words is
                               the port, else `127.0.0.1 PORT` is put behind them
  NAME=AGENT                   any of these under a name of your own

Examples:
  turnwise arena turnwise holes --pairs 50 --clock 10       who is better, by how much, how surely
  turnwise arena turnwise greedy --nodes 1000               the same result on every machine
  turnwise arena a=turnwise:depth=2 b=turnwise:depth=3 --movetime 0.2
  turnwise arena turnwise 'cmd:python3 player.py' --clock 30 --jobs 1
  turnwise arena turnwise holes --via tcp --clock 5         two daemons over sockets
  turnwise arena turnwise holes --sprt elo0=0,elo1=30       stop as soon as it is decided
  turnwise arena turnwise holes --sprt-points points0=0,points1=3
  turnwise arena turnwise holes greedy random --pairs 20    a league, everybody against everybody
  turnwise arena new=turnwise --versus holes greedy         a gauntlet
  turnwise arena --resume arena-turnwise-holes.jsonl        go on with the pairs that are missing

A pair is two games with the same tiles, roles swapped. Ctrl-C once finishes the running pairs and
sums up, twice stops at once; the log is whole either way.
Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C.")]
pub struct Arguments {
    /// Agents to play; two, or more for a league
    #[arg(required_unless_present = "resume")]
    agents: Vec<String>,
    /// Play each of the agents against each of these only
    #[arg(long, num_args = 1.., value_name = "AGENT")]
    versus: Vec<String>,
    /// Pairs for each pairing
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pairs: u32,
    /// Side of the board, and number of colours
    #[arg(long, visible_alias = "n", value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u8).range(i64::from(MIN_SIZE)..=i64::from(MAX_SIZE)))]
    size: u8,
    /// Determines tiles, openings and random choices; without it, other ones each time
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=LARGEST_SEED))]
    seed: Option<u64>,
    /// Pairs played at the same time; as many as there are cores by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Begin each game with so many random plies; both games of a pair with the same ones
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    openings: u32,
    /// Time for each player in each game
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_clock,
          conflicts_with_all = ["movetime", "nodes"])]
    clock: Duration,
    /// Added to the clock after each move
    #[arg(long, value_name = "SECONDS", value_parser = parse_clock,
          conflicts_with_all = ["movetime", "nodes"])]
    increment: Option<Duration>,
    /// Time for each move instead of a clock
    #[arg(long, value_name = "SECONDS", value_parser = parse_clock, conflicts_with = "nodes")]
    movetime: Option<Duration>,
    /// Nodes for each move of turnwise instead of a clock: the same games on every machine
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Which time is charged to the clock
    #[arg(long, value_enum, default_value_t = CountsName::Wall)]
    counts: CountsName,
    /// How built-in agents are reached
    #[arg(long, value_enum, default_value_t = ViaName::Process)]
    via: ViaName,
    /// Let Order leave the board as it is
    #[arg(long)]
    pass: bool,
    /// Stop when one of two Elo differences is accepted; alpha and beta are 0.05 unless given
    #[arg(long, value_name = "elo0=..,elo1=..", conflicts_with = "sprt_points")]
    sprt: Option<String>,
    /// The same for two mean differences of a pair's scores
    #[arg(long, value_name = "points0=..,points1=..")]
    sprt_points: Option<String>,
    /// Where the log goes; arena-A-B.jsonl in this folder by default
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    log: Option<PathBuf>,
    /// Go on with a match as its log says; only --jobs, --quiet and --json may be given besides
    #[arg(long, value_name = "LOG", conflicts_with_all = [
        "agents", "versus", "pairs", "size", "seed", "openings", "clock", "increment", "movetime",
        "nodes", "counts", "via", "pass", "sprt", "sprt_points"])]
    resume: Option<PathBuf>,
    /// No progress bar; the verdict alone on stdout
    #[arg(long, short)]
    quiet: bool,
    /// One JSON object on stdout after every pair and at the end, instead of text
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CountsName {
    /// Wall time, from question to answer
    Wall,
    /// CPU time of the agent's thread or process
    Cpu,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ViaName {
    /// In this process
    Process,
    /// As daemons over loopback sockets
    Tcp,
}

/// Plays a match, or what is missing of one.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let (mut log, settings, done) = open(&arguments)?;
    let jobs = arguments.jobs.map_or(settings.jobs, usize::from);
    let cores = cores();
    let clocks = !matches!(settings.time, TimeControl::Nodes { .. });
    if clocks && jobs > cores && settings.counts == Counts::Wall {
        eprintln!(
            "turnwise: {jobs} jobs on {cores} cores: games take each other's time, so wall clocks will \
             lie; use --jobs {cores} or --counts cpu"
        );
    }
    let stop = interrupt::listen().context("cannot listen to signals")?;
    let mut view = View::new(&arguments, &settings, &log, done.len());
    let standings = play_all(&settings, &done, &mut log, jobs, &stop, |standings| {
        view.update(standings)
    })?;
    view.conclude(&standings, &log, &stop);
    let interrupted = stop.requested() && standings.pairs() < settings.pairs;
    Ok(if interrupted {
        ExitCode::from(130)
    } else {
        ExitCode::SUCCESS
    })
}

fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

type Opened = (Log, Settings, Vec<[GameRecord; 2]>);

fn open(arguments: &Arguments) -> anyhow::Result<Opened> {
    if let Some(path) = &arguments.resume {
        let (log, contents) = Log::resume(path)?;
        contents.settings.check()?;
        return Ok((log, contents.settings, contents.pairs));
    }
    let settings = settings(arguments)?;
    settings.check()?;
    let log = match &arguments.log {
        Some(path) => Log::create(path, &settings)?,
        None => create_with_usual_name(&settings)?,
    };
    Ok((log, settings, Vec::new()))
}

/// `arena-A-B.jsonl`, with a number if that exists.
fn create_with_usual_name(settings: &Settings) -> Result<Log, LogError> {
    let safe = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' | '.' => letter,
        _ => '_',
    };
    let names: Vec<&str> = settings
        .agents
        .iter()
        .map(|agent| agent.name.as_str())
        .collect();
    let stem: String = names.join("-").chars().map(safe).take(80).collect();
    let mut number = 1;
    loop {
        let name = match number {
            1 => format!("arena-{stem}.jsonl"),
            _ => format!("arena-{stem}-{number}.jsonl"),
        };
        match Log::create(Path::new(&name), settings) {
            Err(LogError::Exists { .. }) => number += 1,
            other => return other,
        }
    }
}

fn settings(arguments: &Arguments) -> anyhow::Result<Settings> {
    let mut specs = Vec::new();
    for text in arguments.agents.iter().chain(&arguments.versus) {
        specs.push(
            text.parse::<Spec>()
                .with_context(|| format!("agent `{text}`"))?,
        );
    }
    let gauntlet = (!arguments.versus.is_empty()).then_some(arguments.agents.len());
    let agents: Vec<Contestant> = unique_names(&specs)
        .into_iter()
        .zip(&specs)
        .map(|(name, spec)| Contestant {
            name,
            spec: spec.kind.to_string(),
        })
        .collect();
    let time = match (arguments.movetime, arguments.nodes) {
        (Some(time), _) => TimeControl::MoveTime {
            seconds: time.as_secs_f64(),
        },
        (_, Some(nodes)) => TimeControl::Nodes { nodes },
        _ => TimeControl::Clock {
            seconds: arguments.clock.as_secs_f64(),
            increment: arguments.increment.unwrap_or_default().as_secs_f64(),
        },
    };
    let pairings = pairings(agents.len(), gauntlet).len() as u32;
    let Some(pairs) = arguments.pairs.checked_mul(pairings) else {
        bail!(
            "{} pairs for each of {pairings} pairings are too many",
            arguments.pairs
        );
    };
    Ok(Settings {
        format: FORMAT,
        turnwise: env!("CARGO_PKG_VERSION").to_owned(),
        game: "entropy".to_owned(),
        agents,
        size: arguments.size,
        seed: arguments
            .seed
            .unwrap_or_else(|| seed_of_now() & LARGEST_SEED),
        pairs,
        opening_plies: arguments.openings,
        time,
        counts: match arguments.counts {
            CountsName::Wall => Counts::Wall,
            CountsName::Cpu => Counts::Cpu,
        },
        via: match arguments.via {
            ViaName::Process => Via::Process,
            ViaName::Tcp => Via::Tcp,
        },
        jobs: arguments.jobs.map_or_else(cores, usize::from),
        pass: arguments.pass,
        gauntlet,
        sprt: test(arguments)?,
    })
}

fn test(arguments: &Arguments) -> anyhow::Result<Option<Sprt>> {
    let (unit, text) = match (&arguments.sprt, &arguments.sprt_points) {
        (Some(text), _) => (Unit::Elo, text),
        (_, Some(text)) => (Unit::Points, text),
        _ => return Ok(None),
    };
    let name = unit.name();
    let expected = || {
        format!(
            "expected {name}0=..,{name}1=.. and perhaps alpha=..,beta=.., with {name}0 below {name}1 \
             and error rates between 0 and 0.5, got {text:?}"
        )
    };
    let [mut lower, mut upper] = [None, None];
    let [mut alpha, mut beta] = [0.05, 0.05];
    for option in text.split(',') {
        let (key, value) = option.split_once('=').with_context(expected)?;
        let value: f64 = value
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
            .with_context(expected)?;
        match key {
            "alpha" => alpha = value,
            "beta" => beta = value,
            _ if key == format!("{name}0") => lower = Some(value),
            _ if key == format!("{name}1") => upper = Some(value),
            _ => bail!(expected()),
        }
    }
    let (lower, upper) = lower.zip(upper).with_context(expected)?;
    let rate = |rate: f64| rate > 0.0 && rate < 0.5;
    if lower >= upper || !rate(alpha) || !rate(beta) {
        bail!(expected());
    }
    Ok(Some(Sprt {
        unit,
        lower,
        upper,
        alpha,
        beta,
    }))
}

/// What the user sees while a match runs and when it ends.
struct View {
    bar: ProgressBar,
    quiet: bool,
    json: bool,
    wanted: u32,
}

impl View {
    fn new(arguments: &Arguments, settings: &Settings, log: &Log, done: usize) -> Self {
        let visible = !arguments.quiet && !arguments.json && std::io::stderr().is_terminal();
        let target = if visible {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(u64::from(settings.pairs)), target);
        let style = "{bar:24} {pos}/{len} pairs, {games} games/s, {msg}, {eta} left";
        let style = ProgressStyle::with_template(style)
            .expect("the template is well formed")
            .with_key(
                "games",
                |state: &indicatif::ProgressState, out: &mut dyn std::fmt::Write| {
                    let _ = write!(out, "{:.2}", 2.0 * state.per_sec());
                },
            );
        bar.set_style(style);
        bar.set_position(done as u64);
        bar.reset_eta();
        if visible {
            bar.enable_steady_tick(TICK);
        }
        if !arguments.quiet && !arguments.json {
            let names: Vec<&str> = settings.agents.iter().map(|it| it.name.as_str()).collect();
            eprintln!(
                "{}: {} pairs on {size}x{size}, seed {}, log {}",
                names.join(", "),
                settings.pairs,
                settings.seed,
                log.path().display(),
                size = settings.size
            );
        }
        Self {
            bar,
            quiet: arguments.quiet,
            json: arguments.json,
            wanted: settings.pairs,
        }
    }

    fn update(&mut self, standings: &Standings) {
        self.bar.set_position(u64::from(standings.pairs()));
        if !self.bar.is_hidden() {
            self.bar.set_message(summary::in_short(standings));
        }
        if self.json {
            print(&format!("{}\n", summary::json(standings)));
        }
    }

    fn conclude(&self, standings: &Standings, log: &Log, stop: &Stop) {
        self.bar.finish_and_clear();
        if self.json {
            return;
        }
        if self.quiet {
            print(&format!("{}\n", standings.verdict()));
            if let Some(faults) = summary::faults(standings) {
                eprintln!("turnwise: {faults}");
            }
            return;
        }
        print(&summary::text(standings));
        if stop.requested() && standings.pairs() < self.wanted {
            eprintln!(
                "stopped after {} of {} pairs; turnwise arena --resume {} goes on",
                standings.pairs(),
                self.wanted,
                log.path().display()
            );
        }
    }
}

/// A reader that has gone away must not end the match.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
