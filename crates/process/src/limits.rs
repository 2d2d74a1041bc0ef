//! Enforces the limits of a program together with all its processes.
//!
//! The kernel limits each process separately. In addition, a watch checks the total use every [`BETWEEN_LOOKS`].
//!
//! The watch checks the program's files and the kernel memory that it holds only every [`BETWEEN_WALKS`], because
//! walking 10,000 files takes longer than one check may take.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    Scope, path_beneath_rules,
};
use rustix::process::{Gid, Pid, Resource, Rlimit, Uid, getpid, setrlimit};
use rustix::thread::{CpuSet, sched_setaffinity};
use serde::{Deserialize, Serialize};

use super::control_group::{self, GroupFiles};
use super::filter::Filter;
use super::helper::CANNOT_START;
use super::table::{self, Entry};

/// The pause between two checks of the resources that a program uses.
pub(super) const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// The minimum pause between two walks through the program's files, which measure their size.
const BETWEEN_WALKS: Duration = Duration::from_millis(250);

/// After a walk through the files, the watch waits at least this many times as long as the walk took.
///
/// Otherwise the walks through a program's many files could keep a core busy that its opponent also uses.
const SHARE_OF_WALKS: u32 = 20;

/// The number of successive walks with hidden open files after which a program is killed.
///
/// A process that has just changed its user or executed another program hides its open files for a moment.
const HIDDEN_WALKS: u32 = 4;

/// The maximum memory that the kernel uses for one end of a pair of sockets; see `wmem_max` in socket(7).
const SOCKETS_MEMORY: u64 = 416 << 10;

/// The maximum number of files that each process can have open at a time.
const OPEN_FILES: u64 = 256;

/// The maximum number of files and folders in a program's own folder.
const MOST_ENTRIES: usize = 10_000;

/// The devices that every program expects to be able to open.
///
/// `/dev/zero` is missing because memory that is mapped from it belongs to no process.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];

/// The limits of a program, for the helper that sets them and for the watch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The maximum memory in bytes, both of each process and of all processes together.
    pub memory: u64,
    /// The maximum numbers of processes and threads: first the kernel's limit, then the watch's limit.
    ///
    /// The kernel counts everything that the program's user runs; the watch counts only the program.
    pub processes: [u64; 2],
    /// The maximum size in bytes, both of all files in the program's home together and of any single file.
    pub files: u64,
    /// The folder whose files the watch counts, as a path that is valid for the supervisor.
    pub folder: Option<PathBuf>,
    /// Further folders whose files the watch counts. Each is a file system in memory whose size the kernel limits.
    pub in_memory: Vec<PathBuf>,
    /// The ID of the user as whom the program runs, if it is another user.
    ///
    /// With a separate user, the kernel counts the program's processes separately, and root's programs have few rights.
    pub user: Option<u32>,
    /// The paths outside its home that Landlock allows the program to read.
    ///
    /// `None` where Landlock is not used, because namespaces hide all other paths.
    pub readable: Option<Vec<PathBuf>>,
    /// The control group that the program enters, if any.
    pub(super) group: Option<GroupFiles>,
    /// The permissions that the filter of system calls grants to the program.
    pub filter: Filter,
    /// The cores on which the program's watch may run. The program itself stays on the core on which it was started.
    pub cores: Vec<usize>,
}

impl Limits {
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("paths here are text")
    }

    /// Checks the program until it exceeds a limit, and returns a description of the excess.
    ///
    /// `pause` is called before each check.
    pub(super) fn wait_until_broken(&self, pause: &dyn Fn()) -> String {
        rise(self);
        let mut walks_at = Instant::now();
        let mut exact = HashMap::new();
        let mut hidden = 0;
        loop {
            pause();
            let found = table::descendants(getpid());
            if found.len() as u64 > self.processes[1] {
                return format!("it had more than {} processes", self.processes[1]);
            }
            let mut kernels = 0;
            let begun = Instant::now();
            if begun >= walks_at {
                let held = match self.held(&found) {
                    Ok(held) => held,
                    Err(broken) => return broken,
                };
                hidden = if held.is_hidden { hidden + 1 } else { 0 };
                if hidden == HIDDEN_WALKS {
                    return "it hid its open files".to_owned();
                }
                kernels = held.memory;
                // The cached values expire here, because a process's share of shared memory also depends on other
                // processes.
                exact.clear();
                let now = Instant::now();
                walks_at = now + BETWEEN_WALKS.max((now - begun) * SHARE_OF_WALKS);
            }
            if is_beyond(&found, kernels, self.memory, &mut exact) {
                return format!("it used more than {} of memory", mebibytes(self.memory));
            }
        }
    }

    /// Walks the files of a program. Returns the resources that the program holds, or a description of the exceeded
    /// limit.
    fn held(&self, processes: &[Entry]) -> Result<Held, String> {
        let too_much = || {
            let most = mebibytes(self.files);
            format!("it wrote more than {most} or {MOST_ENTRIES} files")
        };
        let has_many = |folder: &PathBuf| {
            rustix::fs::statvfs(folder)
                .is_ok_and(|about| about.f_files - about.f_ffree > MOST_ENTRIES as u64)
        };
        if self.in_memory.iter().any(has_many) {
            return Err(too_much());
        }
        let mut held = Held::default();
        let device = match &self.folder {
            None => None,
            Some(folder) => {
                held.files = bytes_in(folder, self.files).ok_or_else(too_much)?;
                folder.metadata().ok().map(|about| about.dev())
            }
        };
        for process in processes {
            held.add(process, self, device);
        }
        match held.files > self.files {
            true => Err(too_much()),
            false => Ok(held),
        }
    }
}

/// Gives the calling thread, which is the watch, the cores and the priority to check a program in time.
///
/// It also gives the thread the rights to see all processes of the program.
fn rise(limits: &Limits) {
    let mut cores = CpuSet::new();
    for &core in &limits.cores {
        cores.set(core);
    }
    // On the program's core, the watch would compete with the program's processes, each of which may have a separate
    // scheduling group.
    let _ = sched_setaffinity(None, &cores);
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), -20);
    if let (Some(user), Some(_)) = (limits.user, &limits.readable) {
        // In a container, root may be unable to read the files of other users' processes. Therefore this thread alone
        // becomes the program's user, but only in part, so that the program cannot send signals to the thread.
        let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
        let _ = rustix::thread::set_thread_res_gid(None, group, None);
        let _ = rustix::thread::set_thread_res_uid(None, user, None);
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

/// The resources that a program holds without a name, or that are not charged to any process.
#[derive(Debug, Default)]
struct Held {
    /// The size of all files in bytes; each file counts once.
    files: u64,
    /// The memory in bytes that the kernel uses for the program.
    memory: u64,
    seen: BTreeSet<(u64, u64)>,
    /// True if a process does not show its open files.
    is_hidden: bool,
}

impl Held {
    /// Adds the resources that a process holds: files without a name, sockets, and page tables.
    ///
    /// Files without a name count only if they are on `device`, which is the device of the program's folder.
    fn add(&mut self, process: &Entry, limits: &Limits, device: Option<u64>) {
        let place = PathBuf::from(format!("/proc/{}", process.pid));
        let open = fs::read_dir(place.join("fd"));
        // While a process exits, it finally runs only in the kernel and has no memory. Nothing is counted then.
        let status = fs::read_to_string(place.join("status")).unwrap_or_default();
        let Some(tables) = number_after(&status, "VmPTE:") else {
            return;
        };
        let Ok(open) = open else {
            self.is_hidden = true;
            return;
        };
        self.memory += tables << 10;
        for file in open.flatten() {
            let Ok(about) = fs::metadata(file.path()) else {
                continue;
            };
            let is_unnamed = about.is_file() && about.nlink() == 0 && Some(about.dev()) == device;
            let is_socket = about.file_type().is_socket();
            if (is_unnamed || is_socket) && self.seen.insert((about.dev(), about.ino())) {
                match is_socket {
                    true => self.memory += SOCKETS_MEMORY,
                    false => self.files += about.blocks() * 512,
                }
            }
        }
        let (Some(device), Ok(maps)) = (device, fs::read_to_string(place.join("maps"))) else {
            return;
        };
        let device = format!(
            "{:02x}:{:02x}",
            nix::libc::major(device),
            nix::libc::minor(device)
        );
        for line in maps.lines().filter(|line| line.ends_with(" (deleted)")) {
            let mut words = line.split_whitespace().skip(3);
            let is_there = words.next() == Some(&device);
            let inode = words.next().and_then(|word| word.parse().ok());
            if let Some(inode) = inode.filter(|_| is_there)
                && !self.seen.iter().any(|&(_, known)| known == inode)
            {
                // The size of the file is unknown, but cannot exceed the limit on the size of a file.
                self.files += limits.files;
                self.seen.insert((0, inode));
            }
        }
    }
}

/// Returns the number that follows `word` on the first line of `text` that begins with `word`.
fn number_after(text: &str, word: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(word))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns true if the processes use more than `most` bytes, including `kernels`, the memory that the kernel uses for
/// them. Shared memory counts once.
///
/// `exact` caches each process's exact memory, which is slow to read, until the process's number of pages changes.
fn is_beyond(
    processes: &[Entry],
    kernels: u64,
    most: u64,
    exact: &mut HashMap<(Pid, u64, u64), u64>,
) -> bool {
    let page = rustix::param::page_size() as u64;
    // This is an upper bound: shared memory counts once for each process, and the program's files in memory count too.
    let at_most: u64 = processes.iter().map(|entry| entry.pages * page).sum();
    if at_most + kernels <= most {
        return false;
    }
    let all = processes.iter().map(|process| {
        let key = (process.pid, process.began, process.pages);
        let find = || proportional(process.pid).unwrap_or(process.pages * page);
        *exact.entry(key).or_insert_with(find)
    });
    all.sum::<u64>() + kernels > most
}

/// Returns a process's memory in bytes, without files, and with the process's share of shared memory.
///
/// See proc_pid_smaps(5).
fn proportional(process: Pid) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let of = |name: &str| number_after(&text, name);
    Some((of("Pss_Anon:")? + of("Pss_Shmem:")?) << 10)
}

/// Returns the size of all files in a folder in bytes.
///
/// Returns `None` if the size exceeds `most`, if the folder has too many entries, or if it cannot be read.
fn bytes_in(folder: &Path, most: u64) -> Option<u64> {
    let mut folders = vec![folder.to_owned()];
    let (mut bytes, mut entries) = (0, 0);
    // A file with several names takes its space only once, so it must count only once.
    let mut seen = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        let Ok(inner) = fs::read_dir(&folder) else {
            if folder.exists() {
                return None;
            }
            continue;
        };
        for entry in inner.flatten() {
            entries += 1;
            let Ok(about) = entry.metadata() else {
                continue;
            };
            if about.is_dir() {
                folders.push(entry.path());
            }
            if about.nlink() == 1 || about.is_dir() || seen.insert(about.ino()) {
                bytes += about.blocks() * 512;
            }
            if bytes > most || entries > MOST_ENTRIES {
                return None;
            }
        }
    }
    Some(bytes)
}

/// Runs this process as the helper that limits itself and then executes the command line `words`.
pub(super) fn confine(limits: &OsStr, words: &[OsString]) -> ExitCode {
    let why = match serde_json::from_slice::<Limits>(limits.as_bytes()) {
        Err(error) => error.to_string(),
        Ok(limits) => match set(&limits) {
            Err(error) => error.to_string(),
            Ok(()) => {
                let mut command = Command::new(&words[0]);
                // The user is changed only now, because only the user that has started the process may move it into its
                // control group.
                if let Some(user) = limits.user {
                    command.uid(user).gid(user);
                }
                command.args(&words[1..]).exec().to_string()
            }
        },
    };
    eprintln!("turnwise: cannot start {:?}: {why}", words[0]);
    ExitCode::from(CANNOT_START)
}

fn set(limits: &Limits) -> io::Result<()> {
    if let Some(group) = &limits.group {
        control_group::enter(&group.program)?;
    }
    let values = [
        // This limits the memory that is written and not the address space, because Java reserves a large address
        // space.
        (Resource::Data, limits.memory),
        (Resource::Nproc, limits.processes[0]),
        (Resource::Fsize, limits.files),
        (Resource::Nofile, OPEN_FILES),
        (Resource::Core, 0),
    ];
    for (resource, most) in values {
        // A limit can only be lowered, so the new limit must not exceed the previous one.
        let before = rustix::process::getrlimit(resource).maximum;
        let most = Some(before.map_or(most, |before| most.min(before)));
        let limit = Rlimit {
            current: most,
            maximum: most,
        };
        setrlimit(resource, limit)?;
    }
    rustix::thread::set_no_new_privs(true)?;
    if let (Some(readable), Some(folder)) = (&limits.readable, &limits.folder) {
        shut_in(readable, folder, limits.filter.network).map_err(io::Error::other)?;
    }
    limits.filter.install()
}

/// Uses Landlock to confine this process to writing in `folder` and reading in `readable`.
///
/// The process can then send no signals to other processes, and cannot use TCP unless `network` is true. The kernel
/// enforces this as far as it can: Landlock exists since Linux 5.13, and covers all these accesses since 6.12.
fn shut_in(readable: &[PathBuf], folder: &Path, network: bool) -> Result<(), RulesetError> {
    let abi = ABI::V6;
    let (all, reading) = (AccessFs::from_all(abi), AccessFs::from_read(abi));
    let devices = AccessFs::ReadFile | AccessFs::WriteFile;
    let mut rules = Ruleset::default().handle_access(all)?;
    if !network {
        rules = rules.handle_access(AccessNet::from_all(abi))?;
    }
    rules
        .scope(Scope::from_all(abi))?
        .create()?
        .add_rules(path_beneath_rules(readable, reading))?
        .add_rules(path_beneath_rules(DEVICES, devices))?
        .add_rules(path_beneath_rules(["/proc/self"], reading))?
        .add_rules(path_beneath_rules([folder], all))?
        .restrict_self()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_folder_is_counted_once_and_what_cannot_be_seen_is_too_much() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("there is room");
        let most = 1 << 20;
        assert!(bytes_in(folder.path(), most).is_some());
        fs::write(inner.join("half"), vec![1; 700 << 10]).expect("there is room");
        fs::hard_link(inner.join("half"), inner.join("again")).expect("a link");
        std::os::unix::fs::symlink("/", inner.join("root")).expect("a link");
        assert!(bytes_in(folder.path(), most).is_some());
        fs::write(inner.join("other"), vec![1; 700 << 10]).expect("there is room");
        assert_eq!(bytes_in(folder.path(), most), None);
        assert!(bytes_in(folder.path(), 2 * most).is_some());
        assert!(bytes_in(&folder.path().join("absent"), most).is_some());
    }

    #[test]
    fn memory_of_a_process_counts_with_what_it_has_written() {
        let held = vec![1_u8; 64 << 20];
        let own = table::entry(getpid()).expect("it runs");
        assert!(is_beyond(
            std::slice::from_ref(&own),
            0,
            32 << 20,
            &mut HashMap::new()
        ));
        assert!(!is_beyond(
            std::slice::from_ref(&own),
            0,
            4 << 30,
            &mut HashMap::new()
        ));
        assert!(held.iter().all(|&byte| byte == 1));
    }
}
