//! One seed: a scenario in virtual time, its panics, its log and its invariants.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::time::Instant;
use turnwise_daemon::world::now;

use crate::bugs::Bug;
use crate::{questions, server, wars};

/// No run may take longer, in virtual time.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Bytes of log that a run may write for attempts to connect, for each connection, and besides for each move
/// and game.
const LOG_BYTES: usize = 64 * 1024;
const LOG_BYTES_A_CONNECTION: usize = 48 * 1024;
const LOG_BYTES_A_MOVE: usize = 1500;

thread_local! {
    /// Panics of the run on this thread.
    static PANICS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// What a run leaves behind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// What happened, line by line, each with its virtual time.
    pub trace: String,
    /// The invariants that did not hold.
    pub violations: Vec<String>,
    /// Moves made by our players.
    pub moves: u32,
    /// Games played to their end or to a fault.
    pub games: u32,
    /// Connections.
    pub connections: u32,
    /// Those of them that the network disturbed.
    pub faults: u32,
}

impl Report {
    /// Adds what another run found and counted; traces stay apart.
    pub fn add(&mut self, other: Report) {
        self.violations.extend(other.violations);
        self.moves += other.moves;
        self.games += other.games;
        self.connections += other.connections;
        self.faults += other.faults;
    }
}

/// What a scenario writes its report with.
#[derive(Clone)]
pub(crate) struct Scene {
    /// What is planted in the players' worlds.
    pub(crate) bug: Option<Bug>,
    began: Instant,
    report: Arc<Mutex<Report>>,
    /// When the clocks of those run out who are to move, by whoever keeps the clocks.
    clocks: Arc<Mutex<BTreeMap<String, std::time::Instant>>>,
}

impl Scene {
    fn with<T>(&self, change: impl FnOnce(&mut Report) -> T) -> T {
        change(&mut self.report.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes a line of the trace.
    pub(crate) fn note(&self, what: impl fmt::Display) {
        let time = self.began.elapsed().as_secs_f64();
        self.with(|report| {
            let _ = writeln!(report.trace, "{time:10.3} {what}");
        });
    }

    /// Notes what must not be.
    pub(crate) fn violated(&self, invariant: impl fmt::Display) {
        self.note(format_args!("VIOLATED: {invariant}"));
        self.with(|report| report.violations.push(invariant.to_string()));
    }

    /// This player is to move, and has so much time left.
    pub(crate) fn is_to_move(&self, name: &str, left: Duration) {
        let mut clocks = self.clocks.lock().unwrap_or_else(PoisonError::into_inner);
        clocks.insert(name.to_owned(), now() + left);
    }

    /// When this player's clock runs out, if somebody keeps it.
    pub(crate) fn clock_of(&self, name: &str) -> Option<std::time::Instant> {
        let clocks = self.clocks.lock().unwrap_or_else(PoisonError::into_inner);
        clocks.get(name).copied()
    }

    /// Counts.
    pub(crate) fn count(&self, count: impl FnOnce(&mut Report)) {
        self.with(count);
    }
}

/// The log of a run.
#[derive(Clone, Default)]
struct Log {
    is_torn: bool,
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut log = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = if self.is_torn {
            bytes.len() / 2
        } else {
            bytes.len()
        };
        log.extend_from_slice(&bytes[..kept]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Keeps the panics of each thread's run instead of printing them. To be called once.
pub fn catch_panics() {
    panic::set_hook(Box::new(|panic| {
        PANICS.with_borrow_mut(|panics| panics.push(panic.to_string()));
    }));
}

/// Plays the scenario of a seed and checks what must hold.
///
/// # Panics
///
/// If the system gives no runtime.
pub fn run(seed: u64) -> Report {
    run_with(seed, None)
}

/// The same with a bug planted.
///
/// # Panics
///
/// If the system gives no runtime.
pub fn run_with(seed: u64, bug: Option<Bug>) -> Report {
    PANICS.with_borrow_mut(Vec::clear);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    let log = Log {
        is_torn: bug == Some(Bug::Torn),
        ..Log::default()
    };
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
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let scenario = async {
                match random.random_range(0..6) {
                    0 => questions::play(&mut random, &scene).await,
                    1 => server::play(&mut random, &scene).await,
                    _ => wars::play(&mut random, &scene).await,
                }
            };
            if tokio::time::timeout(LONGEST, scenario).await.is_err() {
                scene.violated("the run ends");
            }
            scene
        })
    });
    // Tasks that are left must end without a panic, too.
    drop(runtime);
    for panic in PANICS.with_borrow_mut(std::mem::take) {
        scene.violated(format_args!("nothing panics: {panic}"));
    }
    check_log(
        &scene,
        &log.bytes.lock().unwrap_or_else(PoisonError::into_inner),
    );
    scene.with(std::mem::take)
}

fn check_log(scene: &Scene, log: &[u8]) {
    let lines = log
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty());
    for line in lines {
        if serde_json::from_slice::<serde_json::Map<_, _>>(line).is_err() {
            let line = String::from_utf8_lossy(line);
            scene.violated(format_args!(
                "every line of the log is a JSON object: {line}"
            ));
        }
    }
    let most = scene.with(|report| {
        LOG_BYTES
            + LOG_BYTES_A_CONNECTION * report.connections as usize
            + LOG_BYTES_A_MOVE * (report.moves + report.games) as usize
    });
    if log.len() > most {
        // How long a record is depends on real times in it.
        scene.violated(format_args!("the log has at most {most} bytes"));
    }
}
