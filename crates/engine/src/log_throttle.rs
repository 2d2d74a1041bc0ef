//! How much of a log one peer may cause: whatever it sends must not fill the disk.

use std::time::Duration;

use crate::instant::Instant;

use tracing::warn;

/// Lines at once, and in each minute.
const MOST: u32 = 100;
const MINUTE: Duration = Duration::from_secs(60);

/// Lines that a peer earns with each thing that went well.
const EARNED: u32 = 4;

/// What one peer may still cause in the log. Every line that only it is the reason of is asked for here.
#[derive(Debug, Default)]
pub struct LogThrottle {
    /// Lines in the minute that began then.
    lines: u32,
    began: Option<Instant>,
    /// Lines that were not logged.
    dropped: u64,
}

impl LogThrottle {
    /// True if one more line may be logged at `now`. The last one that may be is followed by a line that
    /// says so, and the next minute begins with the number of those that were left out.
    pub fn one_more(&mut self, now: Instant) -> bool {
        let began = *self.began.get_or_insert(now);
        if now.saturating_duration_since(began) >= MINUTE {
            let dropped = std::mem::take(self).dropped;
            self.began = Some(now);
            if dropped > 0 {
                warn!(
                    lines = dropped,
                    "this peer caused more lines that were not logged"
                );
            }
        }
        self.lines += u32::from(self.lines <= MOST);
        if self.lines <= MOST {
            return true;
        }
        if self.dropped == 0 {
            warn!("what else this peer causes is not logged until a minute is over");
        }
        self.dropped += 1;
        false
    }

    /// Gives lines back, for something that has gone well, such as a move.
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
