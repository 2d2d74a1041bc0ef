//! Tests the command `turnwise tournament` as the teacher of a class uses it.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::support::{TURNWISE, run, stderr, stdout, turnwise};

const CLASS: &str = r#"
game = "entropy"
seed = 3
faults = 4
tie-break = ["points"]
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

/// Returns the pairs from the log in a folder, sorted by number and without times.
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
    let results = std::fs::read(folder.path().join("class-report/results.json")).expect("a file");
    let results: serde_json::Value = serde_json::from_slice(&results).expect("JSON");
    let ranking = &results["matches"][0]["ranking"];
    let first = &ranking["participants"][0];
    assert_eq!(first["place"], 1, "{ranking}");
    assert_eq!(first["indistinguishable_places"][0], 1, "{ranking}");
    assert!(first["points_rating"]["value"].is_number(), "{ranking}");
    assert_eq!(ranking["tie_break"], serde_json::json!(["points"]));
    assert!(
        stdout(&played).contains("between equal ratings: points;"),
        "{played:?}"
    );
    let once = pairs(folder.path());
    assert_eq!(once.len(), 6, "three pairs of three: {once:?}");

    // No games remain to be played, so the command only repeats the output.
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
fn a_plan_counts_the_pairs_of_those_that_play() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("class.toml");
    let name = file.to_str().expect("UTF-8");
    fs::create_dir(folder.path().join("locked")).expect("there is room");
    fs::write(folder.path().join("locked/player"), "#!/bin/sh\n").expect("there is room");
    let begin = "game = \"entropy\"\nfaults = 1\nisolate = \"best-effort\"\n[settings]\nsize = 2\n\
                 [time]\nclock = 60\n[format]\nkind = \"round-robin\"\n";
    let entries = [
        ("one", "agent = \"random\""),
        ("two", "agent = \"random\""),
        ("broken", "run = \"false\""),
        ("gone", "folder = \"gone\"\nrun = \"./player\""),
    ];
    let class = |entries: &[(&str, &str)]| {
        let entries = entries.iter();
        let entries =
            entries.map(|(name, how)| format!("[[participant]]\nname = \"{name}\"\n{how}\n"));
        begin.to_owned() + &entries.collect::<String>()
    };
    fs::write(&file, class(&entries)).expect("there is room");
    let plan = || stdout(&run(&["tournament", name, "--plan"]));
    assert!(
        plan().contains("0 of 3 pairs played\n6 games to play"),
        "{}",
        plan()
    );
    let played = run(&["tournament", name, "--jobs", "1"]);
    assert!(played.status.success(), "{played:?}");
    assert!(
        stderr(&played).contains("broken was at fault"),
        "{played:?}"
    );
    let done = pairs(folder.path()).len() / 2;
    assert!(
        plan().ends_with(&format!("{done} of {done} pairs played\n")),
        "{}",
        plan()
    );

    // A file that nobody may execute is known before it can lose.
    let locked = ("locked", "folder = \"locked\"\nrun = \"./player\"");
    fs::write(&file, class(&[&entries[..], &[locked]].concat())).expect("there is room");
    let played = run(&["tournament", name]);
    let told = stderr(&played);
    assert!(
        told.contains("locked does not play") && told.contains("chmod +x"),
        "{told}"
    );
    assert_eq!(pairs(folder.path()).len() / 2, done);
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
fn a_tournament_goes_on_after_a_header_that_was_torn() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (file, log) = (path("class.toml"), path("class.jsonl"));
    let class = r#"
game = "entropy"
settings.size = 2
time.nodes = 1
format = { kind = "round-robin", times = 1 }
participant = [{ name = "ada", agent = "random" }, { name = "bob", agent = "greedy" }]
"#;
    fs::write(&file, class).expect("there is room");
    let tournament = ["tournament", &*file, "--jobs", "1"];
    assert!(run(&tournament).status.success());
    let whole = fs::read(&log).expect("a log");
    let header = whole.iter().position(|&byte| byte == b'\n');
    let header = header.expect("a first line");
    for end in [0, 1, 25, header / 2, header] {
        fs::write(&log, &whole[..end]).expect("there is room");
        let plan = run(&["tournament", &file, "--plan"]);
        assert!(stdout(&plan).contains("0 of 1 pair played"), "{plan:?}");
        let resumed = run(&["arena", "--resume", &log]);
        assert_eq!(resumed.status.code(), Some(1));
        let told = stderr(&resumed);
        assert!(
            told.contains("the tournament with the same command"),
            "{told}"
        );
        assert_eq!(fs::read(&log).expect("a log"), whole[..end]);
        let played = run(&tournament);
        assert!(played.status.success(), "{played:?}");
        assert_eq!(
            fs::read(&log).expect("a log"),
            whole,
            "torn after {end} bytes"
        );
    }
    fs::write(&log, "my notes").expect("there is room");
    assert_eq!(run(&tournament).status.code(), Some(1));
    assert_eq!(fs::read(&log).expect("a log"), b"my notes");
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

/// The class file of a tournament with five participants at one table of TwentyOne.
///
/// The participants are a program, a program that exits immediately, and agents.
const TABLE: &str = r#"
game = "twentyone"
seed = 3
faults = 9
[settings]
seats = 5
rounds = 4
[time]
clock = 60
[format]
kind = "tables"
rounds = 2
[[participant]]
name = "ada"
folder = "ada"
run = "python3 player.py"
[[participant]]
name = "broken"
run = "false"
[[participant]]
name = "basic"
agent = "basic"
[[participant]]
name = "counter"
agent = "counter"
[[participant]]
name = "naive"
agent = "naive"
"#;

#[test]
fn a_class_at_one_table_is_ranked_and_every_game_can_be_looked_at() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = turnwise(&["new", "twentyone", "--lang", "python"])
        .arg(folder.path().join("ada"))
        .output();
    assert!(made.expect("it starts").status.success());
    let file = folder.path().join("class.toml");
    fs::write(&file, TABLE).expect("there is room");
    let file = file.to_str().expect("UTF-8");
    let plan = stdout(&run(&["tournament", file, "--plan"]));
    assert!(plan.contains("0 of 2 rotations played"), "{plan}");
    assert!(plan.contains("10 games to play"), "{plan}");

    let played = run(&["tournament", file]);
    assert!(played.status.success(), "{played:?}");
    let told = stdout(&played);
    assert!(told.contains("points rating"), "{told}");
    // In each of ten games, the program that exits is eliminated without points, while the others continue to play.
    let log = folder.path().join("class.jsonl");
    let log = log.to_str().expect("UTF-8");
    let json = stdout(&run(&["report", log, "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let of = &json["matches"][0];
    let last = of["standings"].as_array().and_then(|all| all.last());
    let last = last.expect("somebody is last");
    assert_eq!(last["agent"], "broken");
    assert_eq!(last["faults"], 10);
    assert_eq!(last["won"][0], -10_000.0, "{last}");
    assert_eq!(of["ranking"]["participants"][4]["participant"], "broken");
    let crosstable = fs::read_to_string(folder.path().join("class-report/results.csv"));
    assert_eq!(crosstable.expect("CSV").lines().count(), 1 + 10);

    let replayed = run(&["replay", log, "--pair", "2", "--game", "5"]);
    let replayed = stdout(&replayed);
    assert!(replayed.contains("Rotation 2, game 5: "), "{replayed}");
    assert!(replayed.contains("Fault of broken (Player "), "{replayed}");
    assert!(!replayed.contains("cannot be shown"), "{replayed}");
    let page = fs::read_to_string(folder.path().join("class-report/report.html"));
    let page = page.expect("a page");
    assert_eq!(page.matches("\"won\":[").count(), 10);
    assert!(!page.contains("cannot be shown"));
}

/// A daemon with a fixed seed is started anew for each pair, so its random choices do not depend on earlier pairs.
#[test]
fn a_class_of_daemons_plays_the_same_however_often_it_is_killed() {
    let daemon = |name: &str, agent: &str| {
        format!(
            "{{ name = \"{name}\", daemon = \"{TURNWISE} play --agent {agent} --seed 3 --name {name}\" }}"
        )
    };
    let class = format!(
        "game = \"entropy\"\nseed = 3\nisolate = false\nsettings.size = 3\ntime.clock = 60\n\
         format = {{ kind = \"round-robin\", times = 3 }}\nparticipant = [{}, {}, {}]\n",
        daemon("ada", "random"),
        daemon("bob", "greedy"),
        daemon("cy", "passer"),
    );
    let [whole, killed] = [(); 2].map(|()| crate::support::folder_with("class.toml", &class));
    let tournament = |folder: &Path| {
        let mut command = turnwise(&["tournament"]);
        command.arg(folder.join("class.toml")).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    for games in [2, 6, 10] {
        let mut child = tournament(killed.path()).spawn().expect("it starts");
        while pairs(killed.path()).len() < games {
            assert_eq!(child.try_wait().expect("a child"), None, "it ended");
            thread::sleep(Duration::from_millis(5));
        }
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    for folder in [&whole, &killed] {
        let ended = tournament(folder.path()).status().expect("it starts");
        assert!(ended.success());
    }
    assert_eq!(pairs(whole.path()).len(), 18);
    assert_eq!(pairs(killed.path()), pairs(whole.path()));
}
