//! Tests only the transport of units between coordinator and workers.
//!
//! The units are artificial and take as long as a test needs. The network is unreliable.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use turnwise_arena::referee::Event;
use turnwise_arena::workers::{self, WorkerRecord};
use turnwise_cluster::attachments::Programs;
use turnwise_cluster::build::Build;
use turnwise_cluster::coordinator::{Run, conduct};
use turnwise_cluster::figures::WorkerFigures;
use turnwise_cluster::outcome::{Failure, Origin, Part};
use turnwise_cluster::playing::Player;
use turnwise_cluster::server::{Error, Server};
use turnwise_cluster::units::Units;
use turnwise_cluster::worker::{Worker, work};
use turnwise_engine::search::Stop;

use super::network::Network;
use super::support::{Nats, Process, TURNWISE, by_pairs, until, worker};
use super::{SMALL, as_client, played_here, units};

/// A run with a unit for each of ten numbers. The run is complete once it has the result of the first unit.
#[derive(Default)]
struct Numbers {
    begun: u32,
    taken: Vec<u32>,
}

impl Units for Numbers {
    fn word(&self) -> &'static str {
        "number"
    }

    fn next(&mut self) -> Result<Option<(u32, String)>, Error> {
        self.begun += 1;
        Ok((self.begun <= 10).then(|| (self.begun, self.begun.to_string())))
    }

    fn take_in(&mut self, number: u32, _origin: &Origin, part: Part) -> Result<(), Error> {
        assert_eq!(part.content, number.to_string().as_bytes());
        self.taken.push(number);
        Ok(())
    }

    fn is_decided(&self) -> bool {
        self.taken.contains(&1)
    }
}

/// A player whose function receives a unit's line of JSON.
struct By<F>(F);

impl<F> Player for By<F>
where
    F: Fn(&str, &Stop) -> Result<Option<Vec<u8>>, Failure> + Send + Sync,
{
    fn play(
        &self,
        _run: &str,
        (_task, line): (&str, &str),
        _follow: &(dyn Fn(Event) + Sync),
        stop: &Stop,
    ) -> Result<Option<Vec<u8>>, Failure> {
        self.0(line, stop)
    }
}

/// Returns a worker that runs in this process. `play` plays a unit, given its line of JSON.
pub fn worker_here(
    name: &str,
    jobs: usize,
    play: impl Fn(&str, &Stop) -> Result<Option<Vec<u8>>, Failure> + Send + Sync + 'static,
) -> Worker {
    Worker {
        name: name.to_owned(),
        build: Build::of_this_program("test").expect("its file"),
        jobs,
        speed: 0.0,
        figures: WorkerFigures::default(),
        programs: Programs::None,
        lifetime: Duration::from_secs(3600),
        farewell: Duration::from_secs(3600),
        why_paused: Box::new(|| None),
        player: Arc::new(By(play)),
    }
}

/// Works in this process until `is_over` is true. Returns the number of units that the worker has done.
pub fn work_here(nats: &Nats, worker: &Worker, is_over: &AtomicBool) -> Result<u64, Error> {
    runtime().block_on(async {
        let server = Server::connect(&nats.access(), "test", |_| {}).await?;
        let is_over = || is_over.load(Ordering::Relaxed);
        work(&server, worker, &is_over, &|_| {}).await
    })
}

/// Coordinates a run of `count` units, until it has ended or `is_stopped` returns true.
///
/// If `is_resumed` is true, it coordinates only the units that remained when another coordinator died.
pub async fn conducted(
    nats: &Nats,
    (units, count): (&mut dyn Units, u32),
    is_resumed: bool,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let server = Server::connect(&nats.access(), "test", |_| {}).await?;
    let (title, no_file) = (("numbers".to_owned(), count), Path::new("no file"));
    let build = Build::of_this_program("test").expect("its file");
    let run = Run::of_batches(json!("any"), title, None, no_file, build)?;
    conduct(&server, &run, is_resumed, units, is_stopped, &|_| {}).await
}

pub fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime")
}

#[test]
fn what_is_under_way_when_all_is_decided_is_cancelled() {
    let Some(nats) = Nats::start() else {
        return;
    };
    // Completes the first unit once another unit is in progress, but never completes the other units.
    let others = AtomicU32::new(0);
    let worker = worker_here("one", 2, move |line, stop| {
        if line == "1" {
            until("another unit", || others.load(Ordering::Relaxed) > 0);
            return Ok(Some(b"1".to_vec()));
        }
        others.fetch_add(1, Ordering::Relaxed);
        until("the end of the run", || stop.stopped());
        Ok(None)
    });
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let working = scope.spawn(|| work_here(&nats, &worker, &is_over));
        let mut numbers = Numbers::default();
        let conducted = conducted(&nats, (&mut numbers, 10), false, &|| false);
        runtime().block_on(conducted).expect("it is decided");
        assert_eq!(numbers.taken, [1]);
        until("all that is cancelled", || {
            worker.figures.cancelled.get() > 0 && worker.figures.held.get() == 0
        });
        is_over.store(true, Ordering::Relaxed);
        let done = working.join().expect("no panic").expect("a server");
        assert_eq!(done, 1);
    });
}

/// A run with a unit for each of sixteen numbers. The run needs all results.
///
/// After 15 results, it releases the unit that a slow player still holds.
struct All {
    numbers: Vec<u32>,
    next: u32,
    is_released: Arc<AtomicBool>,
}

impl Units for All {
    fn word(&self) -> &'static str {
        "number"
    }

    fn next(&mut self) -> Result<Option<(u32, String)>, Error> {
        self.next += 1;
        Ok((self.next <= 16).then(|| (self.next, self.next.to_string())))
    }

    fn take_in(&mut self, number: u32, _origin: &Origin, part: Part) -> Result<(), Error> {
        assert_eq!(part.content, number.to_string().as_bytes());
        self.numbers.push(number);
        let is_last = self.numbers.len() == 15;
        self.is_released.fetch_or(is_last, Ordering::Relaxed);
        Ok(())
    }
}

#[test]
fn a_unit_that_was_leased_ahead_goes_to_whoever_has_none() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let is_released = Arc::new(AtomicBool::new(false));
    let is_over = AtomicBool::new(false);
    let quick = worker_here("quick", 1, |line, _| Ok(Some(line.into())));
    let held = is_released.clone();
    let slow = worker_here("slow", 1, move |line, _| {
        until("the others", || held.load(Ordering::Relaxed));
        Ok(Some(line.into()))
    });
    let works = |worker: &Worker| work_here(&nats, worker, &is_over);
    thread::scope(|scope| {
        let conducting = scope.spawn(|| {
            let mut all = All {
                numbers: Vec::new(),
                next: 0,
                is_released: is_released.clone(),
            };
            let conducted = conducted(&nats, (&mut all, 16), false, &|| false);
            runtime().block_on(conducted).expect("all come");
            all.numbers.len()
        });
        let slow_works = scope.spawn(|| works(&slow));
        as_client(&nats, async |context| {
            // This message makes the worker check the number of units now. Without it, the worker does so only from
            // time to time.
            let look = async {
                loop {
                    let told = context.publish("turnwise.news", "".into()).await;
                    drop(told.expect("sent"));
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            };
            tokio::select! {
                _ = units(&context, 14) => {}
                () = look => {}
            }
        });
        let quick_works = scope.spawn(|| works(&quick));
        assert_eq!(conducting.join().expect("no panic"), 16);
        is_over.store(true, Ordering::Relaxed);
        let done = [slow_works, quick_works].map(|working| {
            let worked = working.join().expect("no panic");
            worked.expect("a server")
        });
        assert_eq!(done, [1, 15]);
        assert!(quick.figures.leased_again.get() > 0);
    });
}

#[test]
fn a_sequential_test_comes_to_the_verdict_of_one_machine() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let words = [
        "turnwise",
        "random",
        "--size",
        "3",
        "--nodes",
        "20",
        "--seed",
        "5",
        "--pairs",
        "300",
        "--sprt",
        "elo0=0,elo1=120",
    ];
    let here = played_here(&nats, &words);
    let log = nats.path("there.jsonl");
    let mut coordinator = nats.arena(&words, &log);
    let _workers = ["one", "two", "three"].map(|name| nats.worker(Path::new(TURNWISE), name));
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    let there = by_pairs(&log);
    let verdict = |pairs: &[(u64, String)]| {
        let (_, end) = pairs.last().expect("an end");
        let end: serde_json::Value = serde_json::from_str(end).expect("a record");
        end["verdict"].as_str().expect("a verdict").to_owned()
    };
    let told = verdict(&here);
    assert!(told.starts_with("H1 accepted after "), "{told}");
    assert_eq!(verdict(&there), told);
    let words: Vec<&str> = told.split(' ').collect();
    let decisive: usize = words[3].parse().expect("a number of pairs");
    assert!((5..250).contains(&decisive), "{told}");
    assert_eq!(there[..=decisive], here[..=decisive]);
}

/// Sends a request to a coordinator. The coordinator's address is read from its stderr, where it follows `before`.
fn ask(coordinator: &mut Process, before: &str, path: &str) -> Option<TcpStream> {
    let stderr = coordinator.stderr();
    let (_, address) = stderr.split_once(before)?;
    let address = address.split(['/', '\n']).next()?;
    let mut stream = TcpStream::connect(address).ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    Some(stream)
}

/// Returns the value of the Prometheus metric with this name, as a coordinator reports it.
fn figure(coordinator: &mut Process, name: &str) -> Option<u64> {
    let mut stream = ask(coordinator, "metrics at http://", "/metrics")?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    let mut lines = text.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    value.parse().ok()
}

/// Returns the number of pairs that this worker completed first, according to the file next to the log.
fn played_by(log: &Path, worker: &str) -> usize {
    let text = fs::read_to_string(workers::beside(log)).unwrap_or_default();
    let records = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let mut first = BTreeMap::new();
    for record in records {
        let record: WorkerRecord = record;
        first.entry(record.pair).or_insert(record.worker);
    }
    first.values().filter(|name| *name == worker).count()
}

#[test]
fn a_worker_behind_a_broken_network_loses_its_leases_and_nothing_else() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let words = [
        "turnwise", "greedy", "--size", "6", "--nodes", "60000", "--seed", "3", "--pairs", "70",
    ];
    let here = played_here(&nats, &words);
    let log = nats.path("there.jsonl");
    let figures = [&words[..], &["--metrics", "127.0.0.1:0"]].concat();
    let mut coordinator = nats.arena(&figures, &log);
    let network = Network::before(nats.port());
    let _far = worker(Path::new(TURNWISE), &network.url(), "far");
    until("a pair from far away", || played_by(&log, "far") > 0);
    network.stall();
    // The other worker receives the units of the stalled worker.
    let _near = nats.worker(Path::new(TURNWISE), "near");
    let lost = "turnwise_coordinator_leases_lost_total";
    until("the loss of a lease", || {
        figure(&mut coordinator, lost).is_some_and(|lost| lost > 0)
    });
    let before = played_by(&log, "far");
    network.come_back();
    until("another pair from far away", || {
        played_by(&log, "far") > before
    });
    network.cut();
    let near = played_by(&log, "near");
    until("two more pairs from near", || {
        played_by(&log, "near") > near + 1
    });
    let before = played_by(&log, "far");
    network.come_back();
    until("its return", || {
        played_by(&log, "far") > before || coordinator.has_ended()
    });
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(by_pairs(&log), here);
    let (near, far) = (played_by(&log, "near"), played_by(&log, "far"));
    assert_eq!(near + far, 70);
}

#[test]
fn games_of_workers_are_watched_where_the_log_is() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let log = nats.path("there.jsonl");
    let live = [&SMALL[..], &["--live=127.0.0.1:0"]].concat();
    let mut coordinator = nats.arena(&live, &log);
    let mut watching = None;
    until("the address", || {
        watching = ask(&mut coordinator, "watch at http://", "/api/live/events");
        watching.is_some()
    });
    let mut watching = watching.expect("it is there");
    let (mut text, mut bytes) = (String::new(), [0; 4096]);
    while !text.contains("event: games") {
        let length = watching.read(&mut bytes).expect("the state at first");
        text += std::str::from_utf8(&bytes[..length]).expect("UTF-8");
    }
    let _worker = nats.worker(Path::new(TURNWISE), "one");
    watching.read_to_string(&mut text).expect("UTF-8");
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    let mut ended = text.split("event: ended").skip(1);
    assert!(
        ended.any(|game| game.contains("\"turnwise\"") && game.contains("\"moves\"")),
        "{text}"
    );
}
