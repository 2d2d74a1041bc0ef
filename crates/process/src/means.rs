//! Determines how, and how well, this machine can isolate a program.
//!
//! An isolated helper process, the probe, attempts each forbidden access once. The printed report claims that an access
//! is denied only if it was attempted and denied.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, Permissions};
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, MemfdFlags, Timespec, Timestamps, UTIME_NOW, XattrFlags};
use rustix::process::{
    Pid, Resource, Rlimit, getegid, geteuid, getppid, getpriority_process, prlimit,
    setpriority_process, test_kill_process,
};
use rustix::thread::{sched_getaffinity, sched_setaffinity};
use serde::{Deserialize, Serialize};

use super::command::Prepared;
use super::isolation::{Isolation, Own};
use super::limits::Limits;
use super::walls::{Guest, HELPER, Wall, may_change_user};
use super::{Process, Scratch, Streams, guard, helper, locked};

/// The maximum duration of a probe.
const PATIENCE: Duration = Duration::from_secs(20);

/// The limits of a probe, which are small, so that the probe exceeds them quickly.
pub const LITTLE: Isolation = Isolation {
    memory: 256 << 20,
    processes: 16,
    files: 1 << 20,
    network: false,
    readable: Vec::new(),
    has_private_home: false,
    own: Own::Named,
};

/// The name of the file that the probe tries to write.
const WRITTEN: &str = "written";

/// The targets of the accesses that the probe attempts.
#[derive(Debug, Serialize, Deserialize)]
struct Task {
    /// A file outside the probe's folder, which the probe tries to read and to change.
    secret: PathBuf,
    /// A folder outside the probe's own folder, in which the probe tries to write.
    folder: PathBuf,
    /// A Unix socket of the arena, to which the probe tries to connect.
    socket: PathBuf,
    /// A TCP port of the arena, to which the probe tries to connect.
    tcp: u16,
    udp: u16,
    /// The ID of a process of the arena, to which the probe tries to send a signal.
    process: i32,
    /// True if a control group counts memory that belongs to no process, so that a program may allocate such memory.
    is_counted: bool,
}

/// An access that an isolated program should not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// To read a file outside the system's folders and the program's own folder.
    Read,
    /// To write outside the program's own folder.
    Write,
    /// To change the mode, owner, times or extended attributes of another owner's file.
    Attributes,
    /// To get the size of another owner's file, given the file's name.
    Stat,
    /// To connect over TCP.
    Tcp,
    /// To send packets over UDP.
    Udp,
    /// To connect to a Unix socket through its path.
    Unix,
    /// To send a signal to a process outside the program.
    Signal,
    /// To change the limits, priority or cores of the arena or the supervisor.
    Others,
    /// To exceed the memory limit of a single process.
    Memory,
    /// To allocate memory that belongs to no process. This is not attempted where a control group counts such memory.
    SharedMemory,
    /// To exceed the kernel's limit on processes and threads.
    Processes,
}

impl Access {
    /// All accesses, in the order in which the report lists them.
    pub const ALL: [Self; 12] = [
        Self::Read,
        Self::Write,
        Self::Attributes,
        Self::Stat,
        Self::Tcp,
        Self::Udp,
        Self::Unix,
        Self::Signal,
        Self::Others,
        Self::Memory,
        Self::SharedMemory,
        Self::Processes,
    ];

    /// Returns the text with which the report says that this access is denied.
    pub fn closed(self) -> &'static str {
        match self {
            Self::Read => "files of others hidden",
            Self::Write => "writing into its own folder only",
            Self::Attributes => "modes, owners, times and attributes of others' files protected",
            Self::Stat => "sizes of others' files hidden",
            Self::Tcp => "TCP closed",
            Self::Udp => "UDP closed",
            Self::Unix => "Unix sockets closed",
            Self::Signal => "other processes out of reach of signals",
            Self::Others => "limits, priorities and cores of other processes protected",
            Self::Memory => "memory of each process limited by the kernel",
            Self::SharedMemory => "memory outside of processes limited",
            Self::Processes => "number of processes limited by the kernel",
        }
    }

    /// Returns true if an untrusted program could do harm with this access.
    ///
    /// To learn the sizes of other people's files is harmless. So is exceeding the kernel's limit on processes, because
    /// the watch also limits their number.
    pub fn matters(self) -> bool {
        !matches!(self, Self::Stat | Self::Processes)
    }
}

/// The mechanisms with which this machine isolates programs, and the accesses that they do not deny.
#[derive(Debug)]
pub(super) struct Means {
    pub wall: Wall,
    /// The accesses that an isolated program still has, although it should not have them.
    pub open: BTreeSet<Access>,
    /// The reason why control groups do not limit programs, if they do not.
    ungrouped: Option<String>,
    /// The reason why the isolation is weaker than possible, if it is weaker.
    why: Option<String>,
}

impl Means {
    /// Returns each access that the probe attempted, and whether it succeeded.
    fn attempted(&self) -> impl Iterator<Item = (Access, bool)> {
        let is_attempted =
            |access: &Access| *access != Access::SharedMemory || self.ungrouped.is_some();
        let attempted = Access::ALL.into_iter().filter(is_attempted);
        attempted.map(|access| (access, self.open.contains(&access)))
    }

    /// Returns the names of the missing walls without which an isolated program could do harm.
    pub fn missing(&self) -> impl Iterator<Item = &'static str> {
        let open = self.open.iter().filter(|access| access.matters());
        open.map(|access| access.closed())
    }

    /// Returns the name of the mechanism that isolates programs.
    pub fn kind(&self) -> &'static str {
        match self.wall {
            Wall::Bubblewrap => "namespaces (bubblewrap) and a filter of system calls",
            Wall::Landlock => "no namespaces, but Landlock and a filter of system calls",
        }
    }

    /// Describes how the limits on all processes of a program together are enforced.
    pub fn limits(&self) -> String {
        match &self.ungrouped {
            None => "the kernel limits each program's memory and processes (control group), and a program whose \
                     folder grows too large is killed"
                .to_owned(),
            Some(why) => format!(
                "each program's memory, processes and folder are watched, and a program beyond its limits is killed \
                 (no control group: {why})"
            ),
        }
    }

    /// Reports on a separate line for each wall whether it is in force, followed by the limits and further notes.
    pub fn report(&self) -> String {
        let mut report = format!("isolation  {}\n", self.kind());
        for (access, is_open) in self.attempted() {
            let state = match is_open {
                false => "yes",
                true if access.matters() => "MISSING",
                true => "no",
            };
            report += &format!("{state:<9}  {}\n", access.closed());
        }
        report += &format!("limits     {}\n", self.limits());
        report += &format!("freeze     {}\n", guard::freezing());
        for remark in self.remarks() {
            report += &format!("note       {remark}\n");
        }
        report
    }

    /// Returns the notes for the end of the report, if any: the programs' user, and why the isolation is weak.
    pub fn remarks(&self) -> Vec<String> {
        let user = (self.wall == Wall::Landlock && !may_change_user()).then(|| {
            let who = if geteuid().is_root() { "root" } else { "you" };
            format!("programs run as {who}")
        });
        user.into_iter().chain(self.why.clone()).collect()
    }
}

impl fmt::Display for Means {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = self.attempted().filter(|&(_, is_open)| is_open);
        let open: Vec<&str> = open.map(|(access, _)| access.closed()).collect();
        let state = match open.is_empty() {
            true => "all protections in force".to_owned(),
            false => format!("NOT in force: {}", open.join(", ")),
        };
        let mut parts = vec![self.kind().to_owned(), state];
        parts.extend(self.remarks());
        write!(
            out,
            "{} (details: turnwise check --machine)",
            parts.join("; ")
        )
    }
}

/// Returns how well this machine can isolate programs. The first call runs a probe to find out.
///
/// The caller must hold a [guard](super::guard::Guard).
pub(super) fn means() -> &'static Means {
    static MEANS: OnceLock<Means> = OnceLock::new();
    MEANS.get_or_init(|| {
        let ungrouped = guard::why_unlimited();
        let found = |wall, open, why| Means {
            wall,
            open,
            ungrouped,
            why,
        };
        match tried(Wall::Bubblewrap, &LITTLE, &|_| ()) {
            Ok(open) => found(Wall::Bubblewrap, open, None),
            Err(why) => {
                let why = match why.kind() {
                    io::ErrorKind::NotFound => "bubblewrap is not installed".to_owned(),
                    _ => format!("no namespaces by bubblewrap: {why}"),
                };
                match tried(Wall::Landlock, &LITTLE, &|_| ()) {
                    Ok(open) => found(Wall::Landlock, open, Some(why)),
                    Err(error) => found(
                        Wall::Landlock,
                        Access::ALL.into(),
                        Some(format!("{why}; without it: {error}")),
                    ),
                }
            }
        }
    })
}

/// Runs a probe behind a wall and returns the accesses that succeeded.
///
/// `loosen` may make holes in the wall by changing the probe's limits.
///
/// # Errors
///
/// Returns an error if the probe did not run.
pub fn tried(
    wall: Wall,
    isolation: &Isolation,
    loosen: &dyn Fn(&mut Limits),
) -> io::Result<BTreeSet<Access>> {
    let program = guard::program()?;
    let control_group = guard::control_group(Some(isolation)).ok();
    let [folder, outside] = [Scratch::new()?, Scratch::new()?];
    let [secret, socket] = ["secret", "socket"].map(|name| outside.path().join(name));
    fs::write(&secret, "secret")?;
    let _unix = UnixListener::bind(&socket)?;
    // All users may access these files, so that only the walls can stop the probe.
    for place in [outside.path(), &socket] {
        fs::set_permissions(place, Permissions::from_mode(0o777))?;
    }
    fs::set_permissions(&secret, Permissions::from_mode(0o644))?;
    let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    udp.set_nonblocking(true)?;
    let task = Task {
        secret,
        folder: outside.path().to_owned(),
        socket,
        tcp: tcp.local_addr()?.port(),
        udp: udp.local_addr()?.port(),
        process: std::process::id().cast_signed(),
        is_counted: guard::why_unlimited().is_none(),
    };
    let prober = match wall {
        Wall::Bubblewrap => Path::new(HELPER),
        Wall::Landlock => &program,
    };
    let task = serde_json::to_string(&task)?;
    let words = [
        &prober.to_string_lossy(),
        helper::WORD,
        helper::PROBE,
        &task,
    ]
    .map(str::to_owned);
    let guest = Guest {
        words: &words,
        folder: folder.path(),
        isolation,
    };
    let prepared = Prepared {
        command: guest.command(wall, &program, control_group.as_ref(), loosen)?,
        is_supervised: true,
        is_behind_bubblewrap: wall == Wall::Bubblewrap,
        control_group,
    };
    let mut process = Process::spawn(prepared, Streams::Piped)?;
    let streams = process.streams();
    process.run_to_its_end(PATIENCE, |_| true)?;
    let mut said = String::new();
    if let Some((_, stdout)) = streams {
        stdout.take(4096).read_to_string(&mut said)?;
    }
    let mut open: BTreeSet<Access> = serde_json::from_str(&said).map_err(|_| {
        io::Error::other(
            process
                .last_lines()
                .pop()
                .unwrap_or_else(|| "a probe wrote no output".into()),
        )
    })?;
    if outside.path().join(WRITTEN).exists() {
        open.insert(Access::Write);
    }
    if udp.recv(&mut [0]).is_ok() {
        open.insert(Access::Udp);
    }
    Ok(open)
}

/// Runs as the probe: attempts each access once, and reports which accesses succeeded.
pub(super) fn probe(task: &OsStr) -> ExitCode {
    let Ok(task) = serde_json::from_slice::<Task>(task.as_bytes()) else {
        return ExitCode::FAILURE;
    };
    // The accesses are attempted before anything else, because the attempts need memory and threads themselves.
    let open = Access::ALL
        .into_iter()
        .filter(|&access| is_open(access, &task));
    let open: BTreeSet<Access> = open.collect();
    println!("{}", serde_json::json!(open));
    ExitCode::SUCCESS
}

fn is_open(access: Access, task: &Task) -> bool {
    let local = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let process = Pid::from_raw(task.process);
    match access {
        Access::Read => fs::read(&task.secret).is_ok(),
        Access::Write => fs::write(task.folder.join(WRITTEN), "").is_ok(),
        Access::Attributes => can_change(&task.secret),
        Access::Stat => task.secret.metadata().is_ok(),
        Access::Tcp => TcpStream::connect(local(task.tcp)).is_ok(),
        Access::Udp => {
            // The arena checks whether the packet arrives, so the probe does not count this access as open.
            let _ = UdpSocket::bind(local(0)).and_then(|it| it.send_to(&[1], local(task.udp)));
            false
        }
        Access::Unix => UnixStream::connect(&task.socket).is_ok(),
        Access::Signal => process.is_some_and(|process| test_kill_process(process).is_ok()),
        Access::Others => [process, getppid()].into_iter().any(can_rule),
        Access::Memory => Vec::<u8>::new()
            .try_reserve_exact(LITTLE.memory as usize)
            .is_ok(),
        Access::SharedMemory => {
            !task.is_counted && rustix::fs::memfd_create("probe", MemfdFlags::CLOEXEC).is_ok()
        }
        // The margin is needed because the kernel also counts the supervisor if it runs as this user.
        Access::Processes => can_have(2 * LITTLE.processes),
    }
}

/// Returns true if this process can change a file's mode, owner, times or extended attributes.
fn can_change(file: &Path) -> bool {
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: UTIME_NOW as _,
    };
    let now = Timestamps {
        last_access: now,
        last_modification: now,
    };
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let name = "user.turnwise";
    [
        fs::set_permissions(file, Permissions::from_mode(0o640)).is_ok(),
        chown(file, Some(user), Some(group)).is_ok(),
        rustix::fs::utimensat(CWD, file, &now, AtFlags::empty()).is_ok(),
        rustix::fs::setxattr(file, name, b"", XattrFlags::empty()).is_ok(),
    ]
    .contains(&true)
}

/// Returns true if this process can change the limits, priority or cores of another process.
///
/// The new values equal the current values, so nothing changes.
fn can_rule(process: Option<Pid>) -> bool {
    let unlimited = Rlimit {
        current: None,
        maximum: None,
    };
    let Some(process) = process else {
        return false;
    };
    let process = Some(process);
    let priority = getpriority_process(process);
    let cores = sched_getaffinity(process);
    [
        prlimit(process, Resource::Rttime, unlimited).is_ok(),
        priority.is_ok_and(|it| setpriority_process(process, it).is_ok()),
        cores.is_ok_and(|it| sched_setaffinity(process, &it).is_ok()),
    ]
    .contains(&true)
}

/// Returns true if this process can start `threads` additional threads.
fn can_have(threads: u64) -> bool {
    let (held, wait) = channel::<()>();
    let wait = std::sync::Arc::new(std::sync::Mutex::new(wait));
    let begun: Vec<_> = (0..threads)
        .map_while(|_| {
            let wait = std::sync::Arc::clone(&wait);
            let body = move || {
                let _ = locked(&wait).recv();
            };
            thread::Builder::new().stack_size(64 << 10).spawn(body).ok()
        })
        .collect();
    let count = begun.len() as u64;
    drop(held);
    for thread in begun {
        let _ = thread.join();
    }
    count == threads
}
