//! Tests that judging games on many machines gives exactly the output of a single machine, byte for byte.

use std::path::Path;
use std::process::{Command, Output};

use super::support::{Nats, TURNWISE, arena};
use super::{SMALL, work};

/// Runs a command of the program. The command knows only the solved games from this test.
fn turnwise(nats: &Nats, words: &[&str], log: &Path) -> Output {
    let mut command = Command::new(TURNWISE);
    command.args(words).arg(log);
    let output = command.env("XDG_DATA_HOME", nats.path("data")).output();
    output.expect("the program starts")
}

fn printed(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn luck_and_losses_are_those_of_one_machine() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let _workers = ["one", "two"].map(|name| work(&nats, name));
    let url = nats.url();
    let riddles = [
        "turnwise", "binary", "--game", "guesswho", "--pairs", "2", "--nodes", "1000", "--seed",
        "5",
    ];
    for (name, words) in [("entropy.jsonl", SMALL), ("guesswho.jsonl", riddles)] {
        let log = nats.path(name);
        printed(arena(&words, &log).output().expect("it starts"));
        for question in [
            &["review", "--nodes", "2000"][..],
            &["review", "--nodes", "2000", "--json"],
            &["report", "--luck", "--json"],
        ] {
            let here = printed(turnwise(&nats, question, &log));
            let there = [question, &["--cluster", &url]].concat();
            assert_eq!(printed(turnwise(&nats, &there, &log)), here, "{there:?}");
            assert!(!here.is_empty());
        }
    }
}

#[test]
fn what_is_solved_here_is_not_handed_out() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let log = nats.path("small.jsonl");
    let words = [
        "turnwise", "greedy", "--size", "2", "--nodes", "50", "--pairs", "1",
    ];
    printed(arena(&words, &log).output().expect("it starts"));
    let mut solve = Command::new(TURNWISE);
    solve.args(["entropy", "solve", "--size", "2"]);
    let solved = solve.env("XDG_DATA_HOME", nats.path("data")).output();
    printed(solved.expect("it starts"));
    printed(turnwise(&nats, &["review"], &log));
    let refused = turnwise(&nats, &["review", "--cluster", &nats.url()], &log);
    assert_eq!(refused.status.code(), Some(2));
    let stderr = String::from_utf8(refused.stderr).expect("UTF-8");
    assert!(stderr.contains("omit --cluster"), "{stderr}");
}
