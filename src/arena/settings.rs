//! Whether a match can be played as its settings ask.

use thiserror::Error;
use turnwise_protocol::entropy::Wire;
use turnwise_protocol::entropy::codecup;

use super::spec::{BadSpec, Kind, Spec};
use crate::records::{Contestant, Counts, FORMAT, GameSettings, Settings, TimeControl, Via};
use turnwise_entropy::rules::Rules;

/// Why a match cannot be played as asked.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum BadSettings {
    /// An agent is none.
    #[error("agent `{text}`: {cause}")]
    Spec {
        /// What was asked for.
        text: String,
        /// What is wrong.
        cause: BadSpec,
    },
    /// A match needs two agents.
    #[error("expected at least two agents, got {0}; for example: turnwise arena turnwise greedy")]
    TooFew(usize),
    /// A test needs exactly two.
    #[error("a sequential test compares two agents, got {0}; leave --sprt out for a league")]
    TestOfMany(usize),
    /// Nodes cannot be told over a wire.
    #[error(
        "{agent} plays over a wire, which cannot tell it {what}; use --clock, or leave --via tcp out"
    )]
    OverWire {
        /// The agent's name.
        agent: String,
        /// What cannot be told.
        what: &'static str,
    },
    /// Nodes are no time.
    #[error(
        "{agent}: time= is a part of the clock, and this match counts nodes; say nodes= instead"
    )]
    OddsWithoutClock {
        /// The agent's name.
        agent: String,
    },
    /// CodeCup's board is fixed.
    #[error("{agent} speaks codecup, whose board is 7x7 with passing: add --size 7 --pass")]
    Codecup {
        /// The agent's name.
        agent: String,
    },
    /// Per-agent options stay in this process.
    #[error(
        "{agent}: nodes=, depth= and weights= hold in this process only; leave them or --via tcp out"
    )]
    OptionsOverTcp {
        /// The agent's name.
        agent: String,
    },
    /// The log was written by another format.
    #[error("expected a log in format {FORMAT}, got format {format}")]
    Foreign {
        /// The format.
        format: u32,
    },
    /// Halma's clocks are the judge's.
    #[error("clocks of Halma are of CPU time; leave --counts out, or say cpu")]
    WallClock,
    /// Its players outside read and write files.
    #[error("players of Halma are not reached by sockets; leave --via out")]
    NoSockets,
    /// Files name no number of nodes.
    #[error("{agent} gets its time in a file, which cannot tell it a number of nodes; use --clock")]
    InFiles {
        /// The agent's name.
        agent: String,
    },
}

impl Settings {
    /// The agents as they were named, after checking that the match can be played.
    ///
    /// # Errors
    ///
    /// If it cannot, with what to change.
    pub fn check(&self) -> Result<Vec<Kind>, BadSettings> {
        if self.format != FORMAT {
            let format = self.format;
            return Err(BadSettings::Foreign { format });
        }
        if self.agents.len() < 2 {
            return Err(BadSettings::TooFew(self.agents.len()));
        }
        if self.sprt.is_some() && self.agents.len() > 2 {
            return Err(BadSettings::TestOfMany(self.agents.len()));
        }
        self.agents.iter().map(|agent| self.kind(agent)).collect()
    }

    fn kind(&self, contestant: &Contestant) -> Result<Kind, BadSettings> {
        let read = Spec::read(&self.game, &contestant.spec);
        let spec = read.map_err(|cause| BadSettings::Spec {
            text: contestant.spec.clone(),
            cause,
        })?;
        let agent = contestant.name.clone();
        if matches!(spec.kind, Kind::BuiltIn { part: Some(_), .. }) && self.nodes().is_some() {
            return Err(BadSettings::OddsWithoutClock { agent });
        }
        match self.game {
            GameSettings::Entropy { size, pass } => {
                self.check_entropy(agent, &spec, Rules { size, pass })?;
            }
            GameSettings::Halma { .. } => self.check_halma(agent, &spec)?,
        }
        Ok(spec.kind)
    }

    fn check_halma(&self, agent: String, spec: &Spec) -> Result<(), BadSettings> {
        let timed = self.nodes().is_none();
        if timed && self.counts != Counts::Cpu {
            return Err(BadSettings::WallClock);
        }
        if self.via != Via::Process {
            return Err(BadSettings::NoSockets);
        }
        if !timed && !spec.is_built_in() {
            return Err(BadSettings::InFiles { agent });
        }
        Ok(())
    }

    fn check_entropy(&self, agent: String, spec: &Spec, rules: Rules) -> Result<(), BadSettings> {
        match &spec.kind {
            Kind::BuiltIn { .. } if self.via == Via::Process => return Ok(()),
            Kind::BuiltIn {
                nodes,
                depth,
                weights,
                ..
            } if nodes.is_some() || depth.is_some() || weights.is_some() => {
                return Err(BadSettings::OptionsOverTcp { agent });
            }
            Kind::Command { wire, .. }
                if *wire == Wire::Codecup && (rules.size != codecup::SIZE || !rules.pass) =>
            {
                return Err(BadSettings::Codecup { agent });
            }
            _ => {}
        }
        let what = match self.time {
            TimeControl::Nodes { .. } => "a number of nodes",
            // Whoever brings a program along gives it its time in its own words; ours know clocks.
            TimeControl::MoveTime { .. } if spec.is_built_in() => "the time of a move",
            TimeControl::Clock { increment, .. } if spec.is_built_in() && increment > 0.0 => {
                "an increment"
            }
            _ if self.opening_plies > 0 => "random opening plies",
            _ => return Ok(()),
        };
        Err(BadSettings::OverWire { agent, what })
    }

    /// The limit of nodes of a match without clocks.
    pub fn nodes(&self) -> Option<u64> {
        match self.time {
            TimeControl::Nodes { nodes } => Some(nodes),
            _ => None,
        }
    }
}
