//! Tests machines that fail units which other machines can play, and units that no machine can play.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use async_nats::jetstream::Context;
use rustix::process::Signal;
use turnwise_cluster::build::Build;
use turnwise_cluster::server::Server;
use turnwise_cluster::units::Batches;

use super::programs::{PLAYER, moves};
use super::support::{Nats, Process, TURNWISE, arena, by_pairs, until};
use super::transport::{conducted, runtime, work_here, worker_here};
use super::{SMALL, as_client, played_here, small_match, units};

/// Returns the output of `turnwise cluster` with these words and the server's address.
pub fn cluster(nats: &Nats, words: &[&str]) -> String {
    let mut command = Command::new(TURNWISE);
    command.arg("cluster").arg(words[0]).arg(nats.url());
    let output = command.args(&words[1..]).output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Starts a worker that runs all programs, and that finds commands only in the folder `path`.
pub fn worker_with_path(nats: &Nats, name: &str, path: &Path) -> Process {
    let mut command = Command::new(TURNWISE);
    command.args(["worker", &nats.url(), "--jobs", "1", "--allow-programs"]);
    Process::start(command.args(["--name", name]).env("PATH", path))
}

/// Starts a worker that runs all programs.
pub fn worker(nats: &Nats, name: &str) -> Process {
    let path = std::env::var_os("PATH").expect("a path");
    worker_with_path(nats, name, Path::new(&path))
}

/// Creates a folder with a file, which can be executed.
fn folder_with(nats: &Nats, name: &str, file: &str, content: &[u8]) -> PathBuf {
    let folder = nats.path(name);
    fs::create_dir_all(&folder).expect("there is room");
    fs::write(folder.join(file), content).expect("there is room");
    let all = Permissions::from_mode(0o755);
    fs::set_permissions(folder.join(file), all).expect("they are mine");
    folder
}

/// Returns the words of a match between `ada`, whose folder contains a player in Python, and an agent.
pub fn match_of(nats: &Nats, command: &str, pairs: u32) -> Vec<String> {
    let player = fs::read(PLAYER).expect("it is there");
    let folder = folder_with(nats, "ada", "player.py", &player);
    let words = format!("greedy --size 3 --clock 60 --counts cpu --seed 9 --pairs {pairs}");
    let ada = format!("ada=cmd:folder={}:{command}", folder.display());
    [ada]
        .into_iter()
        .chain(words.split(' ').map(str::to_owned))
        .collect()
}

/// Sends the report that a worker failed a pair.
async fn send_failure(context: &Context, run: &str, pair: usize, worker: &str) {
    let mut headers = async_nats::HeaderMap::new();
    headers.insert("Turnwise-Outcome", "failed");
    headers.insert("Turnwise-Worker", worker);
    let subject = format!("turnwise.result.{run}.{pair}");
    let sent = context.publish_with_headers(subject, headers, "no \x1b disk".into());
    sent.await.expect("sent").await.expect("stored");
}

#[test]
fn a_machine_that_cannot_start_a_program_takes_nothing_and_disqualifies_nobody() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let bare = nats.path("bare");
    fs::create_dir(&bare).expect("there is room");
    symlink("/usr/bin/env", bare.join("env")).expect("there is room");
    for (number, command) in ["python3 player.py", "env python3 player.py"]
        .iter()
        .enumerate()
    {
        let words = match_of(&nats, command, 3);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let log = nats.path(&format!("here-{number}.jsonl"));
        let here = arena(&words, &log).output().expect("it starts");
        assert!(here.status.success(), "{here:?}");
        let played = moves(&log);
        assert!(played.iter().all(|(.., told)| told.ends_with(" null")));

        let log = nats.path(&format!("there-{number}.jsonl"));
        let mut coordinator = nats.arena(&words, &log);
        let mut bare = worker_with_path(&nats, "bare", &bare);
        let why = "bare does not play this run: ";
        until("the reason", || coordinator.stderr().contains(why));
        let told = coordinator.stderr();
        assert!(told.contains("cannot start"), "{told}");
        assert!(
            bare.stderr().contains("refused: ada, greedy: "),
            "{}",
            bare.stderr()
        );
        until("the reason to wait", || {
            coordinator
                .stderr()
                .contains("waiting: no connected worker plays this run")
        });
        let status = cluster(&nats, &["status"]);
        assert!(
            status.contains("bare does not play ada, greedy: "),
            "{status}"
        );
        assert_eq!(by_pairs(&log).len(), 1, "a header alone");
        let mut able = worker(&nats, "able");
        assert!(coordinator.ended(), "{}", coordinator.stderr());
        assert_eq!(moves(&log), played);
        for (name, worker) in [("bare", &mut bare), ("able", &mut able)] {
            cluster(&nats, &["kick", name]);
            assert!(worker.ended());
        }
        assert!(
            bare.stderr().contains("bare has done 0 units"),
            "{}",
            bare.stderr()
        );
    }
}

#[test]
fn a_program_that_no_machine_can_start_is_at_fault() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let tools = folder_with(
        &nats,
        "tools",
        "tool",
        b"#!/bin/sh\nexec python3 player.py\n",
    );
    let path = std::env::var("PATH").expect("a path");
    folder_with(&nats, "ada", "broken", b"#!/no/such/interpreter\n");
    // The coordinator's machine has the tool, the workers' machines do not.
    for (number, command) in ["./broken", "tool"].iter().enumerate() {
        let words = match_of(&nats, command, 3);
        let log = nats.path(&format!("there-{number}.jsonl"));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = arena(&words, &log);
        command.args(["--cluster", &nats.url()]);
        command.env("PATH", format!("{}:{path}", tools.display()));
        let mut coordinator = Process::start(&mut command);
        let _one = worker(&nats, &format!("one-{number}"));
        until("the reason", || {
            coordinator.stderr().contains("does not play this run")
        });
        assert_eq!(by_pairs(&log).len(), 1, "a header alone");
        let _other = worker(&nats, &format!("other-{number}"));
        assert!(coordinator.ended(), "{}", coordinator.stderr());
        let told = coordinator.stderr();
        assert!(told.contains("this is the participant's fault"), "{told}");
        let games = moves(&log);
        assert_eq!(games.len(), 6);
        for (.., told) in games {
            assert!(
                told.contains("\"agent\":\"ada\"") && told.contains("crash"),
                "{told}"
            );
        }
    }
}

#[test]
fn a_machine_without_memory_for_the_tables_of_a_match_refuses_it() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let log = nats.path("there.jsonl");
    let words = [
        "turnwise:hash=65535",
        "greedy",
        "--size",
        "3",
        "--nodes",
        "50",
    ];
    let mut coordinator = nats.arena(&words, &log);
    let mut command = Command::new(TURNWISE);
    // So many tables exceed the memory of any machine.
    command.args(["worker", &nats.url(), "--name", "small", "--jobs", "256"]);
    let _worker = Process::start(&mut command);
    let why = "small does not play this run: its agents' tables need 16776960 MiB";
    until("the reason", || coordinator.stderr().contains(why));
}

#[test]
fn one_report_of_a_failure_ends_no_match_and_two_workers_set_a_pair_apart() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let (here, log, mut coordinator) = small_match(&nats);
    as_client(&nats, async |context| {
        let run = units(&context, 6).await.cached_info().name.clone();
        send_failure(&context, &run, 1, "attic").await;
        send_failure(&context, &run, 2, "attic").await;
        until("the report", || {
            coordinator.stderr().contains("attic gets no more units")
        });
        // The roll call has found no worker, so two witnesses suffice.
        until("the roll call", || {
            coordinator.stderr().contains("no worker is connected")
        });
        send_failure(&context, &run, 2, "cellar").await;
    });
    until("the end of pair 2", || {
        coordinator.stderr().contains("pair 2 is set apart")
    });
    let _worker = super::work(&nats, "one");
    assert!(!coordinator.ended());
    let told = coordinator.stderr();
    assert!(
        told.contains("attic failed pair 1: no \u{fffd} disk"),
        "{told}"
    );
    assert!(!told.contains("pair 1 is set apart"), "{told}");
    assert!(
        told.contains("turnwise arena --resume tries again"),
        "{told}"
    );
    assert_eq!(by_pairs(&log).len(), here.len() - 2, "no pair 2 and no end");
    let mut coordinator = nats.resume(&log);
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(by_pairs(&log), here);
}

#[test]
fn a_worker_that_fails_two_units_gets_no_more_of_them() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let (here, log, mut coordinator) = small_match(&nats);
    let mut broken = worker_here("broken", 1, |_, _| Err("no room on the disk".into()));
    broken.build = Build::of_program(Path::new(TURNWISE), env!("CARGO_PKG_VERSION")).expect("it");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let working = scope.spawn(|| work_here(&nats, &broken, &is_over));
        until("the reason", || {
            let told = coordinator.stderr();
            told.contains("broken gets no more units of this run: no room on the disk")
                && told.contains("broken does not play this run: no room on the disk")
        });
        let status = cluster(&nats, &["status"]);
        assert!(
            status.contains("broken does not play turnwise, greedy: no room"),
            "{status}"
        );
        let _worker = super::work(&nats, "one");
        assert!(coordinator.ended(), "{}", coordinator.stderr());
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(working.join().expect("no panic").expect("a server"), 0);
    });
    assert_eq!(by_pairs(&log), here);
}

/// Returns true if a connected worker is playing a unit.
fn is_playing(nats: &Nats) -> bool {
    runtime().block_on(async {
        let server = Server::connect(&nats.access(), "test", |_| {}).await;
        let workers = turnwise_cluster::tending::workers(&server.expect("a server")).await;
        workers
            .expect("a list")
            .iter()
            .any(|worker| worker.doing > 0)
    })
}

#[test]
fn a_search_without_end_is_stopped_with_its_match() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let here = played_here(&nats, &SMALL);
    let mut able = worker(&nats, "one");
    let endless = [
        "turnwise",
        "greedy",
        "--size",
        "7",
        "--nodes",
        "99999999999",
        "--pairs",
        "2",
    ];
    let folder = folder_with(&nats, "silent", "player", b"");
    let silent = format!("silent=cmd:folder={}:sleep 99999", folder.display());
    let silent = [
        &silent, "greedy", "--size", "7", "--clock", "99999", "--pairs", "2",
    ];
    let large = nats.path("large.jsonl");
    let words = [
        "greedy", "random", "--size", "7", "--nodes", "1", "--pairs", "1",
    ];
    let played = arena(&words, &large).output().expect("it starts");
    assert!(played.status.success(), "{played:?}");
    let review = || {
        let mut review = Command::new(TURNWISE);
        review.args(["review", "--nodes", "99999999999", "--cluster", &nats.url()]);
        Process::start(review.arg(&large))
    };
    let coordinators: [&dyn Fn() -> Process; 3] = [
        &|| nats.arena(&endless, &nats.path("endless.jsonl")),
        &|| nats.arena(&silent, &nats.path("silent.jsonl")),
        &review,
    ];
    for start in coordinators {
        let mut coordinator = start();
        until("a search", || is_playing(&nats));
        coordinator.signal(Signal::INT);
        assert!(!coordinator.ended());
        until("the end of the search", || !is_playing(&nats));
    }
    let log = nats.path("there.jsonl");
    let mut small = nats.arena(&SMALL, &log);
    assert!(small.ended(), "{}", small.stderr());
    assert_eq!(by_pairs(&log), here);
    // A kicked worker stops its search, and another worker gets the pair.
    let log = nats.path("endless-2.jsonl");
    let _coordinator = nats.arena(&endless, &log);
    until("a search", || is_playing(&nats));
    cluster(&nats, &["kick", "one"]);
    assert!(able.ended(), "{}", able.stderr());
    let _other = super::work(&nats, "other");
    until("another search", || is_playing(&nats));
}

#[test]
fn a_unit_has_a_limited_lifetime_and_a_drained_worker_too() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let is_over = AtomicBool::new(false);
    let endless = |name| {
        worker_here(name, 1, |_, stop| {
            until("the end", || stop.stopped());
            Ok(None)
        })
    };
    let limited = |name| {
        let mut worker = endless(name);
        worker.lifetime = Duration::ZERO;
        worker
    };
    let [one, other] = ["one", "other"].map(limited);
    let mut patient = endless("patient");
    patient.farewell = Duration::ZERO;
    let works = |worker| work_here(&nats, worker, &is_over);
    let conducts = |is_stopped: &dyn Fn() -> bool| {
        let read = |_: u32, _: &[u8]| Ok(());
        let mut batches = Batches::new(1, &read);
        let conducted = conducted(&nats, (&mut batches, 1), false, is_stopped);
        let conducted = runtime().block_on(conducted);
        conducted.map_err(|error| error.to_string())
    };
    thread::scope(|scope| {
        let working = [&one, &other].map(|worker| scope.spawn(|| works(worker)));
        let why = conducts(&|| false).expect_err("no worker finishes it");
        assert!(why.starts_with("batch 1 set apart"), "{why}");
        is_over.store(true, Ordering::Relaxed);
        for worker in working {
            worker.join().expect("no panic").expect("a server");
        }
        is_over.store(false, Ordering::Relaxed);
        let working = scope.spawn(|| works(&patient));
        let conducting = scope.spawn(|| conducts(&|| is_over.load(Ordering::Relaxed)));
        until("a unit", || is_playing(&nats));
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(working.join().expect("no panic").expect("a server"), 0);
        conducting
            .join()
            .expect("no panic")
            .expect("it was stopped");
    });
}
