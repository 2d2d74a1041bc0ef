//! The adapter for the course's framework, compiled and run against a harness with the same
//! interfaces. Needs `javac` and `java`; without them the tests say so and check nothing.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

use super::boards::path;

/// The compiled adapter, or nothing without a Java compiler.
fn classes() -> Option<&'static Path> {
    static CLASSES: OnceLock<Option<tempfile::TempDir>> = OnceLock::new();
    let compiled = CLASSES.get_or_init(|| {
        if Command::new("javac").arg("-version").output().is_err() {
            return None;
        }
        let adapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters/guesswho-java");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let output = Command::new("javac")
            .args(["-Xlint:all", "-Werror", "-d"])
            .arg(directory.path())
            .arg(adapter.join("CustomGuessPlayer.java"))
            .args(
                ["Player", "Guess", "Harness"]
                    .map(|name| adapter.join("harness").join(name).with_extension("java")),
            )
            .output()
            .expect("javac was there a moment ago");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        Some(directory)
    });
    if compiled.is_none() {
        println!(
            "SKIPPED: no javac on the path; install a JDK (17 or later) to test the Java adapter"
        );
    }
    compiled.as_ref().map(tempfile::TempDir::path)
}

/// Plays the harness's game with `turnwise` found at `command`.
fn harness(classes: &Path, command: &str, config: &str, chosen: [&str; 2]) -> Output {
    Command::new("java")
        .args(["-Dturnwise.patience=2", "-cp"])
        .arg(classes)
        .args(["Harness", config])
        .args(chosen)
        .env("TURNWISE", command)
        .output()
        .expect("java starts")
}

/// The log of `turnwise guesswho` for the same game.
fn turnwise(player: &str, config: &str, chosen: [&str; 2]) -> String {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), chosen.join(" ")).expect("it is written");
    let output = Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .args(["guesswho", "--lenient", config])
        .arg(file.path())
        .args([player, player])
        .output()
        .expect("the program starts");
    String::from_utf8(output.stdout).expect("the log is UTF-8")
}

const GIVEN_UP: &str = "CustomGuessPlayer goes on without turnwise";

#[test]
fn in_the_framework_custom_plays_as_in_turnwise() {
    let Some(classes) = classes() else { return };
    for (name, chosen) in [
        ("official_game1_10p", ["P1", "P3"]),
        ("jm_game3", ["P30", "P2"]),
        ("kokaruk", ["P7", "P7"]),
    ] {
        let output = harness(classes, env!("CARGO_BIN_EXE_turnwise"), &path(name), chosen);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && !errors.contains(GIVEN_UP),
            "{errors}"
        );
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            turnwise("custom", &path(name), chosen),
            "{name}"
        );
    }
}

#[test]
fn without_turnwise_the_framework_gets_binary_guesses() {
    let Some(classes) = classes() else { return };
    for (name, chosen) in [
        ("official_game1_10p", ["P4", "P9"]),
        ("jm_game3", ["P11", "P29"]),
        ("ac_game1", ["P0", "P19"]),
    ] {
        let output = harness(classes, "/nonexistent/turnwise", &path(name), chosen);
        assert!(output.status.success());
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            turnwise("binary", &path(name), chosen),
            "{name}"
        );
        assert_eq!(
            String::from_utf8_lossy(&output.stderr)
                .matches(GIVEN_UP)
                .count(),
            2
        );
    }
}

#[cfg(unix)]
#[test]
fn a_child_that_dies_talks_nonsense_or_falls_silent_is_given_up() {
    use std::os::unix::fs::PermissionsExt;

    let Some(classes) = classes() else { return };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let start = "read line; echo loaded 10; read line; echo ok; read line;";
    for (name, rest) in [
        ("dies", "exit 3"),
        ("talks", "echo guess Attribute shoes red; cat > /dev/null"),
        (
            "rambles",
            "echo 'Exception in thread main'; cat > /dev/null",
        ),
        ("falls-silent", "cat > /dev/null"),
    ] {
        let script = directory.path().join(name);
        std::fs::write(&script, format!("#!/bin/sh\n{start} {rest}\n")).expect("it is written");
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))
            .expect("it can be run");
        let chosen = ["P4", "P9"];
        let official = path("official_game1_10p");
        let output = harness(classes, script.to_str().expect("UTF-8"), &official, chosen);
        assert!(output.status.success(), "{name}");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            turnwise("binary", &official, chosen),
            "{name}"
        );
        assert_eq!(
            String::from_utf8_lossy(&output.stderr)
                .matches(GIVEN_UP)
                .count(),
            2,
            "{name}"
        );
    }
}
