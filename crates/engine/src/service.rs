//! The logic of a daemon that answers requests for single moves, without I/O. Questions go in; answers, or positions to
//! think about, come out.

use std::time::Duration;

use crate::agent::{Agent, ThreadAgent};
use crate::instant::Instant;
use crate::thought::Finished;

/// The logic of a daemon. Between questions, it stores the games and the agents that play them.
pub trait Service: Send + 'static {
    /// The codec that turns bytes into questions and answers into bytes.
    type Codec: Default + Send;
    /// A question to the daemon, or the report of a frame that could not be decoded.
    type Question: Send;
    /// The daemon's reply to a question.
    type Answer: Send;
    /// The agent that chooses the moves.
    type Agent: ThreadAgent;
    /// A ticket, which identifies the question that an agent is working on.
    type Ticket: Send;

    /// Handles a question that was read at `now`. Returns the next step: send an answer, or let an agent think.
    fn ask(&mut self, question: Self::Question, now: Instant) -> StepOf<Self>;

    /// Takes back the agent that finished thinking, together with its result. Returns the answer, which is sent at
    /// `now`.
    fn finished(
        &mut self,
        ticket: Self::Ticket,
        finished: Finished<Self::Agent>,
        now: Instant,
    ) -> Self::Answer;

    /// Takes back the agent after a search whose result is no longer needed, for example because the asker has left.
    fn cancelled(&mut self, ticket: Self::Ticket, finished: Finished<Self::Agent>);

    /// Drops the games that have been idle for too long at the instant `now`.
    fn expire(&mut self, now: Instant);

    /// Returns the answer to a connection that is rejected because the daemon has `most` connections already.
    fn too_many_connections(most: usize) -> Self::Answer;

    /// Returns the reason why an answer contains no move, for the log; `None` if it contains a move.
    fn error(answer: &Self::Answer) -> Option<&str>;
}

/// The next step of the service `S` in handling a question.
pub type StepOf<S> = Step<<S as Service>::Agent, <S as Service>::Answer, <S as Service>::Ticket>;

/// The next step of a daemon in handling a question.
pub enum Step<A: Agent, R, T> {
    /// Send this answer at once, without thinking.
    Answer(R),
    /// Let the agent think, then call [`Service::finished`] or [`Service::cancelled`] once.
    Think {
        /// The agent, which must be returned through [`Service::finished`] or [`Service::cancelled`].
        agent: A,
        /// The position in which the agent is to move.
        position: A::Position,
        /// The soft and the hard limit on the CPU time of the agent's thread.
        cpu_limits: (Duration, Duration),
        /// The ticket, which must be returned together with the agent.
        ticket: T,
    },
}
