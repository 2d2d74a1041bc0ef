//! Tests the Java adapters for the course's framework in a harness that has the framework's interfaces.
//!
//! The tests need `javac` and `java`. If these are not installed, the tests print a message and check nothing.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

use super::arena::{games, moves, records};
use super::board_path as path;

/// Compiles the adapter and returns the folder with its classes, or `None` if no Java compiler is installed.
fn classes() -> Option<&'static Path> {
    static CLASSES: OnceLock<Option<tempfile::TempDir>> = OnceLock::new();
    let compiled = CLASSES.get_or_init(|| {
        if Command::new("javac").arg("-version").output().is_err() {
            return None;
        }
        let adapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters/guesswho-java");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let output = Command::new("javac")
            // The course's servers of 2016 use this Java version. A compiler's warning about the version's age is not a
            // defect.
            .args(["--release", "8", "-Xlint:all", "-Xlint:-options", "-Werror"])
            .arg("-d")
            .arg(directory.path())
            .args(
                ["CustomGuessPlayer", "StdioPlayer", "TurnwisePlayer"]
                    .map(|name| adapter.join(name).with_extension("java")),
            )
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
            "SKIPPED: no javac on the path; install a JDK (9 or later) to test the Java adapter"
        );
    }
    compiled.as_ref().map(tempfile::TempDir::path)
}

/// A number of seconds that is longer than a reply takes on any machine.
const ENOUGH: u32 = 600;

/// Plays a game in the harness. The adapter starts the program `command` and waits `patience` seconds for a reply.
fn harness(
    classes: &Path,
    patience: u32,
    command: &str,
    config: &str,
    chosen: [&str; 2],
) -> Output {
    Command::new("java")
        .arg(format!("-Dturnwise.patience={patience}"))
        .arg("-cp")
        .arg(classes)
        .args(["Harness", config])
        .args(chosen)
        .env("TURNWISE", command)
        .output()
        .expect("java starts")
}

/// Plays this game with `turnwise guesswho` instead of the harness, and returns the log.
fn turnwise(player: &str, config: &str, chosen: [&str; 2]) -> String {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), chosen.join(" ")).expect("it is written");
    let output = Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .args(["guesswho", config])
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
        let turnwise_here = env!("CARGO_BIN_EXE_turnwise");
        let output = harness(classes, ENOUGH, turnwise_here, &path(name), chosen);
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
fn without_turnwise_the_framework_gets_the_same_guesses() {
    let Some(classes) = classes() else { return };
    for (name, chosen) in [
        ("official_game1_10p", ["P4", "P9"]),
        ("jm_game3", ["P11", "P29"]),
        ("ac_game1", ["P0", "P19"]),
    ] {
        let output = harness(
            classes,
            ENOUGH,
            "/nonexistent/turnwise",
            &path(name),
            chosen,
        );
        assert!(output.status.success());
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            turnwise("custom", &path(name), chosen),
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

/// Writes a script that appends its process ID to a file and then becomes turnwise.
#[cfg(unix)]
fn counted(directory: &Path, numbers: &Path) -> std::path::PathBuf {
    let script = directory.join("counted");
    let text = format!(
        "#!/bin/sh\necho $$ >> '{}'\nexec '{}' \"$@\"\n",
        numbers.display(),
        env!("CARGO_BIN_EXE_turnwise")
    );
    write_script(&script, &text);
    script
}

#[cfg(unix)]
fn write_script(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;

    std::fs::write(path, text).expect("it is written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
}

#[cfg(unix)]
#[test]
fn the_child_ends_with_its_game_while_java_lives_on() {
    use std::io::{BufRead, BufReader};

    let Some(classes) = classes() else { return };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let numbers = directory.path().join("numbers");
    let script = counted(directory.path(), &numbers);
    // The cases are a win of player 1, a win of player 2, and a tie.
    for (chosen, ending) in [
        (["P4", "P1"], "Player 1 won!"),
        (["P4", "P9"], "Player 2 won!"),
        (["P4", "P4"], "It's a tie!"),
    ] {
        let mut java = Command::new("java")
            .arg(format!("-Dturnwise.patience={ENOUGH}"))
            .arg("-cp")
            .arg(classes)
            .args(["Harness", &path("official_game1_10p")])
            .args(chosen)
            .env("TURNWISE", &script)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("java starts");
        let output = BufReader::new(java.stdout.take().expect("a pipe"));
        let lines = output.lines().map(|line| line.expect("text"));
        let last = lines
            .take_while(|line| line != ending)
            .last()
            .expect("a log");
        assert!(last.starts_with("Player 1 answering"), "{chosen:?}: {last}");
        let started = std::fs::read_to_string(&numbers).expect("both have started");
        assert_eq!(started.lines().count(), 2);
        for number in started.lines() {
            let lives = Command::new("kill").args(["-0", number]).output();
            assert!(
                !lives.expect("there is kill").status.success(),
                "{chosen:?}"
            );
        }
        assert!(java.try_wait().expect("it can be asked").is_none());
        drop(java.stdin.take());
        assert!(java.wait().expect("it ends").success());
        std::fs::remove_file(&numbers).expect("it is there");
    }
}

#[test]
fn a_guess_that_is_null_is_answered_with_no_and_the_game_goes_on() {
    let Some(classes) = classes() else { return };
    for command in [env!("CARGO_BIN_EXE_turnwise"), "/nonexistent/turnwise"] {
        let output = Command::new("java")
            .arg(format!("-Dturnwise.patience={ENOUGH}"))
            .arg("-cp")
            .arg(classes)
            .args(["Harness", &path("official_game1_10p"), "P1", "P3", "3"])
            .env("TURNWISE", command)
            .output()
            .expect("java starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        assert_eq!(
            errors.contains(GIVEN_UP),
            command == "/nonexistent/turnwise",
            "{errors}"
        );
        let log = String::from_utf8_lossy(&output.stdout);
        assert!(
            log.starts_with(
                "Round 1\nPlayer 1 guessing null\nPlayer 2 answering false\n\
                 Player 2 guessing null\nPlayer 1 answering false\n\
                 Round 2\nPlayer 1 guessing null\nPlayer 2 answering false\n\
                 Player 2 guessing Attribute "
            ),
            "{log}"
        );
        assert!(log.ends_with("!\n"), "{log}");
    }
}

#[cfg(unix)]
#[test]
fn a_child_that_dies_talks_nonsense_or_falls_silent_is_given_up() {
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
        write_script(&script, &format!("#!/bin/sh\n{start} {rest}\n"));
        let chosen = ["P4", "P9"];
        let official = path("official_game1_10p");
        let script = script.to_str().expect("UTF-8");
        let output = harness(classes, 2, script, &official, chosen);
        assert!(output.status.success(), "{name}");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            turnwise("custom", &official, chosen),
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

#[test]
fn a_player_of_the_framework_plays_in_the_arena() {
    let Some(classes) = classes() else { return };
    let java = |player: &str, options: &str| {
        let classes = classes.display();
        format!("java=cmd:java {options} -cp {classes} StdioPlayer {player}")
    };
    let play = |player: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        records(&[player, "binary", "--pairs", "1"], folder.path())
    };
    // Without the program turnwise, the Java player guesses like `custom`.
    let alone = "-Dturnwise.command=/nonexistent/turnwise";
    let [outside, inside] = [&*java("CustomGuessPlayer", alone), "java=turnwise"].map(play);
    assert_eq!(games(&outside).count(), 2);
    for (one, other) in games(&outside).zip(games(&inside)) {
        assert_eq!(one["fault"], serde_json::Value::Null, "{one}");
        assert_eq!(moves(one), moves(other));
    }
    // If the Java class is missing, the program crashes, and the log contains Java's own message.
    for game in games(&play(&java("NoSuchPlayer", ""))) {
        assert_eq!(game["fault"]["kind"], "crash", "{game}");
        let said = game["fault"]["stderr"].to_string();
        assert!(
            said.contains("ClassNotFoundException: NoSuchPlayer"),
            "{said}"
        );
    }
}
