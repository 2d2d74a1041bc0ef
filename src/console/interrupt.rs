//! Handles SIGINT and SIGTERM during long work, for commands that do not use the network.
//!
//! At the first signal, the work stops, and the command reports the results so far. At the second signal, all programs
//! that this process has started are killed, and the process ends.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use anyhow::Context;
use turnwise_daemon::shutdown::{exit_code, listen_on_thread};

/// A flag that is set when a signal asks the command to stop its work.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicU8>);

impl Interrupt {
    /// Starts a thread that listens for signals until the process ends.
    pub fn listen() -> anyhow::Result<Self> {
        Self::listen_and(|| {})
    }

    /// Like [`listen`](Self::listen), but also calls `act` at the first signal.
    pub fn listen_and(act: impl FnOnce() + Send + 'static) -> anyhow::Result<Self> {
        let interrupt = Self::default();
        let heard = interrupt.clone();
        let first = move |signal| {
            heard.0.store(exit_code(signal), Ordering::Relaxed);
            act();
        };
        let again = |signal| turnwise_process::kill_all_and_exit(exit_code(signal));
        listen_on_thread(first, again).context("cannot listen for signals")?;
        Ok(interrupt)
    }

    /// Returns true once the work must stop.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Returns `Break` once the work must stop, and otherwise `Continue`.
    pub fn proceed(&self) -> ControlFlow<()> {
        match self.is_requested() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Returns the exit code for the signal that was received, or success if no signal was received.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.0.load(Ordering::Relaxed))
    }
}
