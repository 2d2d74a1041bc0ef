//! The blocking thread on which an agent thinks, while the network task goes on.
//!
//! The agent goes in and comes back by value, so there is never more than one owner. A started
//! blocking task cannot be aborted, so [`Thinking::stop`] asks and [`Thinking::finished`] waits.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Notify;
use tokio::task::JoinHandle;

use turnwise_engine::agent::{Agent, ThreadAgent};
use turnwise_engine::search::{Control, Limits};
use turnwise_engine::thought::{Finished, think};

use crate::world::now;

/// A turn of thinking under way.
pub struct Thinking<A: Agent> {
    control: Arc<Control<A::Move>>,
    /// Told of a stop, for whoever does not look at the control all the time.
    stopped: Arc<Notify>,
    task: JoinHandle<(Finished<A>, Instant)>,
}

/// Lets an agent think on this very thread, which hears nothing else meanwhile: for thoughts so short
/// that on a busy machine the way to another thread and back may take longer.
pub fn think_here<A: Agent<Move: Copy>>(
    agent: A,
    position: &A::Position,
    limits: Limits,
) -> Finished<A> {
    let mut finished = think(agent, position, limits, &Control::new());
    if let Ok(thought) = &finished.outcome {
        // Others had the core for so long while this thread had something to do.
        let lost = thought.wall.saturating_sub(thought.cpu);
        finished.delay = finished.delay.max(lost);
    }
    finished
}

/// Starts an agent thinking. Needs a tokio runtime. The limits are made on the agent's thread, whose CPU
/// time they may count.
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
    /// Thinking that goes on in a task, which heeds `control` or `stopped`, and returns the agent and when
    /// that was ready.
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

    /// Asks the agent to come back with what it has.
    pub fn stop(&self) {
        self.control.stop();
        self.stopped.notify_one();
    }

    /// The best move so far.
    pub fn best(&self) -> Option<A::Move> {
        self.control.best()
    }

    /// Waits for the agent; may be dropped and called again.
    pub async fn finished(&mut self) -> Finished<A> {
        let (mut finished, ended) = (&mut self.task)
            .await
            .expect("the task neither panics nor is aborted");
        let waited = now().saturating_duration_since(ended);
        finished.delay = finished.delay.max(waited);
        finished
    }
}
