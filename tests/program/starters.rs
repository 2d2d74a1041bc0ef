//! Tests the command `turnwise new`, which writes starters, small example players to start from.
//!
//! Every starter must be buildable, pass `turnwise check`, and play a match.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use serde_json::Value;

use crate::support::{STATE, TURNWISE, file_names, is_there, json_lines, stderr, stdout, turnwise};

/// The languages of starters, each with its compiler or interpreter and the package that contains this tool.
const LANGUAGES: [(&str, &str, &str); 4] = [
    ("python", "python3", "python3"),
    ("cpp", "g++", "g++"),
    (
        "java",
        "javac",
        "a JDK, such as default-jdk-headless of Debian",
    ),
    ("rust", "rustc", "Rust"),
];

/// Returns the names of the games that have starters. These are the names of the starters' folders.
fn games() -> Vec<String> {
    file_names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("starters"))
}

/// Runs a command line in a folder, with the program turnwise in the PATH.
fn shell(folder: &Path, line: &str) -> Output {
    let own = Path::new(TURNWISE).parent().expect("it lies in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", own.display()))
        .env("XDG_STATE_HOME", STATE)
        .stdin(Stdio::null())
        .output()
        .expect("a shell can be started")
}

/// Runs `turnwise new` to write the starter for this game and language into this folder.
fn write(game: &str, language: &str, folder: &Path) -> Output {
    let mut command = turnwise(&["new", game, "--lang", language]);
    command.arg(folder).output().expect("it starts")
}

/// Plays a pair of games between a built starter and a random agent. Returns the moves.
///
/// Asserts that there are no faults. The match uses the options with which the starter's Makefile checks the starter.
fn moves_of_a_pair(home: &Path) -> Vec<Value> {
    let makefile = fs::read_to_string(home.join("Makefile")).expect("a Makefile");
    let mut lines = makefile.lines().map(str::trim);
    let check = lines.find_map(|line| line.strip_prefix("turnwise check "));
    let words = check.expect("it checks the player");
    // The clock is long, so that nobody runs out of time on a busy machine.
    let clock = if words.contains("--clock") {
        ""
    } else {
        "--clock 900"
    };
    let line = format!(
        "turnwise arena random {words} {clock} --pairs 1 --seed 3 --log pair.jsonl --quiet"
    );
    let played = shell(home, &line);
    assert!(played.status.success(), "{line}: {played:?}");
    let log = fs::read_to_string(home.join("pair.jsonl")).expect("a log");
    let records = json_lines(&log).into_iter();
    let games: Vec<Value> = records.filter(|record| record["event"] == "game").collect();
    assert_eq!(games.len(), 2, "{log}");
    for game in &games {
        assert!(game["fault"].is_null(), "{game}");
    }
    games
        .into_iter()
        .map(|game| game["moves"].clone())
        .collect()
}

#[test]
fn every_starter_is_built_can_take_part_and_plays_alike_in_every_language() {
    thread::scope(|scope| {
        for game in games() {
            scope.spawn(move || is_alike_in_every_language(&game));
        }
    });
}

fn is_alike_in_every_language(game: &str) {
    let mut played: Option<(&str, Vec<Value>)> = None;
    for (language, compiler, package) in LANGUAGES {
        if !is_there(compiler) || !is_there("make") {
            println!("skipped: the starters in {language}; {package} and make make them possible");
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("player");
        let made = write(game, language, &home);
        assert!(made.status.success(), "{made:?}");
        let checked = shell(&home, "make -s check");
        let said = stdout(&checked);
        assert!(
            checked.status.success() && said.ends_with("It can take part.\n"),
            "{game} in {language}: {checked:?}"
        );
        let moves = moves_of_a_pair(&home);
        let (first, expected) = played.get_or_insert_with(|| (language, moves.clone()));
        assert_eq!(moves, *expected, "{game} in {language} and {first}");
        // `turnwise new` does not overwrite files that the user may have changed.
        let again = write(game, language, &home);
        assert!(
            !again.status.success() && stderr(&again).contains("empty folder"),
            "{again:?}"
        );
    }
}
