//! Cleans up after a process that starts programs, even if that process is killed.
//!
//! While a [`Guard`] is held, every program runs below a supervisor. When this process ends, the supervisor kills all
//! descendants of the program. A second process, the guard, then removes the folders and the processes that the
//! supervisors have missed. If all these processes are killed, the user's next [`Guard`] completes the cleanup. After a
//! normal end, nothing needs a cleanup.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;

use rustix::process::{Pid, setsid};

#[cfg(target_os = "linux")]
use super::control_group::{self, ControlGroup, ControlGroups};
#[cfg(target_os = "linux")]
use super::isolation::Isolation;
use super::run::{self, Run};
use super::{helper, locked};

/// The context for starting programs while a guard is held.
pub(super) struct Guarded {
    /// This program's path. The program is its own helper.
    #[cfg(target_os = "linux")]
    pub program: PathBuf,
    pub run: Run,
    /// Creates the programs' control groups, or the reason why it cannot.
    #[cfg(target_os = "linux")]
    pub control_groups: io::Result<ControlGroups>,
    /// The guard's process, which is spared when stray processes are killed.
    pub guard: Pid,
}

pub(super) static GUARDED: Mutex<Option<Guarded>> = Mutex::new(None);

/// Returns the path with which this program starts itself as a helper.
#[cfg(target_os = "linux")]
pub(super) fn program() -> io::Result<PathBuf> {
    let guarded = locked(&GUARDED);
    let program = guarded.as_ref().map(|guarded| guarded.program.clone());
    program.ok_or_else(|| io::Error::other("only guarded programs can be isolated"))
}

/// Creates a control group for a program, limited to the isolation if given.
///
/// # Errors
///
/// Returns the reason why a program cannot get a group.
#[cfg(target_os = "linux")]
pub(super) fn control_group(isolation: Option<&Isolation>) -> io::Result<ControlGroup> {
    match locked(&GUARDED)
        .as_ref()
        .map(|guarded| &guarded.control_groups)
    {
        Some(Ok(groups)) => groups.make(isolation),
        Some(Err(why)) => Err(io::Error::new(why.kind(), why.to_string())),
        None => Err(io::Error::other("only guarded programs get control groups")),
    }
}

/// Returns the reason why control groups do not limit programs, if they do not.
#[cfg(target_os = "linux")]
pub(super) fn why_unlimited() -> Option<String> {
    match &locked(&GUARDED).as_ref()?.control_groups {
        Ok(groups) => groups.unlimited.clone(),
        Err(why) => Some(why.to_string()),
    }
}

/// Reports how programs are suspended on this machine.
#[cfg(target_os = "linux")]
pub(super) fn freezing() -> String {
    match control_group(None) {
        Ok(_) => "by the kernel (control group)".to_owned(),
        Err(why) => format!("by signals (no control group: {why})"),
    }
}

/// The guard process, which ends when this value is dropped.
pub struct Guard {
    process: Child,
    /// The guard process ends when this pipe closes.
    pipe: Option<ChildStdin>,
}

impl Guard {
    /// Starts the guard process, after cleaning up after earlier runs.
    ///
    /// This program's `main` must call [`helper::run`] first. Only one guard can exist at a time.
    pub fn start() -> io::Result<Self> {
        run::clear_predecessors();
        // This process adopts processes that have lost their supervisor.
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let run = Run::new()?;
        let program = std::env::current_exe()?;
        // The group is created before the guard process starts, which must be in that group.
        #[cfg(target_os = "linux")]
        let control_groups = ControlGroups::begin(run.name());
        let mut process = Command::new(&program)
            .args([OsStr::new(helper::WORD), OsStr::new(helper::GUARD)])
            .arg(run.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let pipe = process.stdin.take();
        *locked(&GUARDED) = Some(Guarded {
            #[cfg(target_os = "linux")]
            program,
            run,
            #[cfg(target_os = "linux")]
            control_groups,
            guard: Pid::from_child(&process),
        });
        Ok(Self { process, pipe })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let guarded = locked(&GUARDED).take();
        // Groups are removed last, because no process may be left in them.
        let _groups = guarded.map(|guarded| {
            // If the run's folder is gone, the guard process knows that its cleanup is not needed.
            drop(guarded.run);
            #[cfg(target_os = "linux")]
            return guarded.control_groups;
        });
        self.pipe = None;
        let _ = self.process.wait();
    }
}

/// Runs the guard of the run in this folder: waits until the input ends, then cleans up.
pub(super) fn stand(folder: &Path, mut input: impl Read) {
    // The terminal's Ctrl-C must not reach the guard; the main process handles it.
    let _ = setsid();
    let mut nothing = [0];
    while matches!(input.read(&mut nothing), Ok(1..)) {}
    #[cfg(target_os = "linux")]
    control_group::clear(&run::name(folder));
    run::clear(folder);
}
