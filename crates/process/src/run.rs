//! A run of this program that starts others: its folder, in which all scratch folders lie and which has a
//! note of every child, so that whoever comes after it can clear away what it has left.
//!
//! The folder is this user's alone, has a name that cannot be guessed, and is locked while the run lives. A
//! note is an empty file with the child's number and the moment of its beginning as its name, since a number
//! alone may be another's by now.

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

/// The variable of a child's environment, which has the run's name in it.
pub(super) const VARIABLE: &str = "TURNWISE_GUARD";

/// How the folders of runs begin.
const PREFIX: &str = "turnwise-run-";

/// The file that is locked, and holds what names the system's present boot.
const LOCK: &str = "lock";

/// How the notes of children begin.
const NOTE: &str = "child-";

/// How often, and after which pauses, it is looked whether anything is left.
const LOOKS: u32 = 100;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// A run and its lock.
pub(super) struct Run {
    folder: TempDir,
    /// Unlocked by the system at the latest when this process ends.
    _lock: File,
}

impl Run {
    /// A new one, below the system's folder for temporary files.
    pub fn new() -> io::Result<Self> {
        let folder = folder(PREFIX, &std::env::temp_dir())?;
        if geteuid().is_root() {
            // Programs that become other users must be able to reach their folders. Nobody else can guess the folders'
            // names.
            fs::set_permissions(folder.path(), Permissions::from_mode(0o711))?;
        }
        let [new, known] = ["new", LOCK].map(|name| folder.path().join(name));
        let mut lock = File::create(&new)?;
        flock(&lock, FlockOperation::LockExclusive)?;
        lock.write_all(boot().as_bytes())?;
        // Nobody sees it before it is locked.
        fs::rename(new, known)?;
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What its children have in their environment.
    pub fn name(&self) -> String {
        name(self.path())
    }

    /// Notes a child that has just been started, in this file; nothing is noted where the disk is full.
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

/// A new folder with a name that cannot be guessed, readable by its owner alone.
pub(super) fn folder(prefix: &str, parent: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new()
        .prefix(prefix)
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(parent)
}

/// Removes a folder with all that is in it, also where a program has taken our right to it away.
pub(super) fn remove(folder: &Path) {
    if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
        return;
    }
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        // Never what a link leads to: entries that are links are none of these.
        let _ = fs::set_permissions(&folder, Permissions::from_mode(0o700));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let inner = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.extend(inner.map(|entry| entry.path()));
    }
    let _ = fs::remove_dir_all(folder);
}

/// What the children of the run in this folder have in their environment.
pub(super) fn name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// 0 where the system tells nothing of it.
fn began(child: Pid) -> u64 {
    table::entry(child).map_or(0, |entry| entry.began)
}

/// Differs after each boot, where the system tells it.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default()
}

/// Clears away what runs of this user have left that are no more and had nobody to do it for them.
pub(super) fn clear_predecessors() {
    let entries = fs::read_dir(std::env::temp_dir())
        .into_iter()
        .flatten()
        .flatten();
    for folder in entries.map(|entry| entry.path()) {
        let is_own = |about: fs::Metadata| {
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

/// Kills and removes what a run has left that is no more.
pub(super) fn clear(folder: &Path) {
    let mut known = String::new();
    let lock =
        File::open(folder.join(LOCK)).and_then(|lock| lock.take(64).read_to_string(&mut known));
    if lock.is_err() {
        // It has come to its normal end.
        return;
    }
    for _ in 0..LOOKS {
        let mut left = if known == boot() {
            noted(folder)
        } else {
            Vec::new()
        };
        for &child in &left {
            // Whoever has lost its supervisor is found no more by what it descends from.
            if !table::kill_descendants(child) {
                let _ = kill_process_group(child, Signal::KILL);
            }
        }
        if left.is_empty() {
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

/// The children of which there are notes, and which are still those.
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

/// True if the process is this user's, or the system does not tell. The owner of its folder in `/proc`
/// would not do: that of a process that keeps others from reading its memory is root.
fn is_own(process: Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let user = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    user.is_none_or(|users| {
        let real = users.split_whitespace().next();
        real == Some(&geteuid().as_raw().to_string())
    })
}

/// The processes with the run's name in their environment, as far as the system tells.
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
