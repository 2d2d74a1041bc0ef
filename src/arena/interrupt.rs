//! Ctrl-C once: finish what runs and sum up. Twice: stop now.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{SignalKind, signal};

use super::process;
use crate::shutdown::exit_code;
use crate::terminal;
use rustix::process::Signal;

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

/// Listens to SIGINT and SIGTERM from now on. The first sets the returned flag; the second kills the
/// players and exits, which leaves the log with whole pairs, the last of them torn at worst. What the
/// first does is `told` to the user.
///
/// # Errors
///
/// If the system refuses the handlers.
pub fn listen(told: &'static str) -> io::Result<Stop> {
    let stop = Stop::default();
    let requested = stop.clone();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (mut interrupt, mut terminate) = {
        let _inside = runtime.enter();
        (
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        )
    };
    std::thread::spawn(move || {
        runtime.block_on(async {
            loop {
                let signal = tokio::select! {
                    Some(()) = interrupt.recv() => Signal::INT,
                    Some(()) = terminate.recv() => Signal::TERM,
                    else => return,
                };
                if requested.requested() {
                    process::kill_all_and_exit(exit_code(signal));
                }
                requested.request();
                terminal::note(&format!("turnwise: {told}"));
            }
        });
    });
    Ok(stop)
}
