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

use super::run::{self, Run};
use super::{helper, locked};

/// What programs are started with while there is a guard.
pub(super) struct Guarded {
    /// This program, which is its own helper.
    pub program: PathBuf,
    pub run: Run,
    /// The guard process.
    pub guard: Pid,
}

pub(super) static GUARDED: Mutex<Option<Guarded>> = Mutex::new(None);

/// This program, as it is started for a helper.
pub(super) fn program() -> io::Result<PathBuf> {
    let guarded = locked(&GUARDED);
    let program = guarded.as_ref().map(|guarded| guarded.program.clone());
    program.ok_or_else(|| io::Error::other("only guarded programs can be isolated"))
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
            guard: Pid::from_child(&process),
        });
        Ok(Self { process, pipe })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        *locked(&GUARDED) = None;
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
    run::clear(folder);
}
