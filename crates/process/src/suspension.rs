//! Suspends a program with all its processes, so that it computes only in its own turns.
//!
//! A control group is the better mechanism: the kernel freezes the whole group, even while processes fork, and no
//! process in the group can thaw it. Without a control group, each process of the program is stopped with a signal.
//! This is secure only together with the filter of system calls, which denies every way to send SIGCONT.

use std::io;
use std::os::fd::OwnedFd;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};

use super::table::{self, Entry};

/// The maximum time to wait until all processes of a program have stopped.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The pause between two readings of the tree of processes.
pub(super) const BETWEEN_LOOKS: Duration = Duration::from_micros(50);

/// The number of readings in a row after which a process that is blocked in the kernel counts as stopped.
///
/// Most processes are blocked for a shorter time, and then still compute a little in the kernel before they stop.
const LOOKS_AT_BLOCKED: u32 = 100;

/// The processes of a program that were stopped with signals, parents before their children.
pub(super) struct Stopped(Vec<(Entry, OwnedFd)>);

impl Stopped {
    /// Stops all processes below a supervisor, and waits until no process executes code of the program.
    ///
    /// The tree of processes is read again and again until no new process is found.
    ///
    /// # Errors
    ///
    /// Returns an error if a process still runs after [`PATIENCE`]. In that case, all processes are resumed.
    pub fn below(supervisor: Pid) -> io::Result<Self> {
        let begun = Instant::now();
        let mut stopped = Self(Vec::new());
        for program in table::children(supervisor) {
            // The program has its own process group, so this usually stops most processes of the program at once.
            let _ = kill_process_group(program.pid, Signal::STOP);
        }
        let mut settled = 0;
        loop {
            let tree = table::descendants(supervisor);
            let others = tree.len() > 1;
            let (mut is_settled, mut is_blocked) = (true, false);
            for entry in tree {
                // The entry shows only the state of the first thread. But the signal reaches all threads at once, and
                // from then on the other threads do not execute code of the program either.
                let known = stopped.0.iter().find(|(known, _)| known.is_same(&entry));
                // A process that is blocked in the kernel stops before it executes code of the program again. It may
                // be blocked for as long as the suspension lasts: a process in vfork(2) waits for its stopped child.
                is_blocked |= entry.is_blocked;
                let is_still = entry.is_stopped || entry.is_blocked;
                is_settled &= entry.is_over || known.is_some() && is_still;
                match known {
                    _ if entry.is_over => {}
                    None => stopped.stop(entry),
                    Some((_, process)) if !entry.is_stopped => {
                        let _ = pidfd_send_signal(process, Signal::STOP);
                    }
                    Some(_) => {}
                }
            }
            settled = if is_settled { settled + 1 } else { 0 };
            // When a process exits, the kernel may continue other processes that depended on it: see `setpgid(2)`.
            // Therefore one more reading is needed: it shows whether a process has exited since the previous reading.
            let needed = match is_blocked {
                true => LOOKS_AT_BLOCKED,
                false => u32::from(others),
            };
            if settled > needed {
                return Ok(stopped);
            }
            if begun.elapsed() > PATIENCE {
                stopped.resume();
                return Err(io::Error::other("a process of the program does not stop"));
            }
            thread::sleep(BETWEEN_LOOKS);
        }
    }

    /// Stops the process that an entry describes, unless another process has the process ID by now.
    fn stop(&mut self, entry: Entry) {
        let Ok(process) = pidfd_open(entry.pid, PidfdFlags::empty()) else {
            return;
        };
        let is_still_it = table::entry(entry.pid).is_some_and(|now| now.is_same(&entry));
        // A process that has exited in the meantime need not be stopped.
        if is_still_it && pidfd_send_signal(&process, Signal::STOP).is_ok() {
            self.0.push((entry, process));
        }
    }

    /// Resumes all stopped processes, children before their parents.
    pub fn resume(self) {
        for (_, process) in self.0.into_iter().rev() {
            let _ = pidfd_send_signal(&process, Signal::CONT);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::process::{Child, Command};

    use super::*;
    use crate::tree_clock::TreeClock;

    /// A shell that is killed together with all its processes when this value is dropped.
    pub struct Shell(Child);

    impl Shell {
        pub fn running(script: &str) -> Self {
            let shell = Command::new("sh").args(["-c", script]).spawn();
            Self(shell.expect("there is a shell"))
        }

        pub fn pid(&self) -> Pid {
            Pid::from_child(&self.0)
        }

        /// Waits until the shell has at least `processes` descendants.
        fn wait_for(&self, processes: usize) {
            while table::descendants(self.pid()).len() < processes {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }

    impl Drop for Shell {
        fn drop(&mut self) {
            while table::kill_descendants(self.pid()) {}
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// How long a test observes a suspended program.
    ///
    /// This is much longer than the clock tick in which CPU time is counted.
    const A_WHILE: Duration = Duration::from_millis(300);

    #[test]
    fn nothing_below_a_supervisor_computes_while_it_is_stopped() {
        const SPIN: &str = "while :; do :; done";
        for (script, processes) in [
            (format!("sh -c '{SPIN}' & wait"), 1),
            (
                format!("(for i in 1 2 3; do setsid sh -c '{SPIN}' & done; wait) & wait"),
                4,
            ),
            // The shell starts processes and reaps them all the time.
            ("(while :; do /bin/true; done) & wait".to_owned(), 1),
            // The inner shell waits, because an orphan would leave this tree: the outer shell is no subreaper.
            (
                "(while :; do (/bin/true & wait); done) & wait".to_owned(),
                1,
            ),
            // The shell has stopped one child itself.
            (
                format!("(setsid sh -c 'kill -STOP $$; {SPIN}' & {SPIN}) & wait"),
                2,
            ),
        ] {
            let shell = Shell::running(&script);
            shell.wait_for(processes);
            let mut clock = TreeClock::of(shell.pid(), false);
            for _ in 0..3 {
                let stopped = Stopped::below(shell.pid()).expect("it stops");
                let before = clock.cpu();
                thread::sleep(A_WHILE);
                assert_eq!(clock.cpu(), before, "{script}");
                stopped.resume();
                let begun = Instant::now();
                while clock.cpu() <= before {
                    assert!(begun.elapsed() < Duration::from_secs(600), "{script}");
                    thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }
}
