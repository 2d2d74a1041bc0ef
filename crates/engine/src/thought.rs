//! One turn of thinking: its result and its cost, even if the agent panicked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::agent::Agent;
use crate::cpu_time::CpuClock;
use crate::game::Score;
use crate::instant::Instant;
use crate::search::{Control, Found, Limits};

/// The result and the cost of one turn of thinking.
#[derive(Debug, Clone)]
pub struct Thought<M> {
    /// The move found, with the search's information about it.
    pub found: Found<M>,
    /// The expected final score, if the agent knows it.
    pub forecast: Option<Score>,
    /// Wall time from beginning to end.
    pub wall: Duration,
    /// CPU time of the thread.
    pub cpu: Duration,
}

/// The agent, back from a turn of thinking.
pub struct Finished<A: Agent> {
    /// The agent, free to think again.
    pub agent: A,
    /// The thought, or the best move published before the agent panicked.
    pub outcome: Result<Thought<A::Move>, Option<A::Move>>,
    /// The longest delay caused by the machine. Delays are until the thread started, from the hard limit until the
    /// search ended, and until the waiting thread noticed.
    pub delay: Duration,
}

/// Lets an agent think on this thread, and catches a panic of the agent.
pub fn think<A: Agent<Move: Copy>>(
    mut agent: A,
    position: &A::Position,
    limits: Limits,
    control: &Control<A::Move>,
) -> Finished<A> {
    let (began, cpu_before) = (Instant::now(), CpuClock::Thread.now());
    // At worst, a panic leaves a half-written table, which `recover` discards.
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
