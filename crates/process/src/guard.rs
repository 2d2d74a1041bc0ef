//! Nothing is left behind by a process that is killed outright.
//!
//! While a [`Guard`] is held, a second process hears through a pipe of every child's group and every folder
//! as they come and go. When the pipe ends, it kills and removes what is left, which is nothing after a
//! normal end. Programs that have left their group are known by a variable of their environment.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, SystemTime};

use rustix::process::{Pid, Signal, kill_process, kill_process_group, setsid};

use super::locked;

/// The variable of a child's environment, which has the guard's name in it.
const VARIABLE: &str = "TURNWISE_GUARD";

/// How often, and after which pauses, the guard looks whether anything is left.
const LOOKS: u32 = 100;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// The way to the guard of this process.
struct Way {
    pipe: ChildStdin,
    name: String,
}

static WAY: Mutex<Option<Way>> = Mutex::new(None);

/// What the guard is told of.
pub(super) enum Kept<'a> {
    /// A child's group.
    Group(Pid),
    /// A folder.
    Folder(&'a Path),
}

/// Tells the guard, if there is one, that something has come or is gone.
pub(super) fn tell(has_come: bool, kept: Kept) {
    if let Some(way) = &mut *locked(&WAY) {
        let mut line = vec![if has_come { b'+' } else { b'-' }];
        match kept {
            Kept::Group(group) => write!(line, "g{}", group.as_raw_nonzero()).expect("memory"),
            Kept::Folder(folder) => {
                line.push(b'f');
                line.extend(folder.as_os_str().as_bytes());
            }
        }
        line.push(0);
        // Without a guard things go on as they do where there never was one.
        let _ = way.pipe.write_all(&line);
    }
}

/// Makes a child one that the guard knows.
pub(super) fn mark(command: &mut Command) {
    if let Some(way) = &*locked(&WAY) {
        command.env(VARIABLE, &way.name);
    }
}

/// The guard process, which ends with this value.
pub struct Guard(Child);

impl Guard {
    /// Starts it: this program, with this word and the guard's name behind it, is to call [`stand`].
    pub fn start(word: &str) -> io::Result<Self> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let name = format!(
            "{}-{}",
            std::process::id(),
            since.unwrap_or_default().as_nanos()
        );
        let mut child = Command::new(std::env::current_exe()?)
            .args([word, &name])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        *locked(&WAY) = child.stdin.take().map(|pipe| Way { pipe, name });
        Ok(Self(child))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        *locked(&WAY) = None;
        let _ = self.0.wait();
    }
}

/// Is the guard of this name: listens until the input ends, and clears away what is left then.
pub fn stand(name: &str, input: impl Read) {
    // Out of reach of the terminal's Ctrl-C, which the other process answers by itself.
    let _ = setsid();
    let mut kept = BTreeSet::new();
    for line in BufReader::new(input).split(0).map_while(Result::ok) {
        match line.split_first() {
            Some((b'+', what)) => drop(kept.insert(what.to_owned())),
            Some((_, what)) => drop(kept.remove(what)),
            None => {}
        }
    }
    if kept.is_empty() {
        return;
    }
    for what in &kept {
        let group = what.strip_prefix(b"g").map(String::from_utf8_lossy);
        if let Some(group) = group.and_then(|group| Pid::from_raw(group.parse().ok()?)) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    for _ in 0..LOOKS {
        let marked = marked(name);
        let mut is_clear = marked.is_empty();
        for process in marked {
            let _ = kill_process(process, Signal::KILL);
        }
        for folder in kept.iter().filter_map(|what| what.strip_prefix(b"f")) {
            let folder = Path::new(OsStr::from_bytes(folder));
            let _ = fs::remove_dir_all(folder);
            is_clear &= !folder.exists();
        }
        if is_clear {
            return;
        }
        thread::sleep(BETWEEN_LOOKS);
    }
}

/// The processes with the guard's name in their environment, as far as the system tells.
fn marked(name: &str) -> Vec<Pid> {
    let variable = format!("{VARIABLE}={name}");
    let is_marked = |pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|&byte| byte == 0);
        variables.any(|known| known == variable.as_bytes())
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter(is_marked)
        .filter_map(Pid::from_raw)
        .collect()
}
