//! Manages the folder of a run. A run is one execution of a program that starts other programs.
//!
//! The folder contains all scratch folders and a note about every child, so that a later run can clean up after this
//! run.
//!
//! Only this user can read the folder. Its name is unguessable, and it is locked until the run ends. A note is an empty
//! file whose name contains the child's process ID and start time. The process ID alone would not be enough, because it
//! may belong to another process by then.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::process::{Pid, Signal, geteuid, kill_process, kill_process_group};
use tempfile::TempDir;

use super::table;

/// The environment variable that contains the run's name. It is set in the environment of every child.
pub(super) const VARIABLE: &str = "TURNWISE_GUARD";

/// The prefix of the names of all runs' folders.
const PREFIX: &str = "turnwise-run-";

/// The name of the file that a run locks, and that contains the identifier of the system's current boot.
const LOCK: &str = "lock";

/// The prefix of the names of notes about children.
const NOTE: &str = "child-";

/// The maximum number of times that an ended run is checked for remaining processes.
const LOOKS: u32 = 100;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// The folder of the current run, and its lock.
pub(super) struct Run {
    folder: TempDir,
    /// The locked file. The system releases the lock at the latest when this process exits.
    _lock: File,
}

impl Run {
    /// Creates a run's folder below the system's folder for temporary files.
    pub fn new() -> io::Result<Self> {
        let folder = folder(PREFIX, &std::env::temp_dir())?;
        if geteuid().is_root() {
            // Programs that run as other users must be able to reach their folders inside. Nobody else can guess the
            // names of these folders.
            fs::set_permissions(folder.path(), Permissions::from_mode(0o711))?;
        }
        let [new, known] = ["new", LOCK].map(|name| folder.path().join(name));
        let mut lock = File::create(&new)?;
        flock(&lock, FlockOperation::LockExclusive)?;
        lock.write_all(boot().as_bytes())?;
        // The lock file is renamed only after it was locked, so that no other process sees it unlocked.
        fs::rename(new, known)?;
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the run's name, which is also in the environment of all its children.
    pub fn name(&self) -> String {
        name(self.path())
    }

    /// Writes a note about a child that has just started, and returns the note's path.
    ///
    /// If the disk is full, no note is written.
    pub fn note(&self, child: Pid) -> PathBuf {
        let note = self.path().join(format!("{NOTE}{child}-{}", began(child)));
        let _ = File::create(&note);
        note
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        remove(self.path());
    }
}

/// Creates a folder with an unguessable name that only its owner can read.
pub(super) fn folder(prefix: &str, parent: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new()
        .prefix(prefix)
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(parent)
}

/// Removes a folder with its contents, even if a program has taken away this user's permissions on it.
pub(super) fn remove(folder: &Path) {
    if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
        return;
    }
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        // This changes only folders and never the target of a link, because links do not count as folders here.
        let _ = fs::set_permissions(&folder, Permissions::from_mode(0o700));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let inner = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.extend(inner.map(|entry| entry.path()));
    }
    let _ = fs::remove_dir_all(folder);
}

/// Returns the name of the run whose folder this is, which is also in the environment of all its children.
pub(super) fn name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Returns the start time of a process, or 0 where the system does not report it.
fn began(child: Pid) -> u64 {
    table::entry(child).map_or(0, |entry| entry.began)
}

/// Returns an identifier that changes each time the system boots, or an empty text if the system has none.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default()
}

/// Cleans up after this user's earlier runs that ended without cleaning up.
pub(super) fn clear_predecessors() {
    let entries = fs::read_dir(std::env::temp_dir())
        .into_iter()
        .flatten()
        .flatten();
    for folder in entries.map(|entry| entry.path()) {
        let is_own = |about: fs::Metadata| {
            // A run creates its folder with mode 700 or 711, so others can neither read nor write it.
            about.is_dir() && about.uid() == geteuid().as_raw() && about.mode() & 0o066 == 0
        };
        let is_run = name(&folder).starts_with(PREFIX);
        if !is_run || !fs::symlink_metadata(&folder).is_ok_and(is_own) {
            continue;
        }
        let lock = OpenOptions::new()
            .read(true)
            .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
            .open(folder.join(LOCK));
        if let Ok(lock) = lock
            && flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            clear(&folder);
        }
    }
}

/// Kills the remaining processes of a run that has ended, and removes the run's folder.
pub(super) fn clear(folder: &Path) {
    let mut known = String::new();
    let lock =
        File::open(folder.join(LOCK)).and_then(|lock| lock.take(64).read_to_string(&mut known));
    if lock.is_err() {
        // Without a lock file, the run has ended normally.
        return;
    }
    for _ in 0..LOOKS {
        // The process IDs in notes from an earlier boot may now belong to any process.
        let mut left = if known == boot() {
            noted(folder)
        } else {
            Vec::new()
        };
        for &child in &left {
            // A process that has lost its supervisor is no longer a descendant of the child that the note is about.
            if !table::kill_descendants(child) {
                let _ = kill_process_group(child, Signal::KILL);
            }
        }
        if left.is_empty() {
            // Processes without a note are recognized by the run's name in their environment.
            left = marked(&name(folder));
            for &process in &left {
                let _ = kill_process(process, Signal::KILL);
            }
        }
        if left.is_empty() {
            break;
        }
        thread::sleep(BETWEEN_LOOKS);
    }
    remove(folder);
}

/// Returns the children that have a note in the run's folder and still have their process IDs.
fn noted(folder: &Path) -> Vec<Pid> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let notes = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let children = notes.filter_map(|note| {
        let (pid, moment) = note.strip_prefix(NOTE)?.split_once('-')?;
        let child = Pid::from_raw(pid.parse().ok()?)?;
        let is_over = table::entry(child).is_some_and(|entry| entry.is_over);
        (began(child).to_string() == moment && !is_over && is_own(child)).then_some(child)
    });
    children.collect()
}

/// Returns true if a process belongs to this user, or if its owner is unknown.
///
/// The owner of the process's folder in `/proc` does not tell this: if the process protects its memory from reading,
/// that folder belongs to root.
fn is_own(process: Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let user = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    user.is_none_or(|users| {
        let real = users.split_whitespace().next();
        real == Some(&geteuid().as_raw().to_string())
    })
}

/// Returns all visible processes that have the run's name in their environment.
fn marked(name: &str) -> Vec<Pid> {
    let variable = format!("{VARIABLE}={name}");
    let is_marked = |pid: &Pid| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|&byte| byte == 0);
        variables.any(|known| known == variable.as_bytes())
    };
    let own = Pid::from_raw(std::process::id().cast_signed());
    let processes = table::all().into_iter().map(|entry| entry.pid);
    processes
        .filter(|&pid| Some(pid) != own)
        .filter(is_marked)
        .collect()
}
