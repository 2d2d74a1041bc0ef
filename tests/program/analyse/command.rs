//! Tests the command `turnwise analyse` as a process.

use std::io::Write;
use std::process::Output;

use serde_json::Value;
use turnwise_engine::search::reference;
use turnwise_entropy::parse::parse;

use super::evaluated;
use crate::support::{run_with_input, stderr, stdout, turnwise};

const BOARD: &str = "\
  0 1 2 3 4 (cols)
0  A . . B .
1  . C . . .
2  B . . A D
3  . . E . .
4  A . . . B
";

fn run(arguments: &[&str], input: &[u8]) -> Output {
    run_with_input(turnwise(&["analyse"]).args(arguments), input)
}

fn answer(arguments: &[&str], input: &str) -> Value {
    let output = run(arguments, input.as_bytes());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn the_command_says_the_same_again_under_a_node_limit() {
    let arguments = ["--json", "--nodes", "30000", "--top", "4"];
    let first = run(&arguments, BOARD.as_bytes());
    assert_eq!(first.stdout, run(&arguments, BOARD.as_bytes()).stdout);
    let answer: Value = serde_json::from_slice(&first.stdout).expect("JSON");
    assert_eq!(answer["size"], 5);
    assert_eq!(answer["to_move"], "ORDER");
    assert_eq!(answer["drawn"], Value::Null);
    assert_eq!(answer["board"][2], "B..AD");
    assert_eq!(answer["bag"]["A"], 2);
    assert_eq!(answer["bag"]["E"], 4);
    assert_eq!(answer["solved"], false);
    assert!(answer["nodes"].as_u64() >= Some(30_000));
    assert!(answer["depth"].as_u64() >= Some(2));
    let moves = answer["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 4);
    let values: Vec<f64> = moves.iter().filter_map(|mv| mv["value"].as_f64()).collect();
    assert!(
        values.is_sorted_by(|a, b| a >= b),
        "Order wants much: {values:?}"
    );
    let told = answer["forecast"].as_str().expect("a name");
    assert!(told.starts_with("entropy-5-"), "{told}");
    let gain = |mv: &Value| Some(mv["score"].as_f64()? - mv["value"].as_f64()?);
    let gains: Vec<f64> = moves.iter().filter_map(gain).collect();
    assert_eq!(gains.len(), 4);
    assert!(gains.iter().all(|gain| (gain - gains[0]).abs() < 1e-4));
    let score = &answer["final_score"];
    assert_eq!(score["playouts"], 100);
    assert_eq!(score["seed"], 1);
    let at = |name: &str| score[name].as_f64().expect("a number");
    assert!(at("percentile_10") <= at("median") && at("median") <= at("percentile_90"));
    assert!(at("standard_deviation") > 0.0);
}

#[test]
fn chaos_places_the_tile_of_the_text_or_of_the_option() {
    let in_text = format!("{BOARD}drawn: C\n");
    let arguments = ["--json", "--depth", "2", "--top", "3"];
    let found = answer(&arguments, &in_text);
    assert_eq!(found["to_move"], "CHAOS");
    assert_eq!(found["drawn"], "C");
    assert_eq!(found["depth"], 2);
    let moves = found["moves"].as_array().expect("moves");
    let values: Vec<f64> = moves.iter().filter_map(|mv| mv["value"].as_f64()).collect();
    assert!(values.is_sorted(), "Chaos wants little: {values:?}");
    let variation = moves[0]["principal_variation"].as_array().expect("moves");
    assert_eq!(variation.len(), 2, "the placement and Order's answer");
    let by_option = answer(&[&arguments[..], &["--drawn", "c"]].concat(), BOARD);
    assert_eq!(found, by_option);
}

#[test]
fn passing_is_a_move_where_the_rules_have_it() {
    let passes = |arguments: &[&str]| {
        let found = answer(arguments, BOARD);
        let moves = found["moves"].as_array().expect("moves");
        moves.iter().any(|mv| mv["move"] == "pass")
    };
    let arguments = ["--json", "--depth", "1", "--top", "1000"];
    assert!(!passes(&arguments));
    assert!(passes(&[&arguments[..], &["--pass"]].concat()));
}

#[test]
fn another_seed_draws_other_tiles_and_ranks_alike() {
    let with_seed = |seed| answer(&["--json", "--depth", "2", "--seed", seed], BOARD);
    let (one, two) = (with_seed("1"), with_seed("2"));
    assert_eq!(one["moves"], two["moves"]);
    assert_ne!(one["final_score"], two["final_score"]);
}

#[test]
fn an_end_is_solved_exactly_and_a_full_board_scored() {
    let end = "AAB\nB.B\nCC.\ndrawn: A";
    let found = answer(&["--json", "--nodes", "1000000"], end);
    assert_eq!(found["solved"], true);
    assert_eq!(found["depth"], 3);
    let mut game = evaluated(&parse(end.as_bytes(), false, None).expect("a board"));
    let value = f64::from(reference::value(&mut game, 3));
    assert_eq!(found["moves"][0]["value"].as_f64(), Some(value));
    assert_eq!(found["moves"][0]["score"].as_f64(), Some(value));
    assert_eq!(found["forecast"], Value::Null, "it is exact");
    assert_eq!(
        found["final_score"]["playout_depth"], 3,
        "perfect players to the end"
    );
    let full = run(&[], b"ABC\nABC\nABC");
    // Each of the three columns has three equal tiles, which are worth 3 + 2 + 2 points.
    assert_eq!(stdout(&full), "The game is over; Order's score: 21\n");
    assert_eq!(answer(&["--json"], "ABC\nABC\nABC")["order_score"], 21);
}

#[test]
fn the_table_ranks_moves_and_a_file_is_read() {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    write!(file, "{BOARD}").expect("written");
    let path = file.path().to_str().expect("a path");
    let output = run(&[path, "--depth", "2", "--top", "3"], b"");
    assert!(output.status.success());
    let text = stdout(&output);
    assert!(
        text.starts_with("Order is to move; in the bag: 2 A, 2 B, 4 C, 4 D, 4 E\n"),
        "{text}"
    );
    assert!(text.contains(BOARD), "{text}");
    for expected in [
        "| rank | move    | score | value | behind |",
        "|    3 |",
        "score: expected final score, by entropy-5-",
        "Searched 2 plies deep, ",
        "standard deviation",
        "in 100 games played to the end, both sides searching 2 plies deep, seed 1.",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains("|    4 |"), "{text}");
}

#[test]
fn boards_without_a_forecast_have_values_alone() {
    // Few cells are empty, so the playouts are short.
    let board = "ABCDEF..\n".repeat(4) + &"GHGHAB..\n".repeat(4);
    let found = answer(&["--json", "--depth", "1"], &board);
    assert_eq!(found["forecast"], Value::Null);
    for mv in found["moves"].as_array().expect("moves") {
        assert!(mv["value"].is_number());
        assert_eq!(mv["score"], Value::Null);
    }
    let output = run(&["--depth", "1"], board.as_bytes());
    let text = stdout(&output);
    assert!(
        text.contains("the final scores that they stand for are unknown"),
        "{text}"
    );
    assert!(!text.contains("score |"), "{text}");
}

#[test]
fn what_is_no_board_ends_with_code_2_and_says_why() {
    let cases: [(&[&str], &[u8], &str); 6] = [
        (&[], b"..\n..\n", "such as `drawn: A`, or --drawn A"),
        (&[], b"AA\nA.\n", "color A"),
        (&[], &[b'A'; 1 << 20], "bytes of text, got more"),
        (&[], b"\xff\xfe", "line 1: expected UTF-8 text"),
        (
            &["--drawn", "Z"],
            b"A.\n..\n",
            "colors A to B of a 2x2 board, got Z",
        ),
        (&["--drawn", "AB"], b"", "expected a letter from A to Z"),
    ];
    for (arguments, input, expected) in cases {
        let output = run(arguments, input);
        assert_eq!(output.status.code(), Some(2), "{expected}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
    let missing = run(&["no-such-board.txt"], b"");
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("cannot read the board no-such-board.txt"));
}
