//! `turnwise tournament`: many participants, one file, one log, one ranking.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use turnwise_arena::lineup::Lineup;
use turnwise_arena::log::Log;
use turnwise_arena::pairs::play_scheduled;
use turnwise_arena::records::{DrawRecord, GameRecord};
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::words::{counted, printable};
use turnwise_games::{GAMES, start_daemon};
use turnwise_process::isolation::{Isolation, in_force};
use turnwise_process::{Process, Streams};
use turnwise_ranking::pairing::planned;
use turnwise_tournament::class_file::{Build, Class, ClassFile, Joined, in_words};
use turnwise_tournament::schedule::{Before, Conductor, Progress, Withdrawal};

use super::arena::guard;
use super::files::read_text;
use super::host::port::{self, Port};
use super::report::{self, Publisher};
use super::{EXIT_INTERRUPTED, WrongUsage};
use crate::console::interrupt::Interrupt;
use crate::console::output::{print, show};
use crate::console::progress::{Bar, StatusLine, bar};
use crate::console::{keyboard, note, output};

/// The most that is read of a tournament's file, in bytes.
const LARGEST_FILE: u64 = 1 << 20;

/// What takes longer begins only after a question.
const WITHOUT_ASKING: Duration = Duration::from_secs(3600);

/// How long a program may take to be built.
const BUILD_TIME: Duration = Duration::from_secs(300);

/// What a build may use where programs are isolated.
const BUILD_ISOLATION: Isolation = Isolation {
    memory: 4 << 30,
    processes: 1024,
    files: 1 << 30,
    network: false,
    readable: Vec::new(),
};

/// Pairs at a time with remote participants, unless more are asked for.
const MOST_USUAL_JOBS: usize = 64;

/// How often standings are shown while it runs, at most.
const BETWEEN_STANDINGS: Duration = Duration::from_secs(2);

const EXAMPLES: &str = "\
Examples:
  turnwise tournament class.toml              play it, or what is missing of it
  turnwise tournament class.toml --plan       who would play, how much, for how long
  turnwise tournament class.toml --watch      standings as they grow

A tournament's file:
  game = \"entropy\"
  pairs = 2                    # pairs of games each time that two meet; 1 without it
  seed = 7
  faults = 5                   # whoever was at fault so often plays no further meetings
  isolate = true               # programs see no network and no others' files; true without it
  memory = 1024                # MiB for each isolated program
  [settings]                   # the game's, by the names they have in turnwise arena --help
  size = 5
  [time]
  clock = 10                   # seconds for each game; or movetime, or nodes
  [format]
  kind = \"swiss\"               # round-robin (times), gauntlet (challengers), swiss (rounds),
  rounds = 7                   # knockout, swiss-into-round-robin (rounds, finalists)
  [[participant]]
  name = \"ada\"
  folder = \"submissions/ada\"   # seen from this file; its programs run there
  build = \"make\"               # once, before the first game
  run = \"python3 player.py\"
  [[participant]]
  name = \"holes\"
  agent = \"holes\"              # an agent of this program, as in turnwise arena

The log lies beside the file, class.jsonl for class.toml. Whatever stops a tournament, the same command
goes on with it. Participants may be added at any time: they play only what is missing. The ranking, the
page, CSV and JSON lie in class-report beside it; turnwise report and replay read the log, too.
Exit codes: 0 done, 1 failed, 2 wrong usage, 4 stdout could not be written, 130 stopped by Ctrl-C.";

/// Arguments of `turnwise tournament`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The tournament's file (TOML)
    #[arg(value_name = "FILE")]
    pub class: PathBuf,
    /// Where the log goes; beside the file by default
    #[arg(long, value_name = "LOG")]
    pub log: Option<PathBuf>,
    /// Pairs played at the same time; as many as there are cores by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(super::arena::whole(turnwise_arena::settings::JOBS)))]
    pub jobs: Option<u16>,
    /// Show the plan and play nothing
    #[arg(long)]
    pub plan: bool,
    /// Begin without asking, however long it takes
    #[arg(long)]
    pub yes: bool,
    /// Show the standings as they grow
    #[arg(long)]
    pub watch: bool,
}

/// A tournament that can begin or go on.
struct Opened {
    log: Option<Log>,
    joined: Joined,
    draws: Vec<DrawRecord>,
    done: Vec<[GameRecord; 2]>,
}

/// Plays a tournament, or what is missing of one.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    conduct(arguments, None)
}

/// The same; remote participants come in by a port, if one is wanted.
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
    let folder = std::path::absolute(&arguments.class)?;
    let folder = folder.parent().context("the file is in no folder")?;
    // Everything in the file is seen from there.
    std::env::set_current_dir(folder)?;
    let class = ClassFile::parse(&file).and_then(|file| file.settle(Path::new("."), GAMES));
    let class = class.map_err(|error| WrongUsage(anyhow!("{shown}: {error}")))?;
    match (&wanted, class.guests.is_empty()) {
        (None, false) => {
            let name = &class.guests[0].name;
            return Err(WrongUsage(anyhow!(
                "{shown}: {name} is remote: turnwise host --tournament lets it in"
            ))
            .into());
        }
        (Some(_), true) => {
            return Err(WrongUsage(anyhow!(
                "{shown}: nobody is to come in: expected participants with `remote = true`; turnwise \
                 tournament plays without them"
            ))
            .into());
        }
        _ => {}
    }
    let jobs = arguments
        .jobs
        .map_or_else(|| usual_jobs(&class), usize::from);
    let mut opened = open(class, &log, arguments.plan)?;
    for change in &opened.joined.changes {
        note!("turnwise: {}", printable(change));
    }
    print(&plan(&opened, jobs))?;
    if arguments.plan {
        return Ok(ExitCode::SUCCESS);
    }
    agree(&opened, jobs, arguments.yes)?;
    let opened_log = match opened.log.take() {
        Some(log) => log,
        None => Log::create(&log, &opened.joined.class.settings)?,
    };
    play(opened, opened_log, jobs, &arguments, wanted)
}

/// Participants that play on this machine.
fn local(class: &Class) -> usize {
    class
        .settings
        .agents
        .len()
        .saturating_sub(class.guests.len())
}

/// As many pairs at a time as there are cores; with remote participants, as many as there can be unless they
/// take each other's time.
fn usual_jobs(class: &Class) -> usize {
    let cores = super::cores();
    match class.guests.is_empty() || local(class) > cores {
        true => cores,
        false => (class.settings.agents.len() / 2).clamp(1, MOST_USUAL_JOBS),
    }
}

/// The tournament after what its log has, if there is one; a plan changes nothing in it.
fn open(class: Class, path: &Path, is_plan: bool) -> anyhow::Result<Opened> {
    let participants = class.settings.agents.len();
    if !path.exists() {
        return Ok(Opened {
            log: None,
            joined: Joined {
                class,
                withdrawn: vec![None; participants],
                changes: Vec::new(),
            },
            draws: Vec::new(),
            done: Vec::new(),
        });
    }
    let (log, contents) = Log::open(path, GAMES)?;
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
            "{path} was begun otherwise: {error}; choose another with --log"
        ))
    })?;
    let is_changed = joined.class.settings.agents != contents.settings.agents;
    let log = match is_changed && !is_plan {
        true => log.rewrite(&joined.class.settings)?,
        false => log,
    };
    Ok(Opened {
        log: Some(log),
        joined,
        draws: contents.draws,
        done: contents.pairs,
    })
}

/// Pairs that are still to be played, if nobody comes or leaves.
fn pairs_left(opened: &Opened) -> usize {
    let class = &opened.joined.class;
    let all = planned(&class.held.format, class.settings.agents.len());
    (all * class.held.pairs as usize).saturating_sub(opened.done.len())
}

/// How long that takes at most, if that can be told: both players of all games use up their clocks.
fn longest(opened: &Opened, jobs: usize) -> Option<Duration> {
    let TimeControl::Clock { seconds, increment } = opened.joined.class.settings.time else {
        return None;
    };
    let games = 2.0 * pairs_left(opened) as f64;
    let at_once = jobs.min((opened.joined.class.settings.agents.len() / 2).max(1));
    let is_bounded = increment == 0.0;
    is_bounded.then(|| Duration::from_secs_f64(games * 2.0 * seconds / at_once as f64))
}

/// Who plays what, and for how long.
fn plan(opened: &Opened, jobs: usize) -> String {
    let Class { settings, held, .. } = &opened.joined.class;
    let participants = counted(settings.agents.len(), "participant");
    let left = pairs_left(opened);
    let mut text = format!(
        "{participants}, {}, {}; {} of {} played\n",
        settings.game.0.place(),
        in_words(&held.format),
        opened.done.len(),
        counted(opened.done.len() + left, "pair"),
    );
    if left > 0 {
        text += &match longest(opened, jobs) {
            Some(time) => format!(
                "{} to play, {jobs} at a time: {} at most\n",
                counted(2 * left, "game"),
                hours(time)
            ),
            None => format!("{} to play, {jobs} at a time\n", counted(2 * left, "game")),
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

/// Makes sure that the user wants something that takes long.
fn agree(opened: &Opened, jobs: usize, is_agreed: bool) -> anyhow::Result<()> {
    let is_long = longest(opened, jobs).is_some_and(|time| time > WITHOUT_ASKING);
    if !is_long || is_agreed {
        return Ok(());
    }
    match keyboard::agrees("Begin?")? {
        Some(true) => Ok(()),
        Some(false) => bail!("nothing was played"),
        None => bail!("this may take more than an hour; if that is meant, say --yes"),
    }
}

fn play(
    opened: Opened,
    mut log: Log,
    jobs: usize,
    arguments: &Arguments,
    wanted: Option<port::Wanted>,
) -> anyhow::Result<ExitCode> {
    let total = (opened.done.len() + pairs_left(&opened)) as u64;
    let Opened {
        joined,
        draws,
        done,
        ..
    } = opened;
    let Joined {
        class,
        mut withdrawn,
        ..
    } = joined;
    let settings = &class.settings;
    let path = log.path().to_owned();
    let folder = path.with_file_name(format!(
        "{}-report",
        path.file_stem().unwrap_or_default().to_string_lossy()
    ));
    let publisher = Publisher::new(path, folder);
    let is_remote = wanted.is_some();
    let is_stopped: Box<dyn Fn() -> bool + Sync> = match is_remote {
        true => {
            port::stop_at_a_signal(publisher.clone())?;
            Box::new(|| false)
        }
        false => {
            let interrupt = Interrupt::listen_and(|| {
                note!(
                    "turnwise: finishing the running pairs; once more to stop now (the log is safe)"
                );
            })?;
            Box::new(move || interrupt.is_requested())
        }
    };
    let _guard = guard(settings);
    if settings.isolation.is_some() && settings.programs().is_ok_and(|it| !it.is_empty()) {
        note!("turnwise: isolation: {}", in_force());
    }
    build(&class, &mut withdrawn);
    let mut lineup = Lineup::of_those_there(settings, start_daemon, &mut |place, error| {
        absent(
            &mut withdrawn,
            settings.agents[place].name.as_str(),
            place,
            &error,
        );
    })?;
    lineup.prepare(settings, &output::note);
    let port =
        wanted.map(|wanted| Port::open(wanted, &class, publisher.clone(), (done.len(), total)));
    let port = port.transpose()?;
    if let Some(port) = &port {
        lineup.call_remote_by(port.calls());
    }
    let at_once = match is_remote {
        true => jobs.min(local(&class)),
        false => jobs,
    };
    if settings.time.nodes().is_none()
        && at_once > super::cores()
        && settings.counts == Counts::Wall
    {
        note!("turnwise: more games at a time than cores: they take each other's time");
    }
    let pairs = bar(
        "{bar:16} {pos}/{len} pairs{left}{wide_msg}",
        total,
        !arguments.watch,
    );
    pairs.set_position(done.len() as u64);
    pairs.reset_eta();
    let pairs = Bar::new(pairs);
    let board =
        (arguments.watch).then(|| GrowingStandings::of(report::Board::new(settings, &done)));
    let watch = |progress: &Progress<'_>| {
        pairs.inc(1);
        port.iter().for_each(Port::pair_is_over);
        for fault in progress.games.iter().filter_map(|game| game.fault.as_ref()) {
            pairs.set_message(format!(
                ", {}: {}",
                printable(&fault.agent),
                fault.kind.name()
            ));
        }
        if let Some(board) = &board {
            board.add(progress.games);
        }
    };
    let before = withdrawn.clone();
    let logged = Before {
        draws: &draws,
        pairs: &done,
    };
    let mut conductor = Conductor::new(&class, withdrawn, logged, watch);
    if let Some(port) = &port {
        conductor.ask_for_attendance(port.attendance());
    }
    drop((draws, done));
    play_scheduled(
        (settings, &lineup),
        &mut conductor,
        &mut log,
        jobs,
        &*is_stopped,
        &|event| port.iter().for_each(|port| port.follow(event)),
    )?;
    let withdrawn = conductor.withdrawn().to_vec();
    drop(conductor);
    drop((pairs, board));
    for (place, why) in withdrawn.iter().enumerate() {
        if let (Some(Withdrawal::Faults(faults)), None) = (why, &before[place]) {
            let name = printable(&settings.agents[place].name);
            note!("turnwise: {name} was at fault {faults} times: it plays no further meetings");
        }
    }
    drop(log);
    if let Some(port) = port {
        port.close();
    }
    print(&publisher.publish()?)?;
    Ok(ExitCode::from(match is_stopped() {
        true => EXIT_INTERRUPTED,
        false => 0,
    }))
}

/// Shows the standings as they grow, on a thread of its own: of a thousand participants they take seconds, and
/// nobody who plays is to wait for them.
struct GrowingStandings {
    pairs: Option<Sender<[GameRecord; 2]>>,
    thread: Option<JoinHandle<()>>,
}

impl GrowingStandings {
    fn of(board: report::Board) -> Self {
        let (send, receive) = channel();
        Self {
            pairs: Some(send),
            thread: Some(thread::spawn(move || show_standings(board, &receive))),
        }
    }

    /// A pair is over.
    fn add(&self, games: [&GameRecord; 2]) {
        if let Some(pairs) = &self.pairs {
            // The thread listens until there is nobody to listen to.
            let _ = pairs.send(games.map(GameRecord::clone));
        }
    }
}

impl Drop for GrowingStandings {
    fn drop(&mut self) {
        self.pairs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Shows a board after the pairs that come, until no more can.
fn show_standings(mut board: report::Board, pairs: &Receiver<[GameRecord; 2]>) {
    let mut next = Instant::now() + BETWEEN_STANDINGS;
    let mut has_news = false;
    loop {
        match pairs.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok(games) => {
                board.add(games.each_ref());
                has_news = true;
            }
            Err(RecvTimeoutError::Timeout) => {
                if std::mem::take(&mut has_news) {
                    show(&board.standings());
                }
                next = Instant::now() + BETWEEN_STANDINGS;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Notes why a participant does not play.
fn absent(
    withdrawn: &mut [Option<Withdrawal>],
    name: &str,
    place: usize,
    why: &dyn std::fmt::Display,
) {
    if withdrawn[place].is_none() {
        note!("turnwise: {} does not play: {why}", printable(name));
        withdrawn[place] = Some(Withdrawal::Absent(why.to_string()));
    }
}

/// Builds what is to be built; whose program cannot be built does not play.
fn build(class: &Class, withdrawn: &mut [Option<Withdrawal>]) {
    let mut status = StatusLine::new();
    for build in &class.builds {
        let mut agents = class.settings.agents.iter();
        let place = agents.position(|agent| agent.name == build.participant);
        let place = place.expect("who is built takes part");
        status.tell(|| format!("building {}", printable(&build.participant)));
        let isolation = class.settings.isolation.as_ref().map(|_| BUILD_ISOLATION);
        if let Err(why) = built(build, isolation.as_ref()) {
            absent(withdrawn, &build.participant, place, &why);
        }
    }
}

fn built(build: &Build, isolation: Option<&Isolation>) -> Result<(), String> {
    let failed = |why: String| format!("`{}` failed: {why}", build.words.join(" "));
    // Isolated, it has another current folder.
    let folder = std::path::absolute(&build.folder).map_err(|error| failed(error.to_string()))?;
    let process = Process::start_in(&folder, &build.words, Streams::Null, isolation);
    let mut process = process.map_err(|error| failed(error.to_string()))?;
    let ended = process.run_to_its_end(BUILD_TIME, |_| true);
    let ended = ended.map_err(|error| failed(error.to_string()))?;
    if ended.killed_at.is_some() {
        return Err(failed(format!("not done within {BUILD_TIME:?}")));
    }
    if !ended.status.success() {
        let said = process.last_lines();
        let last = said.len().saturating_sub(3);
        let said = said[last..].join(" / ");
        return Err(failed(format!("{}: {}", ended.status, printable(&said))));
    }
    Ok(())
}
