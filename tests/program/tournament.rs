//! `turnwise new`, `check` and `tournament` as a class would use them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::support::{TURNWISE, run, stderr, stdout, turnwise};

/// Compilers of the starters' languages, and what brings them.
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

/// `make` in a folder, with this program in the PATH.
fn make(folder: &Path, target: &str) -> std::process::Output {
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

#[test]
fn every_starter_is_built_and_can_take_part() {
    for (language, compiler, package) in LANGUAGES {
        if !is_there(compiler) || !is_there("make") {
            println!("skipped: the starters in {language}; {package} and make make them possible");
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("player");
        let words = ["new", "entropy", "--lang", language];
        let made = turnwise(&words).arg(&home).output().expect("it starts");
        assert!(made.status.success(), "{made:?}");
        let checked = make(&home, "check");
        let said = stdout(&checked);
        assert!(
            checked.status.success() && said.ends_with("It can take part.\n"),
            "{language}: {checked:?}"
        );
        // It does not overwrite what somebody may have changed.
        let again = turnwise(&words).arg(&home).output().expect("it starts");
        assert!(
            !again.status.success() && stderr(&again).contains("empty folder"),
            "{again:?}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_program_is_said_and_the_exit_code_tells() {
    for (program, came) in [
        ("cmd:false", "crash"),
        ("cmd:sh -c 'while read line; do echo what; done'", "garbage"),
        (
            "cmd:sh -c 'while read line; do echo 0 0 0 0; done'",
            "garbage",
        ),
        ("cmd:sh -c 'echo 7 7; cat >/dev/null'", "garbage"),
        ("cmd:sh -c 'cat >/dev/null; exec sleep 60'", "silence"),
    ] {
        let output = run(&["check", program, "--size", "3", "--clock", "0.2"]);
        let said = stdout(&output);
        assert_eq!(output.status.code(), Some(1), "{program}: {output:?}");
        assert!(said.contains(&format!("({came})")), "{program}: {said}");
        assert!(said.ends_with("It cannot take part yet.\n"), "{said}");
    }
    let asleep = run(&[
        "check",
        "cmd:sh -c 'exec sleep 60'",
        "--size",
        "3",
        "--clock",
        "0.2",
    ]);
    assert!(
        stdout(&asleep).contains("FAILED   end of input"),
        "{asleep:?}"
    );
    let built_in = run(&["check", "greedy"]);
    assert_eq!(built_in.status.code(), Some(1));
    assert!(
        stderr(&built_in).contains("expected a program"),
        "{built_in:?}"
    );
}

const CLASS: &str = r#"
game = "entropy"
seed = 3
faults = 4
[settings]
size = 3
[time]
clock = 20
[format]
kind = "round-robin"
times = 1
[[participant]]
name = "ada"
folder = "ada"
build = "make"
run = "python3 player.py"
[[participant]]
name = "greedy"
agent = "greedy"
[[participant]]
name = "broken"
run = "false"
[[participant]]
name = "unbuilt"
folder = "ada"
build = "make no-such-target"
run = "python3 player.py"
"#;

fn class() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let made = turnwise(&["new", "entropy", "--lang", "python"])
        .arg(folder.path().join("ada"))
        .output();
    assert!(made.expect("it starts").status.success());
    fs::write(folder.path().join("class.toml"), CLASS).expect("there is room");
    folder
}

/// The pairs of a log in the order of their numbers, without times.
pub fn pairs(folder: &Path) -> Vec<String> {
    let log = fs::read_to_string(folder.join("class.jsonl")).unwrap_or_default();
    let mut games: Vec<(u64, u64, String)> = (log.lines())
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|record| record["event"] == "game")
        .map(|record| {
            let number = |name: &str| record[name].as_u64().expect("a number");
            let told = format!(
                "{} {} {}",
                record["first"], record["second"], record["moves"]
            );
            (number("pair"), number("game"), told)
        })
        .collect();
    games.sort();
    games.into_iter().map(|(_, _, told)| told).collect()
}

#[test]
fn a_class_plays_and_nobody_suffers_from_others() {
    let folder = class();
    let file = folder.path().join("class.toml");
    let file = file.to_str().expect("UTF-8");
    let plan = run(&["tournament", file, "--plan"]);
    assert!(stdout(&plan).contains("0 of 6 pairs played"), "{plan:?}");
    assert!(!folder.path().join("class.jsonl").exists());

    let played = run(&["tournament", file, "--jobs", "2"]);
    assert!(played.status.success(), "{played:?}");
    let told = stderr(&played);
    assert!(
        told.contains("unbuilt does not play: `make no-such-target` failed"),
        "{told}"
    );
    assert!(told.contains("broken was at fault"), "{told}");
    for name in ["report.html", "results.json", "results.csv"] {
        assert!(
            folder.path().join("class-report").join(name).is_file(),
            "{name}"
        );
    }
    let once = pairs(folder.path());
    assert_eq!(once.len(), 6, "three pairs of three: {once:?}");

    // Nothing is left to play, and the same is said again.
    let again = run(&["tournament", file]);
    assert!(again.status.success());
    assert_eq!(pairs(folder.path()), once);
    let wrong = run(&[
        "arena",
        "--resume",
        folder.path().join("class.jsonl").to_str().expect("UTF-8"),
    ]);
    assert!(stderr(&wrong).contains("turnwise tournament"), "{wrong:?}");
}

#[test]
fn killed_and_gone_on_with_it_ends_with_the_same_games() {
    let whole = class();
    let file = whole.path().join("class.toml");
    assert!(
        run(&["tournament", file.to_str().expect("UTF-8")])
            .status
            .success()
    );
    let broken_off = class();
    let file = broken_off.path().join("class.toml");
    for milliseconds in [50, 200, 500, 900] {
        let mut child = turnwise(&["tournament"])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        thread::sleep(Duration::from_millis(milliseconds));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    assert!(
        run(&["tournament", file.to_str().expect("UTF-8")])
            .status
            .success()
    );
    assert_eq!(pairs(broken_off.path()), pairs(whole.path()));
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("class.toml");
    for (text, told) in [
        ("game = 3", "class.toml"),
        (
            "game = \"chess\"\n[format]\nkind = \"knockout\"",
            "expected entropy",
        ),
        (
            "game = \"entropy\"\n[format]\nkind = \"knockout\"",
            "at least two",
        ),
    ] {
        fs::write(&file, text).expect("there is room");
        let output = run(&["tournament", file.to_str().expect("UTF-8")]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(stderr(&output).contains(told), "{output:?}");
    }
}
