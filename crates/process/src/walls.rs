//! Starts untrusted programs behind walls that keep them away from other people's files, processes and the network.
//!
//! With `bubblewrap`, a program sees only the system's folders and its own folder, which are read-only, and an empty
//! home folder in which it may write. It sees no other files, no other processes and no network. The supervisor is the
//! first process in the namespace, where the program cannot reach it. When `bubblewrap` exits, the whole namespace
//! ends, and `bubblewrap` exits when the thread that has started it ends.
//!
//! Without `bubblewrap`, Landlock denies access to files and signals to other processes. If root starts a program and
//! may change users, the program runs as a separate user. In both cases, a [filter](super::filter) of system calls
//! closes the remaining gaps.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::{geteuid, getpid};
use rustix::thread::{CapabilitySet, CpuSet, capabilities, sched_getaffinity};
use turnwise_engine::words::printable;

use super::control_group::{ControlGroup, GroupFiles};
use super::filter::Filter;
use super::guard;
use super::isolation::{Isolation, Own};
use super::limits::Limits;
use super::own_folder::{FIRST_USER, first_link, hand_over};
use super::supervisor::Orders;

/// The system's folders, which all programs may read.
const SYSTEM: [&str; 12] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/run/current-system",
];

/// The usual folders of commands, with which an isolated program's `PATH` ends.
///
/// Before them, the `PATH` contains those folders of the arena's own `PATH` that the program may read.
const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The path at which an isolated program sees its home folder.
const HOME: &str = "/home/player";

/// The path of this program behind bubblewrap, where it is started as a helper.
pub(super) const HELPER: &str = "/run/turnwise";

/// The paths at which a supervisor behind bubblewrap sees the files of the program's control group.
///
/// A program that runs as the supervisor's user can move its processes into that group, but this is harmless, because
/// all its processes are in that group anyway.
const GROUP: [&str; 2] = ["/run/turnwise-program", "/run/turnwise-events"];

/// The folders in memory in which an isolated program may write.
pub(super) const IN_MEMORY: [&str; 2] = ["/tmp", "/dev/shm"];

/// The number of threads of a supervisor.
///
/// If the supervisor and the program run as one user, the kernel counts the threads of both together.
const SUPERVISORS_THREADS: u64 = 3;

/// The mechanism that isolates programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wall {
    /// Namespaces that `bwrap` creates.
    Bubblewrap,
    /// Landlock, as far as the kernel supports it.
    Landlock,
}

/// A program that should run in isolation.
pub(super) struct Guest<'a> {
    /// The program and its arguments.
    pub words: &'a [String],
    /// The program's home folder.
    pub folder: &'a Path,
    pub isolation: &'a Isolation,
}

impl Guest<'_> {
    /// Returns the command that runs the program in isolation, in the given control group if any.
    ///
    /// `program` is the path with which this program starts itself as a helper. `loosen` lets tests make holes in the
    /// walls, and otherwise changes nothing.
    pub fn command(
        &self,
        wall: Wall,
        program: &Path,
        group: Option<&ControlGroup>,
        loosen: &dyn Fn(&mut Limits),
    ) -> io::Result<Command> {
        let Isolation {
            memory,
            processes,
            files,
            ..
        } = *self.isolation;
        let mut limits = Limits {
            memory,
            processes: [processes, processes],
            files,
            folder: Some(self.folder.to_owned()),
            in_memory: Vec::new(),
            user: None,
            readable: None,
            group: None,
            filter: Filter {
                network: self.isolation.network,
                shared_memory: guard::why_unlimited().is_none(),
                ..Filter::default()
            },
            cores: cores(),
        };
        let words = match self.isolation.own {
            Own::Named => absolute(self.words)?,
            _ => self.words.iter().map(OsString::from).collect(),
        };
        let begin = |first: &Path| match group.and_then(ControlGroup::arguments) {
            None => Command::new(first),
            Some(arguments) => {
                let mut command = Command::new(program);
                command.args(arguments).arg(first);
                command
            }
        };
        let mut command;
        let parent;
        limits.group = group.map(ControlGroup::files);
        match wall {
            Wall::Bubblewrap => {
                limits.folder = (!self.isolation.has_private_home).then(|| HOME.into());
                let home = self.isolation.has_private_home.then_some(HOME);
                let in_memory = IN_MEMORY.into_iter().chain(home);
                limits.in_memory = in_memory.map(PathBuf::from).collect();
                // Attributes may be allowed: the program sees other people's files only where it cannot write to them.
                limits.filter.attributes = true;
                if geteuid().is_root() {
                    limits.user = Some(user_of(self.folder)?);
                } else {
                    limits.processes[0] += SUPERVISORS_THREADS;
                }
                parent = None;
                command = begin(Path::new("bwrap"));
                command.args(self.walls(program, limits.group.as_ref())?);
                command.arg("--").arg(HELPER);
                limits.group = limits.group.map(|_| seen_inside());
                // A build writes into its own folder. Its home is in memory, so that caches in it do not become part of
                // the program.
                let home = match self.isolation.own {
                    Own::Builds(_) => IN_MEMORY[0],
                    _ => HOME,
                };
                command
                    .env_clear()
                    .env("HOME", home)
                    .env("TMPDIR", IN_MEMORY[0]);
            }
            Wall::Landlock => {
                if may_change_user() {
                    limits.user = user_of(self.folder).ok();
                }
                match limits.user {
                    Some(_) => limits.filter.attributes = true,
                    // The kernel counts all processes that belong to this user. Their number cannot exceed the number
                    // of threads on this machine, which is therefore added.
                    None => limits.processes[0] += threads_of_all(),
                }
                let readable = self.readable()?.into_iter();
                let system = SYSTEM.into_iter().map(PathBuf::from);
                limits.readable = Some(readable.chain(system).chain([program.into()]).collect());
                parent = Some(std::process::id());
                command = begin(program);
                command
                    .env_clear()
                    .env("HOME", self.folder)
                    .env("TMPDIR", self.folder);
            }
        }
        if let (Own::Builds(folder), Some(user)) = (&self.isolation.own, limits.user) {
            hand_over(folder, user)?;
        }
        loosen(&mut limits);
        let orders = Orders {
            parent,
            limits: Some(limits),
            groups: None,
        };
        command.args(orders.arguments()).args(words);
        let place = match wall {
            // Inside the namespace, bubblewrap changes to the folder in which the program starts.
            Wall::Bubblewrap => self.folder,
            Wall::Landlock => self.start().unwrap_or(self.folder),
        };
        command.current_dir(place).env("PATH", self.path());
        command.envs(std::env::var_os("LANG").map(|language| ("LANG", language)));
        Ok(command)
    }

    /// Returns the folder in which the program starts, or `None` if the program starts in its home folder.
    fn start(&self) -> Option<&Path> {
        match &self.isolation.own {
            Own::StartsIn(folder) | Own::Builds(folder) => Some(folder),
            Own::Named | Own::Reads(_) => None,
        }
    }

    /// Returns the value of the program's environment variable `PATH`.
    fn path(&self) -> OsString {
        let own = std::env::var_os("PATH").unwrap_or_default();
        let is_seen = |folder: &PathBuf| {
            let mut readable = self.isolation.readable.iter().map(PathBuf::as_path);
            lies_in_system(folder) || readable.any(|known| folder.starts_with(known))
        };
        let own = std::env::split_paths(&own).filter(is_seen);
        let usual = std::env::split_paths(USUAL_PATH);
        std::env::join_paths(own.chain(usual)).unwrap_or_else(|_| USUAL_PATH.into())
    }

    /// Returns the options with which bubblewrap isolates the program; see bwrap(1).
    fn walls(&self, program: &Path, group: Option<&GroupFiles>) -> io::Result<Vec<OsString>> {
        let mut options: Vec<OsString> = Vec::new();
        let mut add = |words: &[&str]| options.extend(words.iter().map(OsString::from));
        add(&["--die-with-parent", "--new-session", "--as-pid-1"]);
        add(&[
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            "--unshare-cgroup-try",
        ]);
        if !self.isolation.network {
            add(&["--unshare-net"]);
        }
        if geteuid().is_root() {
            // Only the supervisor has these capabilities. The program runs as another user, without capabilities.
            add(&["--cap-drop", "ALL"]);
            for right in [
                "CAP_SETUID",
                "CAP_SETGID",
                "CAP_KILL",
                "CAP_SYS_PTRACE",
                "CAP_DAC_READ_SEARCH",
            ] {
                add(&["--cap-add", right]);
            }
        } else {
            add(&["--unshare-user"]);
        }
        for folder in SYSTEM {
            add(&["--ro-bind-try", folder, folder]);
        }
        let size = self.isolation.files.to_string();
        // /proc is read-only, because a program that can write to /proc/self/autogroup can set its supervisor's
        // priority.
        add(&["--proc", "/proc", "--remount-ro", "/proc"]);
        // /dev/full replaces /dev/zero. Reading both gives zeros, but memory mapped from /dev/zero would belong to no
        // process.
        add(&["--dev", "/dev", "--dev-bind", "/dev/full", "/dev/zero"]);
        let home = self.isolation.has_private_home.then_some(HOME);
        for folder in IN_MEMORY.into_iter().chain(home) {
            add(&["--perms", "1777", "--size", &size, "--tmpfs", folder]);
        }
        add(&["--remount-ro", "/dev"]);
        let mut places = vec![("--ro-bind", program.to_owned(), PathBuf::from(HELPER))];
        // The home is mounted first, so that it does not hide the folders below: an account on this machine may also
        // have the home folder /home/player.
        if home.is_none() {
            places.push(("--bind", self.folder.to_owned(), HOME.into()));
        }
        let readable = self.readable()?.into_iter();
        places.extend(readable.map(|place| ("--ro-bind", place.clone(), place)));
        if let Own::Builds(folder) = &self.isolation.own {
            places.push(("--bind", folder.clone(), folder.clone()));
        }
        if let Some(files) = group {
            let GroupFiles { program, events } = seen_inside();
            places.push(("--bind", files.program.clone(), program));
            places.push(("--ro-bind", files.events.clone(), events));
        }
        for (bind, here, there) in places {
            // Without these options, only root could open the parent folders.
            let mut around: Vec<&Path> = there.ancestors().skip(1).collect();
            around.pop();
            for folder in around.into_iter().rev() {
                options.extend(["--perms", "0755", "--dir"].map(OsString::from));
                options.push(folder.into());
            }
            options.extend([bind.into(), here.into(), there.into()]);
        }
        // The rest, which consists of the parents of the folders above, becomes read-only.
        options.extend(["--remount-ro", "/", "--chdir"].map(OsString::from));
        options.push(self.start().unwrap_or(Path::new(HOME)).into());
        Ok(options)
    }

    /// Returns the files and folders that the program may read outside the system's folders.
    ///
    /// A program with its own folder may read that folder. Any other program may read the files that its command names,
    /// and their parent folders, except for folders that other people also use.
    fn readable(&self) -> io::Result<BTreeSet<PathBuf>> {
        let mut places: BTreeSet<PathBuf> = self
            .isolation
            .own
            .folder()
            .map(Path::to_owned)
            .into_iter()
            .collect();
        if self.isolation.own == Own::Named {
            for word in self.words {
                places.extend(named(word)?);
            }
        }
        places.retain(|place| !lies_in_system(place));
        places.extend(self.isolation.readable.iter().cloned());
        Ok(places)
    }
}

/// Returns the paths at which a supervisor behind bubblewrap sees the files of a control group.
fn seen_inside() -> GroupFiles {
    let [program, events] = GROUP.map(PathBuf::from);
    GroupFiles { program, events }
}

/// Returns the paths that a program may read because its command contains the word `word`.
///
/// Returns an error for a link, unless it is the last part of the path and leads into its own folder or the system's
/// folders.
pub(super) fn named(word: &str) -> io::Result<Vec<PathBuf>> {
    let (Ok(path), Ok(real)) = (std::path::absolute(word), Path::new(word).canonicalize()) else {
        return Ok(Vec::new());
    };
    // In isolation, the program has its own /dev and /proc.
    if ["/dev", "/proc"].iter().any(|own| path.starts_with(own)) {
        return Ok(Vec::new());
    }
    let around = path.parent().unwrap_or(&path).canonicalize()?;
    if let Some(link) = first_link(Path::new(word)) {
        let is_last = std::path::absolute(&link)? == path;
        if !is_last || !(real.starts_with(&around) || is_systems(&real)) {
            let shown = |path: &Path| printable(&path.display().to_string());
            return Err(io::Error::other(format!(
                "expected files and folders in the command of an isolated program, got the link {}; its target is {}: \
                 name that instead",
                shown(&link),
                shown(&real)
            )));
        }
    }
    // Both the path as written and the path without links become readable: a parent folder may be a link of the user.
    let opened = [path.clone(), real].map(|place| {
        let folder = match (place.is_dir(), place == path) {
            (true, _) => Some(&*place),
            (false, true) => place.parent(),
            (false, false) => Some(&*around),
        };
        match folder.filter(|folder| !is_shared(folder)) {
            Some(folder) => folder.to_owned(),
            None => place,
        }
    });
    Ok(opened
        .into_iter()
        .filter(|place| !is_shared(place))
        .collect())
}

fn lies_in_system(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// Returns true if a path is in one of the system's folders and no link leads out of them.
pub(super) fn is_systems(path: &Path) -> bool {
    let leads_out = |real: PathBuf| !lies_in_system(&real);
    lies_in_system(path) && !path.canonicalize().is_ok_and(leads_out)
}

/// Returns true if a folder is the current folder, one of its parents, or [everybody's](is_everybodys).
fn is_shared(folder: &Path) -> bool {
    let current = std::env::current_dir().ok();
    current.is_some_and(|current| is_around(folder, &current)) || is_everybodys(folder)
}

/// Returns true if a folder is the user's home folder, the folder for temporary files, or a parent of one of them.
///
/// Such a folder contains the files of more than one program.
pub(super) fn is_everybodys(folder: &Path) -> bool {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let mut known = home.into_iter().chain([std::env::temp_dir()]);
    known.any(|known| is_around(folder, &known))
}

fn is_around(folder: &Path, known: &Path) -> bool {
    let real = known.canonicalize();
    known.starts_with(folder) || real.is_ok_and(|real| real.starts_with(folder))
}

/// Returns the words of a command after making the paths of existing files and folders absolute.
///
/// The program may run in another folder, where a relative path would name another file.
fn absolute(words: &[String]) -> io::Result<Vec<OsString>> {
    let absolute = |(place, word): (usize, &String)| {
        let path = Path::new(word);
        // The name of a program without a slash is not a path: it is searched for in PATH.
        let is_name = place == 0 && !word.contains('/');
        match !is_name && path.is_relative() && !word.is_empty() && path.exists() {
            true => std::path::absolute(path).map(OsString::from),
            false => Ok(word.into()),
        }
    };
    words.iter().enumerate().map(absolute).collect()
}

/// Returns true if this process runs as root and may start and kill programs as other users.
pub(super) fn may_change_user() -> bool {
    let needed =
        CapabilitySet::CHOWN | CapabilitySet::SETUID | CapabilitySet::SETGID | CapabilitySet::KILL;
    geteuid().is_root() && capabilities(None).is_ok_and(|sets| sets.effective.contains(needed))
}

/// Returns the cores on which this process's main thread may run.
///
/// The main thread is asked, because each thread that plays games is pinned to one core.
fn cores() -> Vec<usize> {
    let usable = sched_getaffinity(Some(getpid()));
    let usable = usable.unwrap_or_else(|_| CpuSet::new());
    (0..CpuSet::MAX_CPU)
        .filter(|&core| usable.is_set(core))
        .collect()
}

/// Returns the total number of threads on this machine, or 0 if unknown; see proc_loadavg(5).
fn threads_of_all() -> u64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let counts = text.split(' ').nth(3).unwrap_or_default();
    let all = counts.split('/').next_back().unwrap_or_default();
    all.parse().unwrap_or(0)
}

/// Returns the ID of the user as whom a program in this folder should run.
///
/// If no such user owns the folder yet, the folder is handed over to an unused user.
fn user_of(folder: &Path) -> io::Result<u32> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let owner = folder.metadata()?.uid();
    if owner >= FIRST_USER {
        return Ok(owner);
    }
    // Concurrent runs get different users: the user ID contains the process ID, which stays below four million.
    let next = NEXT.fetch_add(1, Ordering::Relaxed) % 128;
    let user = FIRST_USER + std::process::id() % (1 << 22) * 128 + next;
    chown(folder, Some(user), Some(user))?;
    Ok(user)
}
