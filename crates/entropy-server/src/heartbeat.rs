//! Notices when this process was frozen, because it was stopped or its machine slept.
//!
//! A message that is read right after a freeze may have waited since the freeze began, while the sender's clock ran.
//! Such a message therefore counts as received at the last beat before the freeze. The time that the player is assumed
//! to have used is then sometimes too long, but never too short.
//!
//! The kernel's receive times would not give better results. With `SO_TIMESTAMPNS`, Linux (6.18, over loopback) reports
//! a time with every `recvmsg` from a TCP stream, but only the time of the newest segment that it has merged: with
//! "abc" sent half a second before "def", even the first two bytes got the time of "def". The time is the wall clock's,
//! which can be set. Neither tokio nor socket2 nor rustix 1.1 reads it without `unsafe`.

use std::pin::pin;
use std::time::{Duration, Instant};

use turnwise_daemon::world::now;

/// The time between two beats.
const BEAT: Duration = Duration::from_millis(200);

/// If a beat is late by more than this, the process was frozen and did not just wait for a core.
const FREEZE: Duration = Duration::from_millis(300);

/// A message read within this time after a freeze may have arrived during the freeze.
const AFTERMATH: Duration = Duration::from_millis(20);

/// Tracks the regular beats of the task that reads one stream, and the freezes that delayed a beat.
#[derive(Debug)]
pub struct Heartbeat {
    last: Instant,
    /// The earliest time at which the last freeze may have begun, and the time when it was noticed.
    freeze: Option<(Instant, Instant)>,
    /// True if a message was read that may have arrived during that freeze.
    is_told: bool,
}

impl Heartbeat {
    /// Creates a heartbeat that starts at `now`.
    pub fn new(now: Instant) -> Self {
        Self {
            last: now,
            freeze: None,
            is_told: false,
        }
    }

    /// Returns when to call [`Heartbeat::beat`] next.
    pub fn next(&self) -> Instant {
        self.last + BEAT
    }

    /// Records an action of this process that lasted from `began` to `now`.
    ///
    /// An action takes negligible time unless this process is stopped meanwhile. A manager or a user may stop the
    /// process as soon as it has our answer.
    pub fn acted(&mut self, began: Instant, now: Instant) {
        if now.saturating_duration_since(began) > FREEZE {
            self.froze(began, now);
        }
        self.last = now;
    }

    /// Records that sending a reply lasted from `sent` to `now`.
    ///
    /// If the reply answers a message that waited through a freeze, all later messages were sent after that freeze. The
    /// freeze is then forgotten, so that it is counted only once.
    pub fn answered(&mut self, sent: Instant, now: Instant) {
        if self.is_told {
            self.freeze = None;
        }
        self.acted(sent, now);
    }

    /// Records that this process runs. Call this method at every beat.
    pub fn beat(&mut self, now: Instant) {
        if now.saturating_duration_since(self.next()) > FREEZE {
            self.froze(self.last, now);
        }
        self.last = now;
    }

    /// Runs a task to its end, and beats meanwhile.
    pub async fn during<F: Future>(&mut self, task: F) -> F::Output {
        let mut task = pin!(task);
        loop {
            tokio::select! {
                // Notice a freeze before handling the events that follow it.
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

    /// Returns the earliest time at which a message that is read at `now` may have arrived.
    ///
    /// This is `now`, or the beginning of a freeze that has just ended.
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
        // The answer to an older question reveals nothing about messages that already wait.
        heartbeat.answered(after(1), after(1));
        assert_eq!(heartbeat.arrival(after(2)), began, "news");
        heartbeat.acted(after(3), after(3));
        assert_eq!(heartbeat.arrival(after(4)), began, "and a question");
        heartbeat.answered(after(5), after(6));
        assert_eq!(heartbeat.arrival(after(7)), after(7), "the next question");
        // Exception: the process froze again before it returned from sending that answer.
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
            // The clock advances at once, so the runtime does not beat meanwhile.
            advance(3000 * MILLISECOND).await;
        };
        heartbeat.during(task).await;
        assert_eq!(heartbeat.arrival(now()), froze);
    }
}
