//! The blocking thread on which an agent thinks while the network task continues.
//!
//! The agent is passed in and returned by value, so it never has more than one owner. A blocking task that has started
//! cannot be aborted. So [`Thinking::stop`] only asks the agent to stop, and [`Thinking::finished`] waits for it.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Notify;
use tokio::task::JoinHandle;

use turnwise_engine::agent::{Agent, ThreadAgent};
use turnwise_engine::search::{Control, Limits};
use turnwise_engine::thought::{Finished, think};

use crate::world::now;

/// A search that runs on a blocking thread.
pub struct Thinking<A: Agent> {
    control: Arc<Control<A::Move>>,
    /// Wakes tasks that do not poll `control` when the search should stop.
    stopped: Arc<Notify>,
    task: JoinHandle<(Finished<A>, Instant)>,
}

/// Lets an agent think on the current thread and blocks the thread meanwhile.
///
/// This is for very short searches: on a busy machine, switching to another thread and back may take longer than the
/// search.
pub fn think_here<A: Agent<Move: Copy>>(
    agent: A,
    position: &A::Position,
    limits: Limits,
) -> Finished<A> {
    let mut finished = think(agent, position, limits, &Control::new());
    if let Ok(thought) = &finished.outcome {
        // For this time, the thread was ready to run, but other threads had the core.
        let lost = thought.wall.saturating_sub(thought.cpu);
        finished.delay = finished.delay.max(lost);
    }
    finished
}

/// Starts an agent's search on a blocking thread. Needs a tokio runtime.
///
/// `limits` is called on the agent's thread, because the limits may count that thread's CPU time.
pub fn start<A: ThreadAgent>(
    agent: A,
    position: A::Position,
    limits: impl FnOnce() -> Limits + Send + 'static,
) -> Thinking<A> {
    let control = Arc::new(Control::new());
    let shared = Arc::clone(&control);
    let asked = Instant::now();
    let task = tokio::task::spawn_blocking(move || {
        let late = asked.elapsed();
        let mut finished = think(agent, &position, limits(), &shared);
        finished.delay = finished.delay.max(late);
        (finished, Instant::now())
    });
    Thinking::new(control, Arc::default(), task)
}

impl<A: Agent<Move: Copy>> Thinking<A> {
    /// Wraps a task that observes `control` or `stopped`.
    ///
    /// The task returns the agent, its result, and the time at which the result was ready.
    pub fn new(
        control: Arc<Control<A::Move>>,
        stopped: Arc<Notify>,
        task: JoinHandle<(Finished<A>, Instant)>,
    ) -> Self {
        Self {
            control,
            stopped,
            task,
        }
    }

    /// Asks the agent to return the best result so far.
    pub fn stop(&self) {
        self.control.stop();
        self.stopped.notify_one();
    }

    /// Returns the best move so far.
    pub fn best(&self) -> Option<A::Move> {
        self.control.best()
    }

    /// Waits until the agent has finished. The future may be dropped, and the method called again.
    pub async fn finished(&mut self) -> Finished<A> {
        let (mut finished, ended) = (&mut self.task)
            .await
            .expect("the task neither panics nor is aborted");
        let waited = now().saturating_duration_since(ended);
        finished.delay = finished.delay.max(waited);
        finished
    }
}
