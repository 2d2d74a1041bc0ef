//! A run that a worker has prepared. It is prepared once, and then used for all its units.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use turnwise_arena::agents::Kind;
use turnwise_arena::lineup::{Lineup, LineupError};
use turnwise_arena::pairs::{Played, play_pair_unless};
use turnwise_arena::records::{Fault, RawGame, Settings};
use turnwise_arena::referee::Event;
use turnwise_arena::schedule::Pair;
use turnwise_engine::player::FaultKind;
use turnwise_engine::search::Stop;
use turnwise_process::{Scratch, pin_to_core};

use crate::attachments::{Programs, bring_home, check};
use crate::files::{FILE, together, unpack};
use crate::outcome::Failure;
use crate::playing::{Games, PlayBatch};

/// The number of bytes that are written to check that this machine can write files.
const TRIED: usize = 1 << 16;

/// The task of a run, which all its units have in common. `S` is the type of a match's settings.
///
/// The server stores the task once, and each unit contains the hash of the task.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Task<S> {
    /// A match or a tournament; its units are pairs.
    Match {
        settings: S,
        /// The hashes of the participants' files, in the participants' order.
        files: Vec<Option<String>>,
    },
    /// Batches of work that an order describes, for example self-play; a unit is the number of a batch.
    Batches {
        order: Value,
        /// The hash of the file that accompanies the order, if any.
        file: Option<String>,
    },
}

/// A run that has been prepared, so that its units can be played.
pub(crate) enum Ready {
    Match(Box<Match>),
    Batches(Box<PlayBatch>),
}

/// A match that has been prepared, so that its pairs can be played.
pub(crate) struct Match {
    settings: Settings,
    lineup: Lineup,
    /// The reasons why participants cannot play on this machine, keyed by the participants' indexes.
    missing: BTreeMap<usize, Failure>,
    /// The unpacked files of each participant.
    files: Vec<Vec<PathBuf>>,
    /// The folder with the participants' files, kept as long as the match needs them.
    _home: Scratch,
}

impl Ready {
    /// Prepares the run whose task has this hash, or returns the reason why this worker cannot play it.
    ///
    /// `fetch` returns the file of the run with a given hash.
    pub fn of(
        hash: &str,
        fetch: &dyn Fn(&str) -> Result<Vec<u8>, String>,
        games: &Games,
    ) -> Result<Self, String> {
        let task: Task<Settings<RawGame>> =
            serde_json::from_slice(&fetch(hash)?).map_err(|error| error.to_string())?;
        match task {
            Task::Match { settings, files } => {
                let ready = Match::of(settings, &files, fetch, games)?;
                Ok(Self::Match(Box::new(ready)))
            }
            Task::Batches { order, file } => {
                let content = file.map(|hash| content(&fetch(&hash)?)).transpose()?;
                let prepared = (games.prepare_batches)(&order, content.as_deref());
                prepared.map(Self::Batches)
            }
        }
    }

    /// Plays a unit and returns its result, as [`Player::play`](crate::playing::Player::play) does.
    ///
    /// Once `stop` is set, the result is meaningless.
    pub fn play(
        &self,
        line: &[u8],
        follow: &(dyn Fn(Event) + Sync),
        stop: &Stop,
    ) -> Result<Vec<u8>, Failure> {
        match self {
            Ready::Match(ready) => ready.play(line, follow, stop),
            Ready::Batches(play) => {
                let number = serde_json::from_slice(line).map_err(|error| error.to_string())?;
                Ok(stop.during(|| play(number)))
            }
        }
    }

    /// Checks that this machine can play the run, as [`Player::check`](crate::playing::Player::check) does.
    pub fn check(&self, blamed: &[usize]) -> Result<(), Failure> {
        match self {
            Ready::Match(ready) => {
                let agents = ready.settings.agents.len();
                for &place in blamed.iter().filter(|&&place| place < agents) {
                    ready.lineup.blame(place);
                }
                let mut others = (0..agents).filter(|place| !blamed.contains(place));
                others.try_for_each(|place| ready.check(place))
            }
            Ready::Batches(_) => Ok(()),
        }
    }
}

/// Unpacks a file that was packed alone, and returns its content.
fn content(packed: &[u8]) -> Result<Vec<u8>, String> {
    let home = Scratch::new().map_err(|error| error.to_string())?;
    unpack(packed, home.path()).map_err(|error| error.to_string())?;
    fs::read(home.path().join(FILE)).map_err(|error| error.to_string())
}

impl Match {
    fn of(
        raw: Settings<RawGame>,
        files: &[Option<String>],
        fetch: &dyn Fn(&str) -> Result<Vec<u8>, String>,
        games: &Games,
    ) -> Result<Self, String> {
        let mut settings = Settings::of(raw, games.games).map_err(|error| error.to_string())?;
        check(&settings).map_err(|error| error.to_string())?;
        // The permission is checked against the settings themselves, because the run's description may be wrong.
        if let Some(why) = games.programs.objection(Programs::of(&settings)) {
            return Err(why.to_owned());
        }
        has_memory_for(&settings, games.jobs)?;
        let home = Scratch::new().map_err(|error| error.to_string())?;
        let places = 0..settings.agents.len();
        let folders: Vec<PathBuf> = (places.map(|it| home.path().join(it.to_string()))).collect();
        let mut before = 0;
        let mut unpacked = vec![Vec::new(); folders.len()];
        for ((folder, hash), unpacked) in folders.iter().zip(files).zip(&mut unpacked) {
            if let Some(hash) = hash {
                let packed = fetch(hash)?;
                before = together(before, &packed).map_err(|error| error.to_string())?;
                create(folder).map_err(|error| error.to_string())?;
                *unpacked = unpack(&packed, folder).map_err(|error| error.to_string())?;
            }
        }
        bring_home(&mut settings, &folders)?;
        let mut missing = BTreeMap::new();
        let lineup = Lineup::of_those_there(&settings, games.start_daemon, &mut |place, error| {
            let agent = matches!(error, LineupError::Program(..)).then_some(place);
            let reason = error.to_string();
            missing.insert(place, Failure { reason, agent });
        });
        let mut lineup = lineup.map_err(|error| error.to_string())?;
        lineup.prepare(&settings, &games.tell);
        Ok(Self {
            lineup,
            settings,
            missing,
            files: unpacked,
            _home: home,
        })
    }

    fn play(
        &self,
        line: &[u8],
        follow: &(dyn Fn(Event) + Sync),
        stop: &Stop,
    ) -> Result<Vec<u8>, Failure> {
        let pair: Pair = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        let agents = self.settings.agents.len();
        if pair.agents().any(|place| place >= agents) {
            return Err("a pair of agents that do not take part".into());
        }
        let missing = |place: usize| {
            self.missing
                .get(&place)
                .filter(|_| !self.lineup.is_blamed(place))
        };
        if let Some(failure) = pair.agents().find_map(missing) {
            return Err(failure.clone());
        }
        let is_cancelled = || stop.stopped();
        let play = || {
            stop.during(|| {
                play_pair_unless(&self.settings, &self.lineup, &pair, follow, &is_cancelled)
            })
        };
        let played = match self.settings.isolation.is_some() {
            true => on_one_core(play),
            false => play(),
        };
        let played = match played {
            Ok(Some(played)) => played,
            Ok(None) => return Ok(Vec::new()),
            Err(error) => {
                // The check may find the participant that this machine cannot start.
                pair.agents().try_for_each(|place| self.check(place))?;
                return Err(error.to_string().into());
            }
        };
        for fault in played.faults() {
            // If this machine can no longer start the program, the program has committed no fault.
            if let FaultKind::Crash | FaultKind::Silence | FaultKind::Suspended = fault.kind
                && let Some(place) = pair.agents().find(|&place| self.is_of(fault, place))
            {
                self.check(place)?;
            }
        }
        Ok(played.into_lines())
    }

    fn is_of(&self, fault: &Fault, place: usize) -> bool {
        self.settings.agents[place].name == fault.agent
    }

    /// Checks that this machine can write files and can start the participant's program.
    fn check(&self, place: usize) -> Result<(), Failure> {
        if self.lineup.is_blamed(place) {
            return Ok(());
        }
        if let Some(failure) = self.missing.get(&place) {
            return Err(failure.clone());
        }
        let name = &self.settings.agents[place].name;
        let written =
            Scratch::new().and_then(|scratch| fs::write(scratch.path().join(FILE), [0; TRIED]));
        written.map_err(|error| format!("cannot write temporary files: {error}"))?;
        let mut files = self.files[place].iter();
        if let Some(lost) = files.find(|file| fs::symlink_metadata(file).is_err()) {
            let lost = lost.display();
            return Err(format!("{name}'s files were removed from this machine: {lost}").into());
        }
        let tried = self.lineup.try_program(&self.settings, place);
        tried.map_err(|why| {
            Failure::of_agent(place, format!("cannot start {name}'s program: {why}"))
        })
    }
}

/// Checks that this machine has memory for the transposition tables of a match's agents, in `jobs` pairs at a time.
///
/// A worker that the system kills for its memory would lose the units of all its matches.
fn has_memory_for(settings: &Settings, jobs: usize) -> Result<(), String> {
    let kinds = settings.check().map_err(|error| error.to_string())?;
    let tables = kinds.iter().filter_map(|kind| match kind {
        Kind::BuiltIn { options, .. } => options.hash.map(|hash| usize::from(hash.get())),
        _ => None,
    });
    let mut tables: Vec<usize> = tables.collect();
    tables.sort_unstable_by_key(|&size| Reverse(size));
    let at_table = tables.iter().take(settings.game.0.seats());
    let needed = at_table.sum::<usize>().saturating_mul(jobs);
    // Systems other than Linux do not have this file.
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = memory
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"));
    let available = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    match available.map(|kib: usize| kib / 1024) {
        Some(available) if needed > available => Err(format!(
            "its agents' tables need {needed} MiB in {jobs} parallel pairs, and {available} MiB are available; start \
             the worker with fewer --jobs, or use a smaller hash="
        )),
        _ => Ok(()),
    }
}

/// Creates a folder that all users may read, because programs may run as other users.
fn create(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)?;
    fs::set_permissions(folder, Permissions::from_mode(0o755))
}

/// Calls `play` on a core that no other job uses, if the machine has enough cores.
///
/// `play` runs on a separate thread, because pinning a thread to a core is permanent.
fn on_one_core(
    play: impl FnOnce() -> io::Result<Option<Played>> + Send,
) -> io::Result<Option<Played>> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    let number = NUMBER.with(|number| *number);
    thread::scope(|scope| {
        let playing = thread::Builder::new().spawn_scoped(scope, || {
            pin_to_core(number);
            play()
        })?;
        playing.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}
