//! Whether a match can be played as its settings ask.

use thiserror::Error;
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::plugin::AgentOptions;

use crate::agents::{Kind, Spec, SpecError, Way};
use crate::records::{Contestant, FORMAT, Settings, Via};

/// Why a match cannot be played as asked. What is named first is mostly an agent.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SettingsError {
    /// An agent is none.
    #[error("agent `{0}`: {1}")]
    Spec(String, SpecError),
    #[error("expected at least two agents, got {0}; for example: turnwise arena turnwise greedy")]
    TooFew(usize),
    #[error("a sequential test compares two agents, got {0}; leave --sprt out for a league")]
    TestOfMany(usize),
    /// Nodes and the like cannot be told over a wire.
    #[error("{0} plays over a wire, which cannot tell it {1}; use --clock, or leave --via tcp out")]
    OverWire(String, &'static str),
    /// Nodes are no time.
    #[error("{0}: time= is a part of the clock, and this match counts nodes; say nodes= instead")]
    OddsWithoutClock(String),
    /// A wire that cannot be spoken by these rules, and what must be given besides.
    #[error("{0} {1}")]
    Wire(String, &'static str),
    /// The options of an agent stay in this process.
    #[error(
        "{0}: nodes=, depth= and weights= hold in this process only; leave them or --via tcp out"
    )]
    OptionsOverTcp(String),
    /// The log was written by another format.
    #[error("expected a log in format {FORMAT}, got format {0}")]
    Foreign(u32),
    /// The clocks of a game whose programs are commands for each move are the judge's.
    #[error("clocks of {0} are of CPU time; leave --counts out, or say cpu")]
    WallClock(&'static str),
    /// The programs of a game read and write files.
    #[error("players of {0} are not reached by sockets; leave --via out")]
    NoSockets(&'static str),
    /// Files name no number of nodes.
    #[error("{0} gets its time in a file, which cannot tell it a number of nodes; use --clock")]
    InFiles(String),
}

impl Settings {
    /// What plays, in the order of the agents, after checking that the match can be played.
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
        self.agents.iter().map(|agent| self.kind(agent)).collect()
    }

    fn kind(&self, contestant: &Contestant) -> Result<Kind, SettingsError> {
        let about = self.game.about();
        let Spec { kind, .. } = Spec::read(about, &contestant.spec)
            .map_err(|cause| SettingsError::Spec(contestant.spec.clone(), cause))?;
        let agent = contestant.name.clone();
        if matches!(kind, Kind::BuiltIn { part: Some(_), .. }) && self.time.nodes().is_some() {
            return Err(SettingsError::OddsWithoutClock(agent));
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
                if let Some(why) = self.game.0.wire_objection(wire) {
                    return Err(SettingsError::Wire(agent, why));
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
        Err(SettingsError::OverWire(agent, what))
    }
}
