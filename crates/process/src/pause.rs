//! Ctrl-Z: this process stops with everything that it has started, and no clock runs meanwhile.
//!
//! Programs run in process groups of their own, so the terminal stops only this process. They are stopped here, and
//! the time until all of them run again is taken off every turn.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid, kill_process};

use super::{RUNNING, locked, table};

/// How long this process has been stopped so far.
static PAUSED: Mutex<Duration> = Mutex::new(Duration::ZERO);

/// How long it may take until this process has stopped after it has asked for that: another thread may be the one
/// that the signal reaches.
const UNTIL_STOPPED: Duration = Duration::from_millis(50);

/// How long this process has been stopped so far. While it is being stopped or continued, this waits.
pub fn paused() -> Duration {
    *locked(&PAUSED)
}

/// Stops this process and all programs that it has started, as the terminal asks with SIGTSTP. Returns once they
/// have been continued.
pub fn pause() {
    let mut paused = locked(&PAUSED);
    // None is started meanwhile.
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
