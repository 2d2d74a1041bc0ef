//! What a child has done so far, and whether it does something at this moment. Only Linux tells the latter.

use std::iter;
use std::time::Duration;

use rustix::process::Pid;
use turnwise_engine::cpu_time::queued_in;

use super::table;

/// The name of a thread that looks at a program all the time, and is none of the program's. It is as long as such
/// names may be.
const OVERSEER: &str = "(turnwise-limits";

/// Gives the calling thread that name.
#[cfg(target_os = "linux")]
pub(super) fn become_overseer() {
    // Without it a program that sleeps below this thread may pass for one that computes.
    let _ = rustix::thread::set_name(c"turnwise-limits");
}

/// What a child and all that it has started have done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Wall time since its start.
    pub wall: Duration,
    /// User and system time of all of them; zero where it is not known.
    pub cpu: Duration,
    /// How long others have kept them from computing, see
    /// [`CoreTime::others_since`](crate::cores::CoreTime::others_since).
    pub others: Duration,
}

impl Progress {
    /// Wall time without that for which others kept it from computing. Waiting of its threads for each other is in it.
    pub fn undisturbed(&self) -> Duration {
        self.wall.saturating_sub(self.others)
    }
}

/// True if a thread of a process, or of one below it, has a core, or waits for one or for a disk.
pub(super) fn is_busy(root: Pid) -> bool {
    let below = table::descendants(root).into_iter().map(|entry| entry.pid);
    let all: Vec<Pid> = iter::once(root).chain(below).collect();
    // Parents last: whoever has ended until it is looked at has woken its parent before.
    all.into_iter().rev().any(has_busy_thread)
}

/// How long the threads of all processes below one have waited for a core, those that are still there, together: only
/// good as a limit, since they may have waited for each other.
pub(super) fn waited(root: Pid) -> Duration {
    let threads = table::descendants(root).into_iter().flat_map(|entry| {
        let threads = std::fs::read_dir(format!("/proc/{}/task", entry.pid));
        threads.into_iter().flatten().flatten()
    });
    let waited = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        Some(queued_in(&text))
    });
    waited.sum()
}

/// True of a process with such a thread; see proc_pid_stat(5).
fn has_busy_thread(pid: Pid) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
    threads.into_iter().flatten().flatten().any(|thread| {
        // The name, in parentheses, may hold anything; behind it comes the state.
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        let Some((name, state)) = stat.rsplit_once(") ") else {
            return false;
        };
        state.starts_with(['R', 'D']) && !name.ends_with(OVERSEER)
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Child, Command};
    use std::time::Instant;

    use turnwise_engine::cpu_time::queued;

    use super::*;

    /// Long enough on every machine.
    const PATIENCE: Duration = Duration::from_secs(600);

    /// A shell that is killed with everything that it has started.
    struct Shell(Child);

    impl Shell {
        fn running(script: &str) -> Self {
            let shell = Command::new("sh").args(["-c", script]).spawn();
            Self(shell.expect("there is a shell"))
        }

        fn pid(&self) -> Pid {
            Pid::from_child(&self.0)
        }
    }

    impl Drop for Shell {
        fn drop(&mut self) {
            table::kill_descendants(self.pid());
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn whoever_waits_for_a_core_is_busy_and_whoever_sleeps_is_not() {
        // All of them on one core, so that there is none to spare.
        crate::pin_to_core(0);
        let _rivals = [(); 8].map(|()| Shell::running("while :; do :; done"));
        // Whatever computes does so two processes below the one that is looked at.
        let waits =
            Shell::running("sh -c 'nice -n 19 sh -c \"while :; do :; done\" & wait' & wait");
        let sleeps = Shell::running("sh -c 'sleep 1000 & wait' & wait");
        let began = Instant::now();
        // Until both have started what they start.
        while !is_busy(waits.pid()) || is_busy(sleeps.pid()) {
            assert!(began.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(100));
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
