//! Whether a match can be played as its settings ask, whether they come from the command line or from a log.

use std::ops::RangeInclusive;

use thiserror::Error;
use turnwise_engine::player::{Counts, TimeControl, is_time};
use turnwise_engine::plugin::AgentOptions;
use turnwise_engine::words::is_unprintable;
use turnwise_process::isolation::Isolation;

use crate::agents::{Kind, Spec, SpecError, Way};
use crate::records::{Contestant, FORMAT, Settings, Sprt, Via};
use crate::schedule::pairings;

/// The most agents of a match.
pub const MOST_AGENTS: usize = 64;

/// The most agents of a tournament.
pub const MOST_PARTICIPANTS: usize = 4096;

/// Pairs of a pairing.
pub const PAIRS: RangeInclusive<u32> = 1..=1_000_000;

/// Pairs that can be played at the same time.
pub const JOBS: RangeInclusive<u16> = 1..=1024;

/// Seeds are numbers that every JSON reader can hold.
pub const LARGEST_SEED: u64 = (1 << 53) - 1;

/// Why a match cannot be played as asked.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SettingsError {
    /// An agent is none.
    #[error("agent `{spec}`: {cause}")]
    Spec {
        /// The agent as it was given on the command line.
        spec: String,
        /// Why it names no agent.
        cause: SpecError,
    },
    /// A folder where no reader of a log looks for it.
    #[error("{0}: expected its folder in the field `folder`, got it in the words of its command")]
    FolderInSpec(String),
    /// Nobody to play against.
    #[error("expected at least two agents, got {0}; for example: turnwise arena turnwise greedy")]
    TooFew(usize),
    /// It would not know whom.
    #[error("a sequential test compares two agents, got {0}; leave --sprt out for a league")]
    TestOfMany(usize),
    /// Nodes and the like cannot be told over a wire.
    #[error(
        "{agent} plays over a wire, which cannot tell it {what}; use --clock, or leave --via tcp out"
    )]
    OverWire {
        /// The name that the agent has in the match.
        agent: String,
        /// What the wire has no words for.
        what: &'static str,
    },
    /// Nodes are no time.
    #[error("{0}: time= is a part of the clock, and this match counts nodes; say nodes= instead")]
    OddsWithoutClock(String),
    /// A wire that cannot be spoken by these rules.
    #[error("{agent} {objection}")]
    Wire {
        /// The name that the agent has in the match.
        agent: String,
        /// Why not, and what must be given besides.
        objection: &'static str,
    },
    /// The options of an agent stay in this process.
    #[error(
        "{0}: nodes=, depth= and weights= hold in this process only; leave them or --via tcp out"
    )]
    OptionsOverTcp(String),
    /// A value that is not possible.
    #[error("{what}: expected {expected}, got {got}")]
    Value {
        /// The setting, as the message names it.
        what: &'static str,
        /// The values that are possible.
        expected: String,
        /// The value that came.
        got: String,
    },
    /// Two agents of one name, or a name that would take hold of a terminal.
    #[error(
        "expected another name for each agent, without control characters; got {0:?}; NAME=AGENT gives one"
    )]
    Name(String),
    /// The log was written by another format.
    #[error("expected a log in format {FORMAT}, got format {0}")]
    Foreign(u32),
    /// The clocks of a game whose programs are commands for each move are the judge's.
    #[error("clocks of {0} are of CPU time; leave --counts out, or say cpu")]
    WallClock(&'static str),
    /// The programs of a game read and write files.
    #[error("players of {0} are not reached by sockets; leave --via out")]
    NoSockets(&'static str),
    /// Daemons need what isolated programs have not.
    #[error("{0} connects by TCP, and isolated programs have no network; say cmd: instead")]
    IsolatedDaemon(String),
    /// Of a program somewhere else only wall time is known.
    #[error("{0} is remote: its CPU time cannot be known; say counts = \"wall\"")]
    RemoteOnCpu(String),
    /// Files name no number of nodes.
    #[error("{0} gets its time in a file, which cannot tell it a number of nodes; use --clock")]
    InFiles(String),
}

impl Settings {
    /// Checks that the match can be played; what each agent is, in their order.
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
            if name.contains(is_unprintable) || before.iter().any(|other| other.name == *name) {
                return Err(SettingsError::Name(name.clone()));
            }
        }
        self.agents.iter().map(|agent| self.kind(agent)).collect()
    }

    /// The agents that are programs of the user's.
    pub fn programs(&self) -> Result<Vec<&Contestant>, SettingsError> {
        let kinds = self.check()?.into_iter().zip(&self.agents);
        let programs = kinds.filter(|(kind, _)| matches!(kind, Kind::Program { .. }));
        Ok(programs.map(|(_, agent)| agent).collect())
    }

    /// How many agents may take part at most.
    pub fn most_agents(&self) -> usize {
        match self.tournament.is_some() {
            true => MOST_PARTICIPANTS,
            false => MOST_AGENTS,
        }
    }

    /// What no match can be played with, whoever plays.
    fn check_values(&self) -> Result<(), SettingsError> {
        let agents = self.agents.len();
        let is_gauntlet = |gauntlet| (1..agents).contains(&gauntlet);
        // A single game is no pair, and a log need not tell the jobs.
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
        let values = [
            (
                "agents",
                agents <= most_agents,
                format!("at most {most_agents}"),
                agents.to_string(),
            ),
            (
                "the agents of a gauntlet",
                self.gauntlet.is_none_or(is_gauntlet),
                format!("1 to {}", agents - 1),
                format!("{:?}", self.gauntlet.unwrap_or_default()),
            ),
            (
                "pairs",
                u64::from(self.pairs) <= most_pairs,
                format!("at most {most_pairs}"),
                self.pairs.to_string(),
            ),
            (
                "the seed",
                self.seed <= LARGEST_SEED,
                format!("at most {LARGEST_SEED}"),
                self.seed.to_string(),
            ),
            (
                "jobs",
                self.jobs <= usize::from(*JOBS.end()),
                format!("at most {}", JOBS.end()),
                self.jobs.to_string(),
            ),
            (
                "the time",
                is_possible_time,
                "positive seconds or nodes".to_owned(),
                format!("{:?}", self.time),
            ),
            (
                "the start-up time",
                self.start_s == 0.0 || is_time(self.start_s),
                "seconds, 0 or more".to_owned(),
                format!("{:?}", self.start_s),
            ),
            (
                "the test",
                self.sprt.is_none_or(Sprt::is_sound),
                "H0 below H1 and error rates between 0 and 0.5".to_owned(),
                format!("{:?}", self.sprt),
            ),
            (
                "the isolation",
                (self.isolation.as_ref()).is_none_or(Isolation::is_possible),
                format!(
                    "at least {} bytes of memory, a process and a file",
                    Isolation::LEAST_MEMORY
                ),
                format!("{:?}", self.isolation),
            ),
        ];
        match values
            .into_iter()
            .find(|&(_, is_possible, ..)| !is_possible)
        {
            Some((what, _, expected, got)) => Err(SettingsError::Value {
                what,
                expected,
                got,
            }),
            None => Ok(()),
        }
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
            // Whoever brings a program along gives it its time in its own words; ours know clocks.
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
