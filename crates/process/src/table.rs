//! The system's table of processes, and the trees that they form. Only Linux has it as files; elsewhere it
//! is empty.

use std::collections::BTreeMap;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// What the system tells of a process.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub pid: Pid,
    /// 0 if the system itself has started it.
    pub parent: i32,
    /// Its own CPU time.
    pub own: Duration,
    /// That of the children that it has waited for, and of those that they have.
    pub waited: Duration,
    /// When it began, in the system's clock ticks since it was booted: with the number it tells a process
    /// from all others.
    pub began: u64,
    /// Its memory that is in use, shared or not, in pages.
    pub pages: u64,
    pub threads: u64,
    /// True if it has ended and only its parent does not know yet.
    pub is_over: bool,
}

/// Reads `/proc/NUMBER/stat`; see proc_pid_stat(5).
pub(super) fn entry(pid: Pid) -> Option<Entry> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold anything; behind it come the state, field 3, and numbers.
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
    })
}

/// All processes that can be seen.
pub(super) fn all() -> Vec<Entry> {
    let folders = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = folders.filter_map(|folder| folder.file_name().to_str()?.parse().ok());
    numbers
        .filter_map(|number| entry(Pid::from_raw(number)?))
        .collect()
}

/// All processes that this one has started, they have started, and so on, without itself. Whatever has
/// left its group or session is still among them, as long as all between them live or have a reaper here.
pub(super) fn descendants(root: Pid) -> Vec<Entry> {
    let mut children: BTreeMap<i32, Vec<Entry>> = BTreeMap::new();
    for entry in all() {
        children.entry(entry.parent).or_default().push(entry);
    }
    let mut found = children.remove(&root.as_raw_nonzero().get());
    let mut next = 0;
    while let Some(entry) = found.as_ref().and_then(|found| found.get(next)) {
        let more = children.remove(&entry.pid.as_raw_nonzero().get());
        found
            .get_or_insert_default()
            .extend(more.into_iter().flatten());
        next += 1;
    }
    found.unwrap_or_default()
}

impl Entry {
    /// CPU time of all that it has been.
    pub fn cpu(&self) -> Duration {
        self.own + self.waited
    }
}

/// CPU time of all descendants of a process, dead or alive, in steps of the system's clock tick (usually
/// 10 ms). Not in it: who has ended while its parent wanted to know nothing of its end.
pub(super) fn cpu_below(root: Pid) -> Option<Duration> {
    let waited = entry(root)?.waited;
    let others = descendants(root).into_iter().map(|entry| entry.cpu());
    Some(waited + others.sum())
}

/// Kills all descendants that run at this moment; whether any did.
pub(super) fn kill_descendants(root: Pid) -> bool {
    let mut found = descendants(root);
    found.retain(|entry| !entry.is_over);
    for entry in &found {
        // One that has just ended is what we want.
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
