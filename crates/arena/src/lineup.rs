//! The participants of a match, ready to play.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use thiserror::Error;
use turnwise_engine::outside::LineChannel;
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin::{Resources, Seat};

use crate::agents::{Kind, Way};
use crate::child::ChildChannel;
use crate::command::CommandChannel;
use crate::preparation::{self, Prepared};
use crate::records::{Contestant, Settings, Via};
use crate::settings::SettingsError;

/// Starts a daemon with these words and opens a way to it; the port is put into the words.
pub type StartDaemon = fn(words: Vec<String>) -> io::Result<Box<dyn LineChannel>>;

/// Who takes part, in the order of the settings. What agents need from files has been read, once for the
/// whole match: what is written there meanwhile does not change it.
pub struct Lineup {
    participants: Vec<Participant>,
    start_daemon: StartDaemon,
}

/// An agent that can sit down at the game's table.
struct Participant {
    kind: Kind,
    time: TimeControl,
    /// What all players share that are made of it; none for programs.
    resources: Option<Resources>,
    prepared: Option<Prepared>,
}

/// Why there are no agents that are ready to play.
#[derive(Debug, Error)]
pub enum LineupError {
    /// The match cannot be played as asked.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// What an agent needs from a file is not to be had.
    #[error("agent `{0}`: {1}")]
    Resources(String, String),
    /// There is no such program.
    #[error(
        "agent `{0}`: cannot start {1:?}: there is neither such a file nor such a command in PATH"
    )]
    Program(String, String),
}

impl Lineup {
    /// The participants of a match.
    pub fn of(settings: &Settings, start_daemon: StartDaemon) -> Result<Self, LineupError> {
        let kinds = settings.check()?.into_iter().zip(&settings.agents);
        let participants =
            kinds.map(|(kind, contestant)| Participant::of(settings, kind, contestant));
        Ok(Self {
            participants: participants.collect::<Result<_, _>>()?,
            start_daemon,
        })
    }

    /// Runs once, before the first game, what programs have brought along for that; `tell` hears of it. The
    /// games of a line-up that was not prepared go on without.
    pub fn prepare(&mut self, settings: &Settings, tell: &dyn Fn(&str)) {
        let Some(venue) = settings.game.0.file_venue() else {
            return;
        };
        let mut done: HashMap<Vec<String>, Option<Prepared>> = HashMap::new();
        for participant in &mut self.participants {
            if let Kind::Program { words, .. } = &participant.kind
                && let Some(preparation) = (venue.preparation)(words)
            {
                let run = || preparation::run(&preparation, venue.largest, tell);
                let prepared = done.entry(preparation.words.clone()).or_insert_with(run);
                participant.prepared = prepared.clone();
            }
        }
    }

    /// Its time, which is less than the match's if it gives time odds.
    pub(crate) fn time(&self, place: usize) -> TimeControl {
        self.participants[place].time
    }

    /// A player of this participant, for a pair.
    pub(crate) fn seat(
        &self,
        settings: &Settings,
        place: usize,
        seed: u64,
    ) -> io::Result<Seat<'_>> {
        let game = &settings.game.0;
        let Participant {
            kind,
            time,
            resources,
            prepared,
        } = &self.participants[place];
        Ok(match kind {
            Kind::BuiltIn { agent, .. } if settings.via == Via::Tcp => {
                let name = &settings.agents[place].name;
                let program = std::env::current_exe()?;
                let mut words = vec![program.to_string_lossy().into_owned()];
                words.extend(game.daemon_words(agent, name, *time, seed));
                Seat::Lines {
                    wire: game.about().wires[0],
                    channel: (self.start_daemon)(words)?,
                }
            }
            Kind::BuiltIn { agent, options, .. } => Seat::BuiltIn {
                name: agent,
                options,
                resources: resources.as_ref().expect("an agent's were read with it"),
                nodes: settings.time.nodes(),
                seed,
            },
            Kind::Program { words, way, .. } => match way {
                Way::Daemon => Seat::Lines {
                    wire: game.about().wires[0],
                    channel: (self.start_daemon)(words.clone())?,
                },
                Way::Lines(wire) | Way::UsualLines(wire) => Seat::Lines {
                    wire,
                    channel: Box::new(ChildChannel::new(words.clone(), game.longest_line(wire))),
                },
                Way::Files => {
                    let venue = game.file_venue().ok_or_else(|| {
                        let title = settings.game.title();
                        io::Error::other(format!("{kind} does not play {title}"))
                    })?;
                    let channel = CommandChannel::new(words.clone(), venue, prepared.as_ref())?;
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
    fn of(settings: &Settings, kind: Kind, contestant: &Contestant) -> Result<Self, LineupError> {
        let agent = || contestant.name.clone();
        let resources = match &kind {
            Kind::Program { words, .. } => {
                if !is_there(&words[0]) {
                    return Err(LineupError::Program(agent(), words[0].clone()));
                }
                None
            }
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
        })
    }
}

/// Better to learn it now than at the first move of a game that has begun. Whether it can be run is seen
/// when it is.
fn is_there(program: &str) -> bool {
    let in_path =
        |paths: OsString| std::env::split_paths(&paths).any(|path| path.join(program).is_file());
    Path::new(program).is_file() || std::env::var_os("PATH").is_none_or(in_path)
}
