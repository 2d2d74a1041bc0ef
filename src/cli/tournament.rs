//! `turnwise tournament`: plays a tournament that a file describes, writes one log, and ranks the participants.

mod building;
mod executor;
mod playing;
mod standings;
mod versions;

use std::collections::HashMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use turnwise_arena::log::{Log, LogError};
use turnwise_arena::records::{DrawRecord, GameRecord, Settings};
use turnwise_arena::schedule::{Next, Schedule};
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::words::{counted, printable};
use turnwise_games::GAMES;
use turnwise_process::isolation::Isolation;
use turnwise_ranking::pairing::Format;
use turnwise_tournament::class_file::{Class, ClassFile, Isolate, Joined, in_words};
use turnwise_tournament::conductor::{Before, Conductor};
use turnwise_tournament::held::{Withdrawal, meetings};

use super::files::read_text;
use super::game_options::{known_games, parse_setting, plugin};
use super::games::port;
use super::isolation;
use super::studio::LiveArguments;
use super::transcripts::TranscriptArguments;
use super::{WrongUsage, quotable};
use crate::console::output::print;
use crate::console::{keyboard, note};
pub(super) use executor::Executor;
use executor::executor;
pub(super) use playing::{How, play};
use versions::{Versions, mixed};

/// The maximum size of a tournament file, in bytes.
const LARGEST_FILE: u64 = 1 << 20;

/// If a tournament may take longer than this, the user must confirm it.
const WITHOUT_ASKING: Duration = Duration::from_secs(3600);

/// The maximum number of pairs that are played in parallel by default if remote participants take part.
const MOST_USUAL_JOBS: usize = 64;

const EXAMPLES: &str = "\
Examples:
  turnwise tournament class.toml          play it, or its missing games
  turnwise tournament class.toml --plan   participants, games and duration
  turnwise tournament class.toml --watch  standings during play
  turnwise tournament class.toml --replay ada
                                          ada's meetings again, with its new program
  turnwise tournament class.toml --live   people watch the games in a browser

A tournament's file:
  title = \"The spring cup\"     # with class and date: the heading of the page
  game = \"GAME\"
  pairs = 2                    # pairs of games per meeting; 1 by default
  seed = 7
  faults = 5                   # no further meetings after this many faults
  tie-break = [\"points\"]      # between equal ratings; head-to-head, points and
                               # buchholz, in any order; none: they share a place
  isolate = true               # the default: refuse to run a program without
                               # all walls of the sandbox; \"best-effort\": run it
                               # anyway; false: no sandbox
  memory = 1024                # MiB for each isolated program
  ponder = \"freeze\"            # suspend programs on opponents' turns; or allow
  start = 10                   # seconds to start a program, not on its clock
  restart = true               # a new process for each game
  [settings]                   # of the game, as in turnwise arena --game GAME --help
  [time]
  clock = 10                   # seconds for each game; or movetime, or nodes
  counts = \"cpu\"               # or wall, the default with remote participants
  [format]
  kind = \"swiss\"               # one of the kinds below
  rounds = 7
  [[participant]]
  name = \"ada\"
  folder = \"submissions/ada\"   # relative to this file; its programs run there
  build = \"make\"               # once, before the first game
  run = \"python3 player.py\"
  [[participant]]
  name = \"random\"
  agent = \"random\"             # a built-in agent, as in turnwise arena

Kinds of [format], with the settings of each:
  round-robin             every participant meets every other; times
  gauntlet                the first participants meet all others; challengers,
                          the number of the first
  swiss                   each round pairs participants with similar match
                          points; rounds
  knockout                the loser of a meeting is eliminated
  swiss-into-round-robin  a Swiss, then a round robin of its best; rounds,
                          finalists
  tables                  all sit at tables, in a game for more than two; rounds

The log is written beside the file, class.jsonl for class.toml. If a tournament is stopped, the same command \
continues it. Participants may be added at any time: only missing meetings are played. The \
ranking, the page, CSV and JSON are in class-report beside it; turnwise report and replay also read the log.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 stdout could not be written, 130 stopped by Ctrl-C, \
143 by SIGTERM.";

/// Arguments of `turnwise tournament`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES.replace("GAME", GAMES[0].about().name))]
pub struct Arguments {
    /// The tournament's file (TOML)
    #[arg(value_name = "FILE")]
    pub class: PathBuf,
    /// Write the log to this file; by default, beside the tournament's file
    #[arg(long, value_name = "LOG")]
    pub log: Option<PathBuf>,
    /// Play this many pairs in parallel; by default, one per core
    #[arg(long, value_parser = clap::value_parser!(u16).range(super::arena::whole(turnwise_arena::settings::JOBS)))]
    pub jobs: Option<u16>,
    /// Play the pairs on the workers of a NATS server, such as nats://HOST:4222
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "URL", conflicts_with_all = ["jobs", "replay", "transcript"])]
    pub cluster: Option<String>,
    /// Serve the metrics of --cluster to Prometheus: at this address, under /metrics
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "ADDRESS:PORT", requires = "cluster")]
    pub metrics: Option<std::net::SocketAddr>,
    /// Set any setting of the game by its name, in place of the file's value; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub set: Vec<(String, String)>,
    /// Show the plan and play nothing
    #[arg(long)]
    pub plan: bool,
    /// Begin without asking, however long the tournament takes
    #[arg(long)]
    pub yes: bool,
    /// Play all meetings of this participant again; earlier games remain in the log without counting; can be repeated
    #[arg(long, value_name = "NAME")]
    pub replay: Vec<String>,
    /// Update the standings during the tournament
    #[arg(long)]
    pub watch: bool,
    /// Print one JSON object instead of the plan and the tables, as turnwise report --json does
    #[arg(long, conflicts_with_all = ["plan", "watch"])]
    pub json: bool,
    #[command(flatten)]
    pub transcript: TranscriptArguments,
    #[command(flatten)]
    pub live: LiveArguments,
}

/// A tournament that is ready to begin or resume.
pub(super) struct Opened {
    /// The log of the tournament, if it already exists.
    pub log: Option<Log>,
    pub joined: Joined,
    /// The meetings or tables that were drawn so far, as read from the log.
    pub draws: Vec<DrawRecord>,
    pub done: Vec<Vec<GameRecord>>,
    pub versions: Versions,
}

impl Opened {
    /// Returns a new tournament, in which no games have been played.
    pub fn new(class: Class) -> Self {
        let participants = class.settings.agents.len();
        Self {
            log: None,
            joined: Joined {
                class,
                withdrawn: vec![None; participants],
                changes: Vec::new(),
                changed: Vec::new(),
            },
            draws: Vec::new(),
            done: Vec::new(),
            versions: Versions::default(),
        }
    }
}

/// Plays a tournament, or the remaining pairs of a tournament that was interrupted.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    conduct(arguments, None)
}

/// Plays a tournament like [`run`]. If `wanted` is given, also opens a port to which remote participants connect.
pub(super) fn conduct(
    arguments: Arguments,
    wanted: Option<port::Wanted>,
) -> anyhow::Result<ExitCode> {
    let file = read_text(&arguments.class, LARGEST_FILE)?;
    let shown = arguments.class.display().to_string();
    let log = match &arguments.log {
        Some(log) => std::path::absolute(log)?,
        None => std::path::absolute(arguments.class.with_extension("jsonl"))?,
    };
    let recording = match arguments.plan {
        true => None,
        false => arguments.transcript.open()?,
    };
    let folder = std::path::absolute(&arguments.class)?;
    let folder = folder.parent().context("the file is in no folder")?;
    // The paths in the tournament's file are relative to the folder that contains it.
    std::env::set_current_dir(folder)?;
    let set = (arguments.set.iter()).map(|(name, value)| (name.clone(), value.clone().into()));
    let wrong = |why: String| WrongUsage(anyhow!("{shown}: {why}"));
    let mut file = ClassFile::parse(&file).map_err(|error| wrong(error.to_string()))?;
    file.settings.extend(set);
    if file.isolate != Isolate::No {
        turnwise_outside::isolate(Isolation::default());
    }
    let game = plugin(&file.game).map_err(|why| wrong(format!("game: {why}")))?;
    file.game = game.about().name.to_owned();
    let class = file.settle(Path::new("."), known_games());
    let class = class.map_err(|error| wrong(error.to_string()))?;
    match (&wanted, class.guests.is_empty()) {
        (None, false) => {
            let name = &class.guests[0].name;
            return Err(WrongUsage(anyhow!(
                "{shown}: {name} is remote: use turnwise host --tournament"
            ))
            .into());
        }
        (Some(_), true) => {
            return Err(WrongUsage(anyhow!(
                "{shown}: expected participants with `remote = true`, got none; turnwise \
                 tournament plays without them"
            ))
            .into());
        }
        _ => {}
    }
    let executor = executor(&arguments, &class, &log)?;
    let jobs = executor.jobs();
    let mut opened = open(class, &log, &arguments)?;
    for change in &opened.joined.changes {
        note!("turnwise: {}", quotable(&printable(change)));
    }
    for (place, change) in &opened.joined.changed {
        let name = &opened.joined.class.settings.agents[*place].name;
        let games = opened.done.iter().flatten();
        let games = games.filter(|game| game.agents().any(|agent| agent == name));
        let told = change.clone() + &mixed(name, games.count());
        note!("turnwise: {}", quotable(&printable(&told)));
    }
    let left = pairs_left(&opened);
    if !arguments.json {
        print(&plan(&opened, left, jobs))?;
    }
    if arguments.plan {
        return Ok(ExitCode::SUCCESS);
    }
    agree(longest(&opened, left, jobs), arguments.yes)?;
    let class = &opened.joined.class;
    let has_programs = class.settings.programs().is_ok_and(|it| !it.is_empty());
    if jobs.is_some() && has_programs && class.isolate == Isolate::Fully {
        isolation::insist_on_walls()?;
    }
    let opened_log = match opened.log.take() {
        Some(log) => log,
        None => Log::create(&log, &opened.joined.class.settings)?,
    };
    let folder = log.with_file_name(format!(
        "{}-report",
        log.file_stem().unwrap_or_default().to_string_lossy()
    ));
    let how = How {
        executor,
        live: &arguments.live,
        watch: arguments.watch,
        bar: !arguments.watch,
        json: arguments.json,
        recording,
        folder: Some(folder),
        wanted,
    };
    play(opened, opened_log, how)
}

/// Returns the number of participants that run on this machine.
fn local(class: &Class) -> usize {
    class
        .settings
        .agents
        .len()
        .saturating_sub(class.guests.len())
}

/// Returns how many pairs are played in parallel by default. Usually this is one pair per core.
///
/// With remote participants, as many pairs as possible are played in parallel, unless more participants run on this
/// machine than it has cores.
fn usual_jobs(class: &Class) -> usize {
    let cores = super::cores();
    match class.guests.is_empty() || local(class) > cores {
        true => cores,
        false => (class.settings.agents.len() / 2).clamp(1, MOST_USUAL_JOBS),
    }
}

/// Opens a tournament, and its log if the log exists. Participants that are new in the tournament file are added to the
/// log, and the games of participants that play again are marked. If the user only wants to see the plan, the log is
/// not changed.
fn open(class: Class, path: &Path, arguments: &Arguments) -> anyhow::Result<Opened> {
    let mut agents = class.settings.agents.iter();
    let is_unknown = |name: &&String| agents.all(|agent| agent.name != **name);
    if let Some(name) = arguments.replay.iter().find(is_unknown) {
        return Err(WrongUsage(anyhow!(
            "--replay: expected the name of a participant in the file, got {name:?}"
        ))
        .into());
    }
    let mut done = Vec::new();
    let mut take = |_: &Settings, games: Vec<GameRecord>| done.push(games);
    let begun = path
        .exists()
        .then(|| Log::open_by(path, known_games(), &mut take));
    let (log, contents) = match begun {
        None | Some(Err(LogError::Unbegun(_))) => {
            let mut opened = Opened::new(class);
            opened.versions = Versions::read(&mut opened, HashMap::new())?;
            return Ok(opened);
        }
        Some(opened) => opened?,
    };
    if contents.settings.tournament.is_none() {
        let path = path.display();
        return Err(WrongUsage(anyhow!(
            "{path} is the log of a match, not of a tournament: choose another with --log"
        ))
        .into());
    }
    let joined = class.joined(&contents.settings);
    let joined = joined.map_err(|error| {
        let path = path.display();
        WrongUsage(anyhow!(
            "{path} was started differently: {error}; choose another with --log"
        ))
    })?;
    let again = &arguments.replay;
    let before = done.len();
    let plays_again = |game: &GameRecord| game.agents().any(|agent| again.contains(agent));
    done.retain(|games| !games.iter().any(plays_again));
    let superseded = before - done.len();
    if superseded > 0 {
        let (names, unit) = (again.join(", "), unit(&joined.class.held.format));
        let count = counted(superseded, unit);
        note!("turnwise: {names}: {count} superseded, to be played again");
    }
    let settings = &joined.class.settings;
    let is_other = settings.agents != contents.settings.agents
        || settings.tournament != contents.settings.tournament;
    let log = match (is_other || superseded > 0) && !arguments.plan {
        true => log.rewrite(settings, again)?,
        false => log,
    };
    let mut opened = Opened {
        log: Some(log),
        joined,
        draws: contents.draws,
        done,
        versions: Versions::default(),
    };
    opened.versions = Versions::read(&mut opened, contents.participants)?;
    Ok(opened)
}

/// Returns the number of pairs that remain to be played if no further participant joins or leaves.
fn pairs_left(opened: &Opened) -> usize {
    let Joined {
        class, withdrawn, ..
    } = &opened.joined;
    let before = Before {
        draws: &opened.draws,
        pairs: &opened.done,
    };
    let mut conductor = Conductor::new(class, withdrawn.clone(), before, None, |_| {});
    // The conductor has also withdrawn the participants with too many faults.
    let withdrawn = conductor.withdrawn().to_vec();
    if matches!(conductor.next(), Next::Over) {
        return 0;
    }
    let settings = &class.settings;
    let agents = settings.agents.iter().zip(&withdrawn);
    let playing: Vec<&str> = agents
        .filter(|(_, withdrawal)| withdrawal.is_none())
        .map(|(agent, _)| &*agent.name)
        .collect();
    let format = match class.held.format {
        Format::Gauntlet { challengers } => Format::Gauntlet {
            challengers: (withdrawn.iter().take(challengers))
                .filter(|withdrawal| withdrawal.is_none())
                .count(),
        },
        format => format,
    };
    let all = meetings(&format, playing.len(), settings.game.0.seats());
    let is_among_them = |games: &&Vec<GameRecord>| {
        let mut players = games.iter().flat_map(GameRecord::agents);
        players.all(|agent| playing.contains(&&**agent))
    };
    let done = opened.done.iter().filter(is_among_them).count();
    (all * class.held.pairs as usize).saturating_sub(done)
}

/// Returns the word for the units of the schedule: pairs or rotations.
fn unit(format: &Format) -> &'static str {
    match format {
        Format::Tables { .. } => "rotation",
        _ => "pair",
    }
}

/// Returns the number of games in the pairs that remain to be played, and the maximum number of players in a game.
fn games_left(opened: &Opened, pairs: usize) -> (usize, usize) {
    let class = &opened.joined.class;
    let each = match class.held.format {
        Format::Tables { .. } => class.settings.game.0.seats(),
        _ => 2,
    };
    (pairs * each, each.min(class.settings.agents.len()))
}

/// Returns how long the remaining pairs take if all players use up their clocks; `None` if the maximum time is unknown.
fn longest(opened: &Opened, left: usize, jobs: Option<usize>) -> Option<Duration> {
    let TimeControl::Clock { seconds, increment } = opened.joined.class.settings.time else {
        return None;
    };
    let (games, players) = games_left(opened, left);
    let (games, each) = (games as f64, players as f64);
    let at_once = jobs?.min((opened.joined.class.settings.agents.len() / players).max(1));
    let is_bounded = increment == 0.0;
    is_bounded.then(|| Duration::from_secs_f64(games * each * seconds / at_once as f64))
}

/// Returns a text about the plan of a tournament: participants, game, format, progress and maximum duration. `left` is
/// the number of pairs that remain to be played.
fn plan(opened: &Opened, left: usize, jobs: Option<usize>) -> String {
    let Class { settings, held, .. } = &opened.joined.class;
    let participants = counted(settings.agents.len(), "participant");
    let mut text = format!(
        "{participants}, {}, {}; {} of {} played\n",
        settings.game.0.place(),
        in_words(&held.format),
        opened.done.len(),
        counted(opened.done.len() + left, unit(&held.format)),
    );
    if left > 0 {
        let games = counted(games_left(opened, left).0, "game");
        let who = match jobs {
            Some(jobs) => format!("{jobs} at a time"),
            None => "by the available workers".to_owned(),
        };
        text += &match longest(opened, left, jobs) {
            Some(time) => {
                let of = match settings.counts {
                    Counts::Wall => "",
                    Counts::Cpu => " of CPU time",
                };
                format!("{games} to play, {who}: {}{of} at most\n", hours(time))
            }
            None => format!("{games} to play, {who}\n"),
        };
    }
    text
}

fn hours(time: Duration) -> String {
    let minutes = time.as_secs().div_ceil(60);
    match minutes / 60 {
        0 => counted(minutes, "minute"),
        hours => format!("{hours} h {} min", minutes % 60),
    }
}

/// If the [`longest`] duration of the tournament is above [`WITHOUT_ASKING`], asks the user whether to begin. Returns an
/// error if the user declines or cannot be asked.
fn agree(longest: Option<Duration>, is_agreed: bool) -> anyhow::Result<()> {
    let is_long = longest.is_some_and(|time| time > WITHOUT_ASKING);
    if !is_long || is_agreed {
        return Ok(());
    }
    match keyboard::agrees("Begin?")? {
        Some(true) => Ok(()),
        Some(false) => bail!("nothing was played"),
        None => bail!("this may take more than an hour; to play it anyway, add --yes"),
    }
}

/// Withdraws a participant that cannot play, and prints the reason.
fn absent(withdrawn: &mut [Option<Withdrawal>], name: &str, place: usize, why: &dyn Display) {
    if withdrawn[place].is_none() {
        let why = why.to_string();
        note!(
            "turnwise: {} does not play: {}",
            printable(name),
            quotable(&why)
        );
        withdrawn[place] = Some(Withdrawal::Absent(why));
    }
}
