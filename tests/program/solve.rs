//! Tests the command `turnwise entropy solve`.
//!
//! Also tests `turnwise analyse` and `turnwise review`, with and without solved games.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{run_with_input, stderr, stdout, turnwise};

/// A 2x2 board on which Order must move.
const BOARD: &[u8] = b"A.\nB.\n";

#[test]
fn what_is_solved_is_looked_up_by_analyse() {
    let data = tempfile::tempdir().expect("a folder");
    let at_home = |arguments: &[&str]| {
        let mut command = turnwise(arguments);
        command.env("XDG_DATA_HOME", data.path());
        command
    };
    let analysed = |depth: &[&str]| -> Value {
        let arguments = [&["analyse", "--json", "--depth", "9"], depth].concat();
        let output = run_with_input(&mut at_home(&arguments), BOARD);
        assert_eq!(stderr(&output), "");
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let searched = analysed(&[]);
    assert!(searched["nodes"].as_u64() > Some(0) && searched["solved"] == true);

    let solved = at_home(&["entropy", "solve", "--size", "2"])
        .output()
        .expect("it runs");
    assert!(solved.status.success(), "{}", stderr(&solved));
    let text = stdout(&solved);
    assert!(
        text.contains("Entropy 2x2: 12 boards up to symmetry"),
        "{text}"
    );
    let looked_up = analysed(&[]);
    assert_eq!(looked_up["nodes"], 0);
    for (one, other) in [(&searched, &looked_up), (&looked_up, &searched)] {
        for mv in one["moves"].as_array().expect("moves") {
            let mut others = other["moves"].as_array().expect("moves").iter();
            assert!(others.any(|same| same["move"] == mv["move"] && same["value"] == mv["value"]));
        }
    }
    // Boards under other rules are not solved yet, so here the search must visit nodes.
    assert!(analysed(&["--pass"])["nodes"].as_u64() > Some(0));

    // Solving the game again only checks the stored solution and repeats the output.
    let again = at_home(&["entropy", "solve", "--size", "2"])
        .output()
        .expect("it runs");
    assert_eq!(stdout(&again), text);
    let path = data.path().join("turnwise/entropy-2.solution");
    let mut bytes = fs::read(&path).expect("a file");
    *bytes.last_mut().expect("a checksum") ^= 1;
    fs::write(&path, bytes).expect("there is room");
    let damaged = at_home(&["entropy", "solve", "--size", "2"])
        .output()
        .expect("it runs");
    assert_eq!(damaged.status.code(), Some(1));
    assert!(
        stderr(&damaged).contains("is damaged"),
        "{}",
        stderr(&damaged)
    );
}

#[test]
fn a_stopped_solution_stays_and_says_how_to_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("four.solution");
    let mut process = Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .args(["entropy", "solve", "--size", "4", "--jobs", "1", "--out"])
        .arg(&path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // The program sets up its signal handler before it writes anything.
    while !path.exists() {
        sleep(Duration::from_millis(20));
    }
    kill_process(Pid::from_child(&process), Signal::INT).expect("it runs");
    assert_eq!(process.wait().expect("it ends").code(), Some(130));
    let output = process.wait_with_output().expect("it has ended");
    assert!(
        stderr(&output).contains("the same command continues"),
        "{}",
        stderr(&output)
    );
    assert!(
        fs::read(&path)
            .expect("a file")
            .starts_with(b"{\"turnwise_solution\":1,\"size\":4}\n")
    );
}

#[test]
fn what_moves_gave_away_is_the_same_by_the_solution_and_by_a_search_to_the_end() {
    let data = tempfile::tempdir().expect("a folder");
    let log = data.path().join("log");
    let run = |arguments: &[&str]| {
        let mut command = turnwise(arguments);
        let output = command
            .env("XDG_DATA_HOME", data.path())
            .output()
            .expect("it runs");
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let name = log.to_str().expect("a name");
    let agents = ["arena", "turnwise", "random"];
    let terms = [
        "--size", "3", "--pairs", "3", "--nodes", "100000", "--seed", "1", "--log", name,
    ];
    run(&[&agents[..], &terms].concat());
    let judged = || -> Vec<Value> {
        let text = run(&["review", name, "--json", "--nodes", "20000"]);
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .filter(|line: &Value| !line["move"].is_null())
            .collect()
    };
    let searched = judged();
    run(&["entropy", "solve", "--size", "3"]);
    let looked_up = judged();
    // There are nine placements and eight slides in each of the six games.
    assert_eq!((searched.len(), looked_up.len()), (6 * 17, 6 * 17));
    let (mut lost, mut compared) = ([0.0; 2], 0);
    for (searched, looked_up) in searched.iter().zip(&looked_up) {
        let [one, other] = [searched, looked_up].map(|mv| mv["lost"].as_f64().expect("points"));
        assert_eq!(looked_up["is_exact"], true);
        if searched["is_exact"] == true {
            assert!((one - other).abs() < 1e-4, "{searched}, {looked_up}");
            compared += 1;
        }
        lost[usize::from(looked_up["player"] == "random")] += other;
    }
    assert!(compared > 40, "{compared} were searched to the end");
    assert!(
        10.0 * lost[0] < lost[1],
        "the searching player gave away {}, random {}",
        lost[0],
        lost[1]
    );
    let picture = data.path().join("lost.svg");
    let drawn = picture.to_str().expect("a name");
    let table = run(&["review", name, "--svg", drawn]);
    let picture = fs::read_to_string(&picture).expect("a picture");
    assert!(picture.contains("as Chaos") && picture.contains("random"));
    let nowhere = data.path().join("nowhere/lost.svg");
    let refused = turnwise(&["review", name, "--svg"])
        .arg(nowhere)
        .output()
        .expect("it runs");
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(stdout(&refused), "", "no game is judged in vain");
    assert!(
        table.contains("6 games judged") && table.contains("100 %"),
        "{table}"
    );

    let path = data.path().join("turnwise/entropy-3.solution");
    let bytes = fs::read(&path).expect("a file");
    fs::write(&path, &bytes[..bytes.len() / 2]).expect("there is room");
    let mut command = turnwise(&["review", name]);
    let output = command
        .env("XDG_DATA_HOME", data.path())
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1), "estimates are no solution");
    assert!(
        stderr(&output).contains("is not finished"),
        "{}",
        stderr(&output)
    );
}

/// Waits until a process has set up its handler for the interrupt signal.
pub fn until_it_listens(process: &mut Child) {
    let status = format!("/proc/{}/status", process.id());
    let mut listens = || {
        let ended = process.try_wait().expect("it was started here");
        assert_eq!(ended, None, "it ended before it was interrupted");
        let status = fs::read_to_string(&status).expect("it runs");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.expect("signals").trim(), 16).expect("a mask");
        caught >> (Signal::INT.as_raw() - 1) & 1 == 1
    };
    while !listens() {
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn judging_that_is_interrupted_ends_within_a_game() {
    let data = tempfile::tempdir().expect("a folder");
    let log = data.path().join("log");
    let name = log.to_str().expect("a name");
    let agents = ["arena", "random", "b=random", "--nodes", "1"];
    let played = turnwise(&[&agents[..], &["--pairs", "1", "--log", name]].concat()).output();
    assert!(played.expect("it runs").status.success());
    let mut process = turnwise(&["review", name, "--nodes", "300000", "--jobs", "1"])
        .env("XDG_DATA_HOME", data.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    until_it_listens(&mut process);
    // After this wait, the process is in the middle of a game.
    sleep(Duration::from_millis(300));
    kill_process(Pid::from_child(&process), Signal::INT).expect("it runs");
    let output = process.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let table = stdout(&output);
    assert!(table.contains("0 games judged"), "{table}");
}
