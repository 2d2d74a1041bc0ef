//! Tests the report on an arena's logs: reading, figures, charts and page.

mod at_tables;
mod browser;
mod dense;
mod figures;
#[path = "../../../../tests/program/games.rs"]
mod games;
mod guesswho;
mod halma;
mod luck;
mod output;
mod page_check;
mod reading;
mod sample;

use std::path::{Path, PathBuf};

use sample::{Plan, Planned, lines, records};
use turnwise_engine::player::FaultKind;
use turnwise_games::GAMES;
use turnwise_report::logs::{Log, read};
use turnwise_report::{Match, merge};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/data/arena")
        .join(name)
}

/// Returns the plan for a log with two agents and four pairs, in which every measurement is present.
fn sample_plan() -> Plan {
    Plan {
        names: &["three", "one"],
        size: 5,
        says_pass: true,
        seed: 7,
        pairs: 4,
        opening: 2,
        talkative: true,
        faults: Vec::new(),
        verdict: None,
    }
}

/// Returns the plan for a log with three agents that have hostile names and report only their moves. The log contains
/// every kind of fault.
fn faults_plan() -> Plan {
    let fault = |pair, game, ply, kind, reason, stderr| Planned {
        pair,
        game,
        ply,
        kind,
        reason,
        stderr,
    };
    Plan {
        names: &["plain", "</script><b>bold</b>", "\"quo'ted\" & {{data}}"],
        size: 3,
        says_pass: false,
        seed: 3,
        pairs: 2,
        opening: 0,
        talkative: false,
        faults: vec![
            fault(1, 1, 1, FaultKind::Silence, "no answer for 10 s", &[]),
            fault(1, 2, 6, FaultKind::Overtime, "10.02 s of 10 s used", &[]),
            fault(2, 1, 4, FaultKind::Illegal, "1 1 1 1 is no slide", &[]),
            fault(
                3,
                2,
                7,
                FaultKind::Garbage,
                "<img src=x onerror=alert(1)>",
                &[],
            ),
            fault(
                4,
                1,
                8,
                FaultKind::Crash,
                "ended with exit code 101",
                &["thread 'main' panicked", "\u{1b}[31m<!--<script>\u{7}"],
            ),
        ],
        verdict: Some("</script> is no worse"),
    }
}

fn parsed(text: &str) -> Log {
    read(text.as_bytes(), GAMES).expect("a log")
}

fn one_match(text: &str) -> Match {
    let mut matches = merge([("a.jsonl".to_owned(), parsed(text))]);
    assert_eq!(matches.len(), 1);
    matches.remove(0)
}

/// Checks that the log files in the repository equal the output of the generator. If the environment variable
/// TURNWISE_WRITE_SAMPLES is 1, the test writes the files instead.
#[test]
fn committed_logs_are_what_the_generator_writes() {
    for (name, plan) in [
        ("sample.jsonl", sample_plan()),
        ("faults.jsonl", faults_plan()),
    ] {
        let text = lines(&records(&plan));
        if std::env::var_os("TURNWISE_WRITE_SAMPLES").is_some() {
            std::fs::write(data(name), &text).expect("the sample can be written");
        }
        let committed = std::fs::read_to_string(data(name)).expect("the sample is there");
        assert!(committed == text, "{name} is out of date");
    }
}
