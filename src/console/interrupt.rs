//! SIGINT and SIGTERM during long work: at the first it stops and says what it has found, at the second
//! the process ends.

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
    ///
    /// # Errors
    /// The system refuses the handlers.
    pub fn listen() -> anyhow::Result<Self> {
        let interrupt = Self::default();
        let heard = interrupt.clone();
        on_first_signal(move |code| heard.0.store(code, Ordering::Relaxed))?;
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

/// Does something at the first SIGINT or SIGTERM, whose exit code it is given; the second kills all
/// programs that were started and ends the process. For commands without a network task.
///
/// # Errors
/// The system refuses the handlers.
pub fn on_first_signal(act: impl FnOnce(u8) + Send + 'static) -> anyhow::Result<()> {
    let again = |signal| turnwise_process::kill_all_and_exit(exit_code(signal));
    listen_on_thread(move |signal| act(exit_code(signal)), again)
        .context("cannot listen to signals")
}
