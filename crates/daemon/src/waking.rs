//! Since when a message may have been there to be read: on a busy machine whoever sleeps until one comes does not
//! get a core at once, and the sender's clock runs meanwhile.

use std::pin::pin;
use std::time::{Duration, Instant};

/// How late the reader of a stream wakes up. `queued` is how long the thread on which it sleeps has waited for a core
/// so far. Where another thread reads for it, as of stdin that is no pipe, that one's waiting is not seen.
#[derive(Debug)]
pub struct Waking {
    /// `queued` when the thread last went to sleep, or answered.
    before: Duration,
    /// When a reply was last sent: whatever comes next was asked behind it.
    answered: Instant,
    /// It has slept, and nobody has taken note of that.
    has_slept: bool,
}

impl Waking {
    /// Awake since `now`.
    pub fn new(queued: Duration, now: Instant) -> Self {
        Self {
            before: queued,
            answered: now,
            has_slept: false,
        }
    }

    /// Carries something out, and marks when the thread may go to sleep meanwhile.
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

    /// A reply was sent from `sent` on, when the thread had waited so long. Whoever reads it may take our core and ask
    /// again before we are back from sending.
    pub fn answered(&mut self, queued: Duration, sent: Instant) {
        *self = Self::new(queued, sent);
    }

    /// How long the thread has waited for a core since it last slept, of the time since it last answered: for so
    /// long what it reads at `now` may have been there.
    pub fn late(&self, queued: Duration, now: Instant) -> Duration {
        let late = queued.saturating_sub(self.before);
        late.min(now.saturating_duration_since(self.answered))
    }

    /// True once after each sleep.
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
        // Another message is there at once; somebody else had the core between the two.
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
