//! What a program and all that it starts may use together, and how it is held to that: by limits that the
//! kernel has for each process, and by a look every [`BETWEEN_LOOKS`] at what they come to together.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    Scope, path_beneath_rules,
};
use rustix::process::{Pid, Resource, Rlimit, getpid, setrlimit};
use serde::{Deserialize, Serialize};

use super::control_group::{self, GroupFiles};
use super::helper::CANNOT_START;
use super::table::{self, Entry};

/// How often it is looked at what a program uses.
pub(super) const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Files that a program can have open at the same time, each process for itself.
const OPEN_FILES: u64 = 256;

/// Files and folders in a program's own folder.
const MOST_ENTRIES: usize = 10_000;

/// Files that every program expects.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// What can be too much.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Limits {
    /// Bytes of memory for each process, and for all of them together.
    pub memory: u64,
    /// Processes and threads for the kernel's limit, which counts all of the same user, and for the look at
    /// those of the program.
    pub processes: [u64; 2],
    /// Bytes of all files in the folder, and of one file anywhere.
    pub files: u64,
    /// The folder that is looked at, by the name that it has for the supervisor.
    pub folder: Option<PathBuf>,
    /// The user that the program becomes, so that its processes are counted and its rights are few where it
    /// would be root.
    pub user: Option<u32>,
    /// What it may read besides its folder, where nothing else hides the rest.
    pub readable: Option<Vec<PathBuf>>,
    /// The control group that it enters, if it has one.
    pub group: Option<GroupFiles>,
}

impl Limits {
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("paths here are text")
    }

    /// Looks until something is too much, and says what; between two looks it pauses.
    pub fn wait_until_broken(&self, pause: &dyn Fn()) -> String {
        loop {
            pause();
            let found = table::descendants(getpid());
            if found.len() as u64 > self.processes[1] {
                return format!("it had more than {} processes", self.processes[1]);
            }
            if is_beyond(&found, self.memory) {
                return format!("it used more than {} of memory", mebibytes(self.memory));
            }
            if let Some(folder) = &self.folder
                && !is_within(folder, self.files)
            {
                let most = mebibytes(self.files);
                return format!("it wrote more than {most} or {MOST_ENTRIES} files");
            }
        }
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

/// True if the processes use more memory together. What they share counts once.
fn is_beyond(processes: &[Entry], most: u64) -> bool {
    let page = rustix::param::page_size() as u64;
    // What is shared counts for each here, and the program's own files in memory, too.
    let at_most: u64 = processes.iter().map(|entry| entry.pages * page).sum();
    if at_most <= most {
        return false;
    }
    let exact = processes
        .iter()
        .map(|entry| proportional(entry.pid).unwrap_or(entry.pages * page));
    exact.sum::<u64>() > most
}

/// A process's memory that is no file's, with its part of what it shares; see proc_pid_smaps(5).
fn proportional(process: Pid) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let of = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    Some((of("Pss_Anon:")? + of("Pss_Shmem:")?) << 10)
}

/// True if all that is in the folder takes no more than so many bytes, and can be seen.
fn is_within(folder: &Path, most: u64) -> bool {
    let mut folders = vec![folder.to_owned()];
    let (mut bytes, mut entries) = (0, 0);
    // A file with several names takes its room once.
    let mut seen = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        let Ok(inner) = fs::read_dir(&folder) else {
            if folder.exists() {
                return false;
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
                return false;
            }
        }
    }
    true
}

/// Limits this process and becomes the program.
pub(super) fn confine(limits: &OsStr, words: &[OsString]) -> ExitCode {
    let why = match serde_json::from_slice::<Limits>(limits.as_bytes()) {
        Err(error) => error.to_string(),
        Ok(limits) => match set(&limits) {
            Err(error) => error.to_string(),
            Ok(()) => {
                let mut command = Command::new(&words[0]);
                // Not before: only the user that has started it may move it into its control group.
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
        // What is written to, not what is set aside: the address space of a Java machine is large.
        (Resource::Data, limits.memory),
        (Resource::Nproc, limits.processes[0]),
        (Resource::Fsize, limits.files),
        (Resource::Nofile, OPEN_FILES),
        (Resource::Core, 0),
    ];
    for (resource, most) in values {
        // Nobody gets more than there was before.
        let before = rustix::process::getrlimit(resource).maximum;
        let most = Some(before.map_or(most, |before| most.min(before)));
        let limit = Rlimit {
            current: most,
            maximum: most,
        };
        setrlimit(resource, limit)?;
    }
    rustix::thread::set_no_new_privs(true)?;
    match (&limits.readable, &limits.folder) {
        (Some(readable), Some(folder)) => shut_in(readable, folder).map_err(io::Error::other),
        _ => Ok(()),
    }
}

/// Shuts this process in with its folder and what it may read, without TCP and without signals to others,
/// as far as the kernel can: Landlock since Linux 5.13, all of it since 6.12.
fn shut_in(readable: &[PathBuf], folder: &Path) -> Result<(), RulesetError> {
    let abi = ABI::V6;
    let (all, reading) = (AccessFs::from_all(abi), AccessFs::from_read(abi));
    let devices = AccessFs::ReadFile | AccessFs::WriteFile;
    Ruleset::default()
        .handle_access(all)?
        .handle_access(AccessNet::from_all(abi))?
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
        assert!(is_within(folder.path(), most));
        fs::write(inner.join("half"), vec![1; 700 << 10]).expect("there is room");
        fs::hard_link(inner.join("half"), inner.join("again")).expect("a link");
        std::os::unix::fs::symlink("/", inner.join("root")).expect("a link");
        assert!(is_within(folder.path(), most));
        fs::write(inner.join("other"), vec![1; 700 << 10]).expect("there is room");
        assert!(!is_within(folder.path(), most));
        assert!(is_within(folder.path(), 2 * most));
        assert!(is_within(&folder.path().join("absent"), most));
    }

    #[test]
    fn memory_of_a_process_counts_with_what_it_has_written() {
        let held = vec![1_u8; 64 << 20];
        let own = table::entry(getpid()).expect("it runs");
        assert!(is_beyond(std::slice::from_ref(&own), 32 << 20));
        assert!(!is_beyond(std::slice::from_ref(&own), 4 << 30));
        assert!(held.iter().all(|&byte| byte == 1));
    }
}
