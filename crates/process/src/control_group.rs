//! Control groups, version 2: limits that the kernel keeps for a program and all that it starts together, see
//! cgroups(7).
//!
//! They are used where the group of this process has been delegated to it, with controllers of memory and of
//! processes, and where nobody else is in it: then this process moves into a group of its own below that one, since
//! only groups without processes may have limited groups below them, and every isolated program gets another one. Each is
//! killed and removed with its program. A `systemd-run --scope --property=Delegate=yes` gives a command such a group.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use super::helper;
use super::isolation::Isolation;
use super::walls::IN_MEMORY;

/// What must be there to be delegated.
const CONTROLLERS: [&str; 2] = ["memory", "pids"];

/// Where the processes of a group are named.
const PROCESSES: &str = "cgroup.procs";

/// Where it is said which controllers the groups below have.
const BELOW: &str = "cgroup.subtree_control";

/// What the supervisor of a program takes besides it.
const SUPERVISORS_MEMORY: u64 = 64 << 20;
const SUPERVISORS_PROCESSES: u64 = 8;

/// How often, and after which pauses, a group is removed whose processes are just ending.
const TRIES: u32 = 200;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// The groups of a run.
pub(super) struct ControlGroups {
    /// The group that was delegated.
    delegated: PathBuf,
    /// The run's name, with which the names of its groups begin.
    run: String,
    next: AtomicU32,
}

impl ControlGroups {
    /// Moves this process into a group of its own, if its present one was delegated to it.
    ///
    /// # Errors
    ///
    /// If there is none, if it lacks a controller, or if somebody else is in it. Then nothing has changed.
    pub fn begin(run: String) -> io::Result<Self> {
        let delegated = group_of_this_process()?;
        let controllers = fs::read_to_string(delegated.join("cgroup.controllers"))?;
        let has = |name: &&str| controllers.split_whitespace().any(|known| known == *name);
        if let Some(missing) = CONTROLLERS.iter().find(|name| !has(name)) {
            return Err(io::Error::other(format!(
                "this control group has no controller of {missing}"
            )));
        }
        let groups = Self {
            delegated,
            run,
            next: AtomicU32::new(0),
        };
        let own = groups.own();
        let moved = fs::create_dir(&own)
            .and_then(|()| write(&own, PROCESSES, "0"))
            .and_then(|()| groups.control("+"));
        match moved {
            Ok(()) => Ok(groups),
            Err(error) => Err(io::Error::other(match error.kind() {
                io::ErrorKind::PermissionDenied => "this control group is not delegated".to_owned(),
                io::ErrorKind::ResourceBusy => "others are in this control group".to_owned(),
                _ => error.to_string(),
            })),
        }
    }

    /// Where this process is.
    fn own(&self) -> PathBuf {
        self.delegated.join(&self.run)
    }

    /// Switches the controllers of groups below on or off.
    fn control(&self, sign: &str) -> io::Result<()> {
        let words = CONTROLLERS.map(|name| format!("{sign}{name}"));
        write(&self.delegated, BELOW, &words.join(" "))
    }

    /// Moves this process back to where it was.
    fn leave(&self) {
        let _ = self.control("-");
        let _ = write(&self.delegated, PROCESSES, "0");
        let _ = fs::remove_dir(self.own());
    }

    /// A new group for a program that is held to this.
    ///
    /// # Errors
    ///
    /// If the kernel does not take one of the limits.
    pub fn make(&self, isolation: &Isolation) -> io::Result<ControlGroup> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let folder = self.delegated.join(format!("{}-{number}", self.run));
        fs::create_dir(&folder)?;
        let group = ControlGroup(folder);
        // The watch every few milliseconds is the first to see who is beyond its memory, and says so; this is for what
        // it does not see in time.
        // Files in its folders in memory count as its memory.
        let in_memory = IN_MEMORY.len() as u64 * isolation.files;
        let memory = isolation.memory + in_memory + SUPERVISORS_MEMORY;
        group.limit("memory.max", memory / page() * page())?;
        group.limit("pids.max", isolation.processes + SUPERVISORS_PROCESSES)?;
        // Absent where there is no swap.
        let _ = group.limit("memory.swap.max", 0);
        Ok(group)
    }
}

impl Drop for ControlGroups {
    fn drop(&mut self) {
        self.leave();
    }
}

fn page() -> u64 {
    rustix::param::page_size() as u64
}

/// Kills what is in the groups of a run that is no more, by its guard, and removes them.
pub(super) fn clear(run: &str) {
    let Some(delegated) = group_of_this_process()
        .ok()
        .filter(|own| own.file_name() == Some(OsStr::new(run)))
        .and_then(|own| own.parent().map(Path::to_owned))
    else {
        return;
    };
    let prefix = format!("{run}-");
    for entry in fs::read_dir(delegated).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            drop(ControlGroup(entry.path()));
        }
    }
}

/// The group of a program, which is killed and removed with this value.
pub(super) struct ControlGroup(PathBuf);

impl ControlGroup {
    /// Sets a limit, and sees to it that it is one.
    fn limit(&self, name: &str, most: u64) -> io::Result<()> {
        let most = most.to_string();
        write(&self.0, name, &most)?;
        let set = fs::read_to_string(self.0.join(name))?;
        match set.trim_end() == most {
            true => Ok(()),
            false => Err(io::Error::other(format!("{name} stays {set:?}"))),
        }
    }

    /// The arguments of this program, before those of another one, by which that one begins inside the group.
    pub fn arguments(&self) -> [OsString; 3] {
        [
            helper::WORD.into(),
            helper::ENTER.into(),
            self.0.as_os_str().to_owned(),
        ]
    }

    /// True if the kernel has ended something in it because its memory was used up.
    pub fn ran_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.0.join("memory.events")).unwrap_or_default();
        let killed = |line: &str| {
            line.strip_prefix("oom_kill ")
                .is_some_and(|count| count != "0")
        };
        events.lines().any(killed)
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        for _ in 0..TRIES {
            let _ = write(&self.0, "cgroup.kill", "1");
            match fs::remove_dir(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
                _ => return,
            }
            thread::sleep(BETWEEN_TRIES);
        }
    }
}

/// Enters a group and becomes the program.
pub(super) fn enter(group: &OsStr, words: &[OsString]) -> ExitCode {
    let [program, arguments @ ..] = words else {
        return ExitCode::from(helper::CANNOT_START);
    };
    let why = match write(Path::new(group), PROCESSES, "0") {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error,
    };
    eprintln!("turnwise: cannot start {program:?}: {why}");
    ExitCode::from(helper::CANNOT_START)
}

/// Writes without making a file where the kernel has none.
fn write(group: &Path, name: &str, text: &str) -> io::Result<()> {
    use std::io::Write;
    let mut file = fs::OpenOptions::new().write(true).open(group.join(name))?;
    file.write_all(text.as_bytes())
}

/// The folder of the group that this process is in.
fn group_of_this_process() -> io::Result<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let groups = fs::read_to_string("/proc/self/cgroup")?;
    folder_of(&mounts, &groups)
        .ok_or_else(|| io::Error::other("there are no control groups of version 2"))
}

/// The folder of a process's group by its `mountinfo` and its `cgroup`; see proc_pid_mountinfo(5) and cgroups(7).
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
        let group = ControlGroup(folder.path().to_owned());
        assert!(group.limit("memory.max", 1 << 30).is_err());
        assert!(!folder.path().join("memory.max").exists());
        fs::write(folder.path().join("pids.max"), "").expect("there is room");
        group.limit("pids.max", 64).expect("it can be set");
        assert!(!group.ran_out_of_memory());
        fs::write(folder.path().join("memory.events"), "low 0\noom_kill 2\n")
            .expect("there is room");
        assert!(group.ran_out_of_memory());
    }
}
