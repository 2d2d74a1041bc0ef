//! One turn of an agent's thinking: its result and the time that it took, even if the agent panicked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::agent::Agent;
use crate::cpu_time::CpuClock;
use crate::game::Score;
use crate::instant::Instant;
use crate::search::{Control, Found, Limits};

/// The result of one turn of thinking, and the time that it took.
#[derive(Debug, Clone)]
pub struct Thought<M> {
    /// The move that the agent found, with the search's information about the move.
    pub found: Found<M>,
    /// The final score of the game that the agent expects, if it can predict the score.
    pub forecast: Option<Score>,
    /// The wall time from the beginning to the end of the turn.
    pub wall: Duration,
    /// The CPU time that the agent's thread used.
    pub cpu: Duration,
}

/// An agent that has finished a turn of thinking, with its result.
pub struct Finished<A: Agent> {
    /// The agent, which can now think again.
    pub agent: A,
    /// The result of the turn. If the agent panicked, the error contains the best move that it had published before, if
    /// any.
    pub outcome: Result<Thought<A::Move>, Option<A::Move>>,
    /// The longest delay in this turn that the machine caused. Delays can occur before the agent's thread starts,
    /// between the hard deadline and the end of the search, and before the waiting thread notices the end.
    pub delay: Duration,
}

/// Lets an agent think on the calling thread, and catches a panic of the agent.
pub fn think<A: Agent<Move: Copy>>(
    mut agent: A,
    position: &A::Position,
    limits: Limits,
    control: &Control<A::Move>,
) -> Finished<A> {
    let (began, cpu_before) = (Instant::now(), CpuClock::Thread.now());
    // The worst that a panic can leave is a half-written table, which `recover` discards.
    let found = catch_unwind(AssertUnwindSafe(|| {
        let found = agent.think(position, limits, control);
        let forecast = agent.forecast(position, &found);
        (found, forecast)
    }));
    let outcome = found
        .map(|(found, forecast)| Thought {
            found,
            forecast,
            wall: began.elapsed(),
            cpu: CpuClock::Thread.now().saturating_sub(cpu_before),
        })
        .map_err(|_panic| {
            agent.recover();
            control.best()
        });
    let past = |hard| Instant::now().saturating_duration_since(hard);
    Finished {
        agent,
        outcome,
        delay: limits.hard.map(past).unwrap_or_default(),
    }
}
