//! Control groups, version 2; see cgroups(7).
//!
//! A control group holds a program with all its processes. The kernel freezes, charges and kills the group as a whole.
//! It also limits the group where the controllers are available.
//!
//! Freezing needs no controller, only a group in which this process may create subgroups. Limits need the controllers
//! for memory and processes, in a group that was delegated to this process and that contains no other process. This
//! process then moves into a subgroup, because only a group without processes may have limited subgroups.
//!
//! A command gets a delegated group from `systemd-run --scope --property=Delegate=yes`.
//!
//! A program's supervisor is in the limited group, but never in the frozen group.

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

/// The controllers that a delegated group must have.
const CONTROLLERS: [&str; 2] = ["memory", "pids"];

/// The file that lists the processes of a group.
const PROCESSES: &str = "cgroup.procs";

/// The file that selects the controllers of the subgroups.
const BELOW: &str = "cgroup.subtree_control";

/// The file that freezes a group, and the file that reports whether it is frozen.
const FREEZE: &str = "cgroup.freeze";
const EVENTS: &str = "cgroup.events";

/// The subgroup of a limited group that contains the program without its supervisor.
const PROGRAM: &str = "program";

/// The resources that a supervisor needs in addition to its program's limits.
const SUPERVISORS_MEMORY: u64 = 64 << 20;
const SUPERVISORS_PROCESSES: u64 = 8;

/// How long a freezing thread only yields its core, which the frozen threads may need to stop.
const YIELDING: Duration = Duration::from_micros(50);

/// The number of attempts to remove a group, and the pause between attempts.
///
/// An attempt fails while the group's processes are ending.
const TRIES: u32 = 200;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// The control groups of a run.
pub(super) struct ControlGroups {
    /// The parent of the programs' groups.
    base: PathBuf,
    /// The run's name, which starts the names of the run's groups.
    run: String,
    /// The reason why groups do not limit programs, if they do not.
    pub unlimited: Option<String>,
    next: AtomicU32,
}

impl ControlGroups {
    /// Determines which features of control groups are available.
    ///
    /// If the current group was delegated with controllers, moves this process into a subgroup.
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
        // A process may fill the groups that it creates only if it may also change their parent group.
        OpenOptions::new()
            .write(true)
            .open(groups.base.join(PROCESSES))?;
        groups.make(None)?;
        Ok(groups)
    }

    /// Prepares the current group for limited subgroups.
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

    /// Returns the group of this process while programs are limited.
    fn own(&self) -> PathBuf {
        self.base.join(&self.run)
    }

    /// Enables or disables the controllers of the subgroups.
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

    /// Creates a group for a program, limited to the isolation if given.
    ///
    /// # Errors
    ///
    /// Returns an error if the group cannot be created, or if the kernel rejects a limit.
    pub fn make(&self, isolation: Option<&Isolation>) -> io::Result<ControlGroup> {
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

/// Kills all processes in the groups of an ended run, and removes the groups. The run's guard calls this.
pub(super) fn clear(run: &str) {
    let Ok(own) = group_of_this_process() else {
        return;
    };
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

/// The files of a program's control group, by the paths that its supervisor sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GroupFiles {
    /// Lists the processes of the group.
    pub program: PathBuf,
    /// Becomes ready when the group is frozen or thawed.
    pub events: PathBuf,
}

impl GroupFiles {
    /// Waits until the group is not frozen. Returns immediately if the state is unknown.
    pub fn wait_until_thawed(&self) {
        let Ok(events) = File::open(&self.events) else {
            return;
        };
        while is_frozen(&events).is_ok_and(|frozen| frozen) {
            let _ = poll(&mut [PollFd::new(&events, PollFlags::PRI)], None);
        }
    }
}

/// The group of a program, which is killed and removed when this value is dropped.
pub(super) struct ControlGroup {
    /// The group that limits the program with its supervisor.
    ///
    /// Without limits, the program's own group.
    folder: PathBuf,
    /// The supervisor's group.
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

    /// Returns the arguments with which this program enters the limited group.
    ///
    /// A command must follow these arguments; it begins inside the group. Returns `None` without limits.
    pub fn arguments(&self) -> Option<[OsString; 3]> {
        self.is_limited.then(|| {
            [
                helper::WORD.into(),
                helper::ENTER.into(),
                self.folder.as_os_str().to_owned(),
            ]
        })
    }

    /// Returns the group that is frozen.
    fn program(&self) -> PathBuf {
        match self.is_limited {
            true => self.folder.join(PROGRAM),
            false => self.folder.clone(),
        }
    }

    /// Returns the group's files as seen outside all namespaces.
    pub fn files(&self) -> GroupFiles {
        let program = self.program();
        GroupFiles {
            program: program.join(PROCESSES),
            events: program.join(EVENTS),
        }
    }

    /// Returns the files that list the processes of the program and the supervisor.
    pub fn processes(&self) -> [PathBuf; 2] {
        [&self.program(), &self.supervisors].map(|group| group.join(PROCESSES))
    }

    /// Freezes the whole program and waits until all its processes are frozen.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernel rejects the request, or does not report the frozen state within [`PATIENCE`].
    /// Then no process stays frozen.
    pub fn freeze(&self) -> io::Result<()> {
        self.freeze.write_all_at(b"1", 0)?;
        let begun = Instant::now();
        // Not `poll`: the kernel reports at most one change of a group in 10 ms, and holds the others back until then.
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

    /// Thaws the program.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernel rejects the request.
    pub fn thaw(&self) -> io::Result<()> {
        self.freeze.write_all_at(b"0", 0)
    }

    /// Returns the CPU time of all processes ever in the program's group.
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

    /// Returns true if the kernel killed a process of the group for lack of memory.
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

/// Returns true if a group's events report that the whole group is frozen.
fn is_frozen(events: &File) -> io::Result<bool> {
    let mut text = [0; 64];
    let read = events.read_at(&mut text, 0)?;
    let text = String::from_utf8_lossy(&text[..read]);
    Ok(text.lines().any(|line| line == "frozen 1"))
}

/// Limits a group to an isolation, with room for the supervisor.
fn limit(group: &Path, isolation: &Isolation) -> io::Result<()> {
    // The watch checks every few milliseconds, so it is usually the first to detect and report excess memory. This
    // limit applies if a program exceeds its memory between two checks. Files in the program's folders in memory count
    // as its memory.
    let in_memory = (IN_MEMORY.len() as u64 + 1) * isolation.files;
    let memory = isolation.memory + in_memory + SUPERVISORS_MEMORY;
    set_limit(group, "memory.max", memory / page() * page())?;
    set_limit(
        group,
        "pids.max",
        isolation.processes + SUPERVISORS_PROCESSES,
    )?;
    // This file is absent on machines without swap.
    let _ = set_limit(group, "memory.swap.max", 0);
    Ok(())
}

/// Sets a limit and checks that it is in force.
fn set_limit(group: &Path, name: &str, most: u64) -> io::Result<()> {
    let most = most.to_string();
    write(group, name, &most)?;
    let set = fs::read_to_string(group.join(name))?;
    match set.trim_end() == most {
        true => Ok(()),
        false => Err(io::Error::other(format!("{name} stays {set:?}"))),
    }
}

/// Moves this process into the group whose processes the file lists.
pub(super) fn enter(processes: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(processes)?;
    file.write_all(b"0")
}

/// Enters a group and becomes the program.
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

/// Writes to an existing file, and never creates a file that the kernel does not provide.
fn write(group: &Path, name: &str, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(group.join(name))?;
    file.write_all(text.as_bytes())
}

/// Returns the folder of this process's group.
fn group_of_this_process() -> io::Result<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let groups = fs::read_to_string("/proc/self/cgroup")?;
    folder_of(&mounts, &groups)
        .filter(|folder| folder.join(PROCESSES).exists())
        .ok_or_else(|| io::Error::other("control groups version 2 are not available"))
}

/// Returns the folder of a process's group from its `mountinfo` and `cgroup` files.
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
