//! Nothing is left behind by a process that starts programs, also if it is killed outright.
//!
//! While a [`Guard`] is held, every program runs below a supervisor, which kills all
//! that descends from it when this process ends, and a second process waits for the same moment to remove
//! the folders and what the supervisors have missed. If all of them are killed, the next [`Guard`] of this
//! user does the rest. After a normal end there is nothing left to do.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;

use rustix::process::{Pid, setsid};

#[cfg(target_os = "linux")]
use super::control_group::{self, ControlGroup, ControlGroups};
#[cfg(target_os = "linux")]
use super::isolation::Isolation;
use super::run::{self, Run};
use super::{helper, locked};

/// What programs are started with while there is a guard.
pub(super) struct Guarded {
    /// This program, which is its own helper.
    pub program: PathBuf,
    pub run: Run,
    /// Where programs get control groups of their own, if that is somewhere, or why not.
    #[cfg(target_os = "linux")]
    pub control_groups: io::Result<ControlGroups>,
    /// The guard's process, which is spared when strays are killed.
    pub guard: Pid,
}

pub(super) static GUARDED: Mutex<Option<Guarded>> = Mutex::new(None);

/// This program, as it is started for a helper.
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

/// The guard process, which ends with this value.
pub struct Guard {
    process: Child,
    /// It ends when this does.
    pipe: Option<ChildStdin>,
}

impl Guard {
    /// Starts it, after clearing away what others have left. This program's `main` is to call
    /// [`helper::run`] first. There is one guard at a time.
    pub fn start() -> io::Result<Self> {
        run::clear_predecessors();
        // What has lost its supervisor comes to us.
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let run = Run::new()?;
        let program = std::env::current_exe()?;
        // Before the guard begins, which is to be in the same group.
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
        // Removed last, since nobody may be left in them then.
        let _groups = guarded.map(|guarded| {
            // Without its folder, the guard knows that nothing is left to do.
            drop(guarded.run);
            #[cfg(target_os = "linux")]
            return guarded.control_groups;
        });
        self.pipe = None;
        let _ = self.process.wait();
    }
}

/// Is the guard of the run in this folder: waits until the input ends, and clears away what is left then.
pub(super) fn stand(folder: &Path, mut input: impl Read) {
    // Out of reach of the terminal's Ctrl-C, which the other process answers by itself.
    let _ = setsid();
    let mut nothing = [0];
    while matches!(input.read(&mut nothing), Ok(1..)) {}
    #[cfg(target_os = "linux")]
    control_group::clear(&run::name(folder));
    run::clear(folder);
}
