//! A run that a worker has prepared. It is prepared once, and then used for all its units.

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
use turnwise_arena::lineup::Lineup;
use turnwise_arena::pairs::{Played, play_pair_unless};
use turnwise_arena::records::{RawGame, Settings};
use turnwise_arena::referee::Event;
use turnwise_arena::schedule::Pair;
use turnwise_process::{Scratch, pin_to_core};

use crate::attachments::{Programs, bring_home, check};
use crate::files::{FILE, together, unpack};
use crate::playing::{Games, PlayBatch};

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
    missing: BTreeMap<usize, String>,
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
    pub fn play(
        &self,
        line: &[u8],
        follow: &(dyn Fn(Event) + Sync),
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<u8>>, String> {
        match self {
            Ready::Match(ready) => ready.play(line, follow, is_cancelled),
            Ready::Batches(play) => {
                let number = serde_json::from_slice(line).map_err(|error| error.to_string())?;
                Ok(Some(play(number)))
            }
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
        let home = Scratch::new().map_err(|error| error.to_string())?;
        let places = 0..settings.agents.len();
        let folders: Vec<PathBuf> = (places.map(|it| home.path().join(it.to_string()))).collect();
        let mut before = 0;
        for (folder, hash) in folders.iter().zip(files) {
            if let Some(hash) = hash {
                let packed = fetch(hash)?;
                before = together(before, &packed).map_err(|error| error.to_string())?;
                create(folder).map_err(|error| error.to_string())?;
                unpack(&packed, folder).map_err(|error| error.to_string())?;
            }
        }
        bring_home(&mut settings, &folders)?;
        let mut missing = BTreeMap::new();
        let lineup = Lineup::of_those_there(&settings, games.start_daemon, &mut |place, error| {
            missing.insert(place, error.to_string());
        });
        let mut lineup = lineup.map_err(|error| error.to_string())?;
        lineup.prepare(&settings, &games.tell);
        Ok(Self {
            lineup,
            settings,
            missing,
            _home: home,
        })
    }

    fn play(
        &self,
        line: &[u8],
        follow: &(dyn Fn(Event) + Sync),
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<u8>>, String> {
        let pair: Pair = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        let agents = self.settings.agents.len();
        if pair.agents().any(|place| place >= agents) {
            return Err("a pair of agents that do not take part".to_owned());
        }
        if let Some(why) = pair.agents().find_map(|place| self.missing.get(&place)) {
            return Err(why.clone());
        }
        let play = || play_pair_unless(&self.settings, &self.lineup, &pair, follow, is_cancelled);
        let played = match self.settings.isolation.is_some() {
            true => on_one_core(play),
            false => play(),
        };
        let played = played.map_err(|error| error.to_string())?;
        Ok(played.map(Played::into_lines))
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
