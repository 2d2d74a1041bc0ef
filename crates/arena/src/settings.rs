//! Checks whether a match can be played under its settings, which come from the command line or from a log.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::RangeInclusive;

use thiserror::Error;
use turnwise_engine::player::{Counts, TimeControl, allowed_times, is_time};
use turnwise_engine::plugin::{AgentOptions, Plugin};
use turnwise_engine::words::{is_unprintable, shortened};
use turnwise_process::isolation::Isolation;

use crate::agents::{Kind, Spec, SpecError, Way};
use crate::records::{Contestant, FORMAT, GameSettings, MOST_AGENTS, Settings, Sprt, Via, one_of};
use crate::schedule::pairings;

/// The maximum length of an agent's name, in characters. An agent may be named after its program's file, whose name is
/// never longer.
pub const LONGEST_NAME: usize = 256;

/// The allowed numbers of pairs for each pairing of agents.
pub const PAIRS: RangeInclusive<u32> = 1..=1_000_000;

/// The allowed numbers of pairs that are played simultaneously.
pub const JOBS: RangeInclusive<u16> = 1..=1024;

/// The largest seed: every JSON parser can represent integers up to this one exactly.
pub const LARGEST_SEED: u64 = (1 << 53) - 1;

/// The reason why a match cannot be played as requested.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SettingsError {
    /// A text does not describe an agent.
    #[error("agent `{spec}`: {cause}")]
    Spec {
        /// The text on the command line.
        spec: String,
        /// The reason why the text does not describe an agent.
        cause: SpecError,
    },
    /// The text that describes an agent contains its folder, which a log must store in the field `folder`.
    #[error("{0}: expected its folder in the field `folder`, got it in its command")]
    FolderInSpec(String),
    /// There are fewer than two agents, so an agent has no opponent.
    #[error("expected at least two agents, got {0}; for example: turnwise arena turnwise greedy")]
    TooFew(usize),
    /// The match has a sequential test and more than two agents, but such a test compares two agents only.
    #[error("a sequential test compares two agents, got {0}; omit --sprt for a league")]
    TestOfMany(usize),
    /// An agent plays over a wire that cannot convey a setting, for example a number of nodes.
    #[error(
        "{agent} is another process, and no message tells it {what}; use a clock instead, or omit --via tcp if it is given"
    )]
    OverWire {
        /// The name of the agent in the match.
        agent: String,
        /// The setting that the wire cannot convey.
        what: &'static str,
    },
    /// An agent gives time odds in a match without clocks, where a number of nodes limits the search.
    #[error(
        "{0}: time= is a fraction of the clock, but this match counts nodes; use nodes= instead"
    )]
    OddsWithoutClock(String),
    /// An agent uses a wire that does not support the match's rules.
    #[error("{agent} {objection}")]
    Wire {
        /// The name of the agent in the match.
        agent: String,
        /// Why the wire cannot be used, and which setting is missing.
        objection: &'static str,
    },
    /// An agent that is reached over TCP has options that have an effect only in this process.
    #[error("{0}: nodes=, depth= and weights= apply only in this process; omit them or --via tcp")]
    OptionsOverTcp(String),
    /// A setting has an invalid value.
    #[error("{what}: expected {expected}, got {got}")]
    Value {
        /// The name of the setting, as the message contains it.
        what: &'static str,
        /// A description of the valid values.
        expected: String,
        /// The value that was found.
        got: String,
    },
    /// Two agents share a name, or a name is too long or contains control characters.
    #[error(
        "expected a different name for each agent, of at most {LONGEST_NAME} characters and without control \
         characters; got {0:?}; NAME=AGENT sets it"
    )]
    Name(String),
    /// The log has another format version than [`FORMAT`].
    #[error("expected a log in format {FORMAT}, got format {0}")]
    Foreign(u32),
    /// The match counts wall time, but the game's programs run once per move and are charged for CPU time only.
    #[error("clocks of {0} count CPU time; omit --counts, or use --counts cpu")]
    WallClock(&'static str),
    /// The match should reach its players over sockets, but the game's programs read and write files.
    #[error("players of {0} do not use sockets; omit --via")]
    NoSockets(&'static str),
    /// A daemon should be isolated, but needs the network, which isolated programs cannot use.
    #[error("{0} connects by TCP, but isolated programs have no network; use cmd: instead")]
    IsolatedDaemon(String),
    /// The match counts CPU time, but only the wall time of a remote agent is known.
    #[error("{0} is remote: its CPU time cannot be measured; set counts = \"wall\"")]
    RemoteOnCpu(String),
    /// The match limits nodes, but the files of a program cannot convey a number of nodes.
    #[error("{0} reads its time from a file, which cannot contain a number of nodes; use --clock")]
    InFiles(String),
    /// A game has no setting with this name.
    #[error("expected a setting of {game}, which are {known}; got {got:?}")]
    NoSetting {
        /// The title of the game.
        game: &'static str,
        /// The names of the game's settings.
        known: String,
        /// The name that was found.
        got: String,
    },
    /// A setting of a game has an invalid value.
    #[error("setting {name}={got}: {why}")]
    Setting {
        /// The name of the setting.
        name: String,
        /// The value that was found.
        got: String,
        /// Why the value is invalid.
        why: String,
    },
    /// The values of a game's settings contradict each other; the text gives the reason.
    #[error("{0}")]
    Game(String),
}

/// Returns the settings of a game whose values are given as texts, keyed by the names of the settings. The text of a
/// switch is `true` or `false`. Settings that are not given have their default values.
///
/// # Errors
///
/// Returns an error if the game has no setting with a given name, or if a value is invalid.
pub fn game_settings(
    game: &Plugin,
    given: &BTreeMap<String, String>,
) -> Result<GameSettings, SettingsError> {
    let about = game.about();
    let mut texts = BTreeMap::new();
    for (name, text) in given {
        let option = about.options.iter().find(|option| option.name == name);
        let option = option.ok_or_else(|| SettingsError::NoSetting {
            game: about.title,
            known: one_of(about.options.iter().map(|option| option.name)),
            got: name.clone(),
        })?;
        let invalid = |why| SettingsError::Setting {
            name: name.clone(),
            got: text.clone(),
            why,
        };
        let words = option.choices.iter().map(|&(word, _)| word);
        let text = match (option.value, text.as_str()) {
            (None, "true") => String::new(),
            (None, "false") => continue,
            (None, _) => return Err(invalid("expected true or false".to_owned())),
            (Some(_), text) if words.len() > 0 && !words.clone().any(|word| word == text) => {
                return Err(invalid(format!("expected {}", one_of(words))));
            }
            (Some(_), text) => (option.check)(text)
                .map(|()| text.to_owned())
                .map_err(invalid)?,
        };
        texts.insert(option.name, text);
    }
    let settled = game.by_options(&|name| texts.get(name).cloned());
    Ok(GameSettings(settled.map_err(SettingsError::Game)?))
}

impl Settings {
    /// Checks that the match can be played, and returns the kind of each agent, in order.
    pub fn check(&self) -> Result<Vec<Kind>, SettingsError> {
        if self.format != FORMAT {
            return Err(SettingsError::Foreign(self.format));
        }
        if self.agents.len() < 2 {
            return Err(SettingsError::TooFew(self.agents.len()));
        }
        if self.sprt.is_some() && self.agents.len() > 2 {
            return Err(SettingsError::TestOfMany(self.agents.len()));
        }
        self.check_values()?;
        for (place, Contestant { name, .. }) in self.agents.iter().enumerate() {
            let before = &self.agents[..place];
            let is_long = name.chars().count() > LONGEST_NAME;
            let is_taken = before.iter().any(|other| other.name == *name);
            if is_long || is_taken || name.contains(is_unprintable) {
                return Err(SettingsError::Name(shortened(name, LONGEST_NAME)));
            }
        }
        self.agents.iter().map(|agent| self.kind(agent)).collect()
    }

    /// Returns the agents that are programs provided by users.
    pub fn programs(&self) -> Result<Vec<&Contestant>, SettingsError> {
        let kinds = self.check()?.into_iter().zip(&self.agents);
        let programs = kinds.filter(|(kind, _)| matches!(kind, Kind::Program { .. }));
        Ok(programs.map(|(_, agent)| agent).collect())
    }

    /// Checks for values that make any match impossible, regardless of the agents.
    fn check_values(&self) -> Result<(), SettingsError> {
        let agents = self.agents.len();
        // The number of pairs is 0 for a single game, and the number of jobs is 0 if the log does not contain it.
        let pairings = match self.tournament.is_some() {
            true => 1,
            false => pairings(agents.min(MOST_AGENTS), self.gauntlet).len() as u64,
        };
        let most_agents = self.most_agents();
        let most_pairs = u64::from(*PAIRS.end()) * pairings;
        let is_possible_time = match self.time {
            TimeControl::Clock { seconds, increment } => {
                is_time(seconds) && (increment == 0.0 || is_time(increment))
            }
            TimeControl::MoveTime { seconds } => is_time(seconds),
            TimeControl::Nodes { nodes } => nodes > 0,
        };
        let check = |what, is_possible, expected: String, got: &dyn Debug| match is_possible {
            true => Ok(()),
            false => Err(SettingsError::Value {
                what,
                expected,
                got: format!("{got:?}"),
            }),
        };
        let at_most = |most: u64| format!("at most {most}");
        check(
            "agents",
            agents <= most_agents,
            at_most(most_agents as u64),
            &agents,
        )?;
        let gauntlet = self.gauntlet.unwrap_or(1);
        check(
            "the agents of a gauntlet",
            (1..agents).contains(&gauntlet),
            format!("1 to {}", agents - 1),
            &gauntlet,
        )?;
        let pairs = u64::from(self.pairs);
        check("pairs", pairs <= most_pairs, at_most(most_pairs), &pairs)?;
        let (seed, jobs) = (self.seed, self.jobs as u64);
        let most_jobs = u64::from(*JOBS.end());
        check(
            "the seed",
            seed <= LARGEST_SEED,
            at_most(LARGEST_SEED),
            &seed,
        )?;
        check("jobs", jobs <= most_jobs, at_most(most_jobs), &jobs)?;
        check(
            "the time",
            is_possible_time,
            format!("{}, or nodes above 0", allowed_times()),
            &self.time,
        )?;
        check(
            "the start-up time",
            self.start_s == 0.0 || is_time(self.start_s),
            format!("0 or {}", allowed_times()),
            &self.start_s,
        )?;
        check(
            "the test",
            self.sprt.is_none_or(Sprt::is_sound),
            "H0 below H1 and error rates between 0 and 0.5".to_owned(),
            &self.sprt,
        )?;
        let least = Isolation::LEAST_MEMORY;
        check(
            "the isolation",
            (self.isolation.as_ref()).is_none_or(Isolation::is_possible),
            format!("at least {least} bytes of memory, a process and a file"),
            &self.isolation,
        )
    }

    fn kind(&self, contestant: &Contestant) -> Result<Kind, SettingsError> {
        let about = self.game.about();
        let spec = Spec::read(about, &contestant.spec).map_err(|cause| {
            let spec = contestant.spec.clone();
            SettingsError::Spec { spec, cause }
        })?;
        let Spec { kind, folder, .. } = spec;
        let agent = contestant.name.clone();
        if folder.is_some() {
            return Err(SettingsError::FolderInSpec(agent));
        }
        if matches!(kind, Kind::BuiltIn { part: Some(_), .. }) && self.time.nodes().is_some() {
            return Err(SettingsError::OddsWithoutClock(agent));
        }
        let is_daemon = matches!(
            kind,
            Kind::Program {
                way: Way::Daemon,
                ..
            }
        );
        if is_daemon && self.isolation.is_some() {
            return Err(SettingsError::IsolatedDaemon(agent));
        }
        if kind.is_remote() && self.counts == Counts::Cpu {
            return Err(SettingsError::RemoteOnCpu(agent));
        }
        if kind.is_human() {
            return Ok(kind);
        }
        match about.wires {
            [] => self.check_by_files(agent, &kind)?,
            _ => self.check_by_wires(agent, &kind)?,
        }
        Ok(kind)
    }

    fn check_by_files(&self, agent: String, kind: &Kind) -> Result<(), SettingsError> {
        let timed = self.time.nodes().is_none();
        let game = self.game.title();
        if timed && self.counts != Counts::Cpu {
            return Err(SettingsError::WallClock(game));
        }
        if self.via != Via::Process {
            return Err(SettingsError::NoSockets(game));
        }
        if !timed && !kind.is_built_in() {
            return Err(SettingsError::InFiles(agent));
        }
        Ok(())
    }

    fn check_by_wires(&self, agent: String, kind: &Kind) -> Result<(), SettingsError> {
        match kind {
            Kind::BuiltIn { .. } if self.via == Via::Process => return Ok(()),
            Kind::BuiltIn { .. } if !self.game.about().has_daemons => {
                return Err(SettingsError::NoSockets(self.game.title()));
            }
            Kind::BuiltIn { options, .. } if *options != AgentOptions::default() => {
                return Err(SettingsError::OptionsOverTcp(agent));
            }
            Kind::Program {
                way: Way::Lines(wire) | Way::UsualLines(wire),
                ..
            } => {
                if let Some(objection) = self.game.0.wire_objection(wire) {
                    return Err(SettingsError::Wire { agent, objection });
                }
            }
            _ => {}
        }
        let what = match self.time {
            TimeControl::Nodes { .. } => "a number of nodes",
            // The command of a program contains its time per move, but built-in agents over a wire know only clocks.
            TimeControl::MoveTime { .. } if kind.is_built_in() => "the time of a move",
            TimeControl::Clock { increment, .. } if kind.is_built_in() && increment > 0.0 => {
                "an increment"
            }
            _ if self.opening_plies > 0 => "random opening plies",
            _ => return Ok(()),
        };
        Err(SettingsError::OverWire { agent, what })
    }
}
