//! The blocking thread on which an agent thinks, while the network task goes on.
//!
//! The agent goes in and comes back by value, so there is never more than one owner. A started
//! blocking task cannot be aborted, so [`Thinking::stop`] asks and [`Thinking::finished`] waits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use crate::agent::BoxedAgent;
use crate::cpu_time::CpuClock;
use crate::game::Score;
use crate::search::{Control, Found, Limits};

/// What one turn of thinking gave, and what it cost.
#[derive(Debug, Clone)]
pub struct Thought<M> {
    /// What was found.
    pub found: Found<M>,
    /// The final score that the finding stands for, if the agent knows.
    pub forecast: Option<Score>,
    /// Wall time.
    pub wall: Duration,
    /// CPU time of the thread.
    pub cpu: Duration,
}

/// The agent, home again, with what it found.
pub struct Finished<P, M> {
    /// The agent.
    pub agent: BoxedAgent<P, M>,
    /// The thought, or the best move published before the agent panicked.
    pub outcome: Result<Thought<M>, Option<M>>,
    /// What the machine held us up: until the thread began, after the hard limit until it ended, or
    /// until whoever waited noticed, whichever was longest.
    pub delay: Duration,
}

/// A turn of thinking under way.
pub struct Thinking<P, M> {
    control: Arc<Control<M>>,
    task: JoinHandle<(Finished<P, M>, Instant)>,
}

/// Starts an agent thinking. Needs a tokio runtime.
pub fn start<P, M>(mut agent: BoxedAgent<P, M>, position: P, limits: Limits) -> Thinking<P, M>
where
    P: Send + 'static,
    M: Copy + Send + 'static,
{
    let control = Arc::new(Control::new());
    let shared = Arc::clone(&control);
    let asked = Instant::now();
    let task = tokio::task::spawn_blocking(move || {
        let (began, cpu_before) = (Instant::now(), CpuClock::Thread.now());
        // A panic leaves at worst a half-written table behind, which `recover` throws away.
        let found = catch_unwind(AssertUnwindSafe(|| {
            let found = agent.think(&position, limits, &shared);
            let forecast = agent.forecast(&position, &found);
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
                shared.best()
            });
        let ended = Instant::now();
        let too_long = limits.hard.map(|hard| ended.saturating_duration_since(hard));
        let finished = Finished {
            agent,
            outcome,
            delay: too_long.unwrap_or_default().max(began - asked),
        };
        (finished, ended)
    });
    Thinking { control, task }
}

impl<P, M: Copy> Thinking<P, M> {
    /// Asks the agent to come home with what it has.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// The best move so far.
    pub fn best(&self) -> Option<M> {
        self.control.best()
    }

    /// Waits for the agent; may be dropped and called again.
    pub async fn finished(&mut self) -> Finished<P, M> {
        let (mut finished, ended) = (&mut self.task)
            .await
            .expect("the task neither panics nor is aborted");
        finished.delay = finished.delay.max(ended.elapsed());
        finished
    }
}
