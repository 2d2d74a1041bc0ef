//! A daemon that receives one move request at a time, without I/O. Questions go in, answers or positions to think
//! about come out.

use std::time::Duration;

use crate::agent::{Agent, ThreadAgent};
use crate::instant::Instant;
use crate::thought::Finished;

/// Stores games between questions, with the agents that play them.
pub trait Service: Send + 'static {
    /// Turns bytes into questions and answers into bytes.
    type Codec: Default + Send;
    /// A question, or a malformed frame.
    type Question: Send;
    /// The reply to a question.
    type Answer: Send;
    /// The agent that chooses the moves.
    type Agent: ThreadAgent;
    /// Identifies the question that an agent is working on.
    type Ticket: Send;

    /// Handles a question that was read at `now`.
    fn ask(&mut self, question: Self::Question, now: Instant) -> StepOf<Self>;

    /// Takes the agent back with its result, which can be answered at `now`.
    fn finished(
        &mut self,
        ticket: Self::Ticket,
        finished: Finished<Self::Agent>,
        now: Instant,
    ) -> Self::Answer;

    /// Takes the agent back after a search whose result is no longer needed.
    fn cancelled(&mut self, ticket: Self::Ticket, finished: Finished<Self::Agent>);

    /// Drops games that have been idle for too long at `now`.
    fn expire(&mut self, now: Instant);

    /// Returns the answer to a connection above the daemon's limit.
    fn too_many_connections(most: usize) -> Self::Answer;

    /// Returns the reason why an answer has no move, for the log.
    fn error(answer: &Self::Answer) -> Option<&str>;
}

/// The next step for a question to a service.
pub type StepOf<S> = Step<<S as Service>::Agent, <S as Service>::Answer, <S as Service>::Ticket>;

/// The next step for a question.
pub enum Step<A: Agent, R, T> {
    /// Send this answer at once, without thinking.
    Answer(R),
    /// Let the agent think, then call [`Service::finished`] or [`Service::cancelled`] once.
    Think {
        /// The agent, which must be returned.
        agent: A,
        /// The position in which the agent is to move.
        position: A::Position,
        /// Soft and hard limit on its thread's CPU time.
        cpu_limits: (Duration, Duration),
        /// The ticket, which must also be returned.
        ticket: T,
    },
}
