//! SIGINT and SIGTERM during long work: at the first it stops and says what it has found, at the second
//! all programs that were started are killed and the process ends. For commands without a network task.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use anyhow::Context;
use turnwise_daemon::shutdown::{exit_code, listen_on_thread};

/// Set once the work is to stop.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicU8>);

impl Interrupt {
    /// Listens on a thread of its own until the process ends.
    pub fn listen() -> anyhow::Result<Self> {
        Self::listen_and(|| {})
    }

    /// The same, and does something at the first signal.
    pub fn listen_and(act: impl FnOnce() + Send + 'static) -> anyhow::Result<Self> {
        let interrupt = Self::default();
        let heard = interrupt.clone();
        let first = move |signal| {
            heard.0.store(exit_code(signal), Ordering::Relaxed);
            act();
        };
        let again = |signal| turnwise_process::kill_all_and_exit(exit_code(signal));
        listen_on_thread(first, again).context("cannot listen to signals")?;
        Ok(interrupt)
    }

    /// True once the work is to stop.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Success, or that of the signal that came.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.0.load(Ordering::Relaxed))
    }
}
