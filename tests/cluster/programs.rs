//! Tests that the files of participants reach the workers: weights, and the folders of programs.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::support::{Nats, Process, TURNWISE, arena, by_pairs, tournament, until};
use super::{played_here, work};

pub const PLAYER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/starters/entropy/python/player.py"
);

/// Trains weights that differ from all released weights, and returns the command-line word for a player with them.
fn weights(nats: &Nats) -> String {
    let path = nats.path("own.weights");
    let mut train = Command::new(TURNWISE);
    train.args(["entropy", "train", "--size", "3", "--games", "40"]);
    let trained = train.args(["--generations", "1", "--out"]).arg(&path);
    let trained = trained.output().expect("it starts");
    assert!(trained.status.success(), "{trained:?}");
    format!("own=turnwise:weights={}", path.display())
}

#[test]
fn weights_of_a_file_play_on_the_workers() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let own = weights(&nats);
    let words = [
        &own, "turnwise", "--size", "3", "--nodes", "50", "--seed", "5", "--pairs", "6",
    ];
    let here = played_here(&nats, &words);
    let log = nats.path("there.jsonl");
    let _worker = work(&nats, "one");
    let mut coordinator = nats.arena(&words, &log);
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(by_pairs(&log), here);
    let other = [
        "own=turnwise",
        "turnwise",
        "--size",
        "3",
        "--nodes",
        "50",
        "--seed",
        "5",
        "--pairs",
        "6",
    ];
    let log = nats.path("other.jsonl");
    let played = arena(&other, &log).output().expect("it starts");
    assert!(played.status.success(), "{played:?}");
    assert_ne!(by_pairs(&log), here, "with other weights it is the same");
}

/// Writes the file of a class with two programs and an agent, whose moves do not depend on time.
fn class(nats: &Nats, isolate: bool) -> PathBuf {
    let folder = nats.path("class");
    let all = Permissions::from_mode(0o755);
    for name in ["ada", "bob"] {
        let own = folder.join(name);
        fs::create_dir_all(own.join("books")).expect("there is room");
        fs::copy(PLAYER, own.join("player.py")).expect("there is room");
        fs::write(own.join("books").join("openings"), name).expect("there is room");
        fs::set_permissions(&own, all.clone()).expect("it is ours");
    }
    let mut text = format!(
        "game = \"entropy\"\nseed = 9\nisolate = {isolate}\n[settings]\nsize = 3\n[time]\nclock = 60\n\
         counts = \"cpu\"\n[format]\nkind = \"round-robin\"\ntimes = 1\n"
    );
    for name in ["ada", "bob"] {
        text += &format!(
            "[[participant]]\nname = \"{name}\"\nfolder = \"{name}\"\nbuild = \"touch built\"\n\
             run = \"python3 player.py\"\n"
        );
    }
    text += "[[participant]]\nname = \"greedy\"\nagent = \"greedy\"\n";
    let file = folder.join("class.toml");
    fs::write(&file, text).expect("there is room");
    file
}

/// Returns the games in a log, each with its pair, its number within the pair, and a text.
///
/// The text contains the game's moves and its fault, if any.
pub fn moves(log: &Path) -> Vec<(u64, u64, String)> {
    let text = fs::read_to_string(log).unwrap_or_default();
    let records = text.lines().map(|line| {
        let record: Value = serde_json::from_str(line).expect("a record");
        record
    });
    let games = records.filter(|record| record["event"] == "game");
    let mut games: Vec<_> = games
        .map(|game| {
            let number = |field: &str| game[field].as_u64().expect("a number");
            let told = format!("{} {}", game["moves"], game["fault"]);
            (number("pair"), number("game"), told)
        })
        .collect();
    games.sort();
    games
}

/// Starts a worker that may run any program, and returns it with the folder for its temporary files.
fn trusting(nats: &Nats, name: &str) -> (Process, PathBuf) {
    let temporary = nats.path(name);
    fs::create_dir(&temporary).expect("there is room");
    let mut command = Command::new(TURNWISE);
    command.args(["worker", &nats.url(), "--jobs", "2", "--allow-programs"]);
    let process = Process::start(command.env("TMPDIR", &temporary));
    (process, temporary)
}

/// Returns the paths of all entries below a folder, at any depth.
pub fn all(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        folders.extend(entries.iter().filter(|path| path.is_dir()).cloned());
        found.extend(entries);
    }
    found
}

#[test]
fn programs_travel_with_their_folders_and_are_gone_afterwards() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let file = class(&nats, false);
    let log = file.with_extension("jsonl");
    let here = tournament(&file).output().expect("it starts");
    assert!(here.status.success(), "{here:?}");
    let played = moves(&log);
    assert_eq!(played.len(), 6);
    fs::remove_file(&log).expect("it is there");

    let mut cautious = work(&nats, "cautious");
    let mut coordinator = nats.tournament(&file);
    let (mut killed, temporary) = trusting(&nats, "killed");
    until("a player", || {
        all(&temporary)
            .iter()
            .any(|path| path.ends_with("player.py"))
    });
    killed.kill();
    until("an empty folder", || all(&temporary).is_empty());
    let (mut trusting, temporary) = trusting(&nats, "trusting");
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(moves(&log), played);
    // The cautious worker rejects the program, because it has no permission to run programs without isolation.
    let refused = cautious.stderr();
    assert!(refused.contains("requires --allow-programs"), "{refused}");
    let drained = Command::new(TURNWISE)
        .args(["cluster", "drain", &nats.url()])
        .status();
    assert!(drained.expect("the program starts").success());
    assert!(trusting.ended() && cautious.ended());
    assert_eq!(all(&temporary), Vec::<PathBuf>::new());
}

/// Returns the command-line words of a match between an agent and a program that is in this folder.
///
/// The moves in this match do not depend on how long anything takes.
fn with_folder(folder: &Path) -> Vec<String> {
    let ada = format!("ada=cmd:folder={}:python3 player.py", folder.display());
    let words = "greedy --size 3 --clock 60 --counts cpu --seed 9 --pairs 3";
    let words = words.split(' ').map(str::to_owned);
    [ada].into_iter().chain(words).collect()
}

#[test]
fn programs_of_an_arena_travel_with_the_folders_that_they_are_given() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let folder = class(&nats, false).with_file_name("ada");
    let words = with_folder(&folder);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let log = nats.path("here.jsonl");
    let here = arena(&words, &log).output().expect("it starts");
    assert!(here.status.success(), "{here:?}");
    let played = moves(&log);
    assert_eq!(played.len(), 6);
    assert!(played.iter().all(|(.., told)| told.ends_with(" null")));

    let log = nats.path("there.jsonl");
    let mut coordinator = nats.arena(&words, &log);
    let (_worker, temporary) = trusting(&nats, "trusting");
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(moves(&log), played);
    let told = coordinator.stderr();
    assert!(
        told.contains("only workers with --allow-programs"),
        "{told}"
    );
    until("an empty folder", || {
        !all(&temporary)
            .iter()
            .any(|path| path.ends_with("player.py"))
    });

    symlink("/etc/passwd", folder.join("link")).expect("there is room");
    let log = nats.path("linked.jsonl");
    let mut coordinator = nats.arena(&words, &log);
    assert!(!coordinator.ended());
    let stderr = coordinator.stderr();
    assert!(stderr.contains("agent `ada`"), "{stderr}");
    assert!(
        stderr.contains("links and special files are not sent to workers"),
        "{stderr}"
    );
    assert!(!log.exists());
}

#[test]
fn who_brings_what_does_not_travel_does_not_play() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let file = class(&nats, false);
    symlink("/etc/passwd", file.with_file_name("bob").join("link")).expect("there is room");
    let _worker = trusting(&nats, "trusting");
    let mut coordinator = nats.tournament(&file);
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    let stderr = coordinator.stderr();
    assert!(stderr.contains("bob does not play"), "{stderr}");
    assert!(
        stderr.contains("links and special files are not sent to workers"),
        "{stderr}"
    );
    assert_eq!(moves(&file.with_extension("jsonl")).len(), 2);
}

#[test]
fn a_command_outside_of_its_folder_is_said_before_there_is_a_log() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let file = class(&nats, true);
    let text = fs::read_to_string(&file).expect("it is there");
    for (run, why) in [
        ("python3 ../bob/player.py", "outside its folder"),
        ("/home/somebody/player", "outside its folder"),
    ] {
        let other = text.replacen("python3 player.py", run, 1);
        fs::write(&file, other).expect("there is room");
        let mut coordinator = nats.tournament(&file);
        assert!(!coordinator.ended());
        let stderr = coordinator.stderr();
        assert!(stderr.contains(why), "{stderr}");
        assert!(!file.with_extension("jsonl").exists());
    }
    let homeless = text.replacen("folder = \"ada\"\nbuild = \"touch built\"\n", "", 1);
    fs::write(&file, homeless).expect("there is room");
    let mut coordinator = nats.tournament(&file);
    assert!(!coordinator.ended());
    let stderr = coordinator.stderr();
    assert!(
        stderr.contains("workers get only a program's folder"),
        "{stderr}"
    );
}

#[test]
fn what_comes_under_another_files_hash_is_not_played_by() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let own = weights(&nats);
    let words = [
        &own, "turnwise", "--size", "3", "--nodes", "50", "--pairs", "1",
    ];
    let log = nats.path("there.jsonl");
    let mut coordinator = nats.arena(&words, &log);
    super::as_client(&nats, async |context| {
        let run = super::units(&context, 1).await.cached_info().name.clone();
        let bucket = context.get_object_store(format!("turnwise-files-{run}"));
        let bucket = bucket.await.expect("its files are there");
        let mut files = bucket.list().await.expect("a list");
        let file = futures_util::StreamExt::next(&mut files).await;
        let name = file.expect("a file").expect("its name").name;
        let other = b"something else";
        let put = bucket.put(name.as_str(), &mut &other[..]).await;
        put.expect("it can be changed by whoever reaches the server");
    });
    let _worker = work(&nats, "one");
    let why = "the received content has another hash";
    until("the reason", || coordinator.stderr().contains(why));
    assert_eq!(by_pairs(&log).len(), 1, "a header alone");
}
