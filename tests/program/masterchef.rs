//! Tests the command `turnwise masterchef` as a process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{TURNWISE, file_names, folder_with, stderr, stdout, turnwise};

use tempfile::TempDir;

const EXAMPLE: &str = include_str!("../../crates/masterchef/tests/data/example.in");

/// Returns a pool with twenty free contestants and no picks made yet, which minimax cannot search to its end.
fn large_pool() -> String {
    let contestants: String = (0..20)
        .map(|number| {
            format!(
                "{},{}.5,0.{:02},0.{:02},0\n",
                10_000 + number,
                100 + number,
                7 * number % 97,
                93 - 4 * number
            )
        })
        .collect();
    format!("20\nminimax\n{contestants}")
}

/// Returns a pool for which the solver must search thousands of nodes.
///
/// Contestants with some value for both captains have the highest total value.
fn hard_pool() -> String {
    let contestants: String = (0..24)
        .map(|number| {
            let angle = f64::from(number) * 0.618 % 1.0 * std::f64::consts::FRAC_PI_2;
            let (a, b) = (angle.sin(), angle.cos());
            format!("{},200,{a:.6},{b:.6},0\n", 10_000 + number)
        })
        .collect();
    format!("24\nab\n{contestants}")
}

fn folder(input: &str) -> TempDir {
    folder_with("input.txt", input)
}

fn program(folder: &Path) -> Command {
    let mut command = turnwise(&["masterchef"]);
    command.current_dir(folder);
    command
}

#[test]
fn by_default_input_txt_becomes_output_txt() {
    let folder = folder(EXAMPLE);
    let output = program(folder.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        fs::read(folder.path().join("output.txt")).unwrap(),
        b"88903\n"
    );
    assert_eq!(file_names(folder.path()), ["input.txt", "output.txt"]);
    assert_eq!(stderr(&output), "");
}

#[test]
fn named_files_are_used_and_an_old_answer_is_replaced() {
    let folder = folder("not the pool");
    fs::write(folder.path().join("pool"), EXAMPLE).unwrap();
    fs::write(folder.path().join("pick"), "an older and longer answer\n").unwrap();
    let output = program(folder.path())
        .args(["--input", "pool", "--output", "pick", "--literal"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read(folder.path().join("pick")).unwrap(), b"88903\n");
}

#[test]
fn linked_and_copied_as_the_assignments_program_it_answers_alike() {
    let folder = folder(EXAMPLE);
    let binary = Path::new(TURNWISE);
    let linked: PathBuf = folder.path().join("project2cs360s2020");
    std::os::unix::fs::symlink(binary, &linked).unwrap();
    let copied = folder.path().join("copy").join("project2cs360s2020.exe");
    fs::create_dir(copied.parent().unwrap()).unwrap();
    fs::copy(binary, &copied).unwrap();
    for program in [linked, copied] {
        let _ = fs::remove_file(folder.path().join("output.txt"));
        let output = Command::new(&program)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(
            fs::read(folder.path().join("output.txt")).unwrap(),
            b"88903\n"
        );
    }
}

#[test]
fn malformed_input_is_code_two_with_a_line_number_and_no_output() {
    let folder = folder(&EXAMPLE.replace("193.537866", "193,537866"));
    let output = program(folder.path()).args(["--explain"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(file_names(folder.path()), ["input.txt"]);
    assert_eq!(stdout(&output), "");
    assert_eq!(
        stderr(&output),
        "turnwise masterchef: input.txt, line 4: expected 5 fields separated by commas \
         (ID, capacity, happiness about A, happiness about B, pick state), found 6\n"
    );
}

#[test]
fn a_missing_input_or_an_impossible_output_is_code_one_and_says_so() {
    let folder = folder(EXAMPLE);
    let output = program(folder.path())
        .args(["--input", "nowhere.txt"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("there is no file nowhere.txt"),
        "{output:?}"
    );
    let output = program(folder.path())
        .args(["--output", "no/such/folder.txt"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("cannot write no/such/folder.txt"),
        "{output:?}"
    );
    assert_eq!(file_names(folder.path()), ["input.txt"]);
}

#[test]
fn explain_prints_value_continuation_teams_and_nodes() {
    let folder = folder(EXAMPLE);
    let output = program(folder.path()).arg("--explain").output().unwrap();
    let text = stdout(&output);
    let (first, rest) = text.split_once('\n').unwrap();
    assert!(first.starts_with("Pick 88903 (solver, "), "{first}");
    let expected = "\
Advantage 159.176852694858 under perfect play

Best continuation
  A 88903, Bob 64504
  A 42904, Bob 82301

Teams at the end
  A    42904 46902 83601 87705 88903
       power 426.077215017712 = 306.077215017712 + diversity 120
  Bob  12703 64504 79802 82301 98403
       power 266.900362322854 = 266.900362322854 + diversity 0

Nodes
";
    let nodes = rest
        .strip_prefix(expected)
        .unwrap_or_else(|| panic!("{text}"));
    let counts: Vec<u64> = nodes
        .lines()
        .map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap())
        .collect();
    assert!(
        counts.len() == 3 && counts[0] > counts[1] && counts[1] > counts[2],
        "{nodes}"
    );
    assert_eq!(
        fs::read(folder.path().join("output.txt")).unwrap(),
        b"88903\n"
    );
}

#[test]
fn json_says_what_explain_says() {
    let folder = folder(EXAMPLE);
    let output = program(folder.path())
        .args(["--json", "--literal"])
        .output()
        .unwrap();
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["pick"], 88903);
    assert_eq!(value["proven"], true);
    assert_eq!(value["advantage"], "159.176852694858");
    assert_eq!(value["searched_with"], "minimax");
    assert_eq!(value["continuation"][3]["pick"], 82301);
    assert_eq!(value["teams"][0]["power"], "426.077215017712");
    assert_eq!(value["teams"][1]["diversity"], "0");
    assert_eq!(value["algorithms"][0]["nodes"], value["nodes"]);
    assert_eq!(value["algorithms"][2]["algorithm"], "solver");
}

#[test]
fn a_literal_search_out_of_time_leaves_the_answer_to_the_exact_solver() {
    let folder = folder(&large_pool());
    let answer = || fs::read_to_string(folder.path().join("output.txt")).unwrap();
    let output = program(folder.path()).output().unwrap();
    assert!(
        output.status.success() && stderr(&output).is_empty(),
        "the solver needs no limit: {output:?}"
    );
    let exact = answer();
    fs::remove_file(folder.path().join("output.txt")).unwrap();
    let output = program(folder.path())
        .args(["--literal", "--time-limit", "2", "--json"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(answer(), exact);
    assert_eq!(
        stderr(&output),
        format!(
            "turnwise masterchef: 2 seconds were not enough for minimax; the exact solver answers \
             instead, with the pick of that algorithm: {exact}"
        )
    );
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["proven"], true);
    assert_eq!(value["searched_with"], "solver");
}

#[test]
fn without_any_time_it_answers_anyway_and_admits_it() {
    let folder = folder(&hard_pool());
    let output = program(folder.path())
        .args(["--time-limit", "0"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(
        stderr(&output).contains("not proven to be optimal"),
        "{output:?}"
    );
    let answer = fs::read_to_string(folder.path().join("output.txt")).unwrap();
    assert!(
        hard_pool().contains(&format!("\n{},", answer.trim())),
        "{answer}"
    );
}

#[test]
fn doubles_in_seventeen_digits_and_with_exponents_are_answered() {
    let input = EXAMPLE
        .replace("193.537866", "193.53786600000001")
        .replace("0.485198", "4.9406564584124654e-324")
        .replace("0.239586", "1e-05");
    let folder = folder(&input);
    let output = program(folder.path()).arg("--explain").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        fs::read(folder.path().join("output.txt")).unwrap(),
        b"88903\n"
    );
    assert_eq!(stderr(&output), "");
}

#[test]
fn literal_runs_are_counted_only_so_far() {
    let folder = folder(&large_pool());
    let output = program(folder.path()).arg("--explain").output().unwrap();
    let text = stdout(&output);
    assert!(
        text.contains("minimax ") && text.contains("and not finished"),
        "{text}"
    );
    assert!(text.contains("under perfect play"), "{text}");
}
