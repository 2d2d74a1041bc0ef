//! Measures the CPU time of a tree of processes, fast enough for two measurements per ply.
//!
//! Reading the clock of one process takes less than a microsecond, but finding the processes takes many microseconds.
//! The tree is therefore read again only if a process has started anywhere on the machine, which `/proc/loadavg` shows:
//! it contains the ID of the newest process.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use rustix::process::Pid;

use super::table;

/// The CPU clocks of a process and of its descendants.
pub(super) struct TreeClock {
    root: Pid,
    /// True if the CPU time of the root itself counts.
    is_root_of_it: bool,
    load: Option<File>,
    last_born: Option<u64>,
    members: Vec<(Pid, ClockId)>,
    /// True once the tree has had several processes. From then on, every reading includes the reaped processes.
    has_grown: bool,
}

impl TreeClock {
    /// Creates a clock that measures all processes below `root`.
    ///
    /// The root itself is included if it belongs to the program (`is_root_of_it`).
    pub fn of(root: Pid, is_root_of_it: bool) -> Self {
        Self {
            root,
            is_root_of_it,
            load: File::open("/proc/loadavg").ok(),
            last_born: None,
            members: Vec::new(),
            has_grown: false,
        }
    }

    /// Returns the CPU time of all processes in the tree, even if they have exited.
    ///
    /// The time of living processes is exact. The time of reaped processes is counted in steps of the system's clock
    /// tick (usually 10 ms). The time of a process is missing if its parent ignores exits of children. Returns `None`
    /// once the root has exited.
    pub fn cpu(&mut self) -> Option<Duration> {
        let last_born = self.read_last_born();
        let is_born = last_born.is_none() || last_born != self.last_born;
        let known = (!is_born).then(|| self.of_members()).flatten();
        let living = match known {
            Some(cpu) => cpu,
            None => {
                self.read_members();
                // If a process has exited since the tree was read, the time of reaped processes includes its time.
                self.of_members().unwrap_or_default()
            }
        };
        self.last_born = last_born;
        // A process may have started and exited since the last reading, so that it was never among the members.
        if !is_born && !self.has_grown && !self.members.is_empty() {
            return Some(living);
        }
        let reaped = self.of_those_waited_for()?;
        self.has_grown |= !reaped.is_zero();
        Some(living + reaped)
    }

    /// Returns the CPU time of all living processes of the tree, or `None` if a process has exited.
    fn of_members(&self) -> Option<Duration> {
        let clocks = self.members.iter();
        clocks
            .map(|&(_, clock)| clock_gettime(clock).ok().map(Duration::from))
            .sum()
    }

    fn read_members(&mut self) {
        let below = table::descendants(self.root).into_iter();
        let root = self.is_root_of_it.then_some(self.root).into_iter();
        let members = root.chain(below.map(|entry| entry.pid));
        self.members = members
            .filter_map(|pid| {
                let number = nix::unistd::Pid::from_raw(pid.as_raw_nonzero().get());
                Some((pid, clock_getcpuclockid(number).ok()?))
            })
            .collect();
        self.has_grown |= self.members.len() > 1;
    }

    /// Returns the CPU time of reaped processes, which the system adds to the accounts of their parents.
    fn of_those_waited_for(&self) -> Option<Duration> {
        let of = |pid: Pid| table::entry(pid).map(|entry| entry.waited);
        let members = self.members.iter().map(|&(pid, _)| pid);
        let members = members.filter(|&pid| pid != self.root);
        let below: Duration = members.filter_map(of).sum();
        Some(of(self.root)? + below)
    }

    /// Returns the ID of the newest process or thread on this machine.
    fn read_last_born(&self) -> Option<u64> {
        let mut text = [0; 80];
        let read = self.load.as_ref()?.read_at(&mut text, 0).ok()?;
        let text = str::from_utf8(&text[..read]).ok()?;
        text.split_ascii_whitespace().last()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Child, Command, Stdio};
    use std::thread;

    use super::*;

    /// A shell that computes on request, and that is killed when this value is dropped.
    struct Worker(Child);

    impl Worker {
        fn new(script: &str) -> Self {
            let worker = Command::new("sh")
                .args(["-c", script])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn();
            Self(worker.expect("there is a shell"))
        }

        /// Lets the shell run its loop once, and waits until it is done.
        fn work(&mut self) {
            let stdin = self.0.stdin.as_mut().expect("it is piped");
            stdin.write_all(b"go\n").expect("it reads");
            let stdout = self.0.stdout.as_mut().expect("it is piped");
            let mut line = String::new();
            BufReader::new(stdout)
                .read_line(&mut line)
                .expect("it answers");
            assert_eq!(line, "done\n");
        }
    }

    impl Drop for Worker {
        fn drop(&mut self) {
            let pid = Pid::from_child(&self.0);
            while table::kill_descendants(pid) {}
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// Returns the reading of the clock once its processes only wait: after their answer, they still ask for the next
    /// line.
    fn at_rest(clock: &mut TreeClock) -> Duration {
        let mut shown = clock.cpu().expect("it runs");
        for _ in 0..1_000 {
            thread::sleep(Duration::from_millis(10));
            let now = clock.cpu().expect("it runs");
            if now == shown {
                return now;
            }
            shown = now;
        }
        panic!("waiting processes compute, or the clock goes on without them");
    }

    const COMPUTE: &str = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";

    #[test]
    fn what_a_program_its_children_and_its_dead_compute_is_seen() {
        // The CPU time of one loop in the program itself.
        let mut own = Duration::ZERO;
        for worker in [
            format!("while read x; do {COMPUTE}; echo done; done"),
            format!("while read x; do ({COMPUTE}; true); echo done; done"),
            format!(
                "exec 3<&0; (while read x <&3; do ({COMPUTE}; true) & wait; echo done; done) & wait"
            ),
        ] {
            let mut worker = Worker::new(&worker);
            let mut clock = TreeClock::of(Pid::from_child(&worker.0), true);
            worker.work();
            let before = at_rest(&mut clock);
            assert!(before > Duration::ZERO);
            worker.work();
            let seen = clock.cpu().expect("it runs") - before;
            assert!(seen > own / 3, "{seen:?} of {own:?}");
            own = own.max(seen);
        }
    }

    #[test]
    fn the_root_counts_only_if_it_is_of_the_program() {
        let mut worker = Worker::new(&format!("while read x; do {COMPUTE}; echo done; done"));
        worker.work();
        let mut clock = TreeClock::of(Pid::from_child(&worker.0), false);
        assert_eq!(clock.cpu(), Some(Duration::ZERO));
    }
}
