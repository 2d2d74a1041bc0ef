//! One turn of thinking: what it gave and what it cost, also if the agent panicked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::agent::Agent;
use crate::cpu_time::CpuClock;
use crate::game::Score;
use crate::instant::Instant;
use crate::search::{Control, Found, Limits};

/// What one turn of thinking gave, and what it cost.
#[derive(Debug, Clone)]
pub struct Thought<M> {
    /// The move found, and what the search learned of it.
    pub found: Found<M>,
    /// The final score that the finding stands for, if the agent knows.
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
    /// For how long the machine held us up: until the thread began, after the hard limit until it
    /// ended, or until whoever waited noticed, whichever was longest.
    pub delay: Duration,
}

/// Lets an agent think on this thread. A panic of the agent ends here.
pub fn think<A: Agent<Move: Copy>>(
    mut agent: A,
    position: &A::Position,
    limits: Limits,
    control: &Control<A::Move>,
) -> Finished<A> {
    let (began, cpu_before) = (Instant::now(), CpuClock::Thread.now());
    // A panic leaves at worst a half-written table behind, which `recover` throws away.
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
