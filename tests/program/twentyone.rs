//! Tests `turnwise stdio twentyone` and `turnwise twentyone value` as processes.

use std::process::Output;

use crate::support::{run_with_input, stderr, stdout, turnwise};

fn run(arguments: &[&str], input: &str) -> Output {
    run_with_input(&mut turnwise(arguments), input.as_bytes())
}

fn printed(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        stderr(&output)
    );
    stdout(&output)
}

#[test]
fn calls_are_answered_line_by_line() {
    let lines = include_str!("../../protocol/twentyone.md")
        .lines()
        .filter_map(|line| line.strip_prefix("> "))
        .collect::<Vec<_>>();
    let answers = printed(
        &["stdio", "twentyone"],
        &format!("{}\nrubbish\n", lines.join("\n")),
    );
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), lines.len() + 1);
    // The documentation must show the actual answers.
    let documented = include_str!("../../protocol/twentyone.md")
        .lines()
        .filter_map(|line| line.strip_prefix("< "))
        .collect::<Vec<_>>();
    assert_eq!(answers[..lines.len()], documented);
    assert!(answers[lines.len()].starts_with("{\"error\":"));
}

#[test]
fn wrong_settings_are_rejected_with_the_expected_ones() {
    for (options, expected) in [
        (
            &["--min-bid", "20", "--max-bid", "10"][..],
            "minimum <= maximum",
        ),
        (&["--decks", "9"], "expected 1 to 8"),
        (&["--rules", "house"], "expected text or engine"),
    ] {
        let output = run(&[&["stdio", "twentyone"], options].concat(), "");
        let errors = stderr(&output);
        assert!(
            !output.status.success() && errors.contains(expected),
            "{options:?}: {errors}"
        );
    }
}

#[test]
fn values_are_printed() {
    let text = printed(
        &[
            "twentyone",
            "value",
            "--rules",
            "engine",
            "--hands",
            "2000",
            "--shoes",
            "50",
            "--stacks",
            "2",
        ],
        "",
    );
    assert!(
        text.contains("exact value of a hand from a fresh shoe     +9.176"),
        "{text}"
    );
    assert_eq!(text.matches("flat bids from").count(), 3);
    assert!(text.contains("time of a call"));
}
