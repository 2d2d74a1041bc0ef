//! Asking a match for its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once no new pair is to begin.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks for the end.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once it was asked for.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
