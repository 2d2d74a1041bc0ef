//! Estimates how long a message may have been readable before it was read.
//!
//! On a busy machine, a sleeping reader does not get a core at once, and the sender's clock runs meanwhile.

use std::pin::pin;
use std::time::{Duration, Instant};

/// Measures how late the reader of a stream wakes up.
///
/// `queued` is the total time for which the reader's thread has waited for a core. If another thread reads for it, as
/// for a stdin that is not a pipe, the other thread's waiting time is not included.
#[derive(Debug)]
pub struct Waking {
    /// The value of `queued` when the thread last went to sleep or answered.
    before: Duration,
    /// When the last reply was sent. Messages that are read later were also sent later.
    answered: Instant,
    /// True if the thread has slept since the last call of [`Waking::take_slept`].
    has_slept: bool,
}

impl Waking {
    /// Creates a measurement for a thread that woke up or answered at `now`.
    pub fn new(queued: Duration, now: Instant) -> Self {
        Self {
            before: queued,
            answered: now,
            has_slept: false,
        }
    }

    /// Runs a task to its end, and records when the thread may go to sleep meanwhile.
    pub async fn watch<F: Future>(&mut self, queued: impl Fn() -> Duration, task: F) -> F::Output {
        let mut task = pin!(task);
        std::future::poll_fn(|context| {
            let poll = task.as_mut().poll(context);
            if poll.is_pending() {
                self.before = queued();
                self.has_slept = true;
            }
            poll
        })
        .await
    }

    /// Records that sending a reply began at `sent`, when the thread had waited for `queued`.
    ///
    /// The reader of the reply may take our core and ask again before sending returns.
    pub fn answered(&mut self, queued: Duration, sent: Instant) {
        *self = Self::new(queued, sent);
    }

    /// Returns how long a message that is read at `now` may have been readable.
    ///
    /// This is the thread's waiting time for a core since it last slept, but at most the time since its last answer.
    pub fn late(&self, queued: Duration, now: Instant) -> Duration {
        let late = queued.saturating_sub(self.before);
        late.min(now.saturating_duration_since(self.answered))
    }

    /// Returns true if the thread has slept since the last call.
    pub fn take_slept(&mut self) -> bool {
        std::mem::take(&mut self.has_slept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const MILLISECOND: Duration = Duration::from_millis(1);

    #[tokio::test]
    async fn all_that_is_read_after_a_sleep_may_have_waited_since_its_end() {
        let queued = Cell::new(10 * MILLISECOND);
        let began = Instant::now();
        let after = |milliseconds: u32| began + milliseconds * MILLISECOND;
        let mut waking = Waking::new(queued.get(), began);
        assert!(!waking.take_slept());
        let woken_late = async {
            queued.set(20 * MILLISECOND);
            tokio::task::yield_now().await;
            queued.set(23 * MILLISECOND);
        };
        waking.watch(|| queued.get(), woken_late).await;
        assert!(waking.take_slept());
        assert_eq!(waking.late(queued.get(), after(50)), 3 * MILLISECOND);
        // The next message is available at once, but another process had the core in the meantime.
        queued.set(25 * MILLISECOND);
        waking.watch(|| queued.get(), async {}).await;
        assert!(!waking.take_slept(), "that is no news");
        assert_eq!(waking.late(queued.get(), after(51)), 5 * MILLISECOND);
    }

    #[test]
    fn nothing_is_asked_before_our_last_answer() {
        let began = Instant::now();
        let mut waking = Waking::new(Duration::ZERO, began);
        let soon = began + 2 * MILLISECOND;
        assert_eq!(waking.late(9 * MILLISECOND, soon), 2 * MILLISECOND);
        waking.answered(9 * MILLISECOND, soon);
        let later = soon + 9 * MILLISECOND;
        assert_eq!(waking.late(9 * MILLISECOND, later), Duration::ZERO);
        assert_eq!(waking.late(10 * MILLISECOND, later), MILLISECOND);
    }
}
