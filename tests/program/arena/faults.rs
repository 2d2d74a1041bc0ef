//! Tests players that crash, stall, write endlessly, or answer illegally or late.
//!
//! In each case, the arena must judge the fault correctly, and the match must continue.

use super::{PLAYER, games, played};

/// Returns the name that the program's texts use for a kind of fault.
fn name_of(kind: &str) -> &str {
    match kind {
        "illegal" => "illegal move",
        other => other,
    }
}

/// Plays a pair of games between a scripted player and a baseline agent. Returns the games.
///
/// Asserts that the scripted player commits the fault `kind` in both games.
fn judged(mode: &str, kind: &str) -> Vec<serde_json::Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let script = format!("culprit=cmd:{PLAYER} {mode}");
    let words = [
        "--pairs", "1", "--clock", "0.5", "--seed", "3", "--size", "4", "--jobs", "1",
    ];
    let output = played(&[&[script.as_str(), "random"], &words[..]].concat(), &log);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("FAULTS  culprit 2, random 0"), "{stdout}");
    let games = games(&log);
    assert_eq!(games.len(), 2);
    let reason = games[0]["fault"]["reason"].as_str().expect("text");
    let told = format!("culprit in pair 1, game 1: {}: ", name_of(kind));
    assert!(stdout.contains(&told), "{stdout} without {told}");
    let beginning: String = reason.chars().take(40).collect();
    assert!(
        stdout.contains(beginning.trim()),
        "{stdout} without {reason}"
    );
    for (game, role, score) in [(&games[0], "ORDER", 0), (&games[1], "CHAOS", 100)] {
        let fault = &game["fault"];
        assert_eq!(fault["agent"], "culprit", "{game}");
        assert_eq!(fault["role"], role, "{game}");
        assert_eq!(fault["kind"], kind, "{game}");
        assert_eq!(game["order_score"], score, "{game}");
    }
    games
}

#[test]
fn a_crash_is_told_with_its_status_and_last_words() {
    for game in judged("crash", "crash") {
        let fault = &game["fault"];
        let reason = fault["reason"].as_str().expect("text");
        assert!(reason.contains("exit status: 3"), "{reason}");
        assert_eq!(fault["stderr"], serde_json::json!(["about to crash"]));
    }
}

#[test]
fn the_summary_ends_a_crash_with_the_last_line_of_stderr_bounded_and_harmless() {
    let folder = tempfile::tempdir().expect("a folder");
    let player = folder.path().join("player.sh");
    let text = "printf 'first\\n\\033[2Jlast %0500d\\n\\n' 7 >&2\nexit 3\n";
    std::fs::write(&player, text).expect("it can be written");
    let culprit = format!("culprit=cmd:sh {}", player.display());
    let words = [&culprit, "random", "--pairs", "1", "--size", "4"];
    let output = played(&words, &folder.path().join("log"));
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        stdout.contains("stderr ends with: \u{fffd}[2Jlast 0000"),
        "{stdout}"
    );
    assert!(
        !stdout.contains('\u{1b}') && !stdout.contains("first"),
        "{stdout}"
    );
    let longest = stdout.lines().map(|line| line.chars().count()).max();
    assert!(longest < Some(300), "{stdout}");
    let report = std::process::Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .arg("report")
        .arg(folder.path().join("log"))
        .output()
        .expect("the program can be started");
    let report = String::from_utf8_lossy(&report.stdout);
    assert!(
        report.contains("stderr ends with: \u{fffd}[2Jlast 0000"),
        "{report}"
    );
}

#[test]
fn a_stall_is_silence() {
    judged("stall", "silence");
}

#[test]
fn a_flood_is_garbage() {
    judged("flood", "garbage");
}

#[test]
fn an_endless_line_is_garbage() {
    judged("long", "garbage");
}

#[test]
fn words_that_are_no_move_are_garbage() {
    for game in judged("garbage", "garbage") {
        let reason = game["fault"]["reason"].as_str().expect("text").to_owned();
        assert!(reason.contains("good morning"), "{reason}");
    }
}

#[test]
fn a_move_off_the_board_is_illegal() {
    judged("illegal", "illegal");
}

#[test]
fn a_pass_is_illegal_unless_the_match_allows_it_and_the_fault_says_so() {
    for (options, kind) in [(&[][..], "illegal"), (&["--pass"], "silence")] {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        let script = format!("culprit=cmd:{PLAYER} pass");
        let words = [
            "--pairs", "1", "--clock", "0.5", "--seed", "3", "--size", "4", "--jobs", "1",
        ];
        played(
            &[&[script.as_str(), "random"], &words[..], options].concat(),
            &log,
        );
        let fault = games(&log)[0]["fault"].clone();
        assert_eq!(
            (&fault["role"], &fault["kind"]),
            (&"ORDER".into(), &kind.into()),
            "{fault}"
        );
        let reason = fault["reason"].as_str().expect("text");
        let refused = "`pass`: this match does not allow passing; --pass does";
        assert_eq!(reason == refused, kind == "illegal", "{reason}");
    }
}

#[test]
fn an_answer_after_the_clock_is_overtime() {
    judged("late", "overtime");
}

#[test]
fn a_command_that_does_not_exist_is_told_before_there_is_a_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let output = super::arena(&["cmd:./no-such-player", "random", "--pairs", "2"], &log)
        .output()
        .expect("the program can be started");
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("cannot start \"./no-such-player\""),
        "{stderr}"
    );
    assert!(!log.exists());
}

#[test]
fn a_command_runs_in_the_folder_that_it_is_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("own");
    std::fs::create_dir(&own).expect("there is room");
    let player = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/starters/entropy/python/player.py"
    );
    std::fs::copy(player, own.join("mine.py")).expect("there is room");
    let log = folder.path().join("log");
    let command = format!("cmd:folder={}:sh -c 'python3 mine.py'", own.display());
    let words = [
        &command, "random", "--pairs", "1", "--size", "3", "--clock", "60",
    ];
    let output = super::arena(&words, &log).output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    let text = std::fs::read_to_string(&log).expect("a log");
    assert_eq!(text.matches("\"event\":\"game\"").count(), 2);
    assert_eq!(text.matches("\"fault\":null").count(), 2, "{text}");
    let missing = folder.path().join("missing");
    let elsewhere = command.replace("/own:", "/elsewhere:");
    let output = super::arena(&[&elsewhere, "random"], &missing).output();
    let output = output.expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("agent `sh`: expected a folder at"),
        "{stderr}"
    );
    assert!(!missing.exists());
}

#[test]
fn a_file_that_cannot_be_run_ends_the_match_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let [log, player] = ["log", "player"].map(|name| folder.path().join(name));
    std::fs::write(&player, "no program").expect("it can be written");
    let command = format!("cmd:{}", player.display());
    let output = super::arena(&[&command, "random"], &log).output();
    let stderr = String::from_utf8(output.expect("it starts").stderr).expect("UTF-8");
    assert!(stderr.contains("the file is not executable"), "{stderr}");
    assert!(!log.exists());
    // Files in PATH are not examined before the match.
    for game in ["entropy", "halma"] {
        let words = ["cmd:player", "random", "--pairs", "2", "--game", game];
        let output = super::arena(&words, &log)
            .env("PATH", folder.path())
            .output()
            .expect("the program can be started");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("the match has stopped"), "{stderr}");
        assert!(stderr.contains("cannot start"), "{stderr}");
        std::fs::remove_file(&log).expect("a log");
    }
}
