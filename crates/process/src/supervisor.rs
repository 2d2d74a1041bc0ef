//! The supervisor of a program: a process that starts the program, watches it, and cleans up after it.
//!
//! If a process of the program loses its parent, it becomes a child of the supervisor, even in its own session. All
//! processes of the program are therefore always descendants of the supervisor, which measures their CPU time. The
//! supervisor kills them when the program exits, when the arena exits, or when they exceed a limit.
//!
//! The supervisor exits with the program's exit status, and leaves no process behind.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Resource, Rlimit, Signal, WaitId, WaitIdOptions,
    WaitOptions, getpid, getppid, kill_process, pidfd_open, set_child_subreaper,
    set_dumpable_behavior, setrlimit, waitid, waitpid,
};
use serde::{Deserialize, Serialize};
use wait4::Wait4;

use super::control_group::{self, GroupFiles};
use super::helper::{self, CANNOT_START};
use super::limits::{BETWEEN_LOOKS, Limits};
use super::table::Entry;
use super::{patiently, progress, table};

/// The pause between two attempts to kill the remaining processes.
const BETWEEN_SWEEPS: Duration = Duration::from_millis(1);

/// The instructions for a supervisor, which it receives as JSON in a command-line argument.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Orders {
    /// The process ID of the supervisor's parent. When the parent exits, the supervisor must exit too.
    ///
    /// `None` if the system ensures that the supervisor exits then.
    pub parent: Option<u32>,
    /// The limits of the program.
    pub limits: Option<Limits>,
    /// The files that list the processes in the program's control group and in the supervisor's control group.
    ///
    /// The supervisor needs these files only if the program has no limits: then the program does not enter its group
    /// itself, and the supervisor starts it inside the group.
    pub groups: Option<[PathBuf; 2]>,
}

/// The options with which `waitid` finds a child that has exited, without reaping it.
const LOOK: WaitIdOptions = WaitIdOptions::EXITED.union(WaitIdOptions::NOWAIT);

impl Orders {
    /// Returns the arguments that make this program a supervisor.
    ///
    /// The command line of the program to supervise must follow these arguments.
    pub fn arguments(&self) -> [String; 3] {
        let orders = serde_json::to_string(self).expect("paths here are text");
        [
            helper::WORD.to_owned(),
            helper::SUPERVISE.to_owned(),
            orders,
        ]
    }
}

/// Runs this process as the supervisor of a program, whose command line is `words`.
pub(super) fn stand(orders: &OsStr, words: &[OsString]) -> ExitCode {
    let Ok(orders) = serde_json::from_slice::<Orders>(orders.as_bytes()) else {
        return ExitCode::from(CANNOT_START);
    };
    let _ = set_child_subreaper(Some(getpid()));
    // Even a program that runs as the supervisor's user must not access the supervisor's memory.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    if let Some(parent) = orders.parent {
        let parent = Pid::from_raw(parent.cast_signed());
        let ending = parent.and_then(|parent| pidfd_open(parent, PidfdFlags::empty()).ok());
        // Only a check after `pidfd_open` proves that the file descriptor belongs to the parent, not to a later process
        // with its ID.
        let Some(ending) = ending.filter(|_| getppid() == parent) else {
            // The parent has exited before it could be watched.
            return ExitCode::from(CANNOT_START);
        };
        let watch = thread::Builder::new().spawn(move || {
            while poll(&mut [PollFd::new(&ending, PollFlags::IN)], None) == Err(Errno::INTR) {}
            // This loop runs until the main thread has reaped the last descendant and exits.
            loop {
                table::kill_descendants(getpid());
                thread::sleep(BETWEEN_SWEEPS);
            }
        });
        if let Err(error) = watch {
            return without_watch(&error);
        }
    }
    let mut program = program(orders.limits.as_ref(), words);
    let spawned = match &orders.groups {
        None => patiently(|| program.spawn()),
        Some([group, own]) => control_group::enter(group).and_then(|()| {
            let spawned = patiently(|| program.spawn());
            // The supervisor must not be frozen together with the program, so it leaves the program's group again.
            control_group::enter(own)?;
            spawned
        }),
    };
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            eprintln!("turnwise: cannot start {:?}: {error}", words[0]);
            return ExitCode::from(CANNOT_START);
        }
    };
    // The supervisor closes its copies of the streams, so that they end when the program closes them.
    if let Ok(nothing) = File::options().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(&nothing);
        let _ = rustix::stdio::dup2_stdout(&nothing);
    }
    if let Some(limits) = orders.limits {
        let program = Pid::from_child(&child);
        let watch = thread::Builder::new().spawn(move || {
            progress::become_overseer();
            let broken = limits.wait_until_broken(&|| pause(program, limits.group.as_ref()));
            eprintln!("turnwise: {broken}; it was killed");
            loop {
                table::kill_descendants(getpid());
                thread::sleep(BETWEEN_SWEEPS);
            }
        });
        if let Err(error) = watch {
            table::kill_descendants(getpid());
            return without_watch(&error);
        }
    }
    let (status, cpu) = wait_for(&mut child);
    eprintln!("{REPORT}{}", cpu.as_nanos());
    end_as(status)
}

/// Reports that the system cannot start the thread that watches the program.
///
/// The program must not run unwatched, so it is not started, or is killed if it has already started.
fn without_watch(error: &io::Error) -> ExitCode {
    eprintln!("turnwise: cannot start a thread that watches the program: {error}");
    ExitCode::from(CANNOT_START)
}

/// Waits until the next check of the program is due.
///
/// A suspended program cannot change, so this waits until the program is resumed. Otherwise the supervisor itself would
/// compute on the opponent's time.
fn pause(program: Pid, group: Option<&GroupFiles>) {
    thread::sleep(BETWEEN_LOOKS);
    match group {
        Some(group) => group.wait_until_thawed(),
        None => {
            while table::entry(program).is_some_and(|entry| entry.is_stopped) {
                thread::sleep(BETWEEN_LOOKS);
            }
        }
    }
}

/// Returns the command that starts the program.
///
/// A program with limits is started by a helper that first sets the limits.
fn program(limits: Option<&Limits>, words: &[OsString]) -> Command {
    let mut command = match limits {
        None => Command::new(&words[0]),
        Some(limits) => {
            // This path leads to the program that is running now, which may have another name in this namespace.
            let mut command = Command::new("/proc/self/exe");
            command.args([helper::WORD, helper::CONFINE, &limits.to_json()]);
            command.arg(&words[0]);
            command
        }
    };
    // The program gets its own process group, so that signals to its group do not reach the supervisor.
    command.args(&words[1..]).process_group(0);
    command
}

/// Reaps children that have exited until the program exits, and then kills all remaining processes.
///
/// Returns the program's exit status and the CPU time of all processes.
fn wait_for(program: &mut Child) -> (io::Result<ExitStatus>, Duration) {
    let its = WaitId::Pid(Pid::from_child(program));
    let mut others = Duration::ZERO;
    let ended = loop {
        // When this call returns, a child has exited and has not been reaped yet.
        let _ = waitid(WaitId::All, LOOK);
        match waitid(its.clone(), LOOK | WaitIdOptions::NOHANG) {
            Ok(None) => others += reap(Some(program)),
            _ => break program.wait4(),
        }
    };
    loop {
        match waitid(WaitId::All, LOOK | WaitIdOptions::NOHANG) {
            Ok(Some(_)) => others += reap(None),
            Err(Errno::CHILD) => break,
            Ok(None) | Err(_) => {
                table::kill_descendants(getpid());
                thread::sleep(BETWEEN_SWEEPS);
            }
        }
    }
    match ended {
        Ok(ended) => (
            Ok(ended.status),
            ended.rusage.utime + ended.rusage.stime + others,
        ),
        Err(error) => (Err(error), others),
    }
}

/// Reaps all children that have exited, except `but`, and returns their total CPU time.
fn reap(but: Option<&Child>) -> Duration {
    let but = but.map(Pid::from_child);
    let is_ended = |entry: &Entry| entry.is_over && Some(entry.pid) != but;
    let mut cpu = Duration::ZERO;
    for entry in table::children(getpid()).into_iter().filter(is_ended) {
        // The time is read first: reaping removes the process from the table.
        cpu += entry.cpu();
        let _ = waitpid(Some(entry.pid), WaitOptions::empty());
    }
    cpu
}

/// The prefix of the line in which a supervisor reports CPU time in nanoseconds, the last line on stderr.
///
/// The program may also write this prefix, but never in the last line.
const REPORT: &str = "\0turnwise supervisor: cpu_ns=";

/// Splits the last output on stderr into the program's output and the supervisor's report of CPU time.
pub(super) fn without_report(said: &[u8]) -> (&[u8], Option<Duration>) {
    let mark = REPORT.as_bytes();
    let Some(at) = said.windows(mark.len()).rposition(|part| part == mark) else {
        return (said, None);
    };
    let number = str::from_utf8(&said[at + mark.len()..]).ok();
    let nanoseconds = number.and_then(|number| number.trim_end().parse().ok());
    (&said[..at], nanoseconds.map(Duration::from_nanos))
}

fn end_as(status: io::Result<ExitStatus>) -> ExitCode {
    let code = status.as_ref().ok().and_then(ExitStatus::code);
    if let Some(code) = code.and_then(|code| u8::try_from(code).ok()) {
        return ExitCode::from(code);
    }
    let Some(number) = status.ok().and_then(|status| status.signal()) else {
        return ExitCode::from(CANNOT_START);
    };
    // The supervisor repeats the signal only to pass on the status, so its own end must not write a core file.
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _ = setrlimit(Resource::Core, none);
    if let Some(signal) = Signal::from_named_raw(number) {
        // The signal is sent twice: a handler of the standard library may catch the first one, and is then removed.
        for _ in 0..2 {
            let _ = kill_process(getpid(), signal);
        }
    }
    // The first process of a namespace cannot kill itself with a signal. It exits with the code with which a shell
    // would report the signal.
    ExitCode::from(128 | number as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_report_is_one() {
        let said = format!("words{REPORT}5\nmore{REPORT}1500000\n");
        let (words, cpu) = without_report(said.as_bytes());
        assert_eq!(words, format!("words{REPORT}5\nmore").as_bytes());
        assert_eq!(cpu, Some(Duration::from_micros(1500)));
        for said in ["words\n".to_owned(), String::new()] {
            assert_eq!(without_report(said.as_bytes()), (said.as_bytes(), None));
        }
        assert_eq!(
            without_report(format!("{REPORT}x").as_bytes()),
            (&b""[..], None)
        );
    }
}
