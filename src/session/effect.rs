//! What a session is told in the beginning, and what it tells its driver to do.

use std::time::Duration;

use turnwise_protocol::entropy::{Reply, Wire};

use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::clock::{Budget, Start};
use turnwise_engine::search::Limits;
use turnwise_entropy::rules::{Move, Position};

/// What a session needs to know before it begins.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The wire that is spoken.
    pub wire: Wire,
    /// Our time for a game in one role.
    pub clock: Duration,
    /// Whether Order may pass by the rules in force.
    pub pass: bool,
    /// What a message costs on its way to the server and back.
    pub latency: Duration,
    /// Our start, if the clock of the first game may count it.
    pub start: Option<Start>,
}

/// What the driver has to do.
pub enum Effect {
    /// Let the agent think; then call [`super::Session::finished`]. When the time to reply has come
    /// before, call [`super::Session::overdue`].
    Think(Task),
    /// Send this in one write; then call [`super::Session::sent`] with the time before it.
    Send(Reply),
    /// Tell the agent to stop; [`super::Session::finished`] is still to be called.
    StopThinking,
    /// Close the connection.
    Close(Closing),
}

/// An agent with something to think about.
pub struct Task {
    /// The agent, to be brought back.
    pub agent: BoxedAgent<Position, Move>,
    /// Where it is its turn.
    pub position: Position,
    /// Until when.
    pub budget: Budget,
}

impl Task {
    /// The budget as limits of a search.
    pub fn limits(&self) -> Limits {
        Limits {
            soft: Some(self.budget.soft),
            hard: Some(self.budget.hard),
            ..Limits::default()
        }
    }
}

/// Why a session closes its connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closing {
    /// The server said goodbye.
    Killed,
    /// The server speaks another wire than was settled on.
    WrongWire {
        /// What is spoken here.
        ours: Wire,
        /// What the server seems to speak.
        theirs: Wire,
    },
    /// More messages came than a server in step can have sent.
    Flooded,
}
