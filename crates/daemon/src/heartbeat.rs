//! Notices when this process was stopped, or its machine asleep: a message that is read right afterwards
//! may have waited for as long, and the sender's clock has run. It is charged from the last beat before the
//! freeze on: too much rather than too little.
//!
//! The kernel's own receive times would not do better. With `SO_TIMESTAMPNS` Linux (6.18, over loopback) tells
//! one with every `recvmsg` from a TCP stream, but that of the newest of all segments that it has put together:
//! of "abc", sent half a second before "def", also the first two bytes were given the time of "def". It is the
//! wall clock's, which can be set. And neither tokio nor socket2 nor rustix 1.1 reads it without `unsafe`.

use std::pin::pin;
use std::time::{Duration, Instant};

use crate::world::now;

/// The time between two beats.
const BEAT: Duration = Duration::from_millis(200);

/// A beat that is later than this was not only kept waiting for a core.
const FREEZE: Duration = Duration::from_millis(300);

/// What is read so soon after a freeze may have come during it.
const AFTERMATH: Duration = Duration::from_millis(20);

/// The beats of one stream's reader.
#[derive(Debug)]
pub struct Heartbeat {
    last: Instant,
    /// When the last freeze began at the earliest, and when it was noticed.
    freeze: Option<(Instant, Instant)>,
    /// A message was read that may have come during it.
    is_told: bool,
}

impl Heartbeat {
    /// Beats from `now` on.
    pub fn new(now: Instant) -> Self {
        Self {
            last: now,
            freeze: None,
            is_told: false,
        }
    }

    /// When [`Heartbeat::beat`] is to be called next.
    pub fn next(&self) -> Instant {
        self.last + BEAT
    }

    /// Something was done from `began` to `now`. It takes no time worth speaking of, unless this process is
    /// stopped meanwhile: a manager or a user may do that as soon as it has our answer.
    pub fn acted(&mut self, began: Instant, now: Instant) {
        if now.saturating_duration_since(began) > FREEZE {
            self.froze(began, now);
        }
        self.last = now;
    }

    /// The same of a reply that was sent at `sent`. If it answers what has waited through a freeze, whatever
    /// comes next was asked behind it: one freeze is charged once.
    pub fn answered(&mut self, sent: Instant, now: Instant) {
        if self.is_told {
            self.freeze = None;
        }
        self.acted(sent, now);
    }

    /// This process runs; to be called at every beat.
    pub fn beat(&mut self, now: Instant) {
        if now.saturating_duration_since(self.next()) > FREEZE {
            self.froze(self.last, now);
        }
        self.last = now;
    }

    /// Carries something out, and beats meanwhile.
    pub async fn during<F: Future>(&mut self, task: F) -> F::Output {
        let mut task = pin!(task);
        loop {
            tokio::select! {
                // First of all a freeze is noticed, then what was done after it.
                biased;
                () = tokio::time::sleep_until(self.next().into()) => self.beat(now()),
                done = &mut task => return done,
            }
        }
    }

    fn froze(&mut self, began: Instant, noticed: Instant) {
        self.freeze = Some((began, noticed));
        self.is_told = false;
    }

    /// Since when a message may have waited that was read at `now`: since then, or since a freeze began
    /// that has just ended.
    pub fn arrival(&mut self, now: Instant) -> Instant {
        self.beat(now);
        match self.freeze {
            Some((began, noticed)) if now.saturating_duration_since(noticed) <= AFTERMATH => {
                self.is_told = true;
                began
            }
            _ => now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{advance, sleep};

    const MILLISECOND: Duration = Duration::from_millis(1);

    #[test]
    fn a_message_read_in_time_came_now() {
        let mut now = Instant::now();
        let mut heartbeat = Heartbeat::new(now);
        for late in [0, 1, 50, 299] {
            now = heartbeat.next() + late * MILLISECOND;
            heartbeat.beat(now);
            now += 7 * MILLISECOND;
            assert_eq!(heartbeat.arrival(now), now);
        }
    }

    #[test]
    fn a_message_read_after_a_freeze_may_have_come_during_it() {
        let began = Instant::now();
        let thawed = began + 3000 * MILLISECOND;
        let mut heartbeat = Heartbeat::new(began);
        assert_eq!(heartbeat.arrival(thawed), began, "read before the beat");
        let mut heartbeat = Heartbeat::new(began);
        heartbeat.beat(thawed);
        assert_eq!(heartbeat.arrival(thawed + MILLISECOND), began);
        let mut heartbeat = Heartbeat::new(began);
        heartbeat.acted(began + MILLISECOND, thawed);
        assert_eq!(heartbeat.arrival(thawed), began + MILLISECOND);
        let later = thawed + 30 * MILLISECOND;
        assert_eq!(heartbeat.arrival(later), later, "it came after the freeze");
    }

    #[test]
    fn what_is_asked_behind_our_answer_has_not_waited_through_the_freeze_before() {
        let began = Instant::now();
        let thawed = began + 3000 * MILLISECOND;
        let after = |milliseconds: u32| thawed + milliseconds * MILLISECOND;
        let mut heartbeat = Heartbeat::new(began);
        heartbeat.beat(thawed);
        // The answer to an older question tells nothing of what waits already.
        heartbeat.answered(after(1), after(1));
        assert_eq!(heartbeat.arrival(after(2)), began, "news");
        heartbeat.acted(after(3), after(3));
        assert_eq!(heartbeat.arrival(after(4)), began, "and a question");
        heartbeat.answered(after(5), after(6));
        assert_eq!(heartbeat.arrival(after(7)), after(7), "the next question");
        // Unless it froze again before it was back from sending that answer.
        heartbeat.answered(after(8), after(2000));
        assert_eq!(heartbeat.arrival(after(2001)), after(8));
    }
    #[tokio::test(start_paused = true)]
    async fn what_is_read_right_after_a_task_may_have_waited_through_a_freeze_in_it() {
        let began = now();
        let mut heartbeat = Heartbeat::new(began);
        heartbeat.during(sleep(700 * MILLISECOND)).await;
        assert_eq!(heartbeat.arrival(now()), now(), "nothing froze");
        let froze = now();
        let task = async {
            // The runtime does nothing meanwhile.
            advance(3000 * MILLISECOND).await;
        };
        heartbeat.during(task).await;
        assert_eq!(heartbeat.arrival(now()), froze);
    }
}
