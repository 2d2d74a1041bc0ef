//! The participants of a match, ready to play.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use thiserror::Error;
use turnwise_engine::outside::LineChannel;
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin::{Person, Resources, Seat};

use turnwise_process::isolation::{Isolation, Own, check_words};
use turnwise_process::own_folder::OwnFolder;

use crate::agents::{Kind, Way};
use crate::child::{self, ChildChannel, Kept, Overheard, Program};
use crate::command::{Command, CommandChannel, Folder, OpenWorkplace};
use crate::delivery::Delivery;
use crate::preparation::{self, Prepared};
use crate::records::{Contestant, Settings, Via};
use crate::settings::SettingsError;
use crate::transcript::{RecordedChannel, Recorder, Transcripts};

/// Starts a daemon and opens a channel to it. The command line is `words`, followed by the port.
pub type StartDaemon = fn(words: Vec<String>) -> io::Result<Box<dyn LineChannel>>;

/// Opens a channel to the remote participant with this name.
pub type CallRemote = Box<dyn Fn(&str) -> Box<dyn LineChannel> + Send + Sync>;

/// Invites a person to play under this name.
pub type CallPerson = Box<dyn Fn(&str) -> Box<dyn Person> + Send + Sync>;

/// The participants of a match, in the order of [`Settings::agents`].
///
/// The data that agents need from files is read once for the whole match; later changes to the files have no
/// effect.
pub struct Lineup {
    /// The participants in order; `None` stands for a participant that cannot play.
    participants: Vec<Option<Participant>>,
    start_daemon: StartDaemon,
    open_workplace: OpenWorkplace,
    call_remote: Option<CallRemote>,
    call_person: Option<CallPerson>,
    transcripts: Option<Arc<Transcripts>>,
}

/// An agent that is ready to play.
struct Participant {
    kind: Kind,
    time: TimeControl,
    /// The data that all players of a built-in agent share; `None` for programs.
    resources: Option<Resources>,
    prepared: Option<Prepared>,
    /// The folder in which a program that communicates in lines runs.
    folder: PathBuf,
    /// The folder with the program's own files, checked for links to other people's files.
    ///
    /// `None` if the program is not isolated or has no folder.
    own: Option<Arc<OwnFolder>>,
    delivery: Delivery,
    overheard: Option<Sender<Overheard>>,
    /// The limits and permissions of an untrusted program; `None` for a trusted program.
    isolation: Option<Isolation>,
    /// The program's processes that are kept running between two games.
    kept: Kept,
    /// True if the program is at fault should this machine be unable to start it.
    is_blamed: AtomicBool,
}

/// The reason why the participants are not ready to play.
#[derive(Debug, Error)]
pub enum LineupError {
    /// The match cannot be played as requested.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A file that an agent needs is unavailable.
    #[error("agent `{0}`: {1}")]
    Resources(String, String),
    /// The folder that the user gave for an agent does not exist.
    #[error("agent `{0}`: expected a folder at {path}", path = .1.display())]
    Folder(String, PathBuf),
    /// The program's folder or its command leads to other people's files.
    #[error("agent `{0}`: {1}")]
    Files(String, String),
    /// The program does not exist.
    #[error("agent `{0}`: cannot start {1:?}: no such file, and no such command in PATH")]
    Program(String, String),
    /// The program's file exists, but nobody may execute it.
    #[error("agent `{0}`: cannot start {1:?}: the file is not executable; chmod +x makes it so")]
    Executable(String, String),
    /// A participant is remote, but the match has no host to which it could connect.
    #[error("{0} is remote, and can only take part in turnwise host --tournament")]
    Remote(String),
}

impl Lineup {
    /// Prepares all participants of a match.
    pub fn of(settings: &Settings, start_daemon: StartDaemon) -> Result<Self, LineupError> {
        let mut missing = None;
        let lineup = Self::of_those_there(settings, start_daemon, &mut |_, error| {
            missing.get_or_insert(error);
        })?;
        let are_remote = |place: &usize| lineup.is_remote(*place);
        let remote = (0..settings.agents.len()).find(are_remote);
        let remote = remote.map(|place| LineupError::Remote(settings.agents[place].name.clone()));
        match missing.or(remote) {
            Some(error) => Err(error),
            None => Ok(lineup),
        }
    }

    /// Prepares the participants that can play.
    ///
    /// `missing` is called for each participant that cannot play, with its index and the reason.
    ///
    /// # Errors
    ///
    /// Returns an error if the match cannot be played under its settings, regardless of the participants.
    pub fn of_those_there(
        settings: &Settings,
        start_daemon: StartDaemon,
        missing: &mut dyn FnMut(usize, LineupError),
    ) -> Result<Self, LineupError> {
        let kinds = settings.check()?.into_iter().zip(&settings.agents);
        let participants = kinds.enumerate().map(|(place, (kind, contestant))| {
            let participant = Participant::of(settings, kind, contestant);
            let participant = participant.map_err(|error| missing(place, error)).ok()?;
            if let Kind::Program { words, .. } = &participant.kind
                && let Err(error) = find(&words[0])
            {
                missing(place, error(contestant.name.clone(), words[0].clone()));
            }
            Some(participant)
        });
        Ok(Self {
            participants: participants.collect(),
            start_daemon,
            open_workplace: Box::new(Folder::open),
            call_remote: None,
            call_person: None,
            transcripts: None,
        })
    }

    /// Sets the function that opens channels to remote participants.
    pub fn call_remote_by(&mut self, call: CallRemote) {
        self.call_remote = Some(call);
    }

    /// Sets the function that opens workplaces for commands, which otherwise run in local folders.
    pub fn run_commands_in(&mut self, open: OpenWorkplace) {
        self.open_workplace = open;
    }

    /// Sets the function that invites people to a game.
    pub fn call_person_by(&mut self, call: CallPerson) {
        self.call_person = Some(call);
    }

    /// Sets the folder in which all bytes that programs receive and send are recorded.
    pub fn record_in(&mut self, transcripts: Arc<Transcripts>) {
        self.transcripts = Some(transcripts);
    }

    /// Returns true if a person at the keyboard takes part.
    pub fn has_person(&self) -> bool {
        let mut participants = self.participants.iter().flatten();
        participants.any(|participant| participant.kind.is_human())
    }

    fn is_remote(&self, place: usize) -> bool {
        let participant = self.participants[place].as_ref();
        participant.is_some_and(|participant| participant.kind.is_remote())
    }

    /// Runs the preparations of all programs that have one. Call this once, before the first game.
    ///
    /// `tell` receives the reason if a preparation fails. If this function is not called, games are played without
    /// preparation.
    pub fn prepare(&mut self, settings: &Settings, tell: &dyn Fn(&str)) {
        let Some(venue) = settings.game.0.file_venue() else {
            return;
        };
        let mut done: HashMap<Vec<String>, Option<Prepared>> = HashMap::new();
        for participant in self.participants.iter_mut().flatten() {
            if let Kind::Program { words, .. } = &participant.kind
                && let Some(preparation) = (venue.preparation)(words)
            {
                let isolation = participant.isolation.as_ref();
                let run = || preparation::run(&preparation, venue.largest, isolation, tell);
                let prepared = done.entry(preparation.words.clone()).or_insert_with(run);
                participant.prepared = prepared.clone();
            }
        }
    }

    /// Changes a participant's time control, and the way its input is delivered, for all later games.
    ///
    /// If given, `overheard` receives what the program does after the end of a game.
    pub(crate) fn deliver(
        &mut self,
        place: usize,
        delivery: Delivery,
        time: TimeControl,
        overheard: Option<Sender<Overheard>>,
    ) {
        if let Some(participant) = &mut self.participants[place] {
            participant.delivery = delivery;
            participant.time = time;
            participant.overheard = overheard;
        }
    }

    /// Returns the program of the participant with the index `place`, if it communicates in lines.
    pub(crate) fn program(&self, settings: &Settings, place: usize) -> io::Result<Option<Program>> {
        let participant = self.participant(place)?;
        Ok(match &participant.kind {
            Kind::Program {
                words,
                way: Way::Lines(wire) | Way::UsualLines(wire),
                ..
            } => Some(participant.program(settings, wire, words)),
            Kind::Program { .. } | Kind::BuiltIn { .. } | Kind::Remote | Kind::Human => None,
        })
    }

    /// Makes the participant's program responsible for starting: if this machine cannot start it, it crashes in its games.
    /// Otherwise the machine is at fault, and a pair with this program returns an error.
    pub fn blame(&self, place: usize) {
        if let Some(participant) = &self.participants[place] {
            // `Relaxed` suffices, because the flag protects no other data.
            participant.is_blamed.store(true, Ordering::Relaxed);
        }
    }

    /// Returns true if the participant's program was [blamed](Self::blame).
    pub fn is_blamed(&self, place: usize) -> bool {
        let participant = self.participants[place].as_ref();
        participant.is_some_and(|participant| participant.is_blamed.load(Ordering::Relaxed))
    }

    /// Starts the participant's program, if it is one, and ends it.
    ///
    /// # Errors
    ///
    /// Returns the reason if this machine cannot run the program, or cannot suspend it although the match requires it.
    pub fn try_program(&self, settings: &Settings, place: usize) -> Result<(), String> {
        let participant = self.participant(place).map_err(|error| error.to_string())?;
        let words = |error: io::Error| error.to_string();
        match &participant.kind {
            Kind::Program {
                words: command,
                way: Way::Files,
                ..
            } => {
                let opened = (self.open_workplace)(participant.isolation.clone());
                let mut workplace = opened.map_err(words)?;
                let ended = workplace.run(command, child::TRIED, &|_| true);
                let status = ended.map_err(words)?.status;
                child::usable(status.to_string(), || workplace.last_lines())
            }
            _ => match self.program(settings, place).map_err(words)? {
                Some(program) => child::try_start(&program),
                None => Ok(()),
            },
        }
    }

    /// Returns the function that starts daemons.
    pub(crate) fn start_daemon(&self) -> StartDaemon {
        self.start_daemon
    }

    fn participant(&self, place: usize) -> io::Result<&Participant> {
        let participant = self.participants[place].as_ref();
        participant.ok_or_else(|| io::Error::other("internal error: this participant cannot play"))
    }

    /// Returns the participant's time control. If the participant gives time odds, this allows less time than the
    /// match's time control.
    pub(crate) fn time(&self, place: usize) -> io::Result<TimeControl> {
        Ok(self.participant(place)?.time)
    }

    /// Creates the player that plays for a participant in a pair, beginning with this game. `pair` and `game` are the
    /// numbers of the pair and of the game.
    pub(crate) fn seat(
        &self,
        settings: &Settings,
        place: usize,
        seed: u64,
        (pair, game): (u32, u8),
    ) -> io::Result<Seat<'_>> {
        let recorder = self.transcripts.as_ref().map(|all| Recorder {
            all: all.clone(),
            pair,
            game,
            agent: (place, settings.agents[place].name.clone()),
        });
        let recorded = |channel| match recorder.clone() {
            Some(recorder) => Box::new(RecordedChannel::new(channel, recorder)),
            None => channel,
        };
        let game = &settings.game.0;
        let participant = self.participant(place)?;
        let Participant {
            kind,
            time,
            resources,
            prepared,
            delivery,
            isolation,
            ..
        } = participant;
        Ok(match kind {
            Kind::BuiltIn { agent, .. } if settings.via == Via::Tcp => {
                let name = &settings.agents[place].name;
                let program = std::env::current_exe()?;
                let mut words = vec![program.to_string_lossy().into_owned()];
                words.extend(game.daemon_words(agent, name, *time, seed));
                Seat::Lines {
                    wire: game.about().wires[0],
                    channel: recorded((self.start_daemon)(words)?),
                }
            }
            Kind::BuiltIn { agent, options, .. } => Seat::BuiltIn {
                name: agent,
                options,
                resources: resources.as_ref().expect("an agent's were read with it"),
                nodes: settings.time.nodes(),
                seed,
            },
            Kind::Human => {
                let call = self.call_person.as_ref().ok_or_else(|| {
                    io::Error::other("there is no keyboard here: humans play in turnwise arena")
                })?;
                Seat::Person(call(&settings.agents[place].name))
            }
            Kind::Remote => {
                let name = &settings.agents[place].name;
                let call = self.call_remote.as_ref();
                let nobody = || io::Error::other(LineupError::Remote(name.clone()));
                Seat::Lines {
                    wire: game.about().wires[0],
                    channel: recorded(call.ok_or_else(nobody)?(name)),
                }
            }
            Kind::Program { words, way, .. } => match way {
                Way::Daemon => Seat::Lines {
                    wire: game.about().wires[0],
                    channel: recorded((self.start_daemon)(words.clone())?),
                },
                Way::Lines(wire) | Way::UsualLines(wire) => Seat::Lines {
                    wire,
                    channel: Box::new(ChildChannel::new(
                        participant.program(settings, wire, words),
                        recorder,
                    )),
                },
                Way::Files => {
                    let venue = game.file_venue().ok_or_else(|| {
                        let title = settings.game.title();
                        io::Error::other(format!("{kind} does not play {title}"))
                    })?;
                    let workplace = (self.open_workplace)(isolation.clone())?;
                    let command = Command {
                        words: words.clone(),
                        own: participant.own.clone(),
                        is_blamed: participant.is_blamed.load(Ordering::Relaxed),
                        recorder,
                    };
                    let prepared = prepared.as_ref();
                    let channel =
                        CommandChannel::new(command, venue, *delivery, prepared, workplace)?;
                    Seat::Files {
                        time: *time,
                        channel: Box::new(channel),
                    }
                }
            },
        })
    }
}

impl Participant {
    /// Returns the participant's program, which runs the command line `words` and uses the wire `wire`.
    fn program(&self, settings: &Settings, wire: &str, words: &[String]) -> Program {
        Program {
            words: words.to_vec(),
            folder: self.folder.clone(),
            own: self.own.clone(),
            isolation: self.isolation.clone(),
            ponder: settings.ponder,
            start: Duration::from_secs_f64(settings.start_s),
            kept: (!settings.restart).then(|| self.kept.clone()),
            longest_line: settings.game.0.longest_line(wire),
            delivery: self.delivery,
            is_blamed: self.is_blamed.load(Ordering::Relaxed),
            overheard: self.overheard.clone(),
        }
    }

    fn of(
        settings: &Settings,
        mut kind: Kind,
        contestant: &Contestant,
    ) -> Result<Self, LineupError> {
        let agent = || contestant.name.clone();
        let folder = contestant.folder.clone().unwrap_or_else(|| ".".into());
        let is_elsewhere = contestant.folder.is_some();
        if is_elsewhere && !folder.is_dir() {
            return Err(LineupError::Folder(agent(), folder));
        }
        let mut isolation = settings.isolation.clone();
        let mut own = None;
        if let Kind::Program { words, way, .. } = &mut kind {
            let rejected = |cause: io::Error| LineupError::Files(agent(), cause.to_string());
            if let Some(isolation) = isolation.as_mut().filter(|_| is_elsewhere) {
                let opened = OwnFolder::open(&folder).map_err(rejected)?;
                for word in words.iter_mut() {
                    *word = opened.absolute_word(word).map_err(rejected)?;
                }
                let path = opened.path().to_owned();
                isolation.own = match way {
                    Way::Files => Own::Reads(path),
                    _ => Own::StartsIn(path),
                };
                own = Some(Arc::new(opened));
            } else {
                if isolation.is_some() {
                    check_words(words).map_err(rejected)?;
                }
                if is_elsewhere || *way == Way::Files {
                    words
                        .iter_mut()
                        .for_each(|word| from_anywhere(&folder, word));
                }
            }
        }
        let resources = match &kind {
            Kind::Remote | Kind::Human | Kind::Program { .. } => None,
            Kind::BuiltIn {
                agent: name,
                options,
                ..
            } => {
                let resources = settings.game.0.resources(name, options);
                Some(resources.map_err(|cause| LineupError::Resources(agent(), cause))?)
            }
        };
        Ok(Self {
            time: kind.time(settings.time),
            kind,
            resources,
            prepared: None,
            folder,
            own,
            delivery: Delivery::default(),
            overheard: None,
            isolation,
            kept: Kept::default(),
            is_blamed: AtomicBool::new(false),
        })
    }
}

/// Makes the relative path in `word` absolute if it names a file in `folder`, or the folder itself (`.`).
fn from_anywhere(folder: &Path, word: &mut String) {
    let path = folder.join(&*word);
    if Path::new(word).is_relative()
        && (path.is_file() || word == ".")
        // Links are not resolved, because some programs behave differently depending on the name of the link.
        && let Ok(path) = std::path::absolute(path)
    {
        *word = path.to_string_lossy().into_owned();
    }
}

/// Checks that a program can be started, as far as this is known before its start. The error is the variant of
/// [`LineupError`] that names the reason.
fn find(program: &str) -> Result<(), fn(String, String) -> LineupError> {
    let in_path =
        |paths: OsString| std::env::split_paths(&paths).any(|path| path.join(program).is_file());
    match fs::metadata(program) {
        Ok(file) if file.is_file() => match file.permissions().mode() & 0o111 {
            0 if program.contains('/') => Err(LineupError::Executable),
            _ => Ok(()),
        },
        _ if std::env::var_os("PATH").is_none_or(in_path) => Ok(()),
        _ => Err(LineupError::Program),
    }
}
