//! Tests logs that do not come from this user.
//!
//! The program rejects a header that contains anything that the command line would reject. It runs no command from a
//! log without this user's consent.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::{arena, played, resume};
use crate::support::{on_a_terminal, run, stderr};

const WORDS: [&str; 8] = [
    "random", "greedy", "--nodes", "1", "--pairs", "2", "--size", "3",
];

/// Changes a log's header with `change`, and removes everything else from the log.
fn with_header(log: &Path, change: impl FnOnce(&mut Value)) {
    let text = fs::read_to_string(log).expect("a log");
    let mut header = serde_json::from_str(text.lines().next().expect("a header")).expect("JSON");
    change(&mut header);
    fs::write(log, format!("{header}\n")).expect("it can be written");
}

fn resumed(log: &Path) -> Output {
    resume(log).output().expect("the program can be started")
}

/// Asserts that resuming the match of this log fails, and that the error contains these words.
///
/// There must be no panic and no control characters in the output.
fn refused(log: &Path, words: &str) {
    let before = fs::read(log).expect("a log");
    let output = resumed(log);
    let stderr = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{words}: {stderr}");
    assert!(stderr.contains(words), "{stderr} without {words}");
    assert!(!stderr.contains('\u{1b}') && stderr.lines().count() < 6);
    assert_eq!(fs::read(log).expect("a log"), before);
}

#[test]
fn a_header_is_held_to_what_the_command_line_allows() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let clock = |seconds: f64, increment: f64| json!({"kind": "clock", "seconds": seconds, "increment": increment});
    let test = |lower: f64, alpha: f64| json!({"unit": "elo", "lower": lower, "upper": 5.0, "alpha": alpha, "beta": 0.05});
    let many: Vec<Value> = (0..65)
        .map(|number| json!({"name": format!("{number}"), "spec": "random"}))
        .collect();
    let agents =
        |name: &str| json!([{"name": name, "spec": "random"}, {"name": "b", "spec": "greedy"}]);
    let in_spec =
        json!([{"name": "a", "spec": "cmd:folder=/:true"}, {"name": "b", "spec": "greedy"}]);
    let cases = [
        ("size", json!(0), "board's size"),
        ("size", json!(1), "board's size"),
        ("size", json!(27), "board's size"),
        ("size", json!(255), "board's size"),
        ("time", clock(-1.0, 0.0), "the time"),
        ("time", clock(0.0, 0.0), "the time"),
        ("time", clock(1e300, 0.0), "the time"),
        ("time", clock(1.0, -1.0), "the time"),
        ("time", clock(1.0, 1e300), "the time"),
        (
            "time",
            json!({"kind": "movetime", "seconds": 1e300}),
            "the time",
        ),
        ("time", json!({"kind": "nodes", "nodes": 0}), "the time"),
        ("gauntlet", json!(99), "gauntlet"),
        ("gauntlet", json!(0), "gauntlet"),
        ("gauntlet", json!(2), "gauntlet"),
        ("jobs", json!(1_000_000_000), "jobs"),
        ("pairs", json!(u32::MAX), "pairs"),
        ("seed", json!(u64::MAX), "the seed"),
        ("sprt", test(5.0, 0.05), "the test"),
        ("sprt", test(0.0, 0.0), "the test"),
        ("sprt", test(0.0, 7.0), "the test"),
        ("agents", json!(many), "agents: expected at most 64"),
        ("agents", agents("b"), "a different name for each agent"),
        ("agents", agents("\u{1b}[2J"), "without control characters"),
        ("agents", agents("\u{202e}"), "without control characters"),
        ("agents", agents(&"x".repeat(257)), "at most 256 characters"),
        ("agents", in_spec, "in the field `folder`"),
        ("turnwise", json!({"\u{1b}[2J": 1}), "the header"),
    ];
    for (field, value, words) in cases {
        fs::remove_file(&log).unwrap_or_default();
        played(&WORDS, &log);
        with_header(&log, |header| header[field] = value);
        refused(&log, words);
    }
    for (field, value) in [
        ("plies", json!(0)),
        ("grace_s", json!(-1.0)),
        ("grace_s", json!(1e300)),
    ] {
        fs::remove_file(&log).unwrap_or_default();
        let words = "random b=random --nodes 1 --pairs 1 --max-plies 4 --game halma";
        played(&words.split(' ').collect::<Vec<_>>(), &log);
        with_header(&log, |header| header[field] = value);
        refused(&log, "this version reads");
    }
}

#[test]
fn a_header_without_jobs_is_played_on_all_cores() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    played(&WORDS, &log);
    with_header(&log, |header| {
        drop(header.as_object_mut().expect("an object").remove("jobs"))
    });
    assert!(resumed(&log).status.success());
    assert_eq!(super::games(&log).len(), 4);
}

#[test]
fn games_of_other_numbers_and_of_others_are_refused_with_their_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    played(&WORDS, &log);
    let text = fs::read_to_string(&log).expect("a log");
    let changes = [
        ("\"pair\":1,", "\"pair\":0,", "pair 0"),
        ("\"pair\":1,", "\"pair\":3,", "pair 3"),
        ("\"game\":2,", "\"game\":7,", "game 7"),
        (
            "\"first\":\"random\"",
            "\"first\":\"\\u001b[2J\"",
            "between other agents",
        ),
        (
            "\"order\":\"random\"",
            "\"order\":\"\\u001b[2J\"",
            "between other agents",
        ),
    ];
    for (old, new, words) in changes {
        fs::write(&log, text.replace(old, new)).expect("it can be written");
        refused(&log, words);
    }
}

/// A log from another source, which contains a command that creates the file `mark` in its current folder.
///
/// The command is missing in the notes where the program stores the commands to which this user has consented.
struct Foreign {
    folder: tempfile::TempDir,
    log: std::path::PathBuf,
}

impl Foreign {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        played(&WORDS, &log);
        let mark = folder.path().join("mark");
        let command = format!("cmd:touch {}", mark.display());
        with_header(&log, |header| {
            header["agents"][0] = json!({"name": "stranger", "spec": command});
            header["time"] = json!({"kind": "clock", "seconds": 1.0, "increment": 0.0});
        });
        Self { folder, log }
    }

    fn has_run(&self) -> bool {
        self.folder.path().join("mark").exists()
    }

    fn resume(&self) -> Command {
        let mut command = resume(&self.log);
        command.env("XDG_STATE_HOME", self.folder.path());
        command
    }
}

#[test]
fn a_command_from_elsewhere_is_shown_and_does_not_run_until_that_is_agreed() {
    let foreign = Foreign::new();
    let output = foreign.resume().output().expect("started");
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("  stranger: cmd:touch /") && told.contains("--yes"),
        "{told}"
    );
    assert!(!foreign.has_run());
    let agreed = foreign.resume().arg("--yes").output().expect("started");
    assert!(agreed.status.success() && foreign.has_run());
    // The program asks for consent to a command only once.
    fs::remove_file(foreign.folder.path().join("mark")).expect("it is there");
    with_header(&foreign.log, |_| {});
    let again = foreign.resume().output().expect("started");
    assert!(
        again.status.success() && foreign.has_run(),
        "{}",
        stderr(&again)
    );
}

#[test]
fn a_command_given_in_another_folder_is_from_elsewhere() {
    let foreign = Foreign::new();
    assert!(
        foreign
            .resume()
            .arg("--yes")
            .status()
            .expect("started")
            .success()
    );
    with_header(&foreign.log, |_| {});
    let elsewhere = foreign.resume().current_dir("/").output().expect("started");
    assert_eq!(elsewhere.status.code(), Some(1), "{}", stderr(&elsewhere));
}

#[test]
fn a_command_given_without_that_folder_is_from_elsewhere() {
    let foreign = Foreign::new();
    let agreed = foreign.resume().arg("--yes").status();
    assert!(agreed.expect("started").success());
    with_header(&foreign.log, |header| {
        header["agents"][0]["folder"] = json!(foreign.folder.path());
    });
    let other = foreign.resume().output().expect("started");
    let told = stderr(&other);
    assert_eq!(other.status.code(), Some(1), "{told}");
    let place = format!(", in {}", foreign.folder.path().display());
    assert!(told.contains(&place), "{told}");
}

#[test]
fn a_command_that_this_user_gave_is_gone_on_with_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = [
        "cmd:true", "random", "--clock", "1", "--pairs", "1", "--size", "3",
    ];
    let first = arena(&words, &log)
        .env("XDG_STATE_HOME", folder.path())
        .status();
    assert!(first.expect("started").success());
    with_header(&log, |_| {});
    let mut second = resume(&log);
    second.env("XDG_STATE_HOME", folder.path());
    assert!(second.status().expect("started").success());
    // If other users have permission to write to the file of notes, the program ignores the notes.
    let notes = folder.path().join("turnwise/arena-commands.jsonl");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    fs::set_permissions(&notes, open).expect("they are ours");
    with_header(&log, |_| {});
    assert_eq!(second.status().expect("started").code(), Some(1));
}

#[test]
fn a_terminal_is_asked_and_no_is_an_answer() {
    for (answer, runs) in [("n", false), ("", false), ("y", true)] {
        let foreign = Foreign::new();
        let program = super::TURNWISE;
        let [log, state] =
            [&foreign.log, foreign.folder.path()].map(|path| path.display().to_string());
        let command =
            format!("echo '{answer}' | script -qec '{program} arena -q --resume {log}' /dev/null");
        let (said, _) = on_a_terminal(&command, &[("XDG_STATE_HOME", &state)]);
        assert!(said.contains("Run them with your permissions?"), "{said}");
        assert_eq!(foreign.has_run(), runs, "{said}");
    }
}

#[test]
fn times_out_of_range_are_rejected_wherever_they_are_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let rejected = |output: Output, place: &str, value: &str| {
        let stderr = stderr(&output);
        let code = output.status.code();
        assert!(matches!(code, Some(1 | 2)), "{place} {value}: {stderr}");
        let range = "seconds above 0 and at most 10000000";
        assert!(stderr.contains(range), "{place} {value}: {stderr}");
    };
    let values = ["nan", "inf", "-inf", "-1", "1e300"];
    for (command, options) in [
        ("arena random greedy", "clock increment movetime start-time"),
        ("arena random greedy --game halma", "grace"),
        ("analyse", "time"),
        ("demo", "clock"),
        ("host", "clock patience"),
        ("play localhost 1", "clock reconnect"),
    ] {
        for option in options.split(' ') {
            for value in values {
                let mut words: Vec<&str> = command.split(' ').collect();
                let given = format!("--{option}={value}");
                words.push(&given);
                rejected(run(&words), command, &given);
            }
        }
    }
    let file = folder.path().join("class.toml");
    for (game, field) in [
        ("entropy", "time.clock"),
        ("entropy", "time.increment"),
        ("entropy", "time.movetime"),
        ("entropy", "start"),
        ("halma", "settings.grace"),
    ] {
        for value in values {
            let class = format!(
                "game = \"{game}\"\n{field} = {value}\n\
                 format = {{ kind = \"round-robin\", times = 1 }}\n\
                 participant = [{{ name = \"a\", agent = \"random\" }}, {{ name = \"b\", agent = \"random\" }}]\n"
            );
            fs::write(&file, class).expect("there is room");
            let output = run(&["tournament", file.to_str().expect("UTF-8"), "--plan"]);
            rejected(output, field, value);
        }
    }
    let halma = "random b=random --nodes 1 --pairs 1 --max-plies 4 --game halma";
    played(&halma.split(' ').collect::<Vec<_>>(), &log);
    for value in [-1.0, 1e300] {
        for (field, json) in [
            ("time", json!({"kind": "clock", "seconds": value})),
            ("time", json!({"kind": "movetime", "seconds": value})),
            (
                "time",
                json!({"kind": "clock", "seconds": 1.0, "increment": value}),
            ),
            ("start_s", json!(value)),
            ("grace_s", json!(value)),
        ] {
            let before = fs::read(&log).expect("a log");
            with_header(&log, |header| header[field] = json);
            rejected(resumed(&log), field, &value.to_string());
            fs::write(&log, before).expect("there is room");
        }
    }
}
