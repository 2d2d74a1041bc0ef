//! Starts child processes, and leaves no process or folder behind.
//!
//! Each child runs in its own process group. This crate keeps the end of each child's stderr, and measures the CPU time
//! of the child with all its descendants. Untrusted children are [isolated](isolation). The cleanup works even if this
//! process is killed; see [`guard`].
//!
//! Temporary folders disappear with their owner:
//!
//! ```
//! use turnwise_process::Scratch;
//!
//! let scratch = Scratch::new()?;
//! let path = scratch.path().to_owned();
//! std::fs::write(path.join("input.txt"), "GAME")?;
//! drop(scratch);
//! assert!(!path.exists());
//! # Ok::<(), std::io::Error>(())
//! ```

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

/// Items for tests that make holes in the walls around isolated programs.
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
use turnwise_engine::search::Stop;
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

/// The maximum time for which a program's processes are killed repeatedly, before the supervisor itself is killed.
const LAST_SWEEP: Duration = Duration::from_secs(5);
const BETWEEN_SWEEPS: Duration = Duration::from_millis(1);

/// The pause between two checks of a running child's CPU time.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// The shortest pause between two checks whether a program has started up.
///
/// With shorter pauses, a program that computes for less than the clock's resolution would seem to sleep.
const SHORTEST_LOOK: Duration = Duration::from_millis(1);
const LONGEST_LOOK: Duration = Duration::from_millis(8);

/// The process groups of all running children, for [`kill_all_and_exit`].
///
/// A child stays in the list until its owner has reaped or dropped it.
static RUNNING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// The folders of all children, for [`kill_all_and_exit`].
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Locks a mutex, even if another thread has panicked while it held the lock.
///
/// This is safe because all locked data are plain values, which are consistent after every statement.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The maximum time for which a start is retried while the system allows no more processes.
///
/// [`BETWEEN_STARTS`] is the pause between two attempts.
const LONGEST_SHORTAGE: Duration = Duration::from_secs(10);
const BETWEEN_STARTS: Duration = Duration::from_millis(50);

/// Calls `start`, which starts a process or a thread, and retries while the system's limit on processes is reached.
///
/// The reason for a shortage may be another program that starts as many processes as it can, until its watch kills it.
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

/// Kills all children at once, removes their folders, and exits this process.
///
/// Until the exit, no other thread can mistake a killed child for a faulty child: a thread that waits for a child
/// cannot release it, because the locks are held.
pub fn kill_all_and_exit(code: u8) -> ! {
    let running = locked(&RUNNING);
    // The supervisor kills processes that a child starts in the meantime.
    for &group in running.iter() {
        // An error means that the group has just ended, which is the goal.
        if !table::kill_descendants(group) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    let folders = locked(&FOLDERS);
    for folder in folders.iter() {
        let _ = std::fs::remove_dir_all(folder);
    }
    // Both locks are still held here, so no thread can start or release a child before the exit.
    std::process::exit(i32::from(code))
}

/// A folder with an unguessable name, which is empty at first and is removed when this value is dropped.
pub struct Scratch(TempDir);

impl Scratch {
    /// Creates an empty folder below the run's folder.
    ///
    /// Without a [guard](guard::Guard), the folder is created below the system's folder for temporary files.
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

/// Where a child's streams lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streams {
    /// Stdin and stdout are pipes to this process; the end of stderr is kept.
    Piped,
    /// Stdin and stdout are the null device; the end of stderr is kept.
    Null,
}

/// The exit status of a child that has ended, and the time that the child has used.
#[derive(Debug)]
pub struct Ended {
    /// The child's exit code, or the signal that ended the child.
    pub status: ExitStatus,
    /// The user and system time of the program with all its descendants. Without a [guard](guard::Guard), only
    /// descendants that the program has reaped count.
    pub cpu: Duration,
    /// The wall time from the child's start to its exit.
    pub wall: Duration,
    /// The number of seconds for which others have delayed the program; see [`CoreTime::others_since`].
    pub others: Option<f64>,
    /// The child's progress when its time limit was over and it was killed; `None` if it exited in time.
    pub killed_at: Option<Progress>,
}

/// A running child. Dropping this value kills the child with all its descendants.
pub struct Process {
    child: Child,
    began: Instant,
    /// True once the child has been reaped. From then on, another process may have the child's process ID.
    is_over: bool,
    /// True if the child is a supervisor rather than the program itself.
    is_supervised: bool,
    /// True if the supervisor is a grandchild: a child of `child`.
    #[cfg(target_os = "linux")]
    is_behind_bubblewrap: bool,
    /// True if the program must be suspended between its turns.
    is_frozen_between_turns: bool,
    /// The program's CPU time at the end of the previous turn.
    cpu_at_end_of_turn: Option<Duration>,
    /// The processes that signals have stopped. Used only without a control group.
    #[cfg(target_os = "linux")]
    stopped: Option<Stopped>,
    /// The clock of the program's CPU time, created at its first use. Used only without a control group.
    #[cfg(target_os = "linux")]
    clock: Option<TreeClock>,
    /// The program's control group, which is killed and removed after everything else.
    #[cfg(target_os = "linux")]
    control_group: Option<ControlGroup>,
    /// The path of the note about the child, which the [run] has written so that a later run can clean up.
    note: Option<PathBuf>,
    group: Pid,
    last_words: LastWords,
}

impl Process {
    /// Starts a trusted program in the current folder.
    pub fn start(words: &[String], streams: Streams) -> io::Result<Self> {
        Self::start_in(Path::new("."), words, streams, None, Ponder::Allow)
    }

    /// Starts a program in a folder.
    ///
    /// For an isolated program, the folder is its home, in which the program may write. Its [own files](isolation::Own)
    /// determine where the program starts. The isolation prevents only as much as is [in force](isolation::in_force) on
    /// this machine.
    ///
    /// A program that may not ponder is suspended at the end of each [turn](Process::end_turn), until the next turn.
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
        // The program gets its own process group, so that Ctrl-C in the terminal reaches only this process.
        command
            .stdin(stream())
            .stdout(stream())
            .stderr(Stdio::piped())
            .process_group(0);
        let started = patiently(|| {
            let (last_words, listener) = LastWords::prepare()?;
            // The lock is held until the child is in the list. Otherwise a child could start unnoticed while all
            // children are being killed.
            let mut running = locked(&RUNNING);
            // All code that holds both locks takes `RUNNING` first, so that two threads cannot block each other.
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
            // The thread that keeps the last words waits for this stream.
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

    /// Returns the child's stdin and stdout at the first call. Further calls return `None`.
    pub fn streams(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        self.child.stdin.take().zip(self.child.stdout.take())
    }

    /// Returns the process ID of the supervisor, or of the program itself if it has no supervisor.
    ///
    /// Returns `None` before bubblewrap has started the supervisor, and after the supervisor has ended.
    fn supervisor(&self) -> Option<Pid> {
        #[cfg(target_os = "linux")]
        if self.is_behind_bubblewrap {
            // The only child of bubblewrap is the first process of the namespace, which is the supervisor.
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
    /// Each process is measured separately, because a child may sleep while its own child computes. Returns `None`
    /// where the system does not report CPU time, or once all processes have ended.
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

    /// Waits until the program sleeps, because it has then started up and waits for input.
    ///
    /// Also returns if the program exits, and at the latest when the time `patience` is over. The CPU time that the
    /// program uses until then belongs to no turn.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot be watched, or if it cannot be suspended when it has started up.
    pub fn settle(&mut self, patience: Duration) -> io::Result<()> {
        let ending = Ending::of(Pid::from_child(&self.child))?;
        let begun = Instant::now();
        let (mut pause, mut before) = (SHORTEST_LOOK, None);
        while begun.elapsed() < patience && !ending.has_come_within(pause) {
            let cpu = self.cpu();
            let has_computed = cpu.is_none() || cpu != before;
            // A program that has not computed may not be asleep: it may be waiting for a core or for a file.
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

    /// Begins a turn: resumes the program if it is suspended, and starts the turn's clock.
    pub fn begin_turn(&mut self) -> Turn {
        // This reading comes before the program is resumed, so that it separates pondering from the turn.
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

    /// Ends a turn: stops the turn's clock, and suspends the program if it may not ponder.
    ///
    /// Returns the wall time of the turn, and the CPU time if known. The CPU time includes computation after the
    /// answer, until the program is suspended, because no other clock would count it.
    ///
    /// # Errors
    ///
    /// The third value is an error if the program cannot be suspended. The times are valid in any case.
    pub fn end_turn(&mut self, turn: &Turn) -> (Duration, Option<Duration>, io::Result<()>) {
        // The wall time is read first, because the suspension takes a moment.
        let wall = turn.elapsed();
        let suspended = self.suspend();
        self.cpu_at_end_of_turn = self.cpu();
        (wall, turn.cpu_until(self.cpu_at_end_of_turn), suspended)
    }

    /// Returns the total time for which the threads of the program and its supervisor have waited for a core.
    ///
    /// The supervisor counts, because the program cannot even start while its supervisor waits for a core.
    pub fn waited(&self) -> Duration {
        progress::waited(self.group)
    }

    /// Returns the number of seconds for which others have delayed the program since `start`.
    ///
    /// See [`CoreTime::others_since`].
    fn others_since(&self, start: Option<CoreTime>, own: Duration) -> Option<f64> {
        Some(CoreTime::now()?.others_since(start?, own, || self.waited()))
    }

    /// Returns the CPU time that the program has used in this turn so far, if known.
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

    /// Resumes the program if it is suspended.
    pub fn resume(&mut self) {
        if !self.is_frozen_between_turns {
            return;
        }
        #[cfg(target_os = "linux")]
        match &self.control_group {
            // The error can be ignored: writing cannot fail, because the group's file is already open.
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

    /// Returns the program's progress since its start. `at_start` is the reading of the cores' times at the start.
    fn progress(&mut self, at_start: Option<CoreTime>) -> Progress {
        let cpu = self.cpu().unwrap_or_default();
        let others = self.others_since(at_start, cpu).unwrap_or_default();
        Progress {
            wall: self.began.elapsed(),
            cpu,
            others: Duration::try_from_secs_f64(others).unwrap_or_default(),
        }
    }

    /// Returns the program's last output on stderr, and the CPU time that its supervisor reported when it exited.
    ///
    /// If the program has ended, waits a moment for output that has not been read yet.
    fn last_said(&self, has_ended: bool) -> (String, Option<Duration>) {
        let said = match has_ended {
            true => self.last_words.at_the_end(),
            false => self.last_words.so_far(),
        };
        #[cfg(target_os = "linux")]
        let (said, cpu) = supervisor::without_report(&said);
        #[cfg(not(target_os = "linux"))]
        let (said, cpu) = (&said[..], None);
        (String::from_utf8_lossy(said).into_owned(), cpu)
    }

    /// Waits until the child exits. Kills it once `patience` is over and `is_enough` returns true for its progress, or
    /// once the thread's work is [stopped](Stop::current).
    ///
    /// When the child exits or is killed, all its descendants are killed too.
    pub fn run_to_its_end(
        &mut self,
        patience: Duration,
        is_enough: impl Fn(&Progress) -> bool,
    ) -> io::Result<Ended> {
        let ending = Ending::of(Pid::from_child(&self.child))?;
        let cores = CoreTime::now();
        let mut killed_at = None;
        let stop = Stop::current();
        while !ending.has_come_within(BETWEEN_LOOKS) {
            if self.began.elapsed() < patience && !stop.stopped() {
                continue;
            }
            let progress = self.progress(cores);
            // The child must not be killed if it exited during the check.
            if (is_enough(&progress) || stop.stopped()) && !ending.has_come_within(Duration::ZERO) {
                killed_at = Some(progress);
                break;
            }
        }
        let wall = self.began.elapsed();
        self.kill();
        let ended = self.child.wait4()?;
        self.is_over = true;
        self.kill_strays(ended.status);
        // The supervisor's report does not include its own CPU time, so it is preferred.
        let reported = self.is_supervised.then(|| self.last_said(true).1).flatten();
        let waited_for = reported.unwrap_or(ended.rusage.utime + ended.rusage.stime);
        // The system counts only descendants that were waited for. After a kill, some were not, so the earlier
        // measurement may be greater.
        let cpu = killed_at.map_or(waited_for, |at| at.cpu.max(waited_for));
        Ok(Ended {
            status: ended.status,
            cpu,
            wall,
            // If the child was killed, its threads have ended, so the measurement before the kill counts.
            others: killed_at.map_or_else(
                || self.others_since(cores, cpu),
                |at| Some(at.others.as_secs_f64()),
            ),
            killed_at,
        })
    }

    /// Kills the child with all its descendants, but does not wait until they have exited.
    fn kill(&self) {
        // This also kills suspended processes.
        #[cfg(target_os = "linux")]
        if let Some(group) = &self.control_group {
            group.kill();
        }
        if self.is_supervised
            && let Ok(ending) = Ending::of(self.group)
        {
            let begun = Instant::now();
            // The supervisor exits on its own once all other processes have ended.
            while !ending.has_come_within(BETWEEN_SWEEPS) && begun.elapsed() < LAST_SWEEP {
                table::kill_descendants(self.group);
            }
        }
        // The child has not been reaped yet, so no other process can have its process ID.
        let _ = kill_process_group(self.group, Signal::KILL);
    }

    /// Kills processes that this process has adopted, because their supervisor was killed.
    fn kill_strays(&self, status: ExitStatus) {
        if !self.is_supervised || status.signal().is_none() {
            return;
        }
        let running = locked(&RUNNING);
        let guard = locked(&GUARDED).as_ref().map(|guarded| guarded.guard);
        let is_stray = |entry: &Entry| !running.contains(&entry.pid) && guard != Some(entry.pid);
        let own = rustix::process::getpid();
        loop {
            let mut strays = table::children(own);
            strays.retain(is_stray);
            // A program that forks without end leaves thousands of strays. One reading of the table serves all of them.
            for stray in strays.iter().filter(|stray| !stray.is_over) {
                table::kill_descendants(stray.pid);
                let _ = kill_process(stray.pid, Signal::KILL);
            }
            for stray in &strays {
                let _ = waitpid(Some(stray.pid), WaitOptions::empty());
            }
            if strays.is_empty() {
                return;
            }
        }
    }

    /// Returns true until the program has ended.
    pub fn is_running(&mut self) -> bool {
        !self.is_over && matches!(self.child.try_wait(), Ok(None))
    }

    /// Returns a description of the child's exit status, if the child exits within the time `limit`.
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

    /// Returns a message if the kernel killed a process of the program because of its memory limit.
    ///
    /// The supervisor cannot report this if it was killed too.
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

    /// Returns the last lines of the child's stderr, without characters that could control a terminal.
    ///
    /// If the child has exited, waits a moment for lines that have not been read yet.
    pub fn last_lines(&mut self) -> Vec<String> {
        let has_ended = self.is_over || matches!(self.child.try_wait(), Ok(Some(_)));
        // The supervisor may report at any moment, so its report must be removed even from the text so far.
        let (text, _) = self.last_said(has_ended);
        last_words::shown(text.lines().chain(self.killed_by_kernel()))
    }
}

/// A turn of a program: the time from a question to the program's answer.
pub struct Turn {
    began: Instant,
    paused_before: Duration,
    cpu_before: Option<Duration>,
    /// The CPU time that the program has used between its previous turn, or its start-up, and this turn.
    ///
    /// `None` if unknown.
    pub pondered: Option<Duration>,
}

impl Turn {
    /// Returns the wall time since the turn began.
    ///
    /// The time for which this process was stopped does not count.
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
            // Killing the child also kills all its descendants. If the child has already exited, this has no effect.
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

/// Pins this thread to one core, together with all threads and programs that it starts from now on.
///
/// `number` is an index into the list of usable cores, and wraps around. A program can undo this for itself.
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
        // If this fails, programs run on all cores that the system allows.
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
