//! Tests Halma in the arena: built-in players, correct and faulty programs, and matches that are killed.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use turnwise_halma::picture::steps_to_go;
use turnwise_halma::rules::{Color, Move, Position, Rules};
use turnwise_halma::squares::Square;

use super::{
    HALMA_PLAYER, TURNWISE, arena, games, killed_and_resumed, pair_lines, played, records,
    until_a_game_is_logged,
};

/// Returns the command-line words of a match: these words and the words that all matches in this file share.
fn halma(words: &str) -> Vec<&str> {
    let all = words.split(' ');
    all.chain("--game halma --seed 3 --jobs 1".split(' '))
        .collect()
}

/// Returns the command-line words of a match between a command and the agent `random`.
///
/// The command may consist of several words.
fn against_random<'a>(command: &'a str, words: &'a str) -> Vec<&'a str> {
    [&[command, "random"], &halma(words)[..]].concat()
}

#[test]
fn the_same_seed_gives_the_same_records_whatever_the_jobs() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines: Vec<Vec<String>> = ["1", "2"]
        .iter()
        .map(|jobs| {
            let log = folder.path().join(jobs);
            let words = "turnwise random --nodes 60 --pairs 2 --seed 9 --openings 3 --game halma";
            let words: Vec<&str> = words.split(' ').collect();
            let more = ["--jobs", jobs, "--max-plies", "60"];
            played(&[&words[..], &more].concat(), &log);
            pair_lines(&log)
        })
        .collect();
    assert_eq!(lines[0], lines[1]);
    // The log has 4 games of 57 moves after the opening, unless a game was won earlier.
    assert!(
        lines[0].len() > 100 && lines[0].len() <= 4 * 58,
        "{}",
        lines[0].len()
    );
}

#[test]
fn both_games_of_a_pair_begin_alike_and_swap_colours() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = "random b=random --nodes 1 --pairs 6 --openings 2 --max-plies 20";
    played(&halma(words), &log);
    let games = games(&log);
    for pair in games.chunks(2) {
        for same in ["pair", "opening", "seed", "begins", "first", "second"] {
            assert_eq!(pair[0][same], pair[1][same], "{same}");
        }
        assert_eq!(pair[0]["black"], pair[1]["white"]);
        assert_eq!(pair[0]["black"], pair[0]["first"]);
        for game in pair {
            // Without clocks, neither player has more time left.
            assert_eq!(game["ending"], "draw", "{game}");
            assert_eq!(game["black_score"], 0.5);
            assert_eq!(game["moves"].as_array().map(Vec::len), Some(20));
        }
    }
    let begins: Vec<&Value> = games.iter().map(|game| &game["begins"]).collect();
    assert!(begins.contains(&&Value::from("BLACK")) && begins.contains(&&Value::from("WHITE")));
    assert_ne!(games[0]["opening"], games[2]["opening"]);
}

#[test]
fn a_draw_by_plies_is_won_by_the_time_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = "minimax random --clock 60 --pairs 1 --max-plies 6";
    let output = played(&halma(words), &log);
    for game in games(&log) {
        assert_eq!(game["ending"], "time", "{game}");
        // The player `random` has more time left, because any move of minimax takes longer.
        let random_is_black = game["black"] == "random";
        assert_eq!(game["black_score"], if random_is_black { 1.0 } else { 0.0 });
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        stdout.contains("games   0 won, 0 drawn, 2 lost"),
        "{stdout}"
    );
    assert!(
        stdout.contains("pairs   0 won, 0 drawn, 1 lost"),
        "{stdout}"
    );
}

#[test]
fn the_margin_of_a_goal_is_what_the_loser_had_still_to_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let output = played(&halma("turnwise random --nodes 100 --pairs 1"), &log);
    let mut margins = Vec::new();
    for game in games(&log) {
        assert_eq!(game["ending"], "goal", "{game}");
        let begins: Color = serde_json::from_value(game["begins"].clone()).expect("a colour");
        let mut position = Position::start(begins, Rules::Addendum);
        for mv in game["moves"].as_array().expect("moves") {
            let path: Vec<Square> = (mv.as_str().expect("a move").split(' ').skip(1))
                .map(|square| {
                    let (x, y) = square.split_once(',').expect("two numbers");
                    Square::at(x.parse().expect("a column"), y.parse().expect("a row"))
                })
                .collect();
            position.play(Move::along(&path));
        }
        assert!(position.is_won());
        let margin = steps_to_go(&position, position.to_move());
        assert!(margin > 0);
        assert_eq!(game["margin"], margin, "{game}");
        margins.push(margin);
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    let least = margins.iter().min().expect("two games");
    let mean = f64::from(margins.iter().sum::<u32>()) / 2.0;
    let expected = format!("won by {mean:.1} steps, the closest by {least}\n");
    assert!(
        stdout.contains("goals   turnwise 2 games:") && stdout.contains(&expected),
        "{stdout}"
    );
}

/// The players are this program's Halma shims. They play a game of a few plies and a whole game.
#[test]
fn commands_play_whole_games_and_their_cpu_time_is_charged() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let shim = format!("shim=cmd:{TURNWISE} halma");
    // The clocks also count the time in which the unoptimized program starts. On a busy machine, all starts together
    // take up to a second.
    played(&against_random(&shim, "--clock 4 --pairs 1"), &log);
    for game in games(&log) {
        assert_eq!(game["fault"], Value::Null, "{game}");
        assert_eq!(game["ending"], "goal", "{game}");
        let shim_is_black = game["black"] == "shim";
        assert_eq!(game["black_score"], if shim_is_black { 1.0 } else { 0.0 });
    }
    let moves: Vec<Value> = (records(&log).into_iter())
        .filter(|record| record["agent"] == "shim" && record["game"] == 1)
        .collect();
    let number = |record: &Value, key: &str| record[key].as_f64().expect("a number");
    for two in moves.windows(2) {
        let expected = number(&two[0], "clock_left_s") - number(&two[0], "cpu_ms") / 1000.0;
        // Both times are rounded to microseconds.
        assert!((number(&two[1], "clock_left_s") - expected).abs() < 3e-6);
        assert!(number(&two[0], "cpu_ms") > 0.0);
    }
}

/// Plays a pair of games between a scripted player and a baseline agent. Returns the games.
///
/// Asserts that the scripted player commits the fault `kind` in both games.
fn judged(mode: &str, kind: &str) -> Vec<Value> {
    // A script that exits by itself must have enough time for this even on a busy machine. A script that computes
    // must have enough time to compute for a tenth of the grace time.
    let grace = match mode {
        "stall" => "0.2",
        "endless" | "delegate" => "1.5",
        _ => "60",
    };
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let script = format!("culprit=cmd:{HALMA_PLAYER} {mode}");
    let words = format!("--pairs 1 --clock 0.4 --grace {grace}");
    let output = played(&against_random(&script, &words), &log);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("FAULTS  culprit 2, random 0"), "{stdout}");
    let games = games(&log);
    assert_eq!(games.len(), 2);
    for (game, role, score) in [(&games[0], "BLACK", 0.0), (&games[1], "WHITE", 1.0)] {
        let fault = &game["fault"];
        assert_eq!(fault["agent"], "culprit", "{game}");
        assert_eq!(fault["role"], role, "{game}");
        assert_eq!(fault["kind"], kind, "{game}");
        assert_eq!(game["black_score"], score, "{game}");
        assert_eq!(game["ending"], "fault", "{game}");
    }
    games
}

fn reason(game: &Value) -> &str {
    game["fault"]["reason"].as_str().expect("text")
}

#[test]
fn a_crash_is_told_with_its_status_and_last_words() {
    for game in judged("crash", "crash") {
        assert!(reason(&game).contains("exit status: 3"), "{game}");
        assert_eq!(
            game["fault"]["stderr"],
            serde_json::json!(["about to crash"])
        );
    }
}

#[test]
fn no_output_is_silence_and_so_is_a_stall() {
    for game in judged("nothing", "silence") {
        assert!(reason(&game).contains("without output.txt"), "{game}");
    }
    for game in judged("stall", "silence") {
        assert!(reason(&game).contains("was killed"), "{game}");
    }
}

#[test]
fn computing_beyond_the_clock_is_overtime_with_and_without_an_answer() {
    for game in judged("late", "overtime") {
        assert!(reason(&game).contains("0.400 s were left"), "{game}");
    }
    for game in judged("endless", "overtime") {
        assert!(reason(&game).contains("still computing"), "{game}");
    }
    // The CPU time of a grandchild also counts if the child has waited for it.
    judged("child", "overtime");
}

#[test]
fn a_sleeping_child_whose_child_computes_is_not_silent() {
    for game in judged("delegate", "overtime") {
        assert!(reason(&game).contains("still computing"), "{game}");
    }
}

/// Writes a script into a folder under this name and makes it executable.
fn installed(folder: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, script).expect("a file");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("a program");
}

#[test]
fn a_calibration_beside_the_player_is_run_once_and_kept_for_all_its_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let player = std::fs::read_to_string(HALMA_PLAYER).expect("the script");
    installed(folder.path(), "homework7.sh", &player);
    let calibrate = "#!/bin/sh\necho run >>\"${0%/*}/runs\"\necho measured >calibration.txt\n";
    installed(folder.path(), "calibrate7.sh", calibrate);
    // Here the script with this name belongs to another program.
    installed(folder.path(), "calibrate.sh", "#!/bin/sh\nexit 1\n");
    let log = folder.path().join("log");
    let command = format!(
        "own=cmd:sh {}/homework7.sh calibrated",
        folder.path().display()
    );
    let words = "random --pairs 3 --max-plies 2 --clock 60 --game halma --jobs 2";
    let words: Vec<&str> = words.split(' ').collect();
    played(&[&[command.as_str()], &words[..]].concat(), &log);
    assert_eq!(games(&log).len(), 6);
    for game in games(&log) {
        assert_eq!(game["fault"], Value::Null, "{game}");
    }
    let runs = std::fs::read_to_string(folder.path().join("runs")).expect("it was run");
    assert_eq!(runs, "run\n");
}

#[test]
fn without_a_calibration_of_use_the_games_go_on_and_it_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let player = std::fs::read_to_string(HALMA_PLAYER).expect("the script");
    installed(folder.path(), "homework.sh", &player);
    installed(
        folder.path(),
        "calibrate.sh",
        "#!/bin/sh\necho out of ideas >&2\nexit 4\n",
    );
    let log = folder.path().join("log");
    let command = format!("own=cmd:{}/homework.sh calibrated", folder.path().display());
    let output = played(&against_random(&command, "--pairs 1 --clock 60"), &log);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("wrote no calibration.txt: exit status: 4; its last words: out of ideas"),
        "{stderr}"
    );
    for game in games(&log) {
        assert_eq!(game["fault"]["kind"], "crash", "{game}");
    }
}

/// Tests that a program that is installed as a link runs under the name of the link.
#[test]
fn a_linked_player_keeps_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(TURNWISE, folder.path().join("homework11")).expect("a link");
    let log = folder.path().join("log");
    let output = Command::new(TURNWISE)
        .args(["halma", "master", "cmd:./homework11", "random"])
        .args(["--clock", "20", "--max-plies", "4", "--log"])
        .arg(&log)
        .current_dir(folder.path())
        .output()
        .expect("the program can be started");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("by time left"), "{stdout}");
}

#[test]
fn what_is_no_move_is_garbage() {
    for (mode, part) in [
        ("garbage", "good morning"),
        ("carriage", "line 1"),
        ("huge", "at most 65536 bytes"),
        ("pipe", "expected a regular file, got a named pipe"),
    ] {
        for game in judged(mode, "garbage") {
            assert!(reason(&game).contains(part), "{game}");
        }
    }
}

/// Publicly available agents end their lines with blanks and carriage returns, and the judges of courses accept this.
#[test]
fn blanks_and_carriage_returns_are_accepted_by_a_lenient_judge_and_logged_as_they_were() {
    for game in judged("java", "garbage") {
        let told = "; --lenient accepts blanks and carriage returns at the ends of lines";
        assert!(reason(&game).ends_with(told), "{game}");
        let step = if game["black"] == "culprit" {
            "E 4,0 5,0"
        } else {
            "E 11,15 10,15"
        };
        assert_eq!(game["fault"]["output"], format!("{step} \r\n"), "{game}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let script = format!("own=cmd:{HALMA_PLAYER} java");
    let words = "--pairs 1 --clock 60 --max-plies 2 --lenient";
    played(&against_random(&script, words), &log);
    for game in games(&log) {
        assert_eq!(game["ending"], "time", "{game}");
    }
    let records = records(&log);
    assert_eq!(records[0]["lenient"], true);
    let moves: Vec<&Value> = (records.iter())
        .filter(|record| record["event"] == "move")
        .collect();
    assert_eq!(moves.len(), 4);
    for mv in moves {
        let path = mv["move"].as_str().expect("text");
        if mv["agent"] == "own" {
            assert_eq!(mv["output"], format!("{path} \r\n"), "{mv}");
        } else {
            assert_eq!(mv["output"], Value::Null, "only a command writes one: {mv}");
        }
    }
}

#[test]
fn of_what_was_written_a_bounded_part_is_logged_as_text() {
    for game in judged("huge", "garbage") {
        let output = game["fault"]["output"].as_str().expect("text");
        assert_eq!(output, "x".repeat(4096) + "[...]");
    }
    for game in judged("bytes", "garbage") {
        let output = game["fault"]["output"].as_str().expect("text");
        assert!(output.ends_with("\u{fffd}\u{1b}\n"), "{output:?}");
    }
    for (mode, kind) in [("crash", "crash"), ("stall", "silence")] {
        for game in judged(mode, kind) {
            assert_eq!(game["fault"]["output"], Value::Null, "{game}");
        }
    }
}

#[test]
fn a_move_that_the_addendum_forbids_is_told_with_its_clause() {
    for game in judged("wander", "illegal") {
        let told =
            "clause 1b of the addendum: while a piece can leave its own camp, one of them must";
        assert!(reason(&game).contains(told), "{game}");
    }
}

#[test]
fn a_command_at_time_odds_is_told_its_part_of_the_clock() {
    let folder = tempfile::tempdir().expect("a folder");
    for (control, left) in [("--clock 60", 15.0), ("--movetime 20", 5.0)] {
        let log = folder.path().join(left.to_string());
        let script = format!("own=cmd:time=0.25:{HALMA_PLAYER} told {left:?}");
        let words = format!("{control} --pairs 1 --max-plies 2");
        played(&against_random(&script, &words), &log);
        for game in games(&log) {
            assert_eq!(game["fault"], Value::Null, "{game}");
        }
        for mv in records(&log).iter().filter(|it| it["agent"] == "own") {
            assert_eq!(mv["clock_left_s"], left, "{mv}");
        }
    }
}

#[test]
fn illegal_moves_are_told_apart() {
    for (mode, part) in [
        ("illegal", "no neighbour"),
        ("nobody", "has no piece"),
        ("jump", "no piece to jump over"),
    ] {
        for game in judged(mode, "illegal") {
            assert!(reason(&game).contains(part), "{game}");
        }
    }
}

#[test]
fn playdata_lives_for_a_game_and_old_output_for_no_move() {
    // The player counts its moves in playdata.txt and answers only the first.
    for game in judged("once", "silence") {
        assert!(reason(&game).contains("without output.txt"), "{game}");
        let moves = game["moves"].as_array().expect("moves");
        let own = moves.len().div_ceil(2);
        assert!(own >= 1 && moves.len() <= 3, "{game}");
    }
}

#[test]
fn what_does_not_go_with_halma_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    for (words, part) in [
        (
            &["--game", "halma", "--size", "7"][..],
            "--size is an option of Entropy",
        ),
        (&["--rules", "base"][..], "add --game halma"),
        (&["--game", "halma", "--counts", "wall"][..], "CPU time"),
        (&["--game", "halma", "--via", "tcp"][..], "omit --via"),
    ] {
        let words = [&["random", "turnwise"][..], words].concat();
        let output = arena(&words, &log)
            .output()
            .expect("the program can be started");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(part), "{words:?}: {stderr}");
    }
    let words = ["cmd:true", "random", "--game", "halma", "--nodes", "5"];
    let output = arena(&words, &log)
        .output()
        .expect("the program can be started");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("cannot contain a number of nodes"),
        "{stderr}"
    );
}

#[test]
fn killed_and_resumed_it_is_the_match_that_was_not_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, killed] = ["whole", "killed"].map(|name| folder.path().join(name));
    let words = halma("random minimax --nodes 1 --pairs 12 --max-plies 30");
    played(&words, &whole);
    killed_and_resumed(&words, &killed, 3, |_| until_a_game_is_logged(&killed));
    assert_eq!(pair_lines(&killed), pair_lines(&whole));
}

#[test]
fn logs_are_golden() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = "random distance --nodes 1 --pairs 1 --max-plies 12 --openings 2";
    played(&halma(words), &log);
    let written = std::fs::read_to_string(&log).expect("a log");
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/arena/halma.jsonl");
    if std::env::var_os("TURNWISE_WRITE_SAMPLES").is_some() {
        std::fs::write(golden, &written).expect("the log can be written");
    }
    let golden = std::fs::read_to_string(golden).expect("the golden log");
    assert_eq!(written, golden);
}
