//! `turnwise new`: every player that it writes is built and led through `turnwise check`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::{TURNWISE, file_names, json_lines, stderr, stdout, turnwise};

/// The starters' languages, the compiler of each, and what brings it.
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

fn is_there(program: &str) -> bool {
    let asked = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output();
    asked.is_ok_and(|output| output.status.success())
}

/// The games that there are starters for: each has a folder.
fn games() -> Vec<String> {
    file_names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("starters"))
}

/// `make` in a folder, with this program in the PATH.
fn make(folder: &Path, target: &str) -> Output {
    let own = Path::new(TURNWISE).parent().expect("it lies in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("make")
        .args(["-s", target])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", own.display()))
        .stdin(Stdio::null())
        .output()
        .expect("make can be started")
}

/// `turnwise new` into this folder.
fn write(game: &str, language: &str, folder: &Path) -> Output {
    let mut command = turnwise(&["new", game, "--lang", language]);
    command.arg(folder).output().expect("it starts")
}

/// The games whose starters play alike in every language, with matches in which they show it: an opponent
/// that draws nothing at random from a clock, and options.
const ALIKE: [(&str, &[&str]); 2] = [
    ("guesswho", &["binary"]),
    ("twentyone", &["naive", "--rounds", "30", "--seats", "3"]),
];

/// How a starter's README says that it is run.
fn run_by(home: &Path) -> String {
    let text = fs::read_to_string(home.join("README.md")).expect("it has a README");
    let rest = text.split_once("'cmd:").expect("it says how to run it").1;
    rest.split_once('\'').expect("the words end").0.to_owned()
}

/// The games of pairs against this opponent, without times; nobody is at fault.
fn played(game: &str, home: &Path, opponent: &[&str]) -> Vec<Value> {
    let log = home.join("match.jsonl");
    let player = format!("player=cmd:{}", run_by(home));
    let common = "--pairs 3 --seed 5 --clock 1000 --jobs 1 --log match.jsonl --game";
    let output = turnwise(&["arena", &player])
        .args(opponent)
        .args(common.split(' '))
        .arg(game)
        .current_dir(home)
        .stdin(Stdio::null())
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{output:?}");
    let records = json_lines(&fs::read_to_string(&log).expect("a log"));
    let games = records.iter().filter(|record| record["event"] == "game");
    let games: Vec<Value> = games
        .map(|game| {
            assert_eq!(game["fault"], Value::Null, "{game}");
            game["moves"].clone()
        })
        .collect();
    assert_eq!(games.len(), 6);
    games
}

#[test]
fn every_starter_is_built_and_can_take_part() {
    let mut known = BTreeMap::new();
    for (language, compiler, package) in LANGUAGES {
        if !is_there(compiler) || !is_there("make") {
            println!("skipped: the starters in {language}; {package} and make make them possible");
            continue;
        }
        for game in games() {
            let folder = tempfile::tempdir().expect("a folder");
            let home = folder.path().join("player");
            let made = write(&game, language, &home);
            assert!(made.status.success(), "{made:?}");
            let checked = make(&home, "check");
            let said = stdout(&checked);
            assert!(
                checked.status.success() && said.ends_with("It can take part.\n"),
                "{game} in {language}: {checked:?}"
            );
            if let Some((_, opponent)) = ALIKE.iter().find(|(alike, _)| *alike == game) {
                let games = played(&game, &home, opponent);
                let first = known.entry(game.clone()).or_insert_with(|| games.clone());
                assert_eq!(
                    games, *first,
                    "{game} in {language} and in another language"
                );
            }
            // It does not overwrite what somebody may have changed.
            let again = write(&game, language, &home);
            assert!(
                !again.status.success() && stderr(&again).contains("empty folder"),
                "{again:?}"
            );
        }
    }
}
