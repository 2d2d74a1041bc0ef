//! A game's side of a connection to a server, without I/O: messages go in, effects come out.
//!
//! A game's crate implements [`Conversation`], so that every protocol decision can be tested without a socket, a
//! thread or a clock. The caller passes in each message with the current time, and carries out each [`Effect`].

use std::fmt::Display;
use std::time::Duration;

use crate::agent::{Agent, ThreadAgent};
use crate::clock::Budget;
use crate::goodbye::Goodbye;
use crate::instant::Instant;
use crate::search::Limits;
use crate::thought::Finished;

/// All games of one connection, as a player sees them.
pub trait Conversation {
    /// A message from the server, or a malformed frame.
    type Message;
    /// A message to the server.
    type Reply;
    /// The agent that chooses the moves.
    type Agent: ThreadAgent;
    /// A report about a game for this player's observers.
    type Seen;

    /// Handles a message that was read at `now`.
    fn receive(&mut self, message: Self::Message, now: Instant) -> Next<Self>;

    /// Records how long the reader waited for a core when it woke up for the next message.
    fn woken(&mut self, late: Duration);

    /// Takes the agent back, together with its result.
    fn finished(&mut self, finished: Finished<Self::Agent>, now: Instant) -> Next<Self>;

    /// Plays the agent's best move so far, because the time to reply has come.
    fn overdue(&mut self, best: Option<<Self::Agent as Agent>::Move>, now: Instant) -> Next<Self>;

    /// Records that the reply was sent. Time from `now` until sending completed is not charged to us.
    fn sent(&mut self, now: Instant) -> Next<Self>;

    /// Returns the reports since the last call, in order. Call it after each of the other methods, so that reports
    /// do not accumulate.
    fn seen(&mut self) -> Vec<Self::Seen>;

    /// Handles all earlier messages, then abandons the current game, if any. The connection is ending.
    fn leave(&mut self, why: &str);

    /// Returns a summary of the games so far.
    fn history(&self) -> History;
}

/// A summary of the games on one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct History {
    /// True once we have sent a move in a game.
    pub has_moved: bool,
    /// The number of games that have started.
    pub begun: u32,
    /// The number of games played to their end.
    pub completed: u32,
    /// True if the end of the connection cut a game short; set by [`Conversation::leave`].
    pub was_cut_short: bool,
}

/// The next effect, if any.
pub type Next<C> = Option<Effect<<C as Conversation>::Agent, <C as Conversation>::Reply>>;

/// An action that a conversation requests from its caller.
pub enum Effect<A: Agent, R> {
    /// Let the agent think; then call [`Conversation::finished`]. If the time to reply comes first, call
    /// [`Conversation::overdue`].
    Think(Task<A>),
    /// Send this in one write; then call [`Conversation::sent`] with the time before the write.
    Send(R),
    /// Tell the agent to stop; [`Conversation::finished`] must still be called.
    StopThinking,
    /// Close the connection for the reason in [`Closing`]: the conversation is over.
    Close(Closing),
}

/// An agent and the position it must think about.
pub struct Task<A: Agent> {
    /// The agent, which must be returned.
    pub agent: A,
    /// The position in which the agent is to move.
    pub position: A::Position,
    /// How long the agent may think.
    pub budget: Budget,
}

impl<A: Agent> Task<A> {
    /// Returns the budget as limits of a search.
    pub fn limits(&self) -> Limits {
        Limits {
            soft: Some(self.budget.soft),
            hard: Some(self.budget.hard),
            ..Limits::default()
        }
    }
}

/// Why a conversation closes its connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closing {
    /// The server said goodbye.
    Goodbye(Goodbye),
    /// The server does not speak the agreed wire.
    WrongWire {
        /// The wire we speak.
        ours: String,
        /// The wire that the server seems to speak.
        theirs: String,
    },
    /// The server sent more messages than a server in step can have sent.
    Flooded,
}

/// A game's protocol on tournament servers: its wires and conversations.
pub trait ServerProtocol {
    /// The wires that the game can use.
    type Wire: Copy + Display;
    /// Turns bytes into messages and replies into bytes.
    type Codec;
    /// The conversation on one connection.
    type Conversation: Conversation;

    /// Returns the wire if it is fixed in advance, regardless of what the server sends.
    fn settled_wire(&self) -> Option<Self::Wire>;

    /// Detects a server's wire from the first byte that it sends.
    fn wire_of_first_byte(byte: u8) -> Self::Wire;

    /// Returns true if a server on this wire waits for the player's name first.
    fn begins_with_name(wire: Self::Wire) -> bool;

    /// Returns true if a server on this wire sends a goodbye message; others just close.
    fn has_goodbye(wire: Self::Wire) -> bool;

    /// Returns a codec at the beginning of a stream.
    fn codec(wire: Self::Wire) -> Self::Codec;

    /// Creates an agent without any knowledge yet, which may take time.
    fn agent(&self) -> <Self::Conversation as Conversation>::Agent;

    /// Creates the conversation for a new connection; `latency` is the round-trip time to the server.
    fn conversation(
        &self,
        wire: Self::Wire,
        latency: Duration,
        agent: <Self::Conversation as Conversation>::Agent,
    ) -> Self::Conversation;
}
