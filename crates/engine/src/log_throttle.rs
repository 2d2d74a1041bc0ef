//! A limit on the number of log lines that one peer can cause, so that a peer cannot fill the disk with its messages.

use std::time::Duration;

use crate::instant::Instant;

use tracing::warn;

/// The maximum number of log lines that a peer can cause in a minute.
const MOST: u32 = 100;
const MINUTE: Duration = Duration::from_secs(60);

/// The number of log lines that a peer regains with each success, for example a legal move.
const EARNED: u32 = 4;

/// The budget of one peer for log lines. Call [`LogThrottle::one_more`] before logging a line that this peer alone has
/// caused.
#[derive(Debug, Default)]
pub struct LogThrottle {
    /// The number of lines logged in the minute that started at `began`.
    lines: u32,
    began: Option<Instant>,
    /// The number of lines suppressed in the minute that started at `began`.
    dropped: u64,
}

impl LogThrottle {
    /// Returns true if another line may be logged at `now`. Logs a notice when it suppresses the first line, and logs
    /// the number of suppressed lines when the next minute starts.
    pub fn one_more(&mut self, now: Instant) -> bool {
        let began = *self.began.get_or_insert(now);
        if now.saturating_duration_since(began) >= MINUTE {
            let dropped = std::mem::take(self).dropped;
            self.began = Some(now);
            if dropped > 0 {
                warn!(
                    lines = dropped,
                    "log rate limit: suppressed further messages for this peer"
                );
            }
        }
        self.lines += u32::from(self.lines <= MOST);
        if self.lines <= MOST {
            return true;
        }
        if self.dropped == 0 {
            warn!(
                "log rate limit reached for this peer; suppressing further messages for one minute"
            );
        }
        self.dropped += 1;
        false
    }

    /// Gives the peer a few more log lines after a success, for example a legal move.
    pub fn earn(&mut self) {
        self.lines = self.lines.saturating_sub(EARNED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_has_so_many_lines_and_what_goes_well_earns_more() {
        let now = Instant::now();
        let mut throttle = LogThrottle::default();
        let logged = |throttle: &mut LogThrottle, now| {
            (0..10_000).filter(|_| throttle.one_more(now)).count() as u32
        };
        assert_eq!(logged(&mut throttle, now), MOST);
        assert_eq!(logged(&mut throttle, now + MINUTE / 2), 0);
        throttle.earn();
        assert_eq!(logged(&mut throttle, now + MINUTE / 2), EARNED - 1);
        assert_eq!(logged(&mut throttle, now + MINUTE), MOST);
    }
}
