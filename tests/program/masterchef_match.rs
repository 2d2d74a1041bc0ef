//! Tests matches of MasterChef between programs that read and write the assignment's files.

use std::fs;

use serde_json::Value;

use crate::support::{TURNWISE, folder_with, json_lines, run, stderr};

/// A program that accepts only the input that the assignment promises, and picks the smallest ID.
///
/// The input must consist of the count, the algorithm and lines of five fields. Both teams must be incomplete and
/// equally large.
const STRICT: &str = r#"
BEGIN { FS = "," }
NR == 1 { announced = $0; next }
NR == 2 { broken += $0 != "ab"; next }
{
    digits = "[0-9][0-9][0-9][0-9][0-9][0-9]"
    broken += $0 !~ "^[1-9][0-9][0-9][0-9][0-9],[0-9]+[.]" digits ",[01][.]" digits ",[01][.]" digits ",[012]$"
    broken += $2 > 200 || $3 > 1 || $4 > 1 || seen[$1]++
    state[$5]++
    if ($5 == 0 && (best == "" || $1 < best)) best = $1
}
END {
    if (broken || NR - 2 != announced || announced < 10 || state[1] != state[2] || state[1] > 4) exit 1
    print best > "output.txt"
}
"#;

/// Plays a match with these command-line words. Returns its games, sorted by pair and by number within the pair.
fn games(words: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log").display().to_string();
    let common = ["--game", "masterchef", "--seed", "5", "--log", &log];
    let output = run(&[&["arena"], words, &common].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let records = json_lines(&fs::read_to_string(&log).expect("a log"));
    let games = records.into_iter().filter(|it| it["event"] == "game");
    let mut games: Vec<Value> = games.collect();
    // Pairs that were played at the same time are in the log in the order in which they ended.
    games.sort_by_key(|game| (game["pair"].as_u64(), game["game"].as_u64()));
    games
}

#[test]
fn a_program_for_the_assignment_plays_either_captain() {
    let ours = format!("ours=cmd:{TURNWISE} masterchef --time-limit 60");
    let size = ["--pool", "14", "--pairs", "2", "--clock", "600"];
    let of_both = games(&[&["turnwise", "x=turnwise"], &size[..]].concat());
    let of_program = games(&[&[&*ours, "turnwise"], &size[..]].concat());
    assert_eq!((of_both.len(), of_program.len()), (4, 4));
    for (exact, game) in of_both.iter().zip(&of_program) {
        assert_eq!(game["fault"], Value::Null, "{game}");
        assert_eq!(game["pool"], exact["pool"]);
        let score = |game: &Value| game["a_score"].as_f64().expect("a score");
        match game["game"].as_u64() {
            // The whole file for A is true, so A's program plays as if it saw the real draft.
            Some(1) => assert_eq!(game["moves"], exact["moves"]),
            // The file for Bob is not entirely true, which can only cost him points.
            _ => assert!(score(game) >= score(exact), "{game}"),
        }
    }
}

#[test]
fn every_file_is_one_that_the_assignment_promises() {
    let folder = folder_with("strict.awk", STRICT);
    let script = folder.path().join("strict.awk");
    let strict = format!("strict=cmd:awk -f {} input.txt", script.display());
    for more in [
        &["--pool", "11"][..],
        &["--family", "digits", "--openings", "3"],
        &["--family", "hard", "--pool", "40", "--openings", "4"],
    ] {
        let words = [&[&*strict, "greedy", "--pairs", "1"], more].concat();
        for game in games(&words) {
            assert_eq!(game["fault"], Value::Null, "{game}");
            assert_eq!(game["moves"].as_array().map(Vec::len), Some(10));
        }
    }
}

#[test]
fn whoever_picks_nobody_or_somebody_elses_member_is_told_so() {
    // Bob's members have state 2 in A's file; A's members have state 2 in Bob's file.
    let thief = "thief=cmd:sh -c 'grep -h \",[02]$\" input.txt | sort -t, -k5 -r | head -n 1 | cut -d, -f1 \
                 > output.txt'";
    for (program, reason) in [
        (
            "stranger=cmd:sh -c 'echo 7 > output.txt'",
            "`7`: no contestant has this ID",
        ),
        (thief, ": already in the team of "),
    ] {
        for game in games(&[program, "greedy", "--pairs", "1", "--openings", "2"]) {
            let fault = &game["fault"];
            assert_eq!(fault["kind"], "illegal", "{game}");
            let said = fault["reason"].as_str().expect("a reason");
            assert!(said.contains(reason), "{said}");
            let lost = if fault["role"] == "A" {
                -1120.0
            } else {
                1120.0
            };
            assert_eq!(game["a_score"].as_f64(), Some(lost));
        }
    }
}
