//! Plays a match in a computer lab, whose machines fail in different ways at random moments.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::process::Signal;
use turnwise_cluster::attachments::Programs;
use turnwise_cluster::build::Build;

use super::failures::{match_of, worker, worker_with_path};
use super::programs::{all, moves};
use super::support::{Nats, Process, TURNWISE, arena, by_pairs, until};
use super::transport::{work_here, worker_here};

const PAIRS: u32 = 24;

/// What happens in the lab.
#[derive(Debug, Clone, Copy)]
enum Mishap {
    /// A machine loses its Python interpreter.
    Bare,
    /// A machine loses the files of all participants.
    Homeless,
    /// A machine stops, for longer than a lease lasts.
    Slow,
    /// A machine sends false results.
    Liar,
}

/// Plays a match in a lab in which mishaps happen at random moments.
fn survive(seed: u64) {
    let Some(nats) = Nats::start() else {
        return;
    };
    let words = match_of(&nats, "python3 player.py", PAIRS);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let log = nats.path("here.jsonl");
    let here = arena(&words, &log).output().expect("it starts");
    assert!(here.status.success(), "{here:?}");
    let played = moves(&log);

    let tools = nats.path("tools");
    fs::create_dir(&tools).expect("there is room");
    symlink("/usr/bin/python3", tools.join("python3")).expect("there is room");
    let home = nats.path("home");
    fs::create_dir(&home).expect("there is room");
    let mut homeless = Command::new(TURNWISE);
    homeless.args(["worker", &nats.url(), "--jobs", "1", "--allow-programs"]);
    homeless.args(["--name", "homeless"]).env("TMPDIR", &home);
    let mut bare = worker_with_path(&nats, "bare", &tools);
    let mut homeless = Process::start(&mut homeless);
    let slow = worker(&nats, "slow");
    let _good = worker(&nats, "good");
    // A worker that knows all results, and sends false scores once `lies` is true.
    let lies = Arc::new(AtomicBool::new(false));
    let (results, is_lying) = (BTreeMap::from_iter(by_pairs(&log)), lies.clone());
    let mut lying = worker_here("liar", 1, move |line, _| {
        let pair: serde_json::Value = serde_json::from_str(line).expect("a pair");
        let result: &String = &results[&pair["number"].as_u64().expect("its number")];
        let score = "\"order_score\":";
        let result = match is_lying.load(Ordering::Relaxed) {
            true => result.replace(score, &format!("{score}1")),
            false => result.clone(),
        };
        Ok(Some(result.into_bytes()))
    });
    lying.programs = Programs::Any;
    lying.build = Build::of_program(Path::new(TURNWISE), env!("CARGO_PKG_VERSION")).expect("it");

    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mishaps = [Mishap::Bare, Mishap::Homeless, Mishap::Slow, Mishap::Liar];
    let mut mishaps = mishaps.map(|mishap| (random.random_range(1..PAIRS as usize / 2), mishap));
    mishaps.sort_by_key(|&(when, _)| when);
    println!("seed {seed}: {mishaps:?}");
    let log = nats.path("there.jsonl");
    let mut coordinator = nats.arena(&words, &log);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let worked = work_here(&nats, &lying, &is_over);
            worked.expect("a server")
        });
        for (when, mishap) in mishaps {
            until("the next mishap", || {
                coordinator.has_ended() || by_pairs(&log).len() > when
            });
            match mishap {
                Mishap::Bare => fs::remove_file(tools.join("python3")).expect("it is there"),
                Mishap::Homeless => {
                    for path in all(&home).iter().filter(|path| path.is_file()) {
                        // Files of games that are running may disappear meanwhile.
                        let _ = fs::remove_file(path);
                    }
                }
                Mishap::Slow => slow.signal(Signal::STOP),
                Mishap::Liar => lies.store(true, Ordering::Relaxed),
            }
        }
        until("the end", || coordinator.has_ended());
        is_over.store(true, Ordering::Relaxed);
    });
    slow.signal(Signal::CONT);
    let told = coordinator.stderr();
    assert!(coordinator.ended(), "{told}");
    let report = format!("{told}\n{}\n{}", bare.stderr(), homeless.stderr());
    assert_eq!(moves(&log), played, "{report}");
}

#[test]
fn a_lab_whose_machines_fail_plays_the_match_of_one_machine() {
    for seed in 1..=3 {
        survive(seed);
    }
}
