//! Reads the system's table of processes, and the trees that the processes form.
//!
//! Only Linux provides this table as files; on other systems, the table is empty.
//!
//! A tree is read from its root downward, through the list of children of each thread. The cost therefore depends on
//! the size of the tree and not on the number of processes on the machine. Kernels without these lists
//! (`CONFIG_PROC_CHILDREN`) require that the whole table is read.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// The system's entry for a process.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub pid: Pid,
    /// The parent's process ID; 0 if the kernel itself has started the process.
    pub parent: i32,
    /// The CPU time of the process itself.
    pub own: Duration,
    /// The CPU time of the children that the process has reaped, including the children that they had reaped.
    pub waited: Duration,
    /// The start time of the process, in clock ticks since the system booted.
    ///
    /// The process ID and the start time together distinguish a process from all others.
    pub began: u64,
    /// The number of pages of memory in use, including shared memory.
    pub pages: u64,
    pub threads: u64,
    /// True if the process has exited but has not been reaped yet.
    pub is_over: bool,
    /// True if a signal has stopped the process.
    pub is_stopped: bool,
    /// True if the process waits in the kernel, and no signal interrupts the wait.
    pub is_blocked: bool,
}

/// Returns the system's entry for a process.
pub(super) fn entry(pid: Pid) -> Option<Entry> {
    let mut found = stat_of(pid)?;
    if found.is_over
        && found.threads > 1
        && let Some(other) = another_thread(pid)
    {
        // The first thread has exited before the others. The system shows such a process as a zombie without memory,
        // although it still runs.
        found.pages = other.pages;
        found.is_stopped = other.is_stopped;
        found.is_blocked = other.is_blocked;
        found.is_over = false;
    }
    Some(found)
}

/// Returns the entry of a thread that has not exited, if the process still has one.
fn another_thread(pid: Pid) -> Option<Entry> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let numbers = threads.flatten().filter_map(|thread| {
        let number = thread.file_name().to_str()?.parse().ok()?;
        Pid::from_raw(number)
    });
    numbers
        .filter_map(stat_of)
        .find(|thread| thread.pid != pid && !thread.is_over)
}

/// Reads the entry in `/proc/PID/stat`; see proc_pid_stat(5).
fn stat_of(pid: Pid) -> Option<Entry> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may contain any text. The state, which is field 3, and numbers follow the last
    // closing parenthesis.
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let per_second = rustix::param::clock_ticks_per_second() as f64;
    let time = |user, system| {
        let ticks = field(user).unwrap_or(0) + field(system).unwrap_or(0);
        Duration::from_secs_f64(ticks as f64 / per_second)
    };
    Some(Entry {
        pid,
        parent: i32::try_from(field(4)?).ok()?,
        own: time(14, 15),
        waited: time(16, 17),
        began: field(22)?,
        pages: field(24)?,
        threads: field(20)?,
        is_over: matches!(fields[0], "Z" | "X"),
        is_stopped: fields[0] == "T",
        is_blocked: fields[0] == "D",
    })
}

/// Returns the entries of all processes that this process can see.
pub(super) fn all() -> Vec<Entry> {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = folders.filter_map(|folder| folder.file_name().to_str()?.parse().ok());
    numbers
        .filter_map(|number| entry(Pid::from_raw(number)?))
        .collect()
}

/// Returns the children of a process that are running or have not been reaped yet; see proc_pid_task(5).
///
/// While children exit, the list may omit another child that is running. A caller that acts on all children must
/// therefore repeat the call until nothing changes.
pub(super) fn children(parent: Pid) -> Vec<Entry> {
    children_in(whole_table().as_deref(), parent)
}

/// Returns the children of a process from the whole table, if given, or else from the lists of children.
fn children_in(table: Option<&[Entry]>, parent: Pid) -> Vec<Entry> {
    if let Some(all) = table {
        let is_child = |entry: &&Entry| entry.parent == parent.as_raw_nonzero().get();
        return all.iter().filter(is_child).cloned().collect();
    }
    let threads = fs::read_dir(format!("/proc/{parent}/task"));
    let lists: Vec<PathBuf> = (threads.into_iter().flatten().flatten())
        .map(|thread| thread.path().join("children"))
        .collect();
    let read = lists.iter().map(fs::read_to_string);
    let lists: Vec<String> = read.map(Result::unwrap_or_default).collect();
    let numbers = lists.iter().flat_map(|list| list.split_whitespace());
    let children = numbers.filter_map(|number| Pid::from_raw(number.parse().ok()?));
    children.filter_map(entry).collect()
}

/// Returns the table of all processes if this kernel does not list the children of a thread.
fn whole_table() -> Option<Vec<Entry>> {
    static HAS_LISTS: OnceLock<bool> = OnceLock::new();
    let has_lists = || fs::exists("/proc/thread-self/children").unwrap_or(false);
    (!HAS_LISTS.get_or_init(has_lists)).then(all)
}

/// Returns all descendants of a process, parents before their children.
///
/// The process itself is not included. Descendants that have left its process group or session are included, as long as
/// all processes in between live, or their children have been adopted by a process in the tree.
pub(super) fn descendants(root: Pid) -> Vec<Entry> {
    let table = whole_table();
    let mut found = children_in(table.as_deref(), root);
    let mut next = 0;
    while let Some(entry) = found.get(next) {
        let more = match entry.is_over {
            true => Vec::new(),
            false => children_in(table.as_deref(), entry.pid),
        };
        // A process that loses its parent while the tree is read may appear twice.
        for child in more {
            if found.iter().all(|known| known.pid != child.pid) {
                found.push(child);
            }
        }
        next += 1;
    }
    found
}

#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
impl Entry {
    /// Returns true if both entries describe one process, perhaps at different times.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.pid, self.began) == (other.pid, other.began)
    }

    /// Returns the CPU time of the process and of the children that it has reaped.
    pub fn cpu(&self) -> Duration {
        self.own + self.waited
    }
}

/// Kills all current descendants of a process. Returns true if a descendant was running.
pub(super) fn kill_descendants(root: Pid) -> bool {
    let mut found = descendants(root);
    found.retain(|entry| !entry.is_over);
    for entry in &found {
        // An error means that the process has just exited, which is the goal.
        let _ = kill_process(entry.pid, Signal::KILL);
    }
    !found.is_empty()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn grandchildren_in_sessions_of_their_own_are_descendants() {
        let mut child = Command::new("sh")
            .args(["-c", "setsid sh -c 'echo $$; exec sleep 1000' & wait"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("there is a shell");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("it is piped"))
            .read_line(&mut line)
            .expect("it speaks");
        let root = Pid::from_child(&child);
        let grandchild: i32 = line.trim().parse().expect("a number");
        let numbers = |found: Vec<Entry>| -> Vec<i32> {
            found
                .iter()
                .map(|entry| entry.pid.as_raw_nonzero().get())
                .collect()
        };
        assert!(numbers(descendants(root)).contains(&grandchild));
        let own = Pid::from_raw(std::process::id().cast_signed()).expect("a number");
        assert!(numbers(descendants(own)).contains(&grandchild));
        assert!(kill_descendants(root));
        child.wait().expect("it ends, as what it waits for has");
        assert_eq!(entry(root), None);
        assert!(!numbers(descendants(own)).contains(&grandchild));
    }
}
