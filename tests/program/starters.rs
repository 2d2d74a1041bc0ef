//! `turnwise new`: every player that it writes is built and led through `turnwise check`.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::support::{TURNWISE, file_names, stderr, stdout, turnwise};

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

#[test]
fn every_starter_is_built_and_can_take_part() {
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
            // It does not overwrite what somebody may have changed.
            let again = write(&game, language, &home);
            assert!(
                !again.status.success() && stderr(&again).contains("empty folder"),
                "{again:?}"
            );
        }
    }
}
