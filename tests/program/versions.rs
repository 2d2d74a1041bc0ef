//! Tests that a tournament notices programs that are missing or have changed, and that participants can play again.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{json_lines, run, stderr, stdout, turnwise};

/// The build writes another file each time.
const CLASS: &str = r#"
game = "entropy"
seed = 3
[settings]
size = 2
[time]
clock = 20
[format]
kind = "round-robin"
[[participant]]
name = "ada"
folder = "ada"
build = "sh -c 'date +%N > built'"
run = "python3 player.py"
[[participant]]
name = "greedy"
agent = "greedy"
[[participant]]
name = "random"
agent = "random"
"#;

/// Creates a class with the program of ada; the text of the tournament's file is `class`.
fn class(class: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let made = turnwise(&["new", "entropy", "--lang", "python"])
        .arg(folder.path().join("ada"))
        .output();
    assert!(made.expect("it starts").status.success());
    fs::write(folder.path().join("class.toml"), class).expect("there is room");
    folder
}

/// Plays the tournament with these arguments. Returns its stdout and stderr.
fn tournament(folder: &Path, arguments: &[&str]) -> (String, String) {
    let file = folder.join("class.toml");
    let file = file.to_str().expect("UTF-8");
    let output = run(&[&["tournament", file, "--jobs", "1"], arguments].concat());
    assert!(output.status.success(), "{output:?}");
    (stdout(&output), stderr(&output))
}

/// Returns all records of the log with this event.
fn records(folder: &Path, event: &str) -> Vec<Value> {
    let log = fs::read_to_string(folder.join("class.jsonl")).expect("a log");
    let mut records = json_lines(&log);
    records.retain(|record| record["event"] == event);
    records
}

/// Returns the current results as JSON, and the page.
fn published(folder: &Path) -> (Value, String) {
    let read = |name: &str| fs::read_to_string(folder.join("class-report").join(name));
    let results = read("results.json").expect("results");
    let results: Value = serde_json::from_str(&results).expect("JSON");
    (
        results["matches"][0].clone(),
        read("report.html").expect("a page"),
    )
}

/// Returns the number of games of ada that count.
fn games_of_ada(results: &Value) -> u64 {
    let mut standings = results["standings"].as_array().expect("a list").iter();
    let ada = standings.find(|standing| standing["agent"] == "ada");
    ada.expect("ada plays")["games"].as_u64().expect("a number")
}

#[test]
fn a_changed_program_is_noticed_and_can_play_again() {
    let folder = class(CLASS);
    let folder = folder.path();
    tournament(folder, &[]);
    let first = records(folder, "participant");
    assert_eq!(first.len(), 1, "{first:?}");
    assert_eq!(first[0]["agent"], "ada");
    let version = first[0]["version"].as_str().expect("a version").to_owned();
    assert_eq!(version.len(), 64);
    assert_ne!(first[0]["built"], Value::Null, "the build wrote a file");
    assert_eq!(records(folder, "game").len(), 6);

    // The output of the build differs at every run, and is no change of the program.
    let (told, notes) = tournament(folder, &[]);
    assert!(!notes.contains("changed"), "{notes}");
    assert_eq!(told.matches(&version[..8]).count(), 1, "{told}");
    let (results, page) = published(folder);
    assert_eq!(games_of_ada(&results), 4);
    assert!(page.contains("Versions of the programs"));
    assert!(page.contains(&format!("<td class=\"words\">{}</td>", &version[..8])));

    let player = folder.join("ada/player.py");
    let text = fs::read_to_string(&player).expect("a program");
    fs::write(&player, text + "# A second version.\n").expect("there is room");
    let log = fs::read(folder.join("class.jsonl")).expect("a log");
    let change = format!("ada has changed: version {} before, ", &version[..8]);
    for arguments in [&["--plan"][..], &["--plan", "--replay", "ada"]] {
        let (plan, notes) = tournament(folder, arguments);
        assert!(notes.contains(&change), "{notes}");
        let expected = match arguments {
            ["--plan"] => "3 of 3 pairs played",
            _ => "1 of 3 pairs played",
        };
        assert!(plan.contains(expected), "{plan}");
        assert_eq!(fs::read(folder.join("class.jsonl")).expect("a log"), log);
    }
    let (_, notes) = tournament(folder, &[]);
    let mixed = "its 4 games before the change still count, and --replay ada plays them again";
    assert!(notes.contains(&change) && notes.contains(mixed), "{notes}");
    assert_eq!(records(folder, "game").len(), 6);
    let (_, notes) = tournament(folder, &[]);
    assert!(!notes.contains("changed"), "it was told once: {notes}");

    let (_, notes) = tournament(folder, &["--replay", "ada"]);
    assert!(
        notes.contains("ada: 2 pairs superseded, to be played again"),
        "{notes}"
    );
    let games = records(folder, "game");
    let superseded = games.iter().filter(|game| game["superseded"] == true);
    assert_eq!((games.len(), superseded.count()), (10, 4));
    let (results, _) = published(folder);
    assert_eq!(games_of_ada(&results), 4);
    let states = results["participants"].as_array().expect("a list");
    let counts = states
        .iter()
        .map(|state| [&state["games"], &state["superseded"]]);
    let counts: Vec<_> = counts.collect();
    assert_eq!(counts, [[0, 4], [4, 0]], "{states:?}");

    let wrong = folder.join("class.toml");
    let wrong = run(&[
        "tournament",
        wrong.to_str().expect("UTF-8"),
        "--replay",
        "eve",
    ]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("expected the name of a participant"));

    // A log of an earlier version has neither states nor marks.
    let log = fs::read_to_string(folder.join("class.jsonl")).expect("a log");
    let is_old =
        |line: &&str| !line.contains("\"participant\"") && !line.contains("\"superseded\":true");
    let old: Vec<&str> = log.lines().filter(is_old).collect();
    fs::write(folder.join("class.jsonl"), old.join("\n") + "\n").expect("there is room");
    let (_, notes) = tournament(folder, &[]);
    assert!(!notes.contains("changed"), "{notes}");
    assert_eq!(records(folder, "participant").len(), 1);
    assert_eq!(records(folder, "game").len(), 6);
}

#[test]
fn a_participant_without_its_folder_sits_out() {
    let text = CLASS.replace("folder = \"ada\"", "folder = \"submissions/ada\"");
    let folder = class(&text);
    let folder = folder.path();
    let reason = "expected a folder at submissions/ada, found nothing there";
    let (told, notes) = tournament(folder, &[]);
    assert!(
        notes.contains(&format!("ada does not play: {reason}")),
        "{notes}"
    );
    assert!(told.contains("does not play because"), "{told}");
    let states = records(folder, "participant");
    assert_eq!(states.len(), 1, "{states:?}");
    assert_eq!(states[0]["absent"], reason);
    assert_eq!(records(folder, "game").len(), 2, "the others play");
    assert!(published(folder).1.contains(reason));

    // Later the folder is there, and the participant plays its missing games.
    fs::create_dir(folder.join("submissions")).expect("there is room");
    fs::write(folder.join("submissions/ada"), "").expect("there is room");
    let (_, notes) = tournament(folder, &[]);
    assert!(
        notes.contains("ada does not play: cannot read submissions/ada"),
        "{notes}"
    );
    fs::remove_file(folder.join("submissions/ada")).expect("it is ours");
    fs::rename(folder.join("ada"), folder.join("submissions/ada")).expect("it is ours");
    let (_, notes) = tournament(folder, &[]);
    assert!(!notes.contains("does not play"), "{notes}");
    assert_eq!(records(folder, "game").len(), 6);
    let states = records(folder, "participant");
    assert_eq!(states.len(), 3, "{states:?}");
    assert_eq!(states[2]["absent"], Value::Null);
    assert_ne!(states[2]["version"], Value::Null);
}
