//! What a child has done so far, and whether it is asleep or only waits for a core. Only Linux tells the latter.

use std::iter;
use std::time::Duration;

use rustix::process::Pid;
use turnwise_engine::cpu_time::queued_in;

use super::table;

/// What computes for less than this share of the time is asleep.
const ASLEEP: u32 = 10;

/// The name of a thread that looks at a program all the time, and whose waiting is not the program's. It is as long
/// as such names may be.
const OVERSEER: &str = "(turnwise-limits";

/// Gives the calling thread that name.
#[cfg(target_os = "linux")]
pub(super) fn become_overseer() {
    // Without it a program that sleeps below this thread may pass for one that waits for a core.
    let _ = rustix::thread::set_name(c"turnwise-limits");
}

/// What a child and all that it has started have done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Wall time since its start.
    pub wall: Duration,
    /// User and system time of all of them; zero where it is not known.
    pub cpu: Duration,
    /// How long others have had its core, see [`CoreTime`](crate::cores::CoreTime).
    pub others: Duration,
    /// How long that of their threads that has waited longest, of those that are still there, has waited for a
    /// core. Not a sum: many threads that wake together wait for each other, and for nobody else's work.
    pub queued: Duration,
    /// True if one of their threads has a core at this moment, or waits for one.
    pub is_runnable: bool,
    /// True if one of them is runnable, or waits for a disk.
    pub is_busy: bool,
}

impl Progress {
    /// Of a process and everything below it.
    pub(super) fn of(root: Pid, wall: Duration, cpu: Duration) -> Self {
        let mut progress = Self {
            wall,
            cpu,
            others: Duration::ZERO,
            queued: Duration::ZERO,
            is_runnable: false,
            is_busy: false,
        };
        let below = table::descendants(root).into_iter().map(|entry| entry.pid);
        let all: Vec<Pid> = iter::once(root).chain(below).collect();
        // Parents last: whoever has ended until it is looked at has woken its parent before.
        for pid in all.into_iter().rev() {
            progress.add_threads(pid);
        }
        progress
    }

    /// Adds how the threads of a process have fared; see proc_pid_stat(5).
    fn add_threads(&mut self, pid: Pid) {
        let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
        for thread in threads.into_iter().flatten().flatten() {
            let read = |name: &str| std::fs::read_to_string(thread.path().join(name)).ok();
            // The name, in parentheses, may hold anything; behind it comes the state.
            let Some(stat) = read("stat") else { continue };
            let Some((name, state)) = stat.rsplit_once(") ") else {
                continue;
            };
            if name.ends_with(OVERSEER) {
                continue;
            }
            self.is_runnable |= state.starts_with('R');
            self.is_busy |= state.starts_with(['R', 'D']);
            let queued = read("schedstat").map_or(Duration::ZERO, |text| queued_in(&text));
            self.queued = self.queued.max(queued);
        }
    }

    /// Wall time without that for which others had its core. Waiting of its threads for each other is in it.
    pub fn undisturbed(&self) -> Duration {
        self.wall.saturating_sub(self.others)
    }

    /// True if it does next to nothing, and not because it gets no core.
    pub fn is_asleep(&self) -> bool {
        !self.is_runnable && (self.cpu + self.queued) * ASLEEP < self.wall
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Child, Command};
    use std::time::Instant;

    use turnwise_engine::cpu_time::queued;

    use super::*;
    use crate::tree_clock::TreeClock;

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

    /// What it has done since this moment, at which it was started.
    fn progress_of(shell: &Shell, began: Instant) -> Progress {
        let pid = shell.pid();
        let cpu = TreeClock::of(pid, true).cpu().expect("it runs");
        Progress::of(pid, began.elapsed(), cpu)
    }

    #[test]
    fn whoever_waits_for_a_core_is_not_asleep_and_whoever_sleeps_is() {
        // All of them on one core, so that there is none to spare.
        crate::pin_to_core(0);
        let _rivals = [(); 8].map(|()| Shell::running("while :; do :; done"));
        let began = Instant::now();
        // Whatever computes does so two processes below the one that is looked at.
        let waits =
            Shell::running("sh -c 'nice -n 19 sh -c \"while :; do :; done\" & wait' & wait");
        let sleeps = Shell::running("sh -c 'sleep 1000 & wait' & wait");
        // Until that one would pass for asleep by its CPU time alone, and the other is.
        let mut looks = 0;
        while looks < 10 {
            assert!(began.elapsed() < PATIENCE, "{looks} looks told something");
            std::thread::sleep(Duration::from_millis(100));
            let [waiting, asleep] = [&waits, &sleeps].map(|shell| progress_of(shell, began));
            if asleep.is_asleep() && waiting.cpu * ASLEEP < waiting.wall {
                assert!(!waiting.is_asleep(), "{waiting:?}");
                looks += 1;
            }
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

    #[test]
    fn a_wait_that_is_over_counts_as_computing() {
        let mut progress = Progress {
            wall: Duration::from_secs(10),
            cpu: Duration::from_millis(100),
            others: Duration::ZERO,
            queued: Duration::from_millis(900),
            is_runnable: false,
            is_busy: false,
        };
        assert!(!progress.is_asleep());
        progress.queued -= Duration::from_millis(1);
        assert!(progress.is_asleep());
        // One under way does, too.
        progress.is_runnable = true;
        assert!(!progress.is_asleep());
    }
}
