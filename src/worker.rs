//! The blocking thread on which an agent thinks, while the network task goes on.
//!
//! The agent goes in and comes back by value, so there is never more than one owner. A started
//! blocking task cannot be aborted, so [`Thinking::stop`] asks and [`Thinking::finished`] waits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::cpu_time::CpuClock;
use turnwise_engine::game::Score;
use turnwise_engine::search::{Control, Found, Limits};

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
    /// For how long the machine held us up: until the thread began, after the hard limit until it
    /// ended, or until whoever waited noticed, whichever was longest.
    pub delay: Duration,
}

/// A turn of thinking under way.
pub struct Thinking<P, M> {
    control: Arc<Control<M>>,
    task: JoinHandle<(Finished<P, M>, Instant)>,
}

/// Lets an agent think.
fn think<P, M: Copy>(
    mut agent: BoxedAgent<P, M>,
    position: &P,
    limits: Limits,
    control: &Control<M>,
) -> Finished<P, M> {
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

/// Lets an agent think on this very thread, which hears nothing else meanwhile: for thoughts so short
/// that on a busy machine the way to another thread and back may take longer.
pub fn think_here<P, M: Copy>(
    agent: BoxedAgent<P, M>,
    position: &P,
    limits: Limits,
) -> Finished<P, M> {
    let mut finished = think(agent, position, limits, &Control::new());
    if let Ok(thought) = &finished.outcome {
        // Others had the core for so long while this thread had something to do.
        let lost = thought.wall.saturating_sub(thought.cpu);
        finished.delay = finished.delay.max(lost);
    }
    finished
}

/// Starts an agent thinking. Needs a tokio runtime.
pub fn start<P, M>(agent: BoxedAgent<P, M>, position: P, limits: Limits) -> Thinking<P, M>
where
    P: Send + 'static,
    M: Copy + Send + 'static,
{
    let control = Arc::new(Control::new());
    let shared = Arc::clone(&control);
    let asked = Instant::now();
    let task = tokio::task::spawn_blocking(move || {
        let late = asked.elapsed();
        let mut finished = think(agent, &position, limits, &shared);
        finished.delay = finished.delay.max(late);
        (finished, Instant::now())
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
