//! How much the log says of what is wrong with what a peer sends: it must not fill the disk.

use tracing::warn;

/// The most warnings of one kind until something has gone well again.
const MOST: u64 = 1000;

/// Warnings of one kind since something last went well.
pub struct LogThrottle {
    count: u64,
    /// Of which there are no more, or until when.
    until: &'static str,
}

impl LogThrottle {
    /// None so far. If there are too many, the log says of which, or until when, there will be no more.
    pub fn until(until: &'static str) -> Self {
        Self { count: 0, until }
    }

    /// Counts one more; true if it is to be logged.
    pub fn one_more(&mut self) -> bool {
        self.count += 1;
        if self.count == MOST + 1 {
            warn!("more of this kind is not logged {}", self.until);
        }
        self.count <= MOST
    }

    /// Something has gone well.
    pub fn reset(&mut self) {
        self.count = 0;
    }
}
