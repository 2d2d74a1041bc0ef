//! What is done when the system has no room for a connection.

use std::io;
use std::time::Duration;

use tracing::warn;
use turnwise_engine::log_throttle::LogThrottle;

use crate::world::now;

/// The pause after a connection could not be taken. Out of descriptors, for example: a moment later there may
/// be some.
const NO_ROOM: Duration = Duration::from_millis(100);

/// Connections that one listener could not take.
#[derive(Debug, Default)]
pub struct Failures(LogThrottle);

impl Failures {
    /// A connection has been taken.
    pub fn accepted(&mut self) {
        self.0.earn();
    }

    /// Tells why a connection of whom could not be taken, and waits before the next one.
    pub async fn failed(&mut self, whom: &str, error: io::Error) {
        if self.0.one_more(now()) {
            warn!("cannot accept {whom}: {error}");
        }
        tokio::time::sleep(NO_ROOM).await;
    }
}
