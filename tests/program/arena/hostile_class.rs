//! Tests tournaments in which attackers take part, some of which also play.
//!
//! Attackers must not change the moves of other participants, neither on this machine nor on the workers of a cluster.
//! `scripts/class-of-24` compares the games more thoroughly.

#[cfg(feature = "cluster")]
#[path = "../../cluster/support.rs"]
#[expect(dead_code, reason = "the tests of the cluster use all of it")]
mod cluster;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::hostile::{PLAYING, SCRIPTS, has_walls, left_of};
use super::{HALMA_PLAYER, games};
use crate::support::{run, stderr};

const ENTROPY_PLAYER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/starters/entropy/python/player.py"
);

/// A game with the honest participants that play it in a tournament.
///
/// Their moves do not depend on time, and other programs on the machine do not affect their CPU time.
struct Class {
    game: &'static str,
    settings: &'static str,
    /// The path and the command of an honest program.
    program: (&'static str, &'static str),
    agents: [&'static str; 2],
}

const ENTROPY: Class = Class {
    game: "entropy",
    settings: "size = 3",
    program: (ENTROPY_PLAYER, "python3 player.py"),
    agents: ["greedy", "random"],
};

const HALMA: Class = Class {
    game: "halma",
    // The program knows only two moves. The wait for an answer is long enough for a machine that stalls for seconds.
    settings: "rules = \"base\"\nmax-plies = 4\ngrace = 3",
    program: (HALMA_PLAYER, "./halma.sh wander"),
    agents: ["distance", "random"],
};

/// Copies a file into a folder and lets all users read and run it, because programs may run as other users.
fn copied(from: &Path, folder: &Path) {
    fs::create_dir_all(folder).expect("there is room");
    let file = folder.join(from.file_name().expect("a name"));
    fs::copy(from, &file).expect("there is room");
    for path in [folder, &file] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
}

fn entry(name: &str, run: &str) -> String {
    format!("[[participant]]\nname = \"{name}\"\nfolder = \"{name}\"\nrun = \"{run}\"\n")
}

/// Returns the sorted paths of all scripts of attackers.
fn scripts() -> Vec<PathBuf> {
    let scripts = fs::read_dir(SCRIPTS).expect("a folder").flatten();
    let scripts = scripts.map(|script| script.path());
    let mut scripts: Vec<_> = scripts
        .filter(|path| path.extension().is_some_and(|it| it == "py"))
        .collect();
    scripts.sort();
    scripts
}

/// Returns the entries for a class file that describe these attackers.
///
/// Each attacker has its files in a separate folder. An attacker that also plays runs the honest program for this.
fn attackers(
    class: &Class,
    scripts: &[PathBuf],
    folder: &Path,
    word: &str,
) -> BTreeMap<String, String> {
    let (player, program) = class.program;
    let entries = scripts.iter().map(|script| {
        let name = script
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        copied(script, &folder.join(&name));
        let place = folder.display();
        let words = match &*name {
            "beacon" => "9".to_owned(),
            "caller" => format!("at:{place}/socket"),
            "chmodder" => format!("at:{place}/class.toml"),
            "parent_killer" | "prlimiter" | "shm_hog" => std::process::id().to_string(),
            "unlinked_hog" => "open".to_owned(),
            "spy" => format!("at:{place}/class.jsonl"),
            "vandal" => format!("at:{place} at:{place}/honest"),
            playing if PLAYING.contains(&playing) => {
                copied(Path::new(player), &folder.join(playing));
                let proxied = Path::new(SCRIPTS).join("proxied/__init__.py");
                copied(&proxied, &folder.join(playing).join("proxied"));
                program.to_owned()
            }
            _ => String::new(),
        };
        let run = format!("python3 {name}.py {word} {words}");
        (name.clone(), entry(&name, run.trim()))
    });
    entries.collect()
}

/// Plays a tournament between honest participants and attackers.
///
/// Returns the games between honest participants, and the participants that were at fault in the other games.
///
/// `who` contains the words of the command line that select where the games are played.
fn played(
    class: &Class,
    folder: &Path,
    attackers: &BTreeMap<String, String>,
    who: [&str; 2],
) -> Played {
    let (from, program) = class.program;
    copied(Path::new(from), &folder.join("honest"));
    // The time limit for a program's start is short, because some attackers start computing immediately and would use
    // up even a long time limit.
    let mut text = format!(
        "game = \"{}\"\nfaults = 2\nmemory = 192\nstart = 0.5\n[settings]\n{}\n[time]\nmovetime = 0.3\ncounts = \"cpu\"\n\
         [format]\nkind = \"round-robin\"\n",
        class.game, class.settings
    );
    // In the class file, half of the attackers come before the honest participants.
    let (before, after): (Vec<_>, Vec<_>) = attackers
        .values()
        .enumerate()
        .partition(|(at, _)| at % 2 == 0);
    text.extend(before.into_iter().map(|(_, entry)| entry.as_str()));
    text += &entry("honest", program);
    for agent in class.agents {
        text += &format!("[[participant]]\nname = \"{agent}\"\nagent = \"{agent}\"\n");
    }
    text.extend(after.into_iter().map(|(_, entry)| entry.as_str()));
    let file = folder.join("class.toml");
    fs::write(&file, text).expect("there is room");
    let file = file.to_str().expect("UTF-8");
    let output = run(&[&["tournament", file, "--yes"][..], &who].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let mut played = Played::default();
    for game in games(&folder.join("class.jsonl")) {
        let name = |field: &str| game[field].as_str().expect("a name").to_owned();
        let [first, second] = ["first", "second"].map(name);
        if [&first, &second]
            .into_iter()
            .any(|one| attackers.contains_key(one))
        {
            let fault = game["fault"]["agent"].as_str();
            played.at_fault.extend(fault.map(str::to_owned));
            continue;
        }
        assert!(game["fault"].is_null(), "{game}");
        // The numbers of pairs and meetings depend on the number of participants, so they are not compared.
        let mut told = game.clone();
        let fields = told.as_object_mut().expect("a record");
        for field in ["pair", "meeting", "used_s", "cpu_s"] {
            fields.remove(field);
        }
        let number = game["game"].as_u64().expect("a number");
        played
            .honest
            .insert((first, second, number), told.to_string());
    }
    played
}

#[derive(Default)]
struct Played {
    honest: BTreeMap<(String, String, u64), String>,
    at_fault: BTreeSet<String>,
}

const HERE: [&str; 2] = ["--jobs", "5"];

/// The number of attackers in one tournament.
///
/// It is small, because the number of pairs grows with the square of the number of participants.
const TOGETHER: usize = 6;

fn is_the_same_with_attackers(class: &Class, who: [&str; 2]) {
    if !has_walls(&format!("a class of {} with hostile programs", class.game)) {
        return;
    }
    let readable_folder = || {
        let folder = tempfile::tempdir().expect("a folder");
        let all = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path(), all).expect("it is ours");
        folder
    };
    let alone = readable_folder();
    let without = played(class, alone.path(), &BTreeMap::new(), HERE);
    assert_eq!(without.honest.len(), 6, "three pairs");
    let mut scripts = scripts();
    assert!(scripts.len() > PLAYING.len());
    // The scripts are sorted by name, so each group has attackers of several kinds.
    while !scripts.is_empty() {
        let group = scripts.split_off(scripts.len().saturating_sub(TOGETHER));
        let among = readable_folder();
        let word = among.path().file_name().expect("a name").to_string_lossy();
        let word = format!("attack{}", word.replace('.', "-"));
        let attackers = attackers(class, &group, among.path(), &word);
        let with = played(class, among.path(), &attackers, who);
        assert_eq!(with.honest, without.honest);
        let (playing, others): (BTreeSet<String>, _) = attackers
            .into_keys()
            .partition(|name| PLAYING.contains(&&**name));
        assert!(with.at_fault.is_superset(&others), "{:?}", with.at_fault);
        // Only attackers may be at fault, for example because their computing uses up their time.
        assert!(with.at_fault.is_subset(&(&playing | &others)));
        assert!(!with.at_fault.contains("tile_recorder"));
        assert_eq!(left_of(&word), Vec::<String>::new());
    }
}

#[test]
fn honest_participants_of_entropy_play_the_same_with_attackers() {
    is_the_same_with_attackers(&ENTROPY, HERE);
}

/// In a cluster, the workers themselves protect the participants from each other. Without a cluster, this machine
/// plays. In Halma, programs also exchange files at each move.
#[test]
fn honest_participants_of_halma_play_the_same_with_attackers_over_a_cluster() {
    #[cfg(feature = "cluster")]
    if let Some(nats) = cluster::Nats::start() {
        let program = Path::new(cluster::TURNWISE);
        let mut workers = ["one", "two", "three"].map(|name| nats.worker(program, name));
        is_the_same_with_attackers(&HALMA, ["--cluster", &nats.url()]);
        for worker in &mut workers {
            assert!(!worker.has_ended(), "{}", worker.stderr());
        }
        return;
    }
    is_the_same_with_attackers(&HALMA, HERE);
}
