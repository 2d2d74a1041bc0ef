//! Tests programs that are suspended while it is not their turn.
//!
//! Suspension must change neither their moves nor the clocks that they keep themselves. Ctrl-Z must stop all clocks.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{arena, played};
use crate::support::{TURNWISE, is_there, json_lines, run};

/// Returns the moves of all games in a log.
fn moves(log: &Path) -> Vec<Value> {
    let text = fs::read_to_string(log).expect("the match has a log");
    let games = json_lines(&text).into_iter();
    let games = games.filter(|record| record["event"] == "game");
    games
        .map(|game| {
            assert_eq!(game["fault"], Value::Null);
            game["moves"].clone()
        })
        .collect()
}

/// Creates a copy of the Python starter for Entropy that also runs the lines `more` for every input line.
fn python_player(folder: &Path, more: &str) -> String {
    let made = run(&[
        "new",
        "entropy",
        "--lang",
        "python",
        &folder.to_string_lossy(),
    ]);
    assert!(made.status.success());
    let path = folder.join("player.py");
    let text = fs::read_to_string(&path).expect("it was written");
    let (before, after) = text
        .split_once("        words = line.split()\n")
        .expect("the starter splits lines");
    let text = format!("import os, time\n{before}{more}        words = line.split()\n{after}");
    fs::write(&path, text).expect("it is written");
    format!("cmd:python3 {}", path.display())
}

#[test]
fn programs_play_the_same_whether_they_are_suspended_or_not() {
    let folder = tempfile::tempdir().expect("a folder");
    // On a 2x2 board, this program's player searches to the end immediately, so its moves do not depend on the clock.
    let mut programs = vec![("2", format!("cmd:{TURNWISE} stdio entropy --clock 60"))];
    for (language, compiler) in [("python", "python3"), ("java", "javac"), ("cpp", "g++")] {
        if !is_there(compiler) {
            continue;
        }
        let home = folder.path().join(language);
        let made = run(&[
            "new",
            "entropy",
            "--lang",
            language,
            &home.to_string_lossy(),
        ]);
        assert!(made.status.success());
        let built = Command::new("make")
            .current_dir(&home)
            .output()
            .expect("make runs");
        assert!(built.status.success(), "{built:?}");
        let program = match language {
            "python" => format!("cmd:python3 {}/player.py", home.display()),
            "java" => format!("cmd:java -cp {} Player", home.display()),
            _ => format!("cmd:{}/player", home.display()),
        };
        programs.push(("4", program));
    }
    for (size, program) in &programs {
        let mut all = Vec::new();
        for ponder in ["freeze", "allow"] {
            let log = folder.path().join("log.jsonl");
            let _ = fs::remove_file(&log);
            played(
                &[
                    program, "greedy", "--n", size, "--clock", "60", "--pairs", "1", "--seed", "3",
                    "--ponder", ponder,
                ],
                &log,
            );
            all.push(moves(&log));
        }
        assert_eq!(all[0], all[1], "{program}");
        assert_eq!(all[0].len(), 2);
    }
}

#[test]
fn a_daemon_does_not_take_its_suspension_for_a_delay_of_the_machine() {
    const SUSPENDED_MS: f64 = 3000.0;
    let folder = tempfile::tempdir().expect("a folder");
    // The program sleeps once, at about its second request.
    let sleep = format!(
        "        if len(line.split()) == 1 and not globals().get('slept'):\n            \
         globals()['slept'] = True\n            time.sleep({})\n",
        SUSPENDED_MS / 1000.0
    );
    let slow = python_player(&folder.path().join("slow"), &sleep);
    // The daemon's events go to a file, because the arena reads its stderr.
    let [script, events] = ["daemon.sh", "events"].map(|name| folder.path().join(name));
    let command = format!(
        "TURNWISE_LOG_FORMAT=json exec {TURNWISE} stdio entropy --clock 60 2>>{}\n",
        events.display()
    );
    fs::write(&script, command).expect("there is room");
    let daemon = format!("cmd:sh {}", script.display());
    let log = folder.path().join("log.jsonl");
    played(
        &[
            &daemon, &slow, "--n", "3", "--clock", "60", "--pairs", "1", "--ponder", "freeze",
            "--jobs", "1",
        ],
        &log,
    );
    moves(&log);
    let text = fs::read_to_string(events).expect("the daemon has a log");
    let records = json_lines(&text);
    let games: Vec<&Value> = records
        .iter()
        .filter(|record| record["event"] == "game")
        .collect();
    assert_eq!(games.len(), 2);
    for game in games {
        let worst = game["delay_worst_ms"].as_f64().expect("it is logged");
        assert!(worst < SUSPENDED_MS / 2.0, "{game}");
    }
}

#[test]
fn ctrl_z_stops_the_clocks_of_all_programs() {
    const CLOCK: &str = "4";
    let stopped = Duration::from_secs(6);
    let folder = tempfile::tempdir().expect("a folder");
    // Because of the waits, each game takes one or two seconds.
    let player = python_player(folder.path(), "        time.sleep(0.03)\n");
    let log = folder.path().join("log.jsonl");
    for ponder in ["freeze", "allow"] {
        let _ = fs::remove_file(&log);
        let mut command = arena(
            &[
                &format!("one={player}"),
                &format!("other={player}"),
                "--n",
                "3",
                "--clock",
                CLOCK,
                "--pairs",
                "2",
                "--jobs",
                "1",
                "--ponder",
                ponder,
                "--counts",
                "wall",
            ],
            &log,
        );
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        super::until_a_game_is_logged(&log);
        let pid = Pid::from_child(&child);
        kill_process(pid, Signal::TSTP).expect("it runs");
        let state = || {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("it is there");
            stat.rsplit_once(") ").expect("a state").1.starts_with('T')
        };
        let begun = Instant::now();
        while !state() {
            assert!(begun.elapsed() < Duration::from_secs(60), "it stops");
            std::thread::sleep(Duration::from_millis(5));
        }
        let before = fs::read(&log).expect("a log");
        std::thread::sleep(stopped);
        assert_eq!(fs::read(&log).expect("a log"), before, "nobody plays");
        kill_process(pid, Signal::CONT).expect("it is there");
        assert!(child.wait().expect("it ends").success());
        assert_eq!(moves(&log).len(), 4, "{ponder}");
    }
}

#[test]
fn kept_processes_stay_with_the_first_or_the_second_games_of_pairs() {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = folder.path().join("notes");
    // Each game starts with a line that holds the board size.
    let note = format!(
        "        if len(line.split()) == 1 and line.strip().isdigit():\n            \
         open({:?}, 'a').write(f'{{os.getpid()}}\\n')\n",
        notes.display().to_string()
    );
    let player = python_player(&folder.path().join("player"), &note);
    let log = folder.path().join("log.jsonl");
    let words = |restart: &'static [&'static str]| {
        let usual = [
            "--n", "3", "--clock", "60", "--pairs", "3", "--jobs", "1", "--ponder", "freeze",
        ];
        [usual.as_slice(), restart].concat()
    };
    for (restart, is_kept) in [([].as_slice(), false), (["--no-restart"].as_slice(), true)] {
        let _ = fs::remove_file(&notes);
        let _ = fs::remove_file(&log);
        played(
            &[[&*player, "random"].as_slice(), &words(restart)].concat(),
            &log,
        );
        assert_eq!(moves(&log).len(), 6);
        let text = fs::read_to_string(&notes).expect("it makes notes");
        let pids: Vec<&str> = text.lines().collect();
        assert_eq!(pids.len(), 6, "{text}");
        for (at, pid) in pids.iter().enumerate() {
            for (before, earlier) in pids[..at].iter().enumerate() {
                let is_same = pid == earlier;
                assert_eq!(is_same, is_kept && at % 2 == before % 2, "{text}");
            }
        }
    }
}
