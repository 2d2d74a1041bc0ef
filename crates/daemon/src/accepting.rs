//! Handles incoming connections that the system fails to accept.

use std::io;
use std::time::Duration;

use tracing::warn;
use turnwise_engine::log_throttle::LogThrottle;

use crate::world::now;

/// The pause after a connection could not be accepted, for example because file descriptors had run out.
const NO_ROOM: Duration = Duration::from_millis(100);

/// Limits how often the log reports connections that one listener could not accept.
#[derive(Debug, Default)]
pub struct Failures(LogThrottle);

impl Failures {
    /// Records that a connection was accepted.
    pub fn accepted(&mut self) {
        self.0.earn();
    }

    /// Logs that `whom`, for example "a player", could not be accepted, and then waits before the next attempt.
    pub async fn failed(&mut self, whom: &str, error: io::Error) {
        if self.0.one_more(now()) {
            warn!("cannot accept {whom}: {error}");
        }
        tokio::time::sleep(NO_ROOM).await;
    }
}
