//! The parent of a program. Whatever the program starts comes to its supervisor when it has lost its own
//! parent, and so stays among the supervisor's descendants, also in a session of its own: its CPU time is
//! seen, and it is killed when the program has ended, when the arena has, or beyond a limit.
//!
//! The supervisor ends as the program did, and when it ends, nothing of the program is left.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid,
    getppid, kill_process, pidfd_open, set_child_subreaper, set_dumpable_behavior, setrlimit, wait,
};
use serde::{Deserialize, Serialize};

use super::limits::Limits;
use super::{helper, table};

/// How often what is left is killed until it is gone.
const BETWEEN_SWEEPS: Duration = Duration::from_millis(1);

/// The exit code for a program that cannot be started, as shells have it.
const CANNOT_START: u8 = 127;

/// What a supervisor is told.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Orders {
    /// The process that it is not to outlive; none if the system sees to that.
    pub parent: Option<u32>,
    /// What it holds the program to.
    pub limits: Option<Limits>,
}

impl Orders {
    /// The supervisor's arguments, before those of the program.
    pub fn arguments(&self) -> [String; 3] {
        let orders = serde_json::to_string(self).expect("paths here are text");
        [
            helper::WORD.to_owned(),
            helper::SUPERVISE.to_owned(),
            orders,
        ]
    }
}

/// Is the supervisor of this program.
pub(super) fn stand(orders: &OsStr, words: &[OsString]) -> ExitCode {
    let Ok(orders) = serde_json::from_slice::<Orders>(orders.as_bytes()) else {
        return ExitCode::from(CANNOT_START);
    };
    let _ = set_child_subreaper(Some(getpid()));
    // The program, which may be this user's, cannot take hold of its supervisor's memory.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    if let Some(parent) = orders.parent {
        let parent = Pid::from_raw(parent.cast_signed());
        let ending = parent.and_then(|parent| pidfd_open(parent, PidfdFlags::empty()).ok());
        let Some(ending) = ending.filter(|_| getppid() == parent) else {
            // It has ended before it could be watched.
            return ExitCode::from(CANNOT_START);
        };
        thread::spawn(move || {
            while poll(&mut [PollFd::new(&ending, PollFlags::IN)], None) == Err(Errno::INTR) {}
            // Until the main thread has seen the last of them.
            loop {
                table::kill_descendants(getpid());
                thread::sleep(BETWEEN_SWEEPS);
            }
        });
    }
    let child = match program(orders.limits.as_ref(), words).spawn() {
        Ok(child) => child,
        Err(error) => {
            eprintln!("turnwise: cannot start {:?}: {error}", words[0]);
            return ExitCode::from(CANNOT_START);
        }
    };
    // The program's streams end when the program closes them.
    if let Ok(nothing) = File::options().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(&nothing);
        let _ = rustix::stdio::dup2_stdout(&nothing);
    }
    if let Some(limits) = orders.limits {
        thread::spawn(move || {
            let broken = limits.wait_until_broken();
            eprintln!("turnwise: {broken}; it was killed");
            loop {
                table::kill_descendants(getpid());
                thread::sleep(BETWEEN_SWEEPS);
            }
        });
    }
    let status = wait_for(Pid::from_child(&child));
    clear();
    end_as(status)
}

/// The program, by way of what limits it.
fn program(limits: Option<&Limits>, words: &[OsString]) -> Command {
    let mut command = match limits {
        None => Command::new(&words[0]),
        Some(limits) => {
            // This program, under whatever name it is seen here.
            let mut command = Command::new("/proc/self/exe");
            command.args([helper::WORD, helper::CONFINE, &limits.to_json()]);
            command.arg(&words[0]);
            if let Some(user) = limits.user {
                command.uid(user).gid(user);
            }
            command
        }
    };
    // Signals to its own group do not reach the supervisor.
    command.args(&words[1..]).process_group(0);
    command
}

/// Waits for all that end, until the program has.
fn wait_for(program: Pid) -> Option<WaitStatus> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((ended, status))) if ended == program => return Some(status),
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// Kills all that is left and waits for it, so that its CPU time is counted, too.
fn clear() {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => {
                table::kill_descendants(getpid());
                thread::sleep(BETWEEN_SWEEPS);
            }
            Err(_) => return,
        }
    }
}

fn end_as(status: Option<WaitStatus>) -> ExitCode {
    let code = status.and_then(|status| status.exit_status());
    if let Some(code) = code.and_then(|code| u8::try_from(code).ok()) {
        return ExitCode::from(code);
    }
    let number = status.and_then(|status| status.terminating_signal());
    let Some(number) = number else {
        return ExitCode::from(CANNOT_START);
    };
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _ = setrlimit(Resource::Core, none);
    if let Some(signal) = Signal::from_named_raw(number) {
        // The first may find a handler of the standard library, which is gone after it.
        for _ in 0..2 {
            let _ = kill_process(getpid(), signal);
        }
    }
    // For the first process of a namespace, which its own signals do not end; the shell's way to say it.
    ExitCode::from(128 | number as u8)
}
