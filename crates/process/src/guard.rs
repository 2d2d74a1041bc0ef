//! Cleans up after a process that starts programs, even if that process is killed.
//!
//! While a [`Guard`] is held, every program runs below a supervisor. When this process ends, the supervisor kills all
//! descendants of the program. A second process, the guard process, then removes the folders, and kills the processes
//! that the supervisors have missed. If all these processes are killed themselves, the user's next [`Guard`] completes
//! the cleanup. After a normal end, no cleanup is needed.

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

/// The data that is needed to start programs while a guard is held.
pub(super) struct Guarded {
    /// The path of this program, with which it starts itself as a helper.
    #[cfg(target_os = "linux")]
    pub program: PathBuf,
    pub run: Run,
    /// Creates the programs' control groups; the error is the reason why programs cannot have control groups.
    #[cfg(target_os = "linux")]
    pub control_groups: io::Result<ControlGroups>,
    /// The process ID of the guard process, which must not be killed together with stray processes.
    pub guard: Pid,
}

pub(super) static GUARDED: Mutex<Option<Guarded>> = Mutex::new(None);

/// Returns the path with which this program can start itself as a helper.
#[cfg(target_os = "linux")]
pub(super) fn program() -> io::Result<PathBuf> {
    let guarded = locked(&GUARDED);
    let program = guarded.as_ref().map(|guarded| guarded.program.clone());
    program.ok_or_else(|| io::Error::other("only guarded programs can be isolated"))
}

/// Creates a control group for a program. The limits of `isolation`, if given, apply to the group.
///
/// # Errors
///
/// Returns the reason if programs cannot have control groups.
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

/// Returns the reason why control groups cannot limit programs here, if they cannot.
#[cfg(target_os = "linux")]
pub(super) fn why_unlimited() -> Option<String> {
    match &locked(&GUARDED).as_ref()?.control_groups {
        Ok(groups) => groups.unlimited.clone(),
        Err(why) => Some(why.to_string()),
    }
}

/// Describes how programs are suspended on this machine.
#[cfg(target_os = "linux")]
pub(super) fn freezing() -> String {
    match control_group(None) {
        Ok(_) => "by the kernel (control group)".to_owned(),
        Err(why) => format!("by signals (no control group: {why})"),
    }
}

/// Ensures that the programs and folders of this process are cleaned up, however it ends.
///
/// Dropping this value ends the guard process.
pub struct Guard {
    process: Child,
    /// The input of the guard process, which ends when this pipe closes.
    pipe: Option<ChildStdin>,
}

impl Guard {
    /// Cleans up after earlier runs, and then starts the guard process.
    ///
    /// This program's `main` must call [`helper::run`] first. Only one guard can exist at a time.
    pub fn start() -> io::Result<Self> {
        run::clear_predecessors();
        // From now on, processes that lose their supervisor become this process's children.
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let run = Run::new()?;
        let program = std::env::current_exe()?;
        // The control group is created first, because the guard process must start inside it.
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

/// Returns true while a [`Guard`] exists.
pub fn is_held() -> bool {
    locked(&GUARDED).is_some()
}

impl Drop for Guard {
    fn drop(&mut self) {
        let guarded = locked(&GUARDED).take();
        // Control groups are removed last, because a group can be removed only when it contains no process.
        let _groups = guarded.map(|guarded| {
            // The run's folder is removed first, which tells the guard process that no cleanup is needed.
            drop(guarded.run);
            #[cfg(target_os = "linux")]
            return guarded.control_groups;
        });
        self.pipe = None;
        let _ = self.process.wait();
    }
}

/// Runs as the guard process of the run in this folder: waits until the input ends, and then cleans up.
pub(super) fn stand(folder: &Path, mut input: impl Read) {
    // The guard process gets its own session, so that the terminal's Ctrl-C reaches only the main process.
    let _ = setsid();
    let mut nothing = [0];
    while matches!(input.read(&mut nothing), Ok(1..)) {}
    #[cfg(target_os = "linux")]
    control_group::clear(&run::name(folder));
    run::clear(folder);
}
