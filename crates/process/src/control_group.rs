//! Freezes, measures, limits and kills programs with control groups, version 2; see cgroups(7).
//!
//! A control group contains a program with all its processes. The kernel freezes, charges and kills the group as a
//! whole. Where the controllers are available, the kernel also limits the group.
//!
//! Freezing needs no controller, only a group in which this process may create subgroups. Limits need the controllers
//! for memory and processes, in a group that was delegated to this process and that contains no other process. This
//! process then moves into a subgroup, because a group can have limited subgroups only if it contains no processes.
//!
//! `systemd-run --scope --property=Delegate=yes` starts a command in a delegated group.
//!
//! A program's supervisor is in the group that is limited, but never in the group that is frozen.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use serde::{Deserialize, Serialize};

use super::helper;
use super::isolation::Isolation;
use super::suspension::{BETWEEN_LOOKS, PATIENCE};
use super::walls::IN_MEMORY;

/// The controllers that a delegated group must have to limit programs.
const CONTROLLERS: [&str; 2] = ["memory", "pids"];

/// The name of the file that lists the processes of a group.
const PROCESSES: &str = "cgroup.procs";

/// The name of the file that selects the controllers of the subgroups.
const BELOW: &str = "cgroup.subtree_control";

/// The name of the file that freezes a group.
const FREEZE: &str = "cgroup.freeze";
const EVENTS: &str = "cgroup.events";

/// The name of the subgroup that contains the program without its supervisor, inside a limited group.
const PROGRAM: &str = "program";

/// The memory in bytes that a group's limit allows in addition to the program's limit, for the supervisor.
const SUPERVISORS_MEMORY: u64 = 64 << 20;
const SUPERVISORS_PROCESSES: u64 = 8;

/// How long a thread that freezes a program yields its core repeatedly before it sleeps between its checks.
///
/// The program's threads may need the core in order to stop.
const YIELDING: Duration = Duration::from_micros(50);

/// The maximum number of attempts to remove a group. Between attempts, there is a pause of [`BETWEEN_TRIES`].
///
/// An attempt fails while processes in the group are still exiting.
const TRIES: u32 = 200;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// Creates the control groups for the programs of a run.
pub(super) struct ControlGroups {
    /// The folder of the group that is the parent of the programs' groups.
    base: PathBuf,
    /// The run's name, with which the names of the run's groups begin.
    run: String,
    /// The reason why control groups cannot limit programs here, if they cannot.
    pub unlimited: Option<String>,
    next: AtomicU32,
}

impl ControlGroups {
    /// Determines which features of control groups are available.
    ///
    /// If the current group was delegated with the controllers, this process is moved into a subgroup.
    ///
    /// # Errors
    ///
    /// Returns an error, without any change, if this process cannot create a group that can be frozen.
    pub fn begin(run: String) -> io::Result<Self> {
        let base = group_of_this_process()?;
        let mut groups = Self {
            base,
            run,
            unlimited: None,
            next: AtomicU32::new(0),
        };
        groups.unlimited = groups.delegate().err().map(|why| why.to_string());
        // A process can move programs into groups that it creates only if it may also write to their parent group.
        OpenOptions::new()
            .write(true)
            .open(groups.base.join(PROCESSES))?;
        groups.make(None)?;
        Ok(groups)
    }

    /// Prepares the current group so that it can have limited subgroups.
    fn delegate(&self) -> io::Result<()> {
        let controllers = fs::read_to_string(self.base.join("cgroup.controllers"))?;
        let has = |name: &&str| controllers.split_whitespace().any(|known| known == *name);
        if let Some(missing) = CONTROLLERS.iter().find(|name| !has(name)) {
            return Err(io::Error::other(format!(
                "this control group has no {missing} controller"
            )));
        }
        let own = self.own();
        let moved = fs::create_dir(&own)
            .and_then(|()| enter(&own.join(PROCESSES)))
            .and_then(|()| self.control("+"));
        moved.map_err(|error| {
            self.leave();
            match error.kind() {
                io::ErrorKind::PermissionDenied => {
                    io::Error::other("this control group is not delegated")
                }
                io::ErrorKind::ResourceBusy => {
                    io::Error::other("other processes are in this control group")
                }
                _ => error,
            }
        })
    }

    /// Returns the folder of the subgroup in which this process runs while control groups limit programs.
    fn own(&self) -> PathBuf {
        self.base.join(&self.run)
    }

    /// Enables (`sign` is `+`) or disables (`-`) the controllers for the subgroups.
    fn control(&self, sign: &str) -> io::Result<()> {
        let words = CONTROLLERS.map(|name| format!("{sign}{name}"));
        write(&self.base, BELOW, &words.join(" "))
    }

    /// Moves this process back to its original group.
    fn leave(&self) {
        let _ = self.control("-");
        let _ = enter(&self.base.join(PROCESSES));
        let _ = fs::remove_dir(self.own());
    }

    /// Creates a group for a program. The limits of `isolation`, if given, apply to the group.
    ///
    /// # Errors
    ///
    /// Returns an error if the group cannot be created, or if the kernel rejects a limit.
    pub fn make(&self, isolation: Option<&Isolation>) -> io::Result<ControlGroup> {
        // `Relaxed` suffices, because the numbers must only differ.
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let folder = self.base.join(format!("{}-{number}", self.run));
        let isolation = isolation.filter(|_| self.unlimited.is_none());
        let parent = match self.unlimited {
            None => self.own(),
            Some(_) => self.base.clone(),
        };
        ControlGroup::make(folder, parent, isolation)
    }
}

impl Drop for ControlGroups {
    fn drop(&mut self) {
        if self.unlimited.is_none() {
            self.leave();
        }
    }
}

fn page() -> u64 {
    rustix::param::page_size() as u64
}

/// Kills all processes in the groups of a run that has ended, and removes the groups.
///
/// The guard process of the run calls this.
pub(super) fn clear(run: &str) {
    let Ok(own) = group_of_this_process() else {
        return;
    };
    // If control groups limit programs, the guard process runs in the run's own subgroup.
    let base = match own.parent() {
        Some(base) if own.file_name() == Some(OsStr::new(run)) => base,
        _ => &own,
    };
    let prefix = format!("{run}-");
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            remove(&entry.path());
        }
    }
}

/// Kills all processes in a group and its subgroup, and removes both groups.
fn remove(folder: &Path) {
    for _ in 0..TRIES {
        let _ = write(folder, "cgroup.kill", "1");
        let _ = fs::remove_dir(folder.join(PROGRAM));
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
            _ => return,
        }
        thread::sleep(BETWEEN_TRIES);
    }
}

/// The files of a program's control group, as paths that are valid for the program's supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GroupFiles {
    /// The file that lists the processes in the group.
    pub program: PathBuf,
    /// The file that becomes ready for `poll` when the group is frozen or thawed.
    pub events: PathBuf,
}

impl GroupFiles {
    /// Waits until the group is not frozen. Returns immediately if the group's state is unknown.
    pub fn wait_until_thawed(&self) {
        let Ok(events) = File::open(&self.events) else {
            return;
        };
        while is_frozen(&events).is_ok_and(|frozen| frozen) {
            let _ = poll(&mut [PollFd::new(&events, PollFlags::PRI)], None);
        }
    }
}

/// The control group of a program. Dropping this value kills the program and removes the group.
pub(super) struct ControlGroup {
    /// The folder of the group that limits the program together with its supervisor.
    ///
    /// Without limits, this is the group that contains only the program.
    folder: PathBuf,
    /// The folder of the group that contains the supervisor.
    supervisors: PathBuf,
    is_limited: bool,
    freeze: File,
    events: File,
    usage: File,
}

impl ControlGroup {
    fn make(folder: PathBuf, parent: PathBuf, isolation: Option<&Isolation>) -> io::Result<Self> {
        fs::create_dir(&folder)?;
        let made = || {
            let program = match isolation {
                None => folder.clone(),
                Some(isolation) => {
                    limit(&folder, isolation)?;
                    let program = folder.join(PROGRAM);
                    fs::create_dir(&program)?;
                    program
                }
            };
            let read = |name| File::open(program.join(name));
            let freeze = OpenOptions::new().write(true).open(program.join(FREEZE))?;
            io::Result::Ok((freeze, read(EVENTS)?, read("cpu.stat")?))
        };
        let (freeze, events, usage) = made().inspect_err(|_| remove(&folder))?;
        Ok(Self {
            supervisors: if isolation.is_some() {
                folder.clone()
            } else {
                parent
            },
            folder,
            is_limited: isolation.is_some(),
            freeze,
            events,
            usage,
        })
    }

    /// Returns the arguments that make this program a helper, which enters the limited group and executes a command.
    ///
    /// The command line must follow these arguments. Returns `None` if the group is not limited.
    pub fn arguments(&self) -> Option<[OsString; 3]> {
        self.is_limited.then(|| {
            [
                helper::WORD.into(),
                helper::ENTER.into(),
                self.folder.as_os_str().to_owned(),
            ]
        })
    }

    /// Returns the folder of the group that contains only the program, and that can be frozen.
    fn program(&self) -> PathBuf {
        match self.is_limited {
            true => self.folder.join(PROGRAM),
            false => self.folder.clone(),
        }
    }

    /// Returns the group's files as paths that are valid outside all namespaces.
    pub fn files(&self) -> GroupFiles {
        let program = self.program();
        GroupFiles {
            program: program.join(PROCESSES),
            events: program.join(EVENTS),
        }
    }

    /// Returns the two files that list the processes in the program's group and in the supervisor's group.
    pub fn processes(&self) -> [PathBuf; 2] {
        [&self.program(), &self.supervisors].map(|group| group.join(PROCESSES))
    }

    /// Freezes the whole program and waits until all its processes are frozen.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernel rejects the request, or does not report the frozen state within [`PATIENCE`].
    /// After an error, no process stays frozen.
    pub fn freeze(&self) -> io::Result<()> {
        self.freeze.write_all_at(b"1", 0)?;
        let begun = Instant::now();
        // This loop does not use `poll`, because the kernel reports at most one change of a group every 10 ms, and
        // delays the reports of further changes.
        while !is_frozen(&self.events)? {
            if begun.elapsed() > PATIENCE {
                self.thaw()?;
                return Err(io::Error::other("a process of the program does not freeze"));
            }
            match begun.elapsed() < YIELDING {
                true => thread::yield_now(),
                false => thread::sleep(BETWEEN_LOOKS),
            }
        }
        Ok(())
    }

    /// Thaws the program, so that its processes continue.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernel rejects the request.
    pub fn thaw(&self) -> io::Result<()> {
        self.freeze.write_all_at(b"0", 0)
    }

    /// Returns the CPU time of all processes that are or were in the program's group.
    ///
    /// The resolution is one microsecond.
    pub fn cpu(&self) -> Option<Duration> {
        let mut text = [0; 64];
        let read = self.usage.read_at(&mut text, 0).ok()?;
        let line = str::from_utf8(&text[..read]).ok()?.lines().next()?;
        let microseconds = line.strip_prefix("usage_usec ")?.parse().ok()?;
        Some(Duration::from_micros(microseconds))
    }

    /// Kills the whole program, even if it is frozen.
    pub fn kill(&self) {
        let _ = write(&self.program(), "cgroup.kill", "1");
    }

    /// Returns true if the kernel has killed a process in the group because the memory limit was exceeded.
    pub fn ran_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("memory.events")).unwrap_or_default();
        let killed = |line: &str| {
            line.strip_prefix("oom_kill ")
                .is_some_and(|count| count != "0")
        };
        events.lines().any(killed)
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Returns true if a group's file of events reports that the whole group is frozen.
fn is_frozen(events: &File) -> io::Result<bool> {
    let mut text = [0; 64];
    let read = events.read_at(&mut text, 0)?;
    let text = String::from_utf8_lossy(&text[..read]);
    Ok(text.lines().any(|line| line == "frozen 1"))
}

/// Sets a group's limits to the limits in `isolation`, with additional room for the supervisor.
fn limit(group: &Path, isolation: &Isolation) -> io::Result<()> {
    // The watch checks every few milliseconds, so it is usually the first to detect and report that a program uses too
    // much memory. This limit has an effect if a program exceeds its memory between two checks. Files in the program's
    // folders in memory count as its memory.
    let in_memory = (IN_MEMORY.len() as u64 + 1) * isolation.files;
    let memory = isolation.memory + in_memory + SUPERVISORS_MEMORY;
    // The kernel stores whole pages, and `set_limit` compares the stored value with the given one.
    set_limit(group, "memory.max", memory / page() * page())?;
    set_limit(
        group,
        "pids.max",
        isolation.processes + SUPERVISORS_PROCESSES,
    )?;
    // This fails on machines without swap, where the file does not exist.
    let _ = set_limit(group, "memory.swap.max", 0);
    Ok(())
}

/// Sets a limit of a group, and checks that the kernel has accepted the value.
fn set_limit(group: &Path, name: &str, most: u64) -> io::Result<()> {
    let most = most.to_string();
    write(group, name, &most)?;
    let set = fs::read_to_string(group.join(name))?;
    match set.trim_end() == most {
        true => Ok(()),
        false => Err(io::Error::other(format!("{name} stays {set:?}"))),
    }
}

/// Moves this process into a group, given the group's file `cgroup.procs`.
pub(super) fn enter(processes: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(processes)?;
    file.write_all(b"0")
}

/// Runs this process as the helper that enters a group and then executes the command line `words`.
pub(super) fn begin_in(group: &OsStr, words: &[OsString]) -> ExitCode {
    let [program, arguments @ ..] = words else {
        return ExitCode::from(helper::CANNOT_START);
    };
    let why = match enter(&Path::new(group).join(PROCESSES)) {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error,
    };
    eprintln!("turnwise: cannot start {program:?}: {why}");
    ExitCode::from(helper::CANNOT_START)
}

/// Writes to an existing file of a group. If the kernel does not provide the file, this is an error.
fn write(group: &Path, name: &str, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(group.join(name))?;
    file.write_all(text.as_bytes())
}

/// Returns the folder of the control group in which this process is.
fn group_of_this_process() -> io::Result<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let groups = fs::read_to_string("/proc/self/cgroup")?;
    folder_of(&mounts, &groups)
        .filter(|folder| folder.join(PROCESSES).exists())
        .ok_or_else(|| io::Error::other("control groups version 2 are not available"))
}

/// Returns the folder of a process's group, given the contents of the files `mountinfo` and `cgroup`.
///
/// See proc_pid_mountinfo(5) and cgroups(7).
fn folder_of(mounts: &str, groups: &str) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (about, kind) = line.split_once(" - ")?;
        if kind.split(' ').next()? != "cgroup2" {
            return None;
        }
        let mut words = about.split(' ').skip(3);
        let (root, place) = (words.next()?, words.next()?);
        let inside = Path::new(path).strip_prefix(root).ok()?;
        Some(Path::new(place).join(inside))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_found_where_it_is_mounted() {
        let unified = "\
24 1 0:21 / /proc rw - proc proc rw
30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate
";
        let hybrid = "\
34 25 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
33 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup rw
";
        let inner = "\
30 24 0:26 /system.slice/box.service /sys/fs/cgroup ro - cgroup2 cgroup rw
";
        for (mounts, groups, folder) in [
            (
                unified,
                "0::/user.slice/run-1.scope\n",
                "/sys/fs/cgroup/user.slice/run-1.scope",
            ),
            (unified, "0::/\n", "/sys/fs/cgroup"),
            (hybrid, "4:memory:/x\n0::/y\n", "/sys/fs/cgroup/unified/y"),
            (
                inner,
                "0::/system.slice/box.service/a\n",
                "/sys/fs/cgroup/a",
            ),
        ] {
            assert_eq!(folder_of(mounts, groups), Some(folder.into()), "{groups}");
        }
        assert_eq!(folder_of(inner, "0::/elsewhere\n"), None);
        assert_eq!(folder_of(unified, "4:memory:/x\n"), None);
        assert_eq!(folder_of("30 24 0:26 - cgroup2", "0::/\n"), None);
    }

    #[test]
    fn a_limit_that_the_kernel_does_not_have_is_an_error_and_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let group = folder.path();
        assert!(set_limit(group, "memory.max", 1 << 30).is_err());
        assert!(!group.join("memory.max").exists());
        fs::write(group.join("pids.max"), "").expect("there is room");
        set_limit(group, "pids.max", 64).expect("it can be set");
    }
}
