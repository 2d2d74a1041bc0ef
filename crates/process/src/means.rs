//! What this machine can do to isolate a program, found by trying it: a helper runs isolated, attempts what
//! it should not be able to do, and whatever it can do after all is not claimed.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, geteuid, test_kill_process};
use serde::{Deserialize, Serialize};

use super::command::Prepared;
use super::isolation::Isolation;
use super::walls::{Guest, HELPER, Wall};
use super::{Process, Scratch, Streams, guard, helper, locked};

/// How long a probe may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a probe may use: little, so that it is soon beyond it.
const LITTLE: Isolation = Isolation {
    memory: 256 << 20,
    processes: 16,
    files: 1 << 20,
    network: false,
    readable: Vec::new(),
};

/// A file that the probe tries to write.
const WRITTEN: &str = "written";

/// What the probe is to try.
#[derive(Debug, Serialize, Deserialize)]
struct Task {
    /// A file of ours to read.
    secret: PathBuf,
    /// A folder of ours to write into.
    folder: PathBuf,
    /// Ports of ours to reach.
    tcp: u16,
    udp: u16,
    /// A process of ours to signal.
    process: i32,
}

/// What an isolated program cannot do here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Enforced {
    /// Read files that are neither the system's nor its own.
    files_hidden: bool,
    /// Write outside its own folder.
    files_protected: bool,
    /// Reach anything by TCP or UDP.
    no_network: bool,
    /// Signal processes that are not its own.
    processes_hidden: bool,
    /// Have more memory, each process for itself.
    memory: bool,
    /// Have more processes and threads, by the kernel's own count.
    processes: bool,
}

/// What this machine enforces, and by what.
#[derive(Debug)]
pub(super) struct Means {
    pub wall: Wall,
    /// What was seen to be in force.
    enforced: Enforced,
    /// Why programs get no control groups, if they get none.
    ungrouped: Option<String>,
    /// Why there is no more, if there is none.
    why: Option<String>,
}

impl Means {
    /// True if an isolated program reaches nothing that is not its own.
    pub fn is_closed(&self) -> bool {
        let Enforced {
            files_hidden,
            files_protected,
            no_network,
            processes_hidden,
            ..
        } = self.enforced;
        files_hidden && files_protected && no_network && processes_hidden
    }
}

impl fmt::Display for Means {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Enforced {
            files_hidden,
            files_protected,
            no_network,
            processes_hidden,
            memory,
            processes,
        } = self.enforced;
        let wall = match self.wall {
            Wall::Bubblewrap => "namespaces (bubblewrap)",
            Wall::Landlock => "no namespaces, but Landlock where the kernel has it",
        };
        let all = [
            (files_hidden, "files of others hidden"),
            (files_protected, "writing into its own folder only"),
            (no_network, "network closed"),
            (processes_hidden, "other processes out of reach"),
            (memory, "memory of each process limited by the kernel"),
            (processes, "number of processes limited by the kernel"),
        ];
        let those = |is: bool| {
            let named = all.iter().filter(|&&(is_enforced, _)| is_enforced == is);
            let named: Vec<&str> = named.map(|&(_, name)| name).collect();
            named.join(", ")
        };
        write!(out, "{wall}; in force: {}", those(true))?;
        match &self.ungrouped {
            None => write!(
                out,
                "; memory and processes of a program together: watched, and limited by the kernel (control group); its \
                 folder: watched, killed beyond"
            )?,
            Some(why) => write!(
                out,
                "; memory, processes and folder of a program together: watched, killed beyond (no control group: {why})"
            )?,
        }
        if all.iter().any(|&(is_enforced, _)| !is_enforced) {
            write!(out, "; NOT in force: {}", those(false))?;
        }
        if self.wall == Wall::Landlock && geteuid().is_root() {
            write!(out, "; a program stays root")?;
        }
        match &self.why {
            Some(why) => write!(out, " ({why})"),
            None => Ok(()),
        }
    }
}

/// What this machine enforces; tried once. There must be a [guard](super::guard::Guard).
pub(super) fn means() -> &'static Means {
    static MEANS: OnceLock<Means> = OnceLock::new();
    MEANS.get_or_init(|| {
        let ungrouped = guard::why_unlimited();
        match tried(Wall::Bubblewrap) {
            Ok(enforced) => Means {
                wall: Wall::Bubblewrap,
                enforced,
                ungrouped,
                why: None,
            },
            Err(why) => Means {
                wall: Wall::Landlock,
                enforced: tried(Wall::Landlock).unwrap_or_default(),
                ungrouped,
                why: Some(format!("{why}; the package bubblewrap would do it")),
            },
        }
    })
}

/// Runs a probe behind such a wall.
fn tried(wall: Wall) -> io::Result<Enforced> {
    let program = guard::program()?;
    let [folder, outside] = [Scratch::new()?, Scratch::new()?];
    let secret = outside.path().join("secret");
    fs::write(&secret, "secret")?;
    let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    udp.set_nonblocking(true)?;
    let task = Task {
        secret,
        folder: outside.path().to_owned(),
        tcp: tcp.local_addr()?.port(),
        udp: udp.local_addr()?.port(),
        process: std::process::id().cast_signed(),
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
        isolation: &LITTLE,
    };
    let control_group = guard::control_group(Some(&LITTLE)).ok();
    let prepared = Prepared {
        command: guest.command(wall, &program, control_group.as_ref())?,
        is_supervised: true,
        is_behind_bubblewrap: wall == Wall::Bubblewrap,
        control_group,
    };
    let mut process = Process::spawn(prepared, folder.path(), Streams::Piped)?;
    let streams = process.streams();
    process.run_to_its_end(PATIENCE, |_| true)?;
    let mut said = String::new();
    if let Some((_, stdout)) = streams {
        stdout.take(4096).read_to_string(&mut said)?;
    }
    let mut enforced: Enforced = serde_json::from_str(&said).map_err(|_| {
        io::Error::other(
            process
                .last_lines()
                .pop()
                .unwrap_or_else(|| "a probe said nothing".into()),
        )
    })?;
    enforced.files_protected &= !outside.path().join(WRITTEN).exists();
    enforced.no_network &= udp.recv(&mut [0]).is_err();
    Ok(enforced)
}

/// Is the probe: attempts it all, and says what is not possible.
pub(super) fn probe(task: &OsStr) -> ExitCode {
    let Ok(task) = serde_json::from_slice::<Task>(task.as_bytes()) else {
        return ExitCode::FAILURE;
    };
    let process = Pid::from_raw(task.process);
    let found = Enforced {
        files_hidden: fs::read(&task.secret).is_err(),
        files_protected: fs::write(task.folder.join(WRITTEN), "").is_err(),
        no_network: !reaches(task.tcp, task.udp),
        processes_hidden: process.is_none_or(|process| test_kill_process(process).is_err()),
        memory: Vec::<u8>::new()
            .try_reserve_exact(LITTLE.memory as usize)
            .is_err(),
        // The kernel counts the supervisor, too, where it is the same user.
        processes: !can_have(2 * LITTLE.processes),
    };
    println!("{}", serde_json::json!(found));
    ExitCode::SUCCESS
}

/// Whether a connection is made; whether the datagram arrives, its receiver sees.
fn reaches(tcp: u16, udp: u16) -> bool {
    let to = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    if let Ok(socket) = UdpSocket::bind(to(0)) {
        let _ = socket.send_to(&[1], to(udp));
    }
    TcpStream::connect(to(tcp)).is_ok()
}

/// Whether this process can have so many threads besides itself.
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
