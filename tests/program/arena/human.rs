//! Tests matches in which a person plays at the keyboard.

use serde_json::Value;

use super::{arena, records};
use crate::support::{run, run_with_input, stderr, stdout};

fn games(log: &std::path::Path) -> Vec<Value> {
    let records = records(log).into_iter();
    records.filter(|record| record["event"] == "game").collect()
}

#[test]
fn what_is_typed_is_played_and_the_log_is_like_any_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    // The person types columns again and again. The program asks again if a column is full or does not exist.
    let typed = "?\nnonsense\n0\n1\n2\n3\n4\n5\n6\n".repeat(40);
    let words = ["me=human", "random", "--game", "connect4", "--seed", "4"];
    let output = run_with_input(&mut arena(&words, &log), typed.as_bytes());
    assert!(output.status.success(), "{}", stderr(&output));
    let shown = stderr(&output);
    assert!(shown.contains("The other player:"), "{shown}");
    assert!(shown.contains("expected one of the legal moves"), "{shown}");
    assert!(shown.contains("The game is over."), "{shown}");
    let games = games(&log);
    assert_eq!(games.len(), 2, "one pair where a human plays");
    for game in &games {
        assert_eq!(game["fault"], Value::Null, "{game}");
    }
    let report = run(&["report", &log.display().to_string()]);
    assert!(report.status.success() && stdout(&report).contains("me"));
}

#[test]
fn who_leaves_resigns_and_an_input_that_ends_is_no_resignation() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = ["human", "random", "--size", "3", "--seed", "4"];
    let output = run_with_input(&mut arena(&words, &log), b"u\nq\n");
    assert!(output.status.success(), "{}", stderr(&output));
    let kinds = games(&log);
    let kinds: Vec<&Value> = kinds.iter().map(|game| &game["fault"]["kind"]).collect();
    assert_eq!(kinds, ["resigned", "crash"]);
}
