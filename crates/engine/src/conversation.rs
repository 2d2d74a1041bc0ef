//! A player's side of a connection to a game server, without I/O. Messages go in, and requested actions come out.
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

/// A player's part of all games that are played on one connection.
pub trait Conversation {
    /// A message from the server, or the report of a frame that could not be decoded.
    type Message;
    /// A message from the player to the server.
    type Reply;
    /// The agent that chooses the moves.
    type Agent: ThreadAgent;
    /// A report about the course of a game, for code that observes this player.
    type Seen;

    /// Handles a message that was read at `now`, and returns the action that it requires, if any.
    fn receive(&mut self, message: Self::Message, now: Instant) -> Next<Self>;

    /// Records how long the thread that reads messages waited for a core when it woke up for the next message.
    fn woken(&mut self, late: Duration);

    /// Takes back the agent that finished thinking, together with its result.
    fn finished(&mut self, finished: Finished<Self::Agent>, now: Instant) -> Next<Self>;

    /// Plays the best move that the agent has found so far, because the deadline for the reply has come.
    fn overdue(&mut self, best: Option<<Self::Agent as Agent>::Move>, now: Instant) -> Next<Self>;

    /// Records that the reply was sent. `now` is the time before the write, because the time that the write takes is
    /// not charged to us.
    fn sent(&mut self, now: Instant) -> Next<Self>;

    /// Returns the reports that arose since this method was last called, in order. Call it after each call of another
    /// method, so that reports do not accumulate.
    fn seen(&mut self) -> Vec<Self::Seen>;

    /// Prepares for the end of the connection: handles all messages received earlier, then abandons the current game,
    /// if any.
    fn leave(&mut self, why: &str);

    /// Returns a summary of the games that have been played on this connection so far.
    fn history(&self) -> History;
}

/// A summary of the games that have been played on one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct History {
    /// True once we have sent a move in any game.
    pub has_moved: bool,
    /// The number of games that have started on this connection.
    pub begun: u32,
    /// The number of games that were played to their end.
    pub completed: u32,
    /// True if the end of the connection cut a game short; set by [`Conversation::leave`].
    pub was_cut_short: bool,
}

/// The action that a conversation requests next, if any.
pub type Next<C> = Option<Effect<<C as Conversation>::Agent, <C as Conversation>::Reply>>;

/// An action that a conversation requests from its caller.
pub enum Effect<A: Agent, R> {
    /// Let the agent think; then call [`Conversation::finished`]. If the reply deadline comes first, also call
    /// [`Conversation::overdue`].
    Think(Task<A>),
    /// Send this reply with a single write; then call [`Conversation::sent`] with the time before the write.
    Send(R),
    /// Tell the agent to stop thinking. [`Conversation::finished`] must still be called when it has stopped.
    StopThinking,
    /// Close the connection, because the conversation is over for the reason given.
    Close(Closing),
}

/// An agent, the position that it must think about, and its deadlines.
pub struct Task<A: Agent> {
    /// The agent, which must be returned through [`Conversation::finished`].
    pub agent: A,
    /// The position in which the agent is to move.
    pub position: A::Position,
    /// The deadlines for the agent's thinking.
    pub budget: Budget,
}

impl<A: Agent> Task<A> {
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
        ours: String,
        /// The wire (message format) that the server seems to use.
        theirs: String,
    },
    /// The server sent more messages at once than a server that waits for our replies can have sent.
    Flooded,
}

/// A game's protocol on tournament servers: its wires (message formats) and its conversations.
pub trait ServerProtocol {
    /// The type that identifies a wire (message format) that the game supports.
    type Wire: Copy + Display;
    /// The codec, which turns bytes from the server into messages, and replies into bytes.
    type Codec;
    /// The type of the conversation that is held on one connection.
    type Conversation: Conversation;

    /// Returns the wire to use if it is fixed in advance; `None` if it must be detected from what the server sends.
    fn settled_wire(&self) -> Option<Self::Wire>;

    /// Detects a server's wire (message format) from the first byte that the server sends.
    fn wire_of_first_byte(byte: u8) -> Self::Wire;

    /// Returns true if a server on this wire sends nothing until it has received the player's name.
    fn begins_with_name(wire: Self::Wire) -> bool;

    /// Returns true if a server on this wire sends a goodbye message before it closes the connection.
    fn has_goodbye(wire: Self::Wire) -> bool;

    /// Returns a new codec, ready for the beginning of a stream.
    fn codec(wire: Self::Wire) -> Self::Codec;

    /// Creates a new agent that has not learned anything yet. This may take some time.
    fn agent(&self) -> <Self::Conversation as Conversation>::Agent;

    /// Creates the conversation for a new connection; `latency` is the round-trip time to the server.
    fn conversation(
        &self,
        wire: Self::Wire,
        latency: Duration,
        agent: <Self::Conversation as Conversation>::Agent,
    ) -> Self::Conversation;
}
