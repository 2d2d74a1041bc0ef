//! Tests that every process that waits reports the reason, and that it continues once the reason is gone.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;
use turnwise_cluster::build::Build;
use turnwise_cluster::coordinator::{Run, conduct};
use turnwise_cluster::server::Server;
use turnwise_cluster::units::Batches;

use super::failures::cluster;
use super::support::{Nats, Process, TURNWISE, by_pairs, until};
use super::transport::runtime;
use super::{SMALL, as_client, played_here, small_match, units, work};

#[test]
fn a_worker_and_a_match_may_start_before_their_server() {
    let Some(mut nats) = Nats::start() else {
        return;
    };
    let here = played_here(&nats, &SMALL);
    nats.kill();
    let mut worker = work(&nats, "early");
    until("its reason", || {
        worker.stderr().contains("no NATS server at")
    });
    let log = nats.path("there.jsonl");
    let mut coordinator = nats.arena(&SMALL, &log);
    until("its reason", || {
        coordinator.stderr().contains("waiting for it")
    });
    nats.restart();
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(by_pairs(&log), here);
}

#[test]
fn a_match_without_able_workers_says_why_it_waits() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let (here, log, mut coordinator) = small_match(&nats);
    until("the reason", || {
        coordinator
            .stderr()
            .contains("waiting: no worker is connected")
    });
    let mut program = fs::read(TURNWISE).expect("the program");
    program.push(0);
    let other = nats.path("turnwise");
    fs::copy(TURNWISE, &other).expect("a copy that may be run");
    fs::write(&other, program).expect("it is written");
    let _other = nats.worker(&other, "other");
    let lock = nats.path("in-use");
    fs::write(&lock, "").expect("there is room");
    let mut idle = Command::new(TURNWISE);
    idle.args(["worker", &nats.url(), "--name", "idle", "--idle"]);
    let mut idle = Process::start(idle.arg(&lock));
    until("the reasons", || {
        let told = coordinator.stderr();
        told.contains("other does not play this run: its coordinator is turnwise")
            && told.contains("waiting: no connected worker plays this run")
    });
    until("the pause", || idle.stderr().contains("pausing: "));
    let why = "in-use exists";
    until("the reason", || cluster(&nats, &["status"]).contains(why));
    fs::remove_file(lock).expect("it is there");
    // This process is not a part of the worker.
    let is_measured = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_measured.load(Ordering::Relaxed) {
                std::hint::spin_loop()
            }
        });
        let why = "idle pauses: other programs use ";
        until("another reason", || {
            cluster(&nats, &["status"]).contains(why)
        });
        is_measured.store(true, Ordering::Relaxed);
    });
    let _worker = work(&nats, "able");
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(by_pairs(&log), here);
}

#[test]
fn a_worker_whose_password_changes_says_so() {
    let login = |password: &str| {
        ["--user", "turnwise", "--pass", password]
            .map(str::to_owned)
            .to_vec()
    };
    let Some(mut nats) = Nats::start_with(|_| login("s3cret")) else {
        return;
    };
    let url = nats.url().replace("//", "//turnwise:s3cret@");
    let mut worker = super::support::worker(Path::new(TURNWISE), &url, "one");
    until("its start", || worker.stderr().contains("one works at"));
    nats.kill();
    nats.words = login("other");
    nats.restart();
    until("the reason", || {
        worker.stderr().contains("authorization violation")
    });
    assert!(!worker.stderr().contains("s3cret"), "{}", worker.stderr());
}

#[test]
fn results_that_exceed_the_servers_limit_come_over_one_connection() {
    let Some(nats) = Nats::start() else {
        return;
    };
    const COUNT: u32 = 100;
    let build = Build::of_this_program("test").expect("its file");
    let is_stopped = AtomicBool::new(false);
    let conducts = |is_resumed, batches: &mut Batches<()>| {
        runtime().block_on(async {
            let told = Arc::new(Mutex::new(Vec::new()));
            let heard = told.clone();
            let tell = move |text: &str| heard.lock().expect("no panic").push(text.to_owned());
            let server = Server::connect(&nats.access(), "test", tell)
                .await
                .expect("a server");
            let title = ("numbers".to_owned(), COUNT);
            let none = Path::new("none");
            let run =
                Run::of_batches(json!("any"), title, None, none, build.clone()).expect("room");
            let is_stopped = || is_stopped.load(Ordering::Relaxed);
            let done = conduct(&server, &run, is_resumed, batches, &is_stopped, &|_| {}).await;
            done.expect("no failure");
            told.lock().expect("no panic").clone()
        })
    };
    let read = |_: u32, bytes: &[u8]| {
        assert_eq!(bytes.len(), 900_000);
        // While a result is read, the connection is not.
        thread::sleep(Duration::from_millis(20));
        Ok(())
    };
    thread::scope(|scope| {
        let first = scope.spawn(|| conducts(false, &mut Batches::new(COUNT, &read)));
        as_client(&nats, async |context| {
            let run = units(&context, COUNT.into())
                .await
                .cached_info()
                .name
                .clone();
            is_stopped.store(true, Ordering::Relaxed);
            // Before its end, the first coordinator might take a result that the second one then lacks.
            first.join().expect("no panic");
            let mut headers = async_nats::HeaderMap::new();
            headers.insert("Turnwise-Outcome", "done");
            let result = vec![b'x'; 900_000];
            for batch in 1..=COUNT {
                let subject = format!("turnwise.result.{run}.{batch}");
                let sent =
                    context.publish_with_headers(subject, headers.clone(), result.clone().into());
                sent.await.expect("sent").await.expect("stored");
            }
            // A result of a run that has ended is deleted when the next run begins.
            let late = context
                .publish("turnwise.result.ended.1", result.into())
                .await;
            late.expect("sent").await.expect("stored");
        });
    });
    is_stopped.store(false, Ordering::Relaxed);
    let mut batches = Batches::new(COUNT, &read);
    assert_eq!(conducts(true, &mut batches), Vec::<String>::new());
    assert!(batches.results().is_some());
    as_client(&nats, async |context| {
        let mut stream = context
            .get_stream("turnwise-results")
            .await
            .expect("it is there");
        assert_eq!(stream.info().await.expect("its state").state.messages, 0);
    });
}

#[test]
fn a_worker_and_a_match_end_although_their_server_is_gone() {
    let Some(mut nats) = Nats::start() else {
        return;
    };
    let worker = work(&nats, "alone");
    let mut words = SMALL;
    words[9] = "5000";
    let log = nats.path("there.jsonl");
    let coordinator = nats.arena(&words, &log);
    until("the first pairs", || by_pairs(&log).len() > 1);
    nats.kill();
    let mut both = [worker, coordinator];
    both.iter().for_each(|process| process.signal(Signal::TERM));
    for process in &mut both {
        until("the end", || process.has_ended());
    }
}
