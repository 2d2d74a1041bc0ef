//! Tests that training on many machines gives exactly the weights of a single machine, byte for byte.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use super::support::{Nats, Process, TURNWISE, until};
use super::work;

/// Returns the command for a training, but without the option that says where the games are played.
pub fn train(nats: &Nats, folder: &str, words: &[&str]) -> Command {
    let folder = nats.path(folder);
    fs::create_dir_all(&folder).expect("there is room");
    let mut command = Command::new(TURNWISE);
    command.args(["entropy", "train", "--out", "w.weights"]);
    command.args(words).current_dir(folder);
    command
}

fn succeeded(output: Output) {
    assert!(output.status.success(), "{output:?}");
}

/// Returns the weights and the checkpoint in a folder.
fn trained(nats: &Nats, folder: &str) -> [Vec<u8>; 2] {
    ["w.weights", "w.weights.checkpoint"].map(|name| {
        let path: PathBuf = nats.path(folder).join(name);
        fs::read(path).expect("it has been written")
    })
}

#[test]
fn weights_are_the_same_whatever_dies() {
    let Some(mut nats) = Nats::start() else {
        return;
    };
    let words = [
        "--size",
        "5",
        "--games",
        "200",
        "--generations",
        "4",
        "--block-generations",
        "1",
        "--block-games",
        "60",
        "--seed",
        "3",
    ];
    succeeded(train(&nats, "here", &words).output().expect("it starts"));
    let url = nats.url();
    let there = [&words[..], &["--cluster", &url]].concat();
    let checkpoint = nats.path("there").join("w.weights.checkpoint");
    let mut coordinator = Process::start(&mut train(&nats, "there", &there));
    let mut workers = ["one", "two", "three"].map(|name| work(&nats, name));
    let mut before = Vec::new();
    for death in "WSC".chars() {
        until("another generation", || {
            assert!(!coordinator.has_ended(), "{}", coordinator.stderr());
            fs::read(&checkpoint).is_ok_and(|now| now != before)
        });
        before = fs::read(&checkpoint).expect("it was just there");
        match death {
            'S' => nats.kill_and_restart(),
            'C' => {
                coordinator.kill();
                coordinator = Process::start(&mut train(&nats, "there", &there));
            }
            _ => {
                workers.rotate_left(1);
                workers[0].kill();
                workers[0] = work(&nats, "another");
            }
        }
    }
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert!(trained(&nats, "there") == trained(&nats, "here"));
}

#[test]
fn weights_to_begin_with_travel() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let words = [
        "--size",
        "3",
        "--games",
        "40",
        "--generations",
        "1",
        "--seed",
        "4",
    ];
    succeeded(train(&nats, "start", &words).output().expect("it starts"));
    let start = nats.path("start").join("w.weights");
    let start = start.to_str().expect("UTF-8");
    let words = [&words[..4], &["--generations", "2", "--start", start]].concat();
    succeeded(train(&nats, "here", &words).output().expect("it starts"));
    let _worker = work(&nats, "one");
    let url = nats.url();
    let there = [&words[..], &["--cluster", &url]].concat();
    succeeded(train(&nats, "there", &there).output().expect("it starts"));
    assert!(trained(&nats, "there") == trained(&nats, "here"));
    let by_other_weights = [&words[..4], &["--generations", "2"]].concat();
    let other = train(&nats, "other", &by_other_weights).output();
    succeeded(other.expect("it starts"));
    assert!(trained(&nats, "other")[0] != trained(&nats, "here")[0]);
}
