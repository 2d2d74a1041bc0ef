//! Measures how much a child has computed so far, and on Linux also whether it is busy now.

use std::iter;
use std::time::Duration;

use rustix::process::Pid;
use turnwise_engine::cpu_time::queued_in;

use super::table;

/// The name of a watch thread, with the opening parenthesis that precedes it in `/proc/PID/stat`.
///
/// Watch threads enforce a program's limits and do not belong to the program. The name has the maximum length that
/// Linux allows.
const OVERSEER: &str = "(turnwise-limits";

/// Renames the calling thread to mark it as a watch thread.
#[cfg(target_os = "linux")]
pub(super) fn become_overseer() {
    // Without this name, the watch's own computation would count as the program's, which might be asleep.
    let _ = rustix::thread::set_name(c"turnwise-limits");
}

/// The progress of a child and its descendants so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The wall time since the child's start.
    pub wall: Duration,
    /// The user and system time of all processes together; zero if unknown.
    pub cpu: Duration,
    /// The time for which others have kept the processes from computing.
    ///
    /// See [`CoreTime::others_since`](crate::cores::CoreTime::others_since).
    pub others: Duration,
}

impl Progress {
    /// Returns the wall time minus the time for which others have delayed the processes.
    ///
    /// The result includes the time for which the program's own threads waited for each other.
    pub fn undisturbed(&self) -> Duration {
        self.wall.saturating_sub(self.others)
    }
}

/// Returns true if a process or one of its descendants is busy.
///
/// A busy process has a thread that uses a core, or waits for a core or a disk.
pub(super) fn is_busy(root: Pid) -> bool {
    // Parents are checked after their children: if a child exits before it is checked, its parent is already awake.
    tree(root).into_iter().rev().any(has_busy_thread)
}

/// Returns a process and its descendants, parents before their children.
fn tree(root: Pid) -> Vec<Pid> {
    let below = table::descendants(root).into_iter().map(|entry| entry.pid);
    iter::once(root).chain(below).collect()
}

/// Returns the total time that the living threads of a process and of its descendants have waited for a core.
///
/// The total is only an upper bound on the delay by others, because the threads may have waited for each other.
pub(super) fn waited(root: Pid) -> Duration {
    let threads = tree(root).into_iter().flat_map(|pid| {
        let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
        threads.into_iter().flatten().flatten()
    });
    let waited = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        Some(queued_in(&text))
    });
    waited.sum()
}

/// Returns true if a process has a busy thread; see proc_pid_stat(5).
fn has_busy_thread(pid: Pid) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
    threads.into_iter().flatten().flatten().any(|thread| {
        // The name is in parentheses and may contain any text. The state follows the last closing parenthesis.
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        let Some((name, state)) = stat.rsplit_once(") ") else {
            return false;
        };
        state.starts_with(['R', 'D']) && !name.ends_with(OVERSEER)
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::Instant;

    use turnwise_engine::cpu_time::queued;

    use super::*;
    use crate::suspension::tests::Shell;

    /// The maximum time that the test waits. It is long enough on every machine.
    const PATIENCE: Duration = Duration::from_secs(600);

    #[test]
    fn whoever_waits_for_a_core_is_busy_and_whoever_sleeps_is_not() {
        // All processes in this test share one core, so that they have to wait.
        crate::pin_to_core(0);
        let _rivals = [(); 8].map(|()| Shell::running("while :; do :; done"));
        // The process that computes is two levels below the process that is checked.
        let waits =
            Shell::running("sh -c 'nice -n 19 sh -c \"while :; do :; done\" & wait' & wait");
        let sleeps = Shell::running("sh -c 'sleep 1000 & wait' & wait");
        let began = Instant::now();
        // This waits until both shells have started their children.
        while !is_busy(waits.pid()) || is_busy(sleeps.pid()) {
            assert!(began.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    #[test]
    fn the_wait_of_the_process_itself_counts() {
        crate::pin_to_core(0);
        let _rivals = [(); 8].map(|()| Shell::running("while :; do :; done"));
        let alone = Shell::running("while :; do :; done");
        let began = Instant::now();
        while waited(alone.pid()) < Duration::from_millis(20) {
            assert!(began.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_thread_knows_how_long_it_has_waited_for_a_core() {
        crate::pin_to_core(0);
        let _rivals = [(); 8].map(|()| Shell::running("while :; do :; done"));
        let (began, before) = (Instant::now(), queued());
        while queued() == before {
            assert!(began.elapsed() < PATIENCE, "it has waited");
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(queued() - before < began.elapsed());
    }
}
