//! Handles connections that the system cannot accept.

use std::io;
use std::time::Duration;

use tracing::warn;
use turnwise_engine::log_throttle::LogThrottle;

use crate::world::now;

/// The pause after a connection was not accepted, for example for lack of descriptors.
const NO_ROOM: Duration = Duration::from_millis(100);

/// Throttles the log of connections that one listener could not accept.
#[derive(Debug, Default)]
pub struct Failures(LogThrottle);

impl Failures {
    /// Records that a connection was accepted.
    pub fn accepted(&mut self) {
        self.0.earn();
    }

    /// Logs a connection of `whom` that could not be accepted. Waits before the next one.
    pub async fn failed(&mut self, whom: &str, error: io::Error) {
        if self.0.one_more(now()) {
            warn!("cannot accept {whom}: {error}");
        }
        tokio::time::sleep(NO_ROOM).await;
    }
}
