//! Tests that every game does what the program expects of games.
//!
//! A match must have a log, a report and a replay. The golden game must be reproduced exactly. The arena must find the
//! fault of programs that crash, stay silent or send nonsense. Of programs that use files, it must also find those that
//! take too long.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::Plugin;
use turnwise_games::GAMES;

fn turnwise(words: &[&str]) -> Output {
    crate::support::turnwise(words)
        .output()
        .expect("the program can be started")
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// Returns the names of the game's strongest agent and of its random agent.
fn agents(game: &Plugin) -> [&'static str; 2] {
    let about = game.about();
    [about.agents[0].name, about.random_agent]
}

/// Plays a match of this game with these command-line words, and returns the command's output.
fn play(game: &Plugin, words: &[&str], log: &Path) -> String {
    let log = log.display().to_string();
    let common = ["--game", game.about().name, "--pairs", "1", "--jobs", "1"];
    text(&turnwise(
        &[&["arena"], words, &common, &["--log", &log]].concat(),
    ))
}

/// Returns three outputs about a log: the report as text, the report's page, and the replay.
fn shown(log: &Path, folder: &Path) -> [String; 3] {
    let [log, out] = [log, &folder.join("out")].map(|path| path.display().to_string());
    let report = text(&turnwise(&["report", &log, "--out", &out]));
    let page = fs::read_to_string(folder.join("out/report.html")).expect("a page");
    let replay = text(&turnwise(&["replay", &log, "--game", "2"]));
    [report, page, replay]
}

#[test]
fn every_game_is_played_reported_and_replayed() {
    for game in GAMES {
        let about = game.about();
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        let [first, second] = agents(game);
        let said = play(game, &[first, second, "--nodes", "100"], &log);
        assert!(
            said.contains(&format!("{first} against {second}")),
            "{said}"
        );
        // The settings and results of a game must not use the names of the log's own fields.
        for line in fs::read_to_string(&log).expect("a log").lines() {
            let fields = serde_json::from_str::<Fields>(line);
            fields.unwrap_or_else(|error| panic!("{}: {error}: {line}", about.name));
        }
        let [report, page, replay] = shown(&log, folder.path());
        assert!(report.contains(about.title), "{report}");
        for role in about.roles {
            assert!(report.contains(&format!("as {role}")), "{report}");
            assert!(page.contains(role) && replay.contains(role), "{replay}");
        }
        assert!(!replay.contains("cannot be shown"), "{replay}");
    }
}

/// Returns the path of a game's golden log, which stores a game that must be reproduced exactly.
fn golden(game: &Plugin) -> PathBuf {
    let name = format!("tests/data/golden/{}.jsonl", game.about().name);
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// If the environment variable TURNWISE_WRITE_SAMPLES is 1, this test rewrites the golden logs.
#[test]
fn every_game_has_a_golden_log_that_is_played_again_byte_for_byte() {
    for game in GAMES {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        let words = ["--nodes", "100", "--seed", "7"];
        play(game, &[&agents(game)[..], &words].concat(), &log);
        let played = fs::read_to_string(&log).expect("a log");
        let path = golden(game);
        if std::env::var_os("TURNWISE_WRITE_SAMPLES").is_some() {
            fs::write(&path, &played).expect("it can be written");
        }
        let kept = fs::read_to_string(&path);
        let kept = kept.unwrap_or_else(|_| panic!("{} is missing", path.display()));
        assert!(kept == played, "{} is another game now", path.display());
    }
}

/// Returns a faulty program for each kind of fault, together with the name of the kind.
///
/// The programs communicate by files or by lines, as programs for this game do.
fn faulty(game: &Plugin) -> Vec<(&'static str, &'static str)> {
    let settled = game.by_options(&|_| None).expect("it needs no options");
    match settled.file_venue() {
        Some(_) => vec![
            ("cmd:false", "crash"),
            ("cmd:true", "silence"),
            ("cmd:sh -c 'echo nonsense > output.txt'", "garbage"),
            ("cmd:sh -c 'while :; do :; done'", "overtime"),
        ],
        None if game.about().wires.is_empty() => Vec::new(),
        None => vec![
            ("cmd:false", "crash"),
            ("cmd:sleep 100", "silence"),
            // The program waits until its stdin ends. If it exited earlier, it could not receive the next message,
            // which would count as a crash.
            ("cmd:sh -c 'read line; echo nonsense; read line'", "garbage"),
        ],
    }
}

#[test]
fn whoever_is_at_fault_loses_its_own_games_and_the_log_says_why() {
    for game in GAMES {
        for (program, kind) in faulty(game) {
            let folder = tempfile::tempdir().expect("a folder");
            let log = folder.path().join("log");
            let faulty = format!("faulty={program}");
            let mut words = vec![game.about().random_agent, &faulty, "--clock", "0.5"];
            // With this option, a program that does not stop by itself is soon killed.
            if game
                .about()
                .options
                .iter()
                .any(|option| option.name == "grace")
            {
                words.extend(["--grace", "0.3"]);
            }
            play(game, &words, &log);
            let records = fs::read_to_string(&log).expect("a log");
            let fault = "\"fault\":{\"agent\":\"faulty\"";
            assert_eq!(records.matches(fault).count(), 2, "{program}: {records}");
            let kind = format!("\"kind\":\"{kind}\"");
            assert!(records.contains(&kind), "{program}: {records}");
            let [report, _, replay] = shown(&log, folder.path());
            assert!(report.contains("at fault"), "{report}");
            assert!(replay.contains("Fault of faulty"), "{replay}");
        }
    }
}
