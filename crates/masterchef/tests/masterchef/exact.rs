//! Tests that the engines are exact on pools with long, tiny and nearly equal numbers.
//!
//! The reference is brute force with Python's fractions (`exact.py`), which shares no code with the engines.

use std::process::Command;

use serde::Deserialize;
use turnwise_masterchef::answer::run_to_the_end;
use turnwise_masterchef::input::{Pool, parse};
use turnwise_masterchef::literal::{self, Algorithm};
use turnwise_masterchef::rules::Draft;
use turnwise_masterchef::solver;
use turnwise_masterchef::units::Units;

#[derive(Deserialize)]
struct Case {
    kind: String,
    input: String,
    pick: u32,
    advantage: String,
}

fn cases(seed: u64, count: usize) -> Vec<Case> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/masterchef/exact.py");
    let output = Command::new("python3")
        .args([script, &seed.to_string(), &count.to_string()])
        .output()
        .expect("the test needs Python 3");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the pick and A's final advantage according to each engine.
fn answers<U: Units>(draft: &Draft<U>) -> Vec<(u32, String)> {
    let mut control = run_to_the_end;
    [
        solver::solve(draft, &mut control),
        literal::search(draft, Algorithm::Minimax, &mut control),
        literal::search(draft, Algorithm::AlphaBeta, &mut control),
    ]
    .map(|answer| {
        assert!(answer.proven);
        let value = answer.value.expect("a proven answer has a value");
        let id = draft.contestants()[answer.pick].id;
        (id, draft.points(value).to_string())
    })
    .into()
}

#[test]
fn three_hundred_pools_of_long_numbers_equal_fractions() {
    let (mut long, mut longest) = (0, 0);
    for (number, case) in cases(2020, 300).into_iter().enumerate() {
        let found = match parse(case.input.as_bytes()).unwrap().pool {
            Pool::Usual(_) => panic!("case {number} has short numbers:\n{}", case.input),
            Pool::Long(draft) => {
                long += 1;
                answers(&draft)
            }
            Pool::Longest(draft) => {
                longest += 1;
                answers(&draft)
            }
        };
        for answer in found {
            assert_eq!(
                answer,
                (case.pick, case.advantage.clone()),
                "case {number}, {}:\n{}",
                case.kind,
                case.input
            );
        }
    }
    assert!(
        long >= 100 && longest >= 50,
        "{long} long, {longest} longest"
    );
}
