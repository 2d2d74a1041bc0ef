//! Starts child processes, and leaves no process or folder behind.
//!
//! Each child runs in its own process group. The crate keeps the end of its stderr, and measures the CPU time of the
//! child with all its descendants. Untrusted children are [isolated](isolation). The cleanup works even if this process
//! is killed; see [`guard`].

mod command;
#[cfg(target_os = "linux")]
mod control_group;
pub mod cores;
mod ending;
#[cfg(target_os = "linux")]
mod filter;
pub mod guard;
pub mod helper;
pub mod isolation;
mod last_words;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod means;
pub mod own_folder;
pub mod pause;
pub mod progress;
mod run;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod suspension;
mod table;
#[cfg(target_os = "linux")]
mod tree_clock;
#[cfg(target_os = "linux")]
mod walls;

/// Functions with which tests make holes in walls.
#[cfg(target_os = "linux")]
#[doc(hidden)]
pub mod holes {
    pub use super::filter::Filter;
    pub use super::limits::Limits;
    pub use super::means::{Access, LITTLE, tried};
    pub use super::walls::Wall;
}

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use tempfile::TempDir;
use turnwise_engine::player::Ponder;
use wait4::Wait4;

use command::Prepared;
#[cfg(target_os = "linux")]
use control_group::ControlGroup;
use cores::CoreTime;
use ending::Ending;
use guard::GUARDED;
use isolation::Isolation;
use last_words::LastWords;
use progress::Progress;
#[cfg(target_os = "linux")]
use suspension::Stopped;
use table::Entry;
#[cfg(target_os = "linux")]
use tree_clock::TreeClock;

/// The time for which a program's processes are killed repeatedly, and the interval.
///
/// The supervisor is killed afterwards.
const LAST_SWEEP: Duration = Duration::from_secs(5);
const BETWEEN_SWEEPS: Duration = Duration::from_millis(1);

/// The interval at which a running child's CPU time is checked.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// The shortest and the longest pause between two checks whether a program has started up.
///
/// A program that computes for less than the clock's resolution would seem to sleep.
const SHORTEST_LOOK: Duration = Duration::from_millis(1);
const LONGEST_LOOK: Duration = Duration::from_millis(8);

/// The process groups of all running children, for the moment when every child must end.
///
/// A child stays in the list until its owner has released the child.
static RUNNING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// The folders of children, for the moment when every child must end.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Locks a mutex, even after a panic. The data are plain values, consistent after every statement.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The maximum time for which a start is retried while the system has no process left, and the interval.
const LONGEST_SHORTAGE: Duration = Duration::from_secs(10);
const BETWEEN_STARTS: Duration = Duration::from_millis(50);

/// Starts a process or a thread; retries while the system has none left.
///
/// Another program may have started as many processes as it can, until its watch kills it.
pub(crate) fn patiently<T>(mut start: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let began = Instant::now();
    loop {
        match start() {
            Err(error)
                if error.kind() == io::ErrorKind::WouldBlock
                    && began.elapsed() < LONGEST_SHORTAGE =>
            {
                thread::sleep(BETWEEN_STARTS);
            }
            started => return started,
        }
    }
}

/// Kills all children at once, removes their folders, and ends this process.
///
/// No killed child is mistaken for a faulty child in the meantime: a thread that waits for a child cannot release it.
pub fn kill_all_and_exit(code: u8) -> ! {
    let running = locked(&RUNNING);
    // The supervisor handles processes that a child starts in the meantime.
    for &group in running.iter() {
        // If the group has just ended, the goal is reached.
        if !table::kill_descendants(group) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    let folders = locked(&FOLDERS);
    for folder in folders.iter() {
        let _ = std::fs::remove_dir_all(folder);
    }
    // Exit while both locks are held.
    std::process::exit(i32::from(code))
}

/// An empty folder with an unguessable name, removed when dropped.
///
/// Only its owner can read the folder.
pub struct Scratch(TempDir);

impl Scratch {
    /// Creates a folder below the run's folder.
    ///
    /// Without a [guard](guard::Guard), creates it below the system's temporary folder.
    pub fn new() -> io::Result<Self> {
        let mut folders = locked(&FOLDERS);
        let folder = match &*locked(&GUARDED) {
            Some(guarded) => run::folder("", guarded.run.path())?,
            None => run::folder("turnwise-", &std::env::temp_dir())?,
        };
        folders.push(folder.path().to_owned());
        Ok(Self(folder))
    }

    /// Returns the path of the folder, which exists until this value is dropped.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        run::remove(self.path());
        locked(&FOLDERS).retain(|folder| folder != self.0.path());
    }
}

/// The destinations of a child's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streams {
    /// Stdin and stdout are pipes to this process; the end of stderr is kept.
    Piped,
    /// Stdin and stdout are the null device; the end of stderr is kept.
    Null,
}

/// The result of a child that has ended.
#[derive(Debug)]
pub struct Ended {
    /// The child's exit code, or the signal that ended the child.
    pub status: ExitStatus,
    /// User and system time of the program with all its descendants. Without a [guard](guard::Guard), only descendants
    /// that the program has reaped count.
    pub cpu: Duration,
    /// Wall time from the child's start to its end.
    pub wall: Duration,
    /// Seconds for which others have used the program's core; see [`CoreTime::others_since`].
    pub others: Option<f64>,
    /// The child's progress when it was killed at the end of its time limit, if it was.
    pub killed_at: Option<Progress>,
}

/// A running child. When dropped, kills the child with all its descendants.
pub struct Process {
    child: Child,
    began: Instant,
    /// True once the system has released the child's number for other processes.
    is_over: bool,
    /// True if the child is a supervisor rather than the program itself.
    is_supervised: bool,
    /// True if the supervisor is a grandchild: a child of `child`.
    #[cfg(target_os = "linux")]
    is_behind_bubblewrap: bool,
    /// True if the program is suspended between its turns.
    is_frozen_between_turns: bool,
    /// CPU time at the end of the program's previous turn.
    cpu_at_end_of_turn: Option<Duration>,
    /// The processes that signals have stopped; only without a control group.
    #[cfg(target_os = "linux")]
    stopped: Option<Stopped>,
    /// The clock, created at its first use; only without a control group.
    #[cfg(target_os = "linux")]
    clock: Option<TreeClock>,
    /// The control group, killed and removed after everything else.
    #[cfg(target_os = "linux")]
    control_group: Option<ControlGroup>,
    /// The [run]'s note of the child.
    note: Option<PathBuf>,
    group: Pid,
    last_words: LastWords,
}

impl Process {
    /// Starts a program in the current folder.
    pub fn start(words: &[String], streams: Streams) -> io::Result<Self> {
        Self::start_in(Path::new("."), words, streams, None, Ponder::Allow)
    }

    /// Starts a program in a folder.
    ///
    /// For an isolated program, the folder is its home, which the program may change. Its [own files](isolation::Own)
    /// determine where the program starts. The isolation holds as far as it is [in force](isolation::in_force) on this
    /// machine.
    ///
    /// A program that may not ponder is suspended at the end of each [turn](Process::end_turn).
    ///
    /// # Errors
    ///
    /// Returns an error if the program does not exist, or if its supervision cannot be started.
    pub fn start_in(
        folder: &Path,
        words: &[String],
        streams: Streams,
        isolation: Option<&Isolation>,
        ponder: Ponder,
    ) -> io::Result<Self> {
        let prepared = match isolation {
            None => command::supervised(folder, words, ponder)?,
            Some(isolation) => command::isolated(folder, words, isolation, ponder)?,
        };
        let mut process = Self::spawn(prepared, streams)?;
        process.is_frozen_between_turns = ponder == Ponder::Freeze;
        Ok(process)
    }

    fn spawn(prepared: Prepared, streams: Streams) -> io::Result<Self> {
        let mut command = prepared.command;
        let stream: fn() -> Stdio = match streams {
            Streams::Piped => Stdio::piped,
            Streams::Null => Stdio::null,
        };
        // The program gets its own process group, so Ctrl-C in the terminal reaches only this process.
        command
            .stdin(stream())
            .stdout(stream())
            .stderr(Stdio::piped())
            .process_group(0);
        let started = patiently(|| {
            let (last_words, listener) = LastWords::prepare()?;
            // The lock is held until the child is in the list, so that no child starts unseen while all children are
            // killed.
            let mut running = locked(&RUNNING);
            let guarded = locked(&GUARDED);
            if let Some(guarded) = &*guarded {
                command.env(run::VARIABLE, guarded.run.name());
            }
            let began = Instant::now();
            let child = command.spawn()?;
            let group = Pid::from_child(&child);
            running.push(group);
            let note = guarded.as_ref().map(|guarded| guarded.run.note(group));
            Ok((child, group, began, note, last_words, listener))
        });
        let (mut child, group, began, note, last_words, listener) = started.map_err(|error| {
            let program = command.get_program().to_string_lossy();
            command::cannot_start(&program, &error)
        })?;
        if let Some(stderr) = child.stderr.take() {
            // The thread waits until it receives the stream.
            let _ = listener.send(stderr);
        }
        Ok(Self {
            child,
            began,
            is_over: false,
            is_supervised: prepared.is_supervised,
            #[cfg(target_os = "linux")]
            is_behind_bubblewrap: prepared.is_behind_bubblewrap,
            is_frozen_between_turns: false,
            cpu_at_end_of_turn: None,
            #[cfg(target_os = "linux")]
            stopped: None,
            #[cfg(target_os = "linux")]
            clock: None,
            #[cfg(target_os = "linux")]
            control_group: prepared.control_group,
            note,
            group,
            last_words,
        })
    }

    /// Returns the child's stdin and stdout, once.
    pub fn streams(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        self.child.stdin.take().zip(self.child.stdout.take())
    }

    /// Returns the parent of the program, or the program itself if it has no supervisor.
    ///
    /// Returns `None` before bubblewrap has started the supervisor, and after the supervisor has ended.
    fn supervisor(&self) -> Option<Pid> {
        #[cfg(target_os = "linux")]
        if self.is_behind_bubblewrap {
            // The only child of bubblewrap is the supervisor, the first process of the namespace.
            let child = table::children(self.group).into_iter().next();
            return child.map(|child| child.pid);
        }
        Some(self.group)
    }

    /// Returns true once the supervisor has started the program.
    fn has_begun(&self) -> bool {
        !self.is_supervised
            || (self.supervisor()).is_some_and(|supervisor| !table::children(supervisor).is_empty())
    }

    /// Returns the CPU time of the program and all its descendants.
    ///
    /// Counts each process separately, because a child may sleep while its own child computes. Returns `None` where the
    /// system does not report CPU time, or once all processes have ended.
    pub fn cpu(&mut self) -> Option<Duration> {
        #[cfg(target_os = "linux")]
        {
            if let Some(group) = &self.control_group {
                return group.cpu();
            }
            if self.clock.is_none() {
                let is_part_of_it = !self.is_supervised;
                self.clock = Some(TreeClock::of(self.supervisor()?, is_part_of_it));
            }
            self.clock.as_mut()?.cpu()
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Waits until the program sleeps, which means that it has started up and waits for input.
    ///
    /// Returns early if the program ends, and at the latest when `patience` is over. The program's activity in this
    /// time belongs to no turn.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot be watched, or cannot be suspended at the end.
    pub fn settle(&mut self, patience: Duration) -> io::Result<()> {
        let ending = Ending::of(Pid::from_child(&self.child))?;
        let begun = Instant::now();
        let (mut pause, mut before) = (SHORTEST_LOOK, None);
        while begun.elapsed() < patience && !ending.has_come_within(pause) {
            let cpu = self.cpu();
            let has_computed = cpu.is_none() || cpu != before;
            // A program without progress may also be waiting for a core or for a file.
            if !has_computed && self.has_begun() && !progress::is_busy(self.group) {
                break;
            }
            before = cpu;
            pause = (pause * 2).min(LONGEST_LOOK);
        }
        self.suspend()?;
        self.cpu_at_end_of_turn = self.cpu();
        Ok(())
    }

    /// Begins a turn: resumes a suspended program and starts the turn's clock.
    pub fn begin_turn(&mut self) -> Turn {
        let cpu = self.cpu();
        let pondered =
            (cpu.zip(self.cpu_at_end_of_turn)).map(|(now, before)| now.saturating_sub(before));
        self.resume();
        Turn {
            paused_before: pause::paused(),
            began: Instant::now(),
            cpu_before: cpu,
            pondered,
        }
    }

    /// Ends a turn: stops its clock, and suspends a program that may not ponder.
    ///
    /// Returns the wall time of the turn, and its CPU time if known. The CPU time includes computation after the
    /// answer, until the program is suspended. No other clock runs in this time.
    ///
    /// # Errors
    ///
    /// If the program cannot be suspended, the third value is an error; the times are still valid.
    pub fn end_turn(&mut self, turn: &Turn) -> (Duration, Option<Duration>, io::Result<()>) {
        let wall = turn.elapsed();
        let suspended = self.suspend();
        self.cpu_at_end_of_turn = self.cpu();
        (wall, turn.cpu_until(self.cpu_at_end_of_turn), suspended)
    }

    /// Returns the total time for which the program's threads and its supervisor have waited for a core.
    ///
    /// A program whose supervisor waits for a core has not even started.
    pub fn waited(&self) -> Duration {
        progress::waited(self.group)
    }

    /// Returns the seconds for which others have used the cores since the start.
    ///
    /// See [`CoreTime::others_since`].
    fn others_since(&self, start: Option<CoreTime>, own: Duration) -> Option<f64> {
        Some(CoreTime::now()?.others_since(start?, own, || self.waited()))
    }

    /// Returns the CPU time of a turn so far, if known.
    pub fn cpu_in(&mut self, turn: &Turn) -> Option<Duration> {
        turn.cpu_until(self.cpu())
    }

    fn suspend(&mut self) -> io::Result<()> {
        if !self.is_frozen_between_turns {
            return Ok(());
        }
        #[cfg(target_os = "linux")]
        match &self.control_group {
            Some(group) => group.freeze()?,
            None => {
                let root = self.supervisor().unwrap_or(self.group);
                self.stopped = Some(Stopped::below(root)?);
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = kill_process_group(self.group, Signal::STOP);
        Ok(())
    }

    /// Resumes a suspended program.
    pub fn resume(&mut self) {
        if !self.is_frozen_between_turns {
            return;
        }
        #[cfg(target_os = "linux")]
        match &self.control_group {
            // This cannot fail, because the group's file is already open.
            Some(group) => drop(group.thaw()),
            None => {
                if let Some(stopped) = self.stopped.take() {
                    stopped.resume();
                }
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = kill_process_group(self.group, Signal::CONT);
    }

    /// Returns the program's progress since its start. `at_start` is the time of the cores at the start.
    fn progress(&mut self, at_start: Option<CoreTime>) -> Progress {
        let cpu = self.cpu().unwrap_or_default();
        let others = self.others_since(at_start, cpu).unwrap_or_default();
        Progress {
            wall: self.began.elapsed(),
            cpu,
            others: Duration::try_from_secs_f64(others).unwrap_or_default(),
        }
    }

    /// Returns the last output on stderr, and the CPU time from an ended supervisor.
    ///
    /// Waits a moment for remaining output.
    fn last_said(&self) -> (String, Option<Duration>) {
        let said = self.last_words.at_the_end();
        #[cfg(target_os = "linux")]
        let (said, cpu) = supervisor::without_report(&said);
        #[cfg(not(target_os = "linux"))]
        let (said, cpu) = (&said[..], None);
        (String::from_utf8_lossy(said).into_owned(), cpu)
    }

    /// Waits for the child's end. Kills the child once `patience` is over and its progress `is_enough`.
    ///
    /// All descendants of the child end with the child.
    pub fn run_to_its_end(
        &mut self,
        patience: Duration,
        is_enough: impl Fn(&Progress) -> bool,
    ) -> io::Result<Ended> {
        let ending = Ending::of(Pid::from_child(&self.child))?;
        let cores = CoreTime::now();
        let mut killed_at = None;
        while !ending.has_come_within(BETWEEN_LOOKS) {
            if self.began.elapsed() < patience {
                continue;
            }
            let progress = self.progress(cores);
            // The child may have ended during the check.
            if is_enough(&progress) && !ending.has_come_within(Duration::ZERO) {
                killed_at = Some(progress);
                break;
            }
        }
        let wall = self.began.elapsed();
        self.kill();
        let ended = self.child.wait4()?;
        self.is_over = true;
        self.kill_strays(ended.status);
        // This excludes the supervisor's own CPU time.
        let reported = self.is_supervised.then(|| self.last_said().1).flatten();
        let waited_for = reported.unwrap_or(ended.rusage.utime + ended.rusage.stime);
        let cpu = killed_at.map_or(waited_for, |at| at.cpu.max(waited_for));
        Ok(Ended {
            status: ended.status,
            cpu,
            wall,
            // The program's threads have ended.
            others: killed_at.map_or_else(
                || self.others_since(cores, cpu),
                |at| Some(at.others.as_secs_f64()),
            ),
            killed_at,
        })
    }

    /// Kills the child with all its descendants, without waiting for their end.
    fn kill(&self) {
        // This also ends suspended processes.
        #[cfg(target_os = "linux")]
        if let Some(group) = &self.control_group {
            group.kill();
        }
        if self.is_supervised
            && let Ok(ending) = Ending::of(self.group)
        {
            let begun = Instant::now();
            // The supervisor ends on its own once it is the last process.
            while !ending.has_come_within(BETWEEN_SWEEPS) && begun.elapsed() < LAST_SWEEP {
                table::kill_descendants(self.group);
            }
        }
        // Until the child is reaped, no other process can have its number.
        let _ = kill_process_group(self.group, Signal::KILL);
    }

    /// Kills the processes that this process has adopted because their supervisor was killed.
    fn kill_strays(&self, status: ExitStatus) {
        if !self.is_supervised || status.signal().is_none() {
            return;
        }
        let running = locked(&RUNNING);
        let guard = locked(&GUARDED).as_ref().map(|guarded| guarded.guard);
        let is_stray = |entry: &Entry| !running.contains(&entry.pid) && guard != Some(entry.pid);
        let own = rustix::process::getpid();
        while let Some(stray) = table::children(own).into_iter().find(is_stray) {
            table::kill_descendants(stray.pid);
            let _ = kill_process(stray.pid, Signal::KILL);
            let _ = waitpid(Some(stray.pid), WaitOptions::empty());
        }
    }

    /// Returns true until the program has ended.
    pub fn is_running(&mut self) -> bool {
        !self.is_over && matches!(self.child.try_wait(), Ok(None))
    }

    /// Returns the child's exit status if the child ends within the limit.
    pub fn ended_within(&mut self, limit: Duration) -> Option<String> {
        let begun = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                self.is_over = self.is_supervised;
                self.kill_strays(status);
                return Some(status.to_string());
            }
            if begun.elapsed() >= limit {
                return None;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns a reason that the killed supervisor could not report.
    fn killed_by_kernel(&self) -> Option<&'static str> {
        #[cfg(target_os = "linux")]
        if self
            .control_group
            .as_ref()
            .is_some_and(ControlGroup::ran_out_of_memory)
        {
            return Some(
                "turnwise: its processes used too much memory together; the kernel killed one of them",
            );
        }
        None
    }

    /// Returns the last lines of the child's stderr, in a form that is safe for terminals.
    ///
    /// Waits a moment for the lines if the child has ended.
    pub fn last_lines(&mut self) -> Vec<String> {
        let has_ended = self.is_over || matches!(self.child.try_wait(), Ok(Some(_)));
        let text = match has_ended {
            true => self.last_said().0,
            false => String::from_utf8_lossy(&self.last_words.so_far()).into_owned(),
        };
        last_words::shown(text.lines().chain(self.killed_by_kernel()))
    }
}

/// A turn of a program, from question to answer.
pub struct Turn {
    began: Instant,
    paused_before: Duration,
    cpu_before: Option<Duration>,
    /// CPU time that the program has used since its previous turn or its start-up.
    ///
    /// `None` if unknown.
    pub pondered: Option<Duration>,
}

impl Turn {
    /// Returns the wall time since the turn began.
    ///
    /// Excludes the time for which this process was stopped.
    pub fn elapsed(&self) -> Duration {
        let paused = pause::paused() - self.paused_before;
        self.began.elapsed().saturating_sub(paused)
    }

    fn cpu_until(&self, now: Option<Duration>) -> Option<Duration> {
        let times = now.zip(self.cpu_before);
        times.map(|(now, before)| now.saturating_sub(before))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_over {
            // All descendants end with the child. Killing an ended child has no effect.
            self.kill();
            if let Ok(status) = self.child.wait() {
                self.kill_strays(status);
            }
        }
        locked(&RUNNING).retain(|&group| group != self.group);
        if let Some(note) = &self.note {
            let _ = std::fs::remove_file(note);
        }
    }
}

/// Pins this thread, and all threads and programs that it starts from now on, to one core.
///
/// `number` selects the core among the usable cores, and wraps around. A program can undo this for itself.
pub fn pin_to_core(number: usize) {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        let Ok(usable) = sched_getaffinity(None) else {
            return;
        };
        let all: Vec<usize> = (0..CpuSet::MAX_CPU)
            .filter(|&core| usable.is_set(core))
            .collect();
        let mut one = CpuSet::new();
        one.set(all[number % all.len()]);
        // If this fails, programs run on the cores that the system allows.
        let _ = sched_setaffinity(None, &one);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = number;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_tried_again_only_while_the_system_has_no_process_left() {
        let mut errors = vec![io::ErrorKind::NotFound, io::ErrorKind::WouldBlock];
        let mut start = || match errors.pop() {
            Some(kind) => Err(io::Error::from(kind)),
            None => Ok(7),
        };
        let error = patiently(&mut start).expect_err("the second error is final");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert_eq!(patiently(&mut start).expect("it starts"), 7);
    }

    #[test]
    fn a_scratch_folder_is_its_owners_alone_and_gone_in_the_end() {
        use std::os::unix::fs::PermissionsExt;

        let [one, other] = [(); 2].map(|()| Scratch::new().expect("a folder"));
        assert_ne!(one.path(), other.path());
        let path = one.path().to_owned();
        let mode = path.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        std::fs::write(path.join("input.txt"), "").expect("it can be written");
        drop(one);
        assert!(!path.exists());
        assert!(!locked(&FOLDERS).contains(&path));
    }
}
