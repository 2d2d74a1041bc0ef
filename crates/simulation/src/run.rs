//! Runs one seed: a scenario in virtual time, with checks for panics, the log and the invariants.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::panic;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::time::Instant;
use turnwise_arena::log::WholeLines;
use turnwise_daemon::world::now;

use crate::bugs::Bug;
use crate::disk::{Disk, Trouble};
use crate::{files, lobby, matches, questions, server, wars};

/// The maximum duration of a run, in virtual time.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// The maximum size in bytes of a run's log, apart from connections, moves and games.
const LOG_BYTES: usize = 64 * 1024;
const LOG_BYTES_A_CONNECTION: usize = 48 * 1024;
const LOG_BYTES_A_MOVE: usize = 1500;

thread_local! {
    /// The messages of all panics in this thread's current run.
    static PANICS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// The kind of a run: which programs run in the simulated world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// A host, two daemons and strangers.
    Wars,
    /// A daemon, and a server that sends anything.
    Server,
    /// A daemon that answers single questions.
    Questions,
    /// Matches that are interrupted and resumed.
    Matches,
    /// A tournament whose participants leave and return.
    Lobby,
    /// Files that are replaced atomically.
    Files,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The events of the run, one per line, each with its virtual time.
    pub trace: String,
    /// The descriptions of all violated invariants.
    pub violations: Vec<String>,
    /// The number of moves that our players made.
    pub moves: u32,
    /// The number of games that ended, either regularly or because of a fault.
    pub games: u32,
    /// The number of connections in the simulated network.
    pub connections: u32,
    /// The number of connections that had a failure.
    pub faults: u32,
}

impl Report {
    /// Adds the violations and counts of another run. The traces are not merged.
    pub fn add(&mut self, other: Report) {
        self.violations.extend(other.violations);
        self.moves += other.moves;
        self.games += other.games;
        self.connections += other.connections;
        self.faults += other.faults;
    }
}

/// A running scenario: its planted bug, and its report.
#[derive(Clone)]
pub(crate) struct Scene {
    /// The bug that is planted in the worlds of our processes, if any.
    pub(crate) bug: Option<Bug>,
    began: Instant,
    report: Arc<Mutex<Report>>,
    /// For each player that is to move, when its clock will run out according to the host.
    clocks: Arc<Mutex<BTreeMap<String, std::time::Instant>>>,
}

impl Scene {
    /// Passes the report to a function that may change it, and returns that function's result.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Report) -> T) -> T {
        change(&mut self.report.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes a line with the current virtual time to the trace.
    pub(crate) fn note(&self, what: impl fmt::Display) {
        let time = self.began.elapsed().as_secs_f64();
        self.change(|report| {
            let _ = writeln!(report.trace, "{time:10.3} {what}");
        });
    }

    /// Records a violated invariant.
    pub(crate) fn violated(&self, invariant: impl fmt::Display) {
        self.note(format_args!("VIOLATED: {invariant}"));
        self.change(|report| report.violations.push(invariant.to_string()));
    }

    /// Records that a player is to move, and that it has the time `left` on its clock.
    pub(crate) fn is_to_move(&self, name: &str, left: Duration) {
        let mut clocks = self.clocks.lock().unwrap_or_else(PoisonError::into_inner);
        clocks.insert(name.to_owned(), now() + left);
    }

    /// Returns when this player's clock will run out, if known.
    pub(crate) fn clock_of(&self, name: &str) -> Option<std::time::Instant> {
        let clocks = self.clocks.lock().unwrap_or_else(PoisonError::into_inner);
        clocks.get(name).copied()
    }
}

/// The log of a run, on a disk that may be full for a while.
#[derive(Clone)]
struct Log {
    is_torn: bool,
    disk: Disk,
    shared: Arc<Mutex<Written>>,
}

struct Written {
    lines: WholeLines<Disk>,
    /// The number of records that were written completely.
    whole: usize,
    lost: usize,
}

impl Log {
    fn new(random: &mut Xoshiro256PlusPlus, bug: Option<Bug>) -> Self {
        let disk = Disk::new(None);
        let trouble = Trouble::some(random, 16 * 1024);
        disk.reopen(random.random_bool(0.3).then_some(trouble));
        let written = Written {
            lines: WholeLines::new(disk.clone(), false),
            whole: 0,
            lost: 0,
        };
        Self {
            is_torn: bug == Some(Bug::Torn),
            disk,
            shared: Arc::new(Mutex::new(written)),
        }
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Log {
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        let kept = if self.is_torn {
            record.len() / 2
        } else {
            record.len()
        };
        let mut written = self.written();
        match written.lines.append(&record[..kept]) {
            Ok(()) => written.whole += 1,
            Err(_full) => written.lost += 1,
        }
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Installs a panic handler that collects the panics of each thread's run instead of printing them.
///
/// Call this function once.
pub fn catch_panics() {
    panic::set_hook(Box::new(|panic| {
        PANICS.with_borrow_mut(|panics| panics.push(panic.to_string()));
    }));
}

/// Runs the scenario that a seed determines, and checks the invariants.
///
/// # Panics
///
/// Panics if the system cannot create an asynchronous runtime.
pub fn run(seed: u64) -> Report {
    let scenario = match seed % 16 {
        0 | 4 | 8 => Scenario::Questions,
        2 | 10 => Scenario::Server,
        5 | 13 => Scenario::Lobby,
        6 | 14 => Scenario::Matches,
        12 => Scenario::Files,
        _ => Scenario::Wars,
    };
    run_as(seed, scenario, None)
}

/// Runs a seed in the given scenario, with a planted bug if `bug` is given.
///
/// # Panics
///
/// Panics if the system cannot create an asynchronous runtime.
pub fn run_as(seed: u64, scenario: Scenario, bug: Option<Bug>) -> Report {
    PANICS.with_borrow_mut(Vec::clear);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let log = Log::new(&mut random, bug);
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .without_time()
        .with_writer(move || writer.clone())
        .finish();
    let scene = tracing::subscriber::with_default(subscriber, || {
        runtime.block_on(async {
            let scene = Scene {
                bug,
                began: Instant::now(),
                report: Arc::default(),
                clocks: Arc::default(),
            };
            let played = async {
                match scenario {
                    Scenario::Wars => wars::play(&mut random, &scene).await,
                    Scenario::Server => server::play(&mut random, &scene).await,
                    Scenario::Questions => questions::play(&mut random, &scene).await,
                    Scenario::Matches => matches::play(&mut random, &scene),
                    Scenario::Lobby => lobby::play(&mut random, &scene).await,
                    Scenario::Files => files::play(&mut random, &scene),
                }
            };
            if tokio::time::timeout(LONGEST, played).await.is_err() {
                scene.violated("the run ends");
            }
            scene
        })
    });
    // This drops all remaining tasks, which must not panic either.
    drop(runtime);
    for panic in PANICS.with_borrow_mut(std::mem::take) {
        scene.violated(format_args!("nothing panics: {panic}"));
    }
    check_log(&scene, &log);
    scene.change(std::mem::take)
}

fn check_log(scene: &Scene, log: &Log) {
    let bytes = log.disk.bytes();
    let Written { whole, lost, .. } = *log.written();
    let mut torn = Vec::new();
    let mut read = 0;
    for line in bytes
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        match serde_json::from_slice::<serde_json::Map<_, _>>(line) {
            Ok(_) => read += 1,
            Err(_) => torn.push(String::from_utf8_lossy(line)),
        }
    }
    if torn.len() > lost {
        scene.violated(format_args!(
            "every line of the log is a JSON object, but for what the disk refused: {torn:?}"
        ));
    }
    if read < whole {
        scene.violated(format_args!(
            "every record that was written is in the log: {read} of {whole}"
        ));
    }
    let most = scene.change(|report| {
        LOG_BYTES
            + LOG_BYTES_A_CONNECTION * report.connections as usize
            + LOG_BYTES_A_MOVE * (report.moves + report.games) as usize
    });
    if bytes.len() > most {
        // The message does not contain the size of the log, because the sizes of records depend on real times.
        scene.violated(format_args!("the log has at most {most} bytes"));
    }
}
