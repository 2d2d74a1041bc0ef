//! Handles Ctrl-Z: stops this process, all programs that it has started, and all clocks.
//!
//! Programs run in separate process groups, so the terminal stops only this process. This module also stops the
//! programs, and does not charge any turn for the time until all programs run again.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid, kill_process};

use super::{RUNNING, locked, table};

/// The total time for which this process has been stopped.
static PAUSED: Mutex<Duration> = Mutex::new(Duration::ZERO);

/// The maximum time to wait until this process stops, after it has sent itself the stop signal.
///
/// This process may continue to run for a moment, because the signal may reach another thread first.
const UNTIL_STOPPED: Duration = Duration::from_millis(50);

/// Returns the total time for which this process has been stopped.
///
/// Waits while the process is being stopped or resumed.
pub fn paused() -> Duration {
    *locked(&PAUSED)
}

/// Stops this process and all its programs, as the terminal requests with SIGTSTP.
///
/// Returns when they have been resumed.
pub fn pause() {
    let mut paused = locked(&PAUSED);
    // While this lock is held, no program can start.
    let running = locked(&RUNNING);
    let begun = Instant::now();
    let roots = running.iter().filter_map(|&root| table::entry(root));
    let trees = roots.flat_map(|root| {
        let below = table::descendants(root.pid);
        std::iter::once(root).chain(below)
    });
    let stopped: Vec<_> = trees
        .filter(|entry| !entry.is_over && !entry.is_stopped)
        .collect();
    for entry in &stopped {
        let _ = kill_process(entry.pid, Signal::STOP);
    }
    let _ = kill_process(getpid(), Signal::STOP);
    thread::sleep(UNTIL_STOPPED);
    for entry in stopped.iter().rev() {
        let _ = kill_process(entry.pid, Signal::CONT);
    }
    *paused += begun.elapsed();
}
