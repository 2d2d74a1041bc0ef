//! Defines the actions that a conversation requests from its caller.

use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::clock::Budget;
use turnwise_engine::search::Limits;
use turnwise_entropy::rules::{Move, Position};
use turnwise_protocol::entropy::{Reply, Wire};

use crate::goodbye::Goodbye;

/// The agent that chooses the moves.
pub type Agent = BoxedAgent<Position, Move>;

/// An action that a conversation requests from its caller.
pub enum Effect {
    /// Let the agent think; then call [`finished`](super::EntropyConversation::finished). If the reply deadline comes
    /// first, also call [`overdue`](super::EntropyConversation::overdue).
    Think(Task),
    /// Send this reply with a single write; then call [`sent`](super::EntropyConversation::sent) with the time before
    /// the write.
    Send(Reply),
    /// Stop the agent. [`finished`](super::EntropyConversation::finished) must still be called when it has stopped.
    StopThinking,
    /// Close the connection, because the conversation is over for the reason given.
    Close(Closing),
}

/// An agent, the position that it must think about, and its deadlines.
pub struct Task {
    /// The agent, which must be returned through [`finished`](super::EntropyConversation::finished).
    pub agent: Agent,
    /// The position in which the agent is to move.
    pub position: Position,
    /// The deadlines for the agent's thinking.
    pub budget: Budget,
}

impl Task {
    /// Returns the budget in the form of limits for a search.
    pub fn limits(&self) -> Limits {
        Limits {
            soft: Some(self.budget.soft),
            hard: Some(self.budget.hard),
            ..Limits::default()
        }
    }
}

/// The reason why a conversation closes its connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closing {
    /// The server sent its last message.
    Goodbye(Goodbye),
    /// The server does not use the wire (message format) that was agreed on.
    WrongWire {
        /// The wire (message format) that we use.
        ours: Wire,
        /// The wire (message format) that the server seems to use.
        theirs: Wire,
    },
    /// The server sent more messages at once than a server that waits for our replies can have sent.
    Flooded,
}
