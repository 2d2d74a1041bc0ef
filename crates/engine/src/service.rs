//! What a daemon does that is asked for one move at a time, without I/O: questions go in, answers or
//! something to think about come out.

use std::time::Duration;

use crate::agent::{Agent, ThreadAgent};
use crate::instant::Instant;
use crate::thought::Finished;

/// Keeps games between questions, and the agents that play them.
pub trait Service: Send + 'static {
    /// Turns bytes into questions and answers into bytes.
    type Codec: Default + Send;
    /// What is read: a question, or a frame that is none.
    type Question: Send;
    /// The reply to a question.
    type Answer: Send;
    /// What chooses the moves.
    type Agent: ThreadAgent;
    /// What a question under way belongs to.
    type Ticket: Send;

    /// Takes in a question that was read at `now`.
    fn ask(&mut self, question: Self::Question, now: Instant) -> StepOf<Self>;

    /// Takes the agent back with what it found; `now` it can be answered.
    fn finished(
        &mut self,
        ticket: Self::Ticket,
        finished: Finished<Self::Agent>,
        now: Instant,
    ) -> Self::Answer;

    /// Takes the agent back after a search that nobody waited for.
    fn cancelled(&mut self, ticket: Self::Ticket, finished: Finished<Self::Agent>);

    /// Time has passed: drops what has been idle for too long.
    fn expire(&mut self, now: Instant);

    /// The answer to one connection more than the daemon takes.
    fn too_many_connections(most: usize) -> Self::Answer;

    /// Why there is no move in an answer, for the log.
    fn error(answer: &Self::Answer) -> Option<&str>;
}

/// What is to be done with a question of a service.
pub type StepOf<S> = Step<<S as Service>::Agent, <S as Service>::Answer, <S as Service>::Ticket>;

/// What is to be done with a question.
pub enum Step<A: Agent, R, T> {
    /// Send this answer at once; nobody has to think.
    Answer(R),
    /// Let the agent think, then call [`Service::finished`] or [`Service::cancelled`] once.
    Think {
        /// The agent, to be given back.
        agent: A,
        /// Where it is its turn.
        position: A::Position,
        /// Soft and hard limit of its thread's CPU time.
        cpu_limits: (Duration, Duration),
        /// To be given back, too.
        ticket: T,
    },
}
