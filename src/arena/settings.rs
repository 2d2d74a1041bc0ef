//! What is played: the log's header, from which a match can be resumed.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use turnwise_protocol::entropy::Wire;
use turnwise_protocol::entropy::codecup;

use super::spec::{BadSpec, Kind, Spec};
use super::sprt::Sprt;
use crate::games::entropy::rules::Rules;

/// The log format that is written, and the only one that is read.
pub const FORMAT: u32 = 1;

/// An agent in the header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contestant {
    /// Its name, unique in the match.
    pub name: String,
    /// What it is.
    pub spec: String,
}

/// How thinking is limited.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TimeControl {
    /// A clock for each player and game.
    Clock {
        /// At the beginning.
        seconds: f64,
        /// Added after each move.
        increment: f64,
    },
    /// The same time for every move.
    MoveTime {
        /// For a move.
        seconds: f64,
    },
    /// Nodes for every move of the searching agent, and no clock.
    Nodes {
        /// For a move.
        nodes: u64,
    },
}

/// Which time is charged to the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counts {
    /// Wall time, from question to answer.
    Wall,
    /// CPU time of the agent's thread or process.
    Cpu,
}

/// How built-in agents are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// In this process.
    Process,
    /// As daemons over loopback sockets.
    Tcp,
}

/// Everything that decides what is played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Of the log.
    pub format: u32,
    /// The version of this program.
    pub turnwise: String,
    /// The game's name.
    pub game: String,
    /// All agents.
    pub agents: Vec<Contestant>,
    /// Side of the board.
    pub size: u8,
    /// Determines the tiles, the openings, and the choices of agents that choose at random.
    pub seed: u64,
    /// Pairs of the whole match.
    pub pairs: u32,
    /// Random plies at the beginning of each game.
    pub opening_plies: u32,
    /// The limit of thinking.
    pub time: TimeControl,
    /// Which time is charged.
    pub counts: Counts,
    /// How built-in agents are reached.
    pub via: Via,
    /// Pairs played at the same time.
    pub jobs: usize,
    /// Whether Order may pass.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pass: bool,
    /// In a gauntlet, how many of the agents play against all the others and not each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gauntlet: Option<usize>,
    /// The test that may end the match early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Sprt>,
}

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
    /// CodeCup's board is fixed.
    #[error("{agent} speaks codecup, whose board is 7x7 with passing: add --size 7 --pass")]
    Codecup {
        /// The agent's name.
        agent: String,
    },
    /// Per-agent options stay in this process.
    #[error("{agent}: nodes= and depth= hold in this process only; leave them or --via tcp out")]
    OptionsOverTcp {
        /// The agent's name.
        agent: String,
    },
    /// The log was written by another format.
    #[error("expected a log of Entropy in format {FORMAT}, got {game} in format {format}")]
    Foreign {
        /// The game.
        game: String,
        /// The format.
        format: u32,
    },
}

impl Settings {
    /// The agents as they were named, after checking that the match can be played.
    ///
    /// # Errors
    ///
    /// If it cannot, with what to change.
    pub fn check(&self) -> Result<Vec<Kind>, BadSettings> {
        if self.format != FORMAT || self.game != "entropy" {
            return Err(BadSettings::Foreign {
                game: self.game.clone(),
                format: self.format,
            });
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
        let spec: Spec = contestant.spec.parse().map_err(|cause| BadSettings::Spec {
            text: contestant.spec.clone(),
            cause,
        })?;
        let agent = contestant.name.clone();
        match &spec.kind {
            Kind::BuiltIn { .. } if self.via == Via::Process => return Ok(spec.kind),
            Kind::BuiltIn { nodes, depth, .. } if nodes.is_some() || depth.is_some() => {
                return Err(BadSettings::OptionsOverTcp { agent });
            }
            Kind::Command { wire, .. }
                if *wire == Wire::Codecup && (self.size != codecup::SIZE || !self.pass) =>
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
            _ => return Ok(spec.kind),
        };
        Err(BadSettings::OverWire { agent, what })
    }

    /// The rules of the game.
    pub fn rules(&self) -> Rules {
        Rules {
            size: self.size,
            pass: self.pass,
        }
    }

    /// The time that a player has at the beginning of a game, if there is a clock.
    pub fn clock(&self) -> Option<Duration> {
        match self.time {
            TimeControl::Clock { seconds, .. } => Some(Duration::from_secs_f64(seconds)),
            _ => None,
        }
    }

    /// The limit of nodes of a match without clocks.
    pub fn nodes(&self) -> Option<u64> {
        match self.time {
            TimeControl::Nodes { nodes } => Some(nodes),
            _ => None,
        }
    }
}
