//! What a game says on a connection to a server, without I/O: messages go in, effects come out.
//!
//! A game's crate implements [`Conversation`], so that every decision of its protocol can be tested
//! without a socket, a thread or a clock. Whoever has these passes in what was read and what time it
//! is, and carries out each [`Effect`].

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
    /// What is read: a message, or a frame that is none.
    type Message;
    /// A message to the other side.
    type Reply;
    /// What chooses the moves.
    type Agent: ThreadAgent;
    /// What those who watch this player may hear of its games.
    type Seen;

    /// Takes in what was read at `now`.
    fn receive(&mut self, message: Self::Message, now: Instant) -> Next<Self>;

    /// The reader had to wait for a core for so long when it woke up to read what comes next.
    fn woken(&mut self, late: Duration);

    /// Takes the agent back with what it found.
    fn finished(&mut self, finished: Finished<Self::Agent>, now: Instant) -> Next<Self>;

    /// The time to reply has come and the agent still thinks: plays the best move it has made known.
    fn overdue(&mut self, best: Option<<Self::Agent as Agent>::Move>, now: Instant) -> Next<Self>;

    /// The reply has been sent, from `now` on: what passes until it is gone is not ours.
    fn sent(&mut self, now: Instant) -> Next<Self>;

    /// What was seen since the last call, in its order. To be called after each of the others, so that it
    /// does not pile up.
    fn seen(&mut self) -> Vec<Self::Seen>;

    /// The connection is gone, or is being closed: what came before is still heard, then a game under
    /// way is abandoned.
    fn leave(&mut self, why: &str);

    /// What has been played so far.
    fn history(&self) -> History;
}

/// What has been played on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct History {
    /// True once a move of ours was sent in a game.
    pub has_moved: bool,
    /// How many games have begun.
    pub begun: u32,
    /// Games played to their end.
    pub completed: u32,
    /// True if the end of the connection cut a game short; known once [`Conversation::leave`] was called.
    pub was_cut_short: bool,
}

/// What is to be done next, if anything.
pub type Next<C> = Option<Effect<<C as Conversation>::Agent, <C as Conversation>::Reply>>;

/// What a conversation wants done.
pub enum Effect<A: Agent, R> {
    /// Let the agent think; then call [`Conversation::finished`]. When the time to reply has come
    /// before, call [`Conversation::overdue`].
    Think(Task<A>),
    /// Send this in one write; then call [`Conversation::sent`] with the time before it.
    Send(R),
    /// Tell the agent to stop; [`Conversation::finished`] is still to be called.
    StopThinking,
    /// The conversation is over: close the connection, as [`Closing`] says.
    Close(Closing),
}

/// An agent with something to think about.
pub struct Task<A: Agent> {
    /// The agent, to be brought back.
    pub agent: A,
    /// The position in which the agent is to move.
    pub position: A::Position,
    /// How long the agent may think.
    pub budget: Budget,
}

impl<A: Agent> Task<A> {
    /// The budget as limits of a search.
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
    /// The server speaks another wire than was settled on.
    WrongWire {
        /// What is spoken here.
        ours: String,
        /// What the server seems to speak.
        theirs: String,
    },
    /// More messages came than a server in step can have sent.
    Flooded,
}

/// How a game is played on tournament servers: its wires, and a conversation for each connection.
pub trait ServerProtocol {
    /// Which wires there are.
    type Wire: Copy + Display;
    /// Turns bytes into messages and replies into bytes.
    type Codec;
    /// What is said on a connection.
    type Conversation: Conversation;

    /// The wire that is spoken whatever the server says, if that is settled beforehand.
    fn settled_wire(&self) -> Option<Self::Wire>;

    /// Tells the wire of a server by the first byte that it sends.
    fn wire_of_first_byte(byte: u8) -> Self::Wire;

    /// True if a server on this wire waits for the player's name first.
    fn begins_with_name(wire: Self::Wire) -> bool;

    /// True if a server on this wire says goodbye in words; on others it just closes.
    fn has_goodbye(wire: Self::Wire) -> bool;

    /// A codec at the beginning of a stream.
    fn codec(wire: Self::Wire) -> Self::Codec;

    /// An agent that knows nothing yet; making it may take time.
    fn agent(&self) -> <Self::Conversation as Conversation>::Agent;

    /// A conversation at the beginning of a connection; `latency` is what a message costs on its way to
    /// the server and back.
    fn conversation(
        &self,
        wire: Self::Wire,
        latency: Duration,
        agent: <Self::Conversation as Conversation>::Agent,
    ) -> Self::Conversation;
}
