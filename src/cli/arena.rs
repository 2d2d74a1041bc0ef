//! `turnwise arena`: plays matches between agents and reports the statistical result.

mod commands;
pub(super) mod moves;
pub(super) mod person;
mod sprt;
pub(super) mod summary;
mod tables;
pub(super) mod view;

#[cfg(feature = "cluster")]
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::Command;
use turnwise_arena::agents::{HUMAN, Spec, unique_names};
use turnwise_arena::lineup::Lineup;
use turnwise_arena::log::{Contents, Log, LogError};
use turnwise_arena::pairs::{Done, play_all};
use turnwise_arena::records::{Contestant, GameRecord, GameSettings, Settings, Via};
use turnwise_arena::referee::Event;
use turnwise_arena::schedule::pairings;
use turnwise_arena::settings::{JOBS, LARGEST_SEED, PAIRS};
use turnwise_arena::standings::Standings;
use turnwise_engine::player::{Counts, Ponder, TimeControl};
use turnwise_engine::plugin::Plugin;
use turnwise_engine::words::counted;
use turnwise_games::{GAMES, start_daemon};
use turnwise_process::guard::Guard;
use turnwise_report::Match;
use turnwise_tournament::one_table;

use super::game_options::{AllGames, GameOptions, GameParser, SETTINGS, examples, known_games};
use super::isolation::{self, IsolationArguments};
use super::studio::LiveArguments;
use super::transcripts::TranscriptArguments;
use super::{WrongUsage, one_of, parse_clock, seed_of_now};
use crate::console::interrupt::Interrupt;
use crate::console::{note, output};
use view::View;

/// The agents that every game has.
const AGENTS: &str = "  cmd:folder=DIR:WORDS
      a command that runs in this folder, with its files
  human, NAME=AGENT
      you, at the keyboard; any of these, under a name that you choose
";

const EXAMPLES: &str = "\
Examples:
  turnwise arena turnwise random --pairs 50 --clock 10
      which agent is stronger, by how much, at what confidence
  turnwise arena turnwise 'cmd:python3 player.py' --clock 30 --isolate
      somebody's program
  turnwise arena turnwise random --sprt elo0=0,elo1=30
      stop as soon as the test decides
  turnwise arena turnwise hasty=turnwise:time=0.1 random
      a league: every agent plays every other
  turnwise arena --resume arena-turnwise-random.jsonl
      play the missing pairs; with --pairs 100, up to 100
";

const EXPLANATION: &str = "\
Press Ctrl-C once to finish the running pairs and print the result, twice to stop at once; the log stays valid.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 stdout could not be written, 130 stopped by Ctrl-C, \
143 by SIGTERM.";

/// The default number of pairs that every two agents play, and the default time that a player has for a game.
const USUAL: (u32, Duration) = (50, Duration::from_secs(10));

/// The defaults of [`USUAL`] for a match in which a human plays.
const HUMANS: (u32, Duration) = (1, Duration::from_secs(1200));

/// Converts a range to `i64`, the number type that clap needs for ranges.
pub(super) fn whole<N: Into<i64>>(range: RangeInclusive<N>) -> RangeInclusive<i64> {
    let (least, most) = range.into_inner();
    least.into()..=most.into()
}

/// Restricts the help of this command to the settings, agents and examples of one game.
pub(super) fn help_of(command: Command, game: &'static Plugin) -> Command {
    let about = game.about();
    GameOptions::<AllGames>::help_of(command, game).after_help(format!(
        "{EXAMPLES}{examples}\nAgents of {title}:\n{agents}{AGENTS}\n\
         A pair is two games of {title} with the same {shared} and swapped roles. {EXPLANATION}",
        title = about.title,
        agents = about.help.agents,
        examples = examples("arena", [game]),
        shared = about.help.shared,
    ))
}

/// Arguments of `turnwise arena`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Agents to play; two, or more for a league or a table
    #[arg(required_unless_present = "resume")]
    agents: Vec<String>,
    /// Seat all agents at one table, in a game for more than two; in a rotation, every agent has each seat once, from
    /// the same beginning
    #[arg(long, conflicts_with_all = ["versus", "sprt", "sprt_points"])]
    tables: bool,
    /// Play each agent against these agents only
    #[arg(long, num_args = 1.., value_name = "AGENT")]
    versus: Vec<String>,
    /// Play this many pairs per pairing, or rotations of a table; 50 by default, 1 if a human plays
    #[arg(long, value_parser = clap::value_parser!(u32).range(whole(PAIRS)))]
    pairs: Option<u32>,
    /// The game to play, or its folder; --help with it shows its agents and settings
    #[arg(long, value_parser = GameParser, default_value = GAMES[0].about().name)]
    game: &'static Plugin,
    /// Seed all random choices: tiles, first movers and openings; by default, a new seed for each match
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=LARGEST_SEED))]
    seed: Option<u64>,
    /// Play this many pairs in parallel; by default, one per core
    #[arg(long, value_parser = clap::value_parser!(u16).range(whole(JOBS)))]
    jobs: Option<u16>,
    /// Play the pairs on the workers of a NATS server, such as nats://HOST:4222
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "URL", conflicts_with_all = ["jobs", "transcript"])]
    cluster: Option<String>,
    /// Serve the metrics of --cluster to Prometheus: at this address, under /metrics
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "ADDRESS:PORT", requires = "cluster")]
    metrics: Option<SocketAddr>,
    /// Begin each game with this many random plies, identical in both games of a pair
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    openings: u32,
    /// Set each player's time per game; 10 by default, 1200 if a human plays
    #[arg(long, value_name = "SECONDS", value_parser = parse_clock,
          conflicts_with_all = ["movetime", "nodes"])]
    clock: Option<Duration>,
    /// Add this time to the clock after each move
    #[arg(long, value_name = "SECONDS", value_parser = parse_clock,
          conflicts_with_all = ["movetime", "nodes"])]
    increment: Option<Duration>,
    /// Set the time for each move, instead of a clock
    #[arg(long, value_name = "SECONDS", value_parser = parse_clock, conflicts_with = "nodes")]
    movetime: Option<Duration>,
    /// Limit turnwise to this many positions per move instead of a clock; the games are the same on every machine
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Choose the time that the clock charges; CPU time by default where a program is started for each move, else wall
    /// time
    #[arg(long, value_parser = one_of(&[
        ("wall", "Wall time, from question to answer", Counts::Wall),
        ("cpu", "CPU time of the agent's thread or process", Counts::Cpu),
    ]))]
    counts: Option<Counts>,
    /// Choose how to reach built-in agents
    #[arg(long, default_value = "process", value_parser = one_of(&[
        ("process", "In this process", Via::Process),
        ("tcp", "As daemons over loopback sockets", Via::Tcp),
    ]))]
    via: Via,
    /// Stop when a sequential test accepts a hypothesis: one of two Elo differences, such as elo0=0,elo1=30; alpha and
    /// beta default to 0.05
    #[arg(long, value_name = "ELO", conflicts_with = "sprt_points")]
    sprt: Option<String>,
    /// Like --sprt for the points per pair, such as points0=0,points1=3
    #[arg(long, value_name = "POINTS")]
    sprt_points: Option<String>,
    #[command(flatten)]
    isolation: IsolationArguments,
    /// Choose what programs do on opponents' turns; freeze by default with --isolate, else allow
    #[arg(long, value_parser = one_of(&[
        ("freeze", "Nothing: they are suspended until their next request", Ponder::Freeze),
        ("allow", "Anything: they run all the time", Ponder::Allow),
    ]))]
    ponder: Option<Ponder>,
    /// Give each program this long to start; its clock does not run meanwhile
    #[arg(long, value_name = "SECONDS", value_parser = parse_clock, default_value = "10")]
    start_time: Duration,
    /// Keep programs running: one process plays all first games of pairs, another all second games
    #[arg(long)]
    no_restart: bool,
    /// Write the log to this file; by default, arena-A-B.jsonl in this folder
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    log: Option<PathBuf>,
    /// Resume the match of this log, with its settings
    #[arg(long, value_name = "LOG", conflicts_with_all = [
        "agents", "tables", "versus", "seed", "openings", "clock", "increment", "movetime", "nodes",
        "counts", "via", "sprt", "sprt_points", "isolate", "ponder", "start_time", "no_restart", SETTINGS])]
    resume: Option<PathBuf>,
    /// Run the commands in the log without asking
    #[arg(long, requires = "resume")]
    yes: bool,
    /// Print only the verdict and, if any, the score
    #[arg(long, short)]
    quiet: bool,
    /// Print JSON instead of text: one object after every pair, and one at the end
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
    #[command(flatten)]
    transcript: TranscriptArguments,
    #[command(flatten)]
    live: LiveArguments,
    #[command(flatten)]
    options: GameOptions<AllGames>,
}

/// Plays the match that the arguments describe, or the remaining pairs of a match that was interrupted.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    arguments.isolation.report()?;
    let (quiet, json) = (arguments.quiet, arguments.json);
    if arguments.tables {
        return tables::begin(&arguments);
    }
    let logged = arguments.resume.as_deref();
    let mut done = None;
    let mut at_table = Vec::new();
    let mut take = |settings: &Settings, games: Vec<GameRecord>| match settings.tournament {
        Some(_) => at_table.push(games),
        None => done.get_or_insert_with(|| Done::new(settings)).add(&games),
    };
    let opened = logged.map(|path| Log::open_by(path, known_games(), &mut take));
    let mut logged = opened.transpose()?;
    let settings = logged.as_ref().map(|(_, contents)| &contents.settings);
    if let (Some(path), Some(settings)) = (&arguments.resume, settings) {
        let (logged, asked) = (settings.game.about().name, arguments.game.about().name);
        if asked != logged && asked != GAMES[0].about().name {
            let path = path.display();
            return Err(WrongUsage(anyhow!("{path} is a log of {logged}, not of {asked}")).into());
        }
    }
    if let Some(table) = settings.and_then(one_table::of_log)
        && let Some((log, contents)) = logged.take()
    {
        return tables::go_on(table, log, (contents.draws, at_table), &arguments);
    }
    #[cfg(feature = "cluster")]
    if let Some(url) = &arguments.cluster {
        let cluster = super::cluster::Cluster::reach(url)?;
        // If this process is killed, the guard removes the packed files of the agents.
        let _guard = Guard::start().ok();
        let (mut files, mut live) = (None, None);
        let opened = open(&arguments, (logged, done), &mut |settings| {
            files = Some(super::cluster::pack(settings)?);
            live = arguments.live.start(Match::new(settings.clone()))?;
            Ok(())
        })?;
        let files = files.context("internal error: no files were packed for the workers")?;
        let (is_resumed, bar) = (arguments.resume.is_some(), true);
        let shown = Shown { quiet, json, bar };
        return cluster.conduct((opened, files), is_resumed, shown, live, arguments.metrics);
    }
    let (mut recording, mut live) = (None, None);
    let mut opened = open(&arguments, (logged, done), &mut |settings| {
        recording = arguments.transcript.open()?;
        live = arguments.live.start(Match::new(settings.clone()))?;
        Ok(())
    })?;
    if let Some(recording) = &recording {
        opened.lineup.record_in(recording.0.clone());
    }
    let jobs = arguments.jobs.map(usize::from);
    let bar = true;
    let follow = |event: Event| {
        live.iter().for_each(|live| live.announcer().hear(event));
    };
    conduct(opened, jobs, Shown { quiet, json, bar }, &follow)
}

/// The kinds of output that the user wants.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    /// True to print only the verdict and, if games are won and lost, the score before it.
    pub quiet: bool,
    /// True to print JSON instead of text.
    pub json: bool,
    /// True to show a progress bar or, if stderr is not a terminal, to print a line every minute.
    pub bar: bool,
}

/// Returns how many pairs are played in parallel: the number that the user asked for, or else the number in the
/// settings, or else one per core.
fn jobs(asked: Option<usize>, settings: &Settings) -> usize {
    asked.unwrap_or(match settings.jobs {
        0 => super::cores(),
        jobs => jobs,
    })
}

/// Plays a match until it ends or the user stops it. `follow` is called with every event of the games.
pub(super) fn conduct(
    opened: Opened,
    jobs: Option<usize>,
    shown: Shown,
    follow: &(dyn Fn(Event) + Sync),
) -> anyhow::Result<ExitCode> {
    let Opened {
        mut log,
        settings,
        mut lineup,
        done,
    } = opened;
    let cores = super::cores();
    let jobs = self::jobs(jobs, &settings);
    if settings.time.nodes().is_none() && jobs > cores && settings.counts == Counts::Wall {
        note!(
            "turnwise: {} on {}: games compete for the cores, which distorts \
             wall time; use --jobs {cores} or --counts cpu",
            counted(jobs, "job"),
            counted(cores, "core"),
        );
    }
    let interrupt = Interrupt::listen_and(|| {
        note!(
            "turnwise: finishing the running pairs; press Ctrl-C again to stop now (the log stays valid)"
        );
    })?;
    let _guard = guarded(&settings, &mut lineup);
    // With a person, only one game can be played at a time, because there is only one keyboard. A progress bar would
    // overwrite the board.
    let (jobs, shown) = match lineup.has_person() {
        true => (
            1,
            Shown {
                bar: false,
                ..shown
            },
        ),
        false => (jobs, shown),
    };
    lineup.call_person_by(Box::new(person::at_keyboard));
    let mut view = View::new(shown, &settings, &log, done.pairs());
    let watch = |standings: &_| view.update(standings);
    let standings = play_all(
        (&settings, &lineup),
        done,
        &mut log,
        jobs,
        &|| interrupt.is_requested(),
        watch,
        follow,
    )?;
    Ok(concluded(view, &standings, &log, &interrupt))
}

/// Shows the result of a match, and returns the exit code of the command.
pub(super) fn concluded(
    view: View,
    standings: &Standings,
    log: &Log,
    interrupt: &Interrupt,
) -> ExitCode {
    let is_interrupted = interrupt.is_requested() && standings.done < standings.settings.pairs;
    view.conclude(standings, log, is_interrupted);
    match is_interrupted {
        true => interrupt.exit_code(),
        false => ExitCode::SUCCESS,
    }
}

/// Prepares the programs of a match: starts a guard process, reports how far the programs are isolated, and prepares
/// the first game.
pub(super) fn guarded(settings: &Settings, lineup: &mut Lineup) -> Option<Guard> {
    let guard = guard(settings);
    if settings.isolation.is_some() {
        isolation::tell_what_is_in_force();
    }
    lineup.prepare(settings, &output::note);
    guard
}

/// If a match starts or isolates any processes, starts a guard: another process that ends these processes if this one is
/// killed. If the guard cannot be started, the match is played without it.
pub(super) fn guard(settings: &Settings) -> Option<Guard> {
    let has_programs = settings
        .programs()
        .is_ok_and(|programs| !programs.is_empty());
    let has_processes = has_programs || settings.via == Via::Tcp || settings.isolation.is_some();
    has_processes.then(|| Guard::start().ok())?
}

/// A match that is ready to begin or resume.
pub(super) struct Opened {
    pub log: Log,
    pub settings: Settings,
    pub lineup: Lineup,
    /// The pairs that have already been played.
    pub done: Done,
}

/// Opens the match that the log to resume contains, if the user named one, and otherwise the match that the arguments
/// describe.
///
/// Calls `get_ready` with the settings before a log is created. If `get_ready` returns an error, the match is not
/// opened.
fn open(
    arguments: &Arguments,
    (logged, done): (Option<(Log, Contents)>, Option<Done>),
    get_ready: &mut dyn FnMut(&Settings) -> anyhow::Result<()>,
) -> anyhow::Result<Opened> {
    if let Some((log, contents)) = logged {
        let path = log.path();
        if contents.settings.tournament.is_some() {
            return Err(LogError::Tournament(path.to_owned()).into());
        }
        let settings = extended(contents.settings, arguments.pairs)?;
        commands::agree(&settings, path, arguments.yes)?;
        get_ready(&settings)?;
        let lineup = Lineup::of(&settings, start_daemon)?;
        return Ok(Opened {
            log: match arguments.pairs {
                Some(_) => log.rewrite(&settings, &[])?,
                None => log,
            },
            lineup,
            done: match done {
                Some(done) => done.extended(settings.pairs),
                None => Done::new(&settings),
            },
            settings,
        });
    }
    let settings = checked(settings(arguments))?;
    begin(settings, arguments.log.as_deref(), get_ready)
}

/// Returns the settings of a match that resumes, with this number of pairs per pairing if it is given.
fn extended(settings: Settings, pairs: Option<u32>) -> Result<Settings, WrongUsage> {
    let Some(pairs) = pairs else {
        return Ok(settings);
    };
    let pairings = match settings.tournament {
        Some(_) => 1,
        None => pairings(settings.agents.len(), settings.gauntlet).len() as u32,
    };
    let logged = settings.pairs / pairings;
    if pairs < logged {
        return Err(WrongUsage(anyhow!(
            "--pairs: expected at least {logged}, as in the log, got {pairs}"
        )));
    }
    checked(Ok(Settings {
        pairs: pairs.saturating_mul(pairings),
        ..settings
    }))
}

/// Begins a new match, and creates its log as [`create`] does. Calls `get_ready` before the log is created.
pub(super) fn begin(
    settings: Settings,
    log: Option<&Path>,
    get_ready: &mut dyn FnMut(&Settings) -> anyhow::Result<()>,
) -> anyhow::Result<Opened> {
    // An agent that cannot start causes an error here, before the log is created.
    let lineup = Lineup::of(&settings, start_daemon)?;
    get_ready(&settings)?;
    Ok(Opened {
        log: create(log, &settings)?,
        done: Done::new(&settings),
        settings,
        lineup,
    })
}

/// Returns the settings if they are valid. Converts an error to [`WrongUsage`].
pub(super) fn checked(settings: anyhow::Result<Settings>) -> Result<Settings, WrongUsage> {
    let settings = settings?;
    settings.check().map_err(anyhow::Error::from)?;
    Ok(settings)
}

/// Creates a log at this path. If `path` is `None`, creates `arena-A-B.jsonl` in the current folder; if that file
/// exists, a number is added to the name.
pub(super) fn create(path: Option<&Path>, settings: &Settings) -> Result<Log, LogError> {
    // The commands are recorded before the log exists. Even if this process is killed right after it creates the log,
    // the match can then resume without asking the user.
    commands::remember(settings);
    if let Some(path) = path {
        return Log::create(path, settings);
    }
    let safe = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' | '.' => letter,
        _ => '_',
    };
    let names: Vec<&str> = (settings.agents.iter()).map(|agent| &*agent.name).collect();
    let stem: String = names.join("-").chars().map(safe).take(80).collect();
    let mut number = 1;
    loop {
        let name = match number {
            1 => format!("arena-{stem}.jsonl"),
            _ => format!("arena-{stem}-{number}.jsonl"),
        };
        match Log::create(Path::new(&name), settings) {
            // `InUse` means that another arena locked the new file first, while it was still empty.
            Err(LogError::Exists { .. } | LogError::InUse(_)) => number += 1,
            other => return other,
        }
    }
}

fn settings(arguments: &Arguments) -> anyhow::Result<Settings> {
    let game = arguments.options.settings(arguments.game)?;
    let texts: Vec<&String> = arguments.agents.iter().chain(&arguments.versus).collect();
    let agents = contestants(&game, &texts)?;
    let gauntlet = (!arguments.versus.is_empty()).then_some(arguments.agents.len());
    let has_human = agents.iter().any(|agent| agent.spec == HUMAN);
    let (pairs, clock) = match has_human {
        true => HUMANS,
        false => USUAL,
    };
    let time = match (arguments.movetime, arguments.nodes) {
        (Some(time), _) => TimeControl::MoveTime {
            seconds: time.as_secs_f64(),
        },
        (_, Some(nodes)) => TimeControl::Nodes { nodes },
        _ => TimeControl::Clock {
            seconds: arguments.clock.unwrap_or(clock).as_secs_f64(),
            increment: arguments.increment.unwrap_or_default().as_secs_f64(),
        },
    };
    let pairings = match arguments.tables {
        true => 1,
        false => pairings(agents.len(), gauntlet).len() as u32,
    };
    let isolation = arguments.isolation.isolation();
    Ok(Settings {
        counts: arguments.counts.unwrap_or(game.about().counts),
        seed: arguments.seed.unwrap_or_else(some_seed),
        // The product saturates, because with too many agents it could exceed the number type. A later check rejects so
        // many agents.
        pairs: arguments.pairs.unwrap_or(pairs).saturating_mul(pairings),
        opening_plies: arguments.openings,
        via: arguments.via,
        jobs: arguments.jobs.map_or_else(super::cores, usize::from),
        gauntlet,
        sprt: sprt::test(arguments.sprt.as_deref(), arguments.sprt_points.as_deref())?,
        ponder: arguments.ponder.unwrap_or(match isolation {
            Some(_) => Ponder::Freeze,
            None => Ponder::Allow,
        }),
        start_s: arguments.start_time.as_secs_f64(),
        restart: !arguments.no_restart,
        isolation,
        ..Settings::new(game, agents, time)
    })
}

/// Returns a random seed.
pub(super) fn some_seed() -> u64 {
    seed_of_now() & LARGEST_SEED
}

/// Returns the agents that these texts from the command line describe, with unique names.
pub(super) fn contestants(
    game: &GameSettings,
    texts: &[&String],
) -> anyhow::Result<Vec<Contestant>> {
    let specs: Vec<Spec> = (texts.iter())
        .map(|text| Spec::read(game.about(), text).with_context(|| format!("agent `{text}`")))
        .collect::<Result<_, _>>()?;
    let agents = unique_names(&specs).into_iter().zip(specs);
    let agents = agents.map(|(name, spec)| Contestant {
        name,
        spec: spec.kind.to_string(),
        folder: spec.folder,
    });
    Ok(agents.collect())
}
