//! Tests matches that are played on many machines, which are simulated by processes on one machine.
//!
//! The tests start a real NATS server, real workers and real coordinators, and kill them.

mod access;
mod bundles;
mod failures;
mod judging;
mod lab;
mod network;
mod programs;
mod support;
mod tournament;
mod training;
mod transport;
mod waiting;

use std::path::{Path, PathBuf};
use std::process::Command;

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{self, Context};
use futures_util::{StreamExt, TryStreamExt};

use support::{Nats, Process, TURNWISE, arena, by_pairs, until};

/// The command-line words of a small match, whose games do not depend on the machine.
const SMALL: [&str; 10] = [
    "turnwise", "greedy", "--size", "3", "--nodes", "50", "--seed", "5", "--pairs", "6",
];

/// Plays a match without a cluster, and returns each pair's number and its lines in the log.
fn played_here(nats: &Nats, words: &[&str]) -> Vec<(u64, String)> {
    let log = nats.path("here.jsonl");
    let played = arena(words, &log).output().expect("the program starts");
    assert!(played.status.success(), "{played:?}");
    by_pairs(&log)
}

fn work(nats: &Nats, name: &str) -> Process {
    nats.worker(Path::new(TURNWISE), name)
}

/// Plays [`SMALL`] without a cluster, and starts it in the cluster.
///
/// Returns the pairs of the first match, and the log and the coordinator of the second.
fn small_match(nats: &Nats) -> (Vec<(u64, String)>, PathBuf, Process) {
    let here = played_here(nats, &SMALL);
    let log = nats.path("there.jsonl");
    let coordinator = nats.arena(&SMALL, &log);
    (here, log, coordinator)
}

/// Runs `act` as a client of the server.
fn as_client<T>(nats: &Nats, act: impl AsyncFnOnce(Context) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let client = async_nats::connect(nats.url()).await.expect("a server");
        act(jetstream::new(client)).await
    })
}

/// Waits until the only run on the server has `count` pending units, and returns the consumer for the run's units.
async fn units(context: &Context, count: u64) -> PullConsumer {
    loop {
        if let Ok(stream) = context.get_stream("turnwise-units").await {
            let consumers: Vec<_> = stream.consumers().try_collect().await.expect("a list");
            if let Some(run) = consumers.first().filter(|run| run.num_pending == count) {
                return stream.get_consumer(&run.name).await.expect("it is there");
            }
        }
        tokio::task::yield_now().await;
    }
}

/// Plays a match with three workers, kills and restarts processes meanwhile, and waits until the run has ended.
///
/// `deaths` gives the order in which processes are killed: W stands for a worker, S for the server, C for the
/// coordinator. Before each kill, the function waits until the log contains another pair. `again` restarts the
/// coordinator.
fn survive(
    nats: &mut Nats,
    deaths: &str,
    log: &Path,
    mut coordinator: Process,
    again: impl Fn(&Nats) -> Process,
) {
    let mut workers = ["one", "two", "three"].map(|name| work(nats, name));
    for death in deaths.chars() {
        let before = by_pairs(log).len().max(1);
        until("another pair", || {
            assert!(!coordinator.has_ended(), "{}", coordinator.stderr());
            by_pairs(log).len() > before
        });
        match death {
            'S' => nats.kill_and_restart(),
            'C' => {
                coordinator.kill();
                coordinator = again(nats);
            }
            _ => {
                // The dead worker's unit waits until the lease ends; the other workers continue.
                workers.rotate_left(1);
                workers[0].kill();
                workers[0] = work(nats, "another");
            }
        }
    }
    assert!(coordinator.ended(), "{}", coordinator.stderr());
}

/// Sends these lines to the server as if they were a worker's result for a pair.
async fn send(context: &Context, run: &str, pair: usize, lines: &str) {
    let mut headers = async_nats::HeaderMap::new();
    headers.insert("Turnwise-Outcome", "done");
    let subject = format!("turnwise.result.{run}.{pair}");
    let sent = context.publish_with_headers(subject, headers, lines.to_owned().into());
    sent.await.expect("sent").await.expect("stored");
}

#[test]
fn each_pair_is_in_the_log_once_whatever_dies() {
    let Some(mut nats) = Nats::start() else {
        return;
    };
    let words = [
        "turnwise", "greedy", "--size", "6", "--nodes", "50000", "--seed", "3", "--pairs", "30",
    ];
    let here = played_here(&nats, &words);
    assert_eq!(here.len(), 32, "a header, pairs and an end");
    let log = nats.path("there.jsonl");
    let coordinator = nats.arena(&words, &log);
    survive(&mut nats, "WCWSWCSW", &log, coordinator, |nats| {
        nats.resume(&log)
    });
    assert_eq!(by_pairs(&log), here);
}

#[test]
fn a_result_that_comes_again_changes_nothing() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let (here, log, mut coordinator) = small_match(&nats);
    as_client(&nats, async |context| {
        let run = units(&context, 6).await.cached_info().name.clone();
        for pair in [1, 2, 1, 1, 2] {
            send(&context, &run, pair, &here[pair].1).await;
        }
    });
    until("both", || by_pairs(&log).len() == 3);
    let _worker = work(&nats, "one");
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(by_pairs(&log), here);
}

#[test]
fn what_is_no_result_is_played_again() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let (here, log, mut coordinator) = small_match(&nats);
    as_client(&nats, async |context| {
        let run = units(&context, 6).await.cached_info().name.clone();
        // The lines in this result of pair 1 belong to another pair.
        send(&context, &run, 1, &here[2].1).await;
        // The moves in this result of pair 2 do not lead to this score.
        let score = "\"order_score\":";
        let forged = here[2].1.replace(score, &format!("{score}1"));
        assert_ne!(forged, here[2].1);
        send(&context, &run, 2, &forged).await;
        // This result of pair 3 contains a move that nobody has made in the game.
        let (before, after) = here[3].1.split_once("\"ply\":1,").expect("a move");
        send(&context, &run, 3, &format!("{before}\"ply\":7,{after}")).await;
    });
    for pair in ["pair 1", "pair 2", "pair 3"] {
        let failed = format!("a worker without a name failed {pair}: expected a result, got ");
        until("the report", || coordinator.stderr().contains(&failed));
    }
    assert_eq!(by_pairs(&log), here[..1]);
    let _worker = work(&nats, "one");
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(by_pairs(&log), here);
}

#[test]
fn a_worker_of_another_build_is_refused() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let here = played_here(&nats, &SMALL);
    let mut program = std::fs::read(TURNWISE).expect("the program");
    program.push(0);
    let other = nats.path("turnwise");
    std::fs::copy(TURNWISE, &other).expect("a copy that may be run");
    std::fs::write(&other, program).expect("it is written");
    let log = nats.path("there.jsonl");
    let (class, _) = tournament::class(&nats, "class", &tournament::KNOCKOUT);
    let words = ["--size", "3", "--games", "40", "--generations", "1"];
    let mut train = training::train(&nats, "training", &words);
    let mut coordinators = [
        nats.arena(&SMALL, &log),
        nats.tournament(&class),
        Process::start(train.args(["--cluster", &nats.url()])),
    ];
    let mut refused = nats.worker(&other, "other");
    for run in [
        "turnwise, greedy",
        "p0, p1, p2, p3, p4, p5",
        "entropy 3x3, generation 1",
    ] {
        let why = format!("refused: {run}: its coordinator is turnwise");
        until("the refusal", || refused.stderr().contains(&why));
    }
    let _worker = work(&nats, "one");
    for coordinator in &mut coordinators {
        assert!(coordinator.ended(), "{}", coordinator.stderr());
    }
    assert_eq!(by_pairs(&log), here);
    let drained = Command::new(TURNWISE)
        .args(["cluster", "drain", &nats.url()])
        .status();
    assert!(drained.expect("the program starts").success());
    assert!(refused.ended());
    let stderr = refused.stderr();
    assert!(stderr.contains("other has done 0 units"), "{stderr}");
}

#[test]
fn a_pair_that_no_worker_survives_is_set_apart_and_told() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let words = [&SMALL[..8], &["--pairs", "1"]].concat();
    let here = played_here(&nats, &words);
    let log = nats.path("there.jsonl");
    let mut coordinator = nats.arena(&words, &log);
    // Simulate workers that crash. Each leases the unit and then sends no result. If the unit was leased before, the
    // worker first reports that it begins with the unit.
    as_client(&nats, async |context| {
        let units = units(&context, 1).await;
        let begun = format!("turnwise.begun.{}.1", units.cached_info().name);
        for lease in 1..=4 {
            let messages = units.stream().max_messages_per_batch(1).messages().await;
            let message = messages.expect("they are asked for").next().await;
            let message = message.expect("it comes again").expect("it is a unit");
            assert_eq!(message.info().expect("of JetStream").delivered, lease);
            if lease > 1 {
                let said = context.publish(begun.clone(), "".into()).await;
                said.expect("sent").await.expect("stored");
            }
        }
    });
    let mut worker = work(&nats, "careful");
    assert!(!coordinator.ended());
    let stderr = coordinator.stderr();
    assert!(stderr.contains("pair 1 is set apart"), "{stderr}");
    assert!(stderr.contains("turnwise arena --resume"), "{stderr}");
    assert_eq!(by_pairs(&log), here[..1]);
    assert!(!worker.has_ended(), "{}", worker.stderr());
    let mut coordinator = nats.resume(&log);
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(by_pairs(&log), here);
}

#[test]
fn what_cannot_be_is_said_before_there_is_a_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    // No server listens on this port.
    let cluster = ["--cluster", "nats://127.0.0.1:1"];
    let output = arena(&SMALL, &log).args(cluster).output();
    let stderr = String::from_utf8(output.expect("it starts").stderr).expect("UTF-8");
    assert!(
        stderr.contains("no NATS server at nats://127.0.0.1:1"),
        "{stderr}"
    );
    assert!(!log.exists());
    let Some(nats) = Nats::start() else {
        return;
    };
    for (agent, why) in [
        ("cmd:true", "omit it or --cluster"),
        ("turnwise:weights=/no/file", "cannot read /no/file"),
    ] {
        let mut process = nats.arena(&[agent, "greedy"], &log);
        assert!(!process.ended());
        let stderr = process.stderr();
        assert!(stderr.contains(why), "{stderr}");
        assert!(!log.exists());
    }
}
