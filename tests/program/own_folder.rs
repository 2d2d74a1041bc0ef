//! Tests programs that each have a folder of their own.
//!
//! Wherever a program runs, it must start in a view of its own folder, and links must not lead it to the files of other
//! participants. The tests run with and without bubblewrap.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{TURNWISE, is_there, json_lines, stderr, turnwise};

const HALMA_PLAYER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/arena/halma.sh");

/// A shell command that runs a program and hides the tool bubblewrap from the program and its child processes.
const WITHOUT_BUBBLEWRAP: &str =
    "mount --bind /bin/false \"$(command -v bwrap)\" && exec \"$0\" \"$@\"";

/// Returns the ways in which this machine can isolate programs: true stands for bubblewrap, false for the other way.
fn walls() -> Vec<bool> {
    let mut ways = Vec::new();
    if is_there("bwrap") {
        ways.push(true);
        let hidden = command(false, &["--version"]).output();
        if hidden.is_ok_and(|output| output.status.success()) {
            ways.push(false);
        } else {
            println!("skipped: programs without bubblewrap; root can hide it");
        }
    } else {
        println!("skipped: programs with bubblewrap; the package bubblewrap makes it possible");
        ways.push(false);
    }
    ways
}

/// Returns the command `turnwise` with these arguments, which runs with or without access to bubblewrap.
fn command(has_bubblewrap: bool, arguments: &[&str]) -> Command {
    if has_bubblewrap || !is_there("bwrap") {
        return turnwise(arguments);
    }
    let own = turnwise(arguments);
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", WITHOUT_BUBBLEWRAP, TURNWISE]);
    command.args(arguments);
    command.envs(
        own.get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    command
}

fn run_in(folder: &Path, has_bubblewrap: bool, arguments: &[&str]) -> Output {
    let mut command = command(has_bubblewrap, arguments);
    let output = command.current_dir(folder).stdin(Stdio::null()).output();
    output.expect("the program starts")
}

/// Makes a folder and its contents readable for all users, because programs started by root run as other users.
fn open(path: &Path) {
    let is_folder = path.is_dir();
    if path.is_symlink() {
        return;
    }
    let mode = if is_folder { 0o755 } else { 0o644 };
    let mode = match path.extension() {
        Some(extension) if extension == "sh" => 0o755,
        _ => mode,
    };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    if is_folder {
        for entry in fs::read_dir(path).expect("a folder") {
            open(&entry.expect("an entry").path());
        }
    }
}

/// A class with the folders `ada` and `bob`, each with an Entropy player in Python, and the file `answers.txt` next to
/// the folders.
struct Class(TempDir);

impl Class {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["ada", "bob"] {
            let made = turnwise(&["new", "entropy", "--lang", "python"])
                .arg(folder.path().join(name))
                .output();
            assert!(made.expect("it starts").status.success());
        }
        fs::write(folder.path().join("answers.txt"), "secret").expect("there is room");
        let class = Self(folder);
        open(class.0.path());
        class
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("there is room");
        open(&self.path(name));
    }

    /// Inserts lines at the beginning of a player's code.
    fn prepend(&self, player: &str, lines: &str) {
        let own = fs::read_to_string(self.path(player)).expect("a player");
        self.write(player, &format!("{lines}\n{own}"));
    }

    /// Plays a tournament between an agent and the participant ada, whose entry in the class file has the lines `ada`.
    fn tournament(&self, has_bubblewrap: bool, ada: &str) -> (String, Vec<Value>) {
        let text = format!(
            "game = \"entropy\"\nfaults = 1000\nisolate = \"best-effort\"\n[settings]\nsize = 2\n[time]\nclock = 100\n[format]\n\
             kind = \"round-robin\"\ntimes = 1\n[[participant]]\nname = \"random\"\nagent = \"random\"\n\
             [[participant]]\nname = \"greedy\"\nagent = \"greedy\"\n[[participant]]\nname = \"ada\"\n{ada}\n"
        );
        self.write("class.toml", &text);
        let log = self.path("class.jsonl");
        let _ = fs::remove_file(&log);
        let output = run_in(self.0.path(), has_bubblewrap, &["tournament", "class.toml"]);
        assert!(output.status.success(), "{output:?}");
        (stderr(&output), games(&log))
    }

    /// Asserts that a tournament does not let the participant ada play, and states the reason `why`.
    fn is_rejected(&self, has_bubblewrap: bool, ada: &str, why: &str) {
        let (told, games) = self.tournament(has_bubblewrap, ada);
        let line = told.lines().find(|line| line.contains("ada does not play"));
        assert!(line.is_some_and(|line| line.contains(why)), "{why}: {told}");
        assert!(games.iter().all(|game| !of_ada(game)), "{games:?}");
    }
}

fn games(log: &Path) -> Vec<Value> {
    let mut records = json_lines(&fs::read_to_string(log).expect("a log"));
    records.retain(|record| record["event"] == "game");
    records
}

fn of_ada(game: &Value) -> bool {
    game["first"] == "ada" || game["second"] == "ada"
}

const RUN: &str = "folder = \"ada\"\nrun = \"python3 player.py\"";

/// Python code that checks the things on which a player can rely: its files, a writable home and a temporary folder.
const LOOKS_AROUND: &str = "\
import os, tempfile
assert open('weights.txt').read() == '42'
for place in (os.environ['HOME'], tempfile.gettempdir()):
    with open(os.path.join(place, 'mine'), 'w') as file:
        file.write('x')
try:
    open('changed', 'w')
    os._exit(3)
except OSError:
    pass
";

#[test]
fn a_program_starts_in_a_view_of_its_folder_in_check_arena_and_tournament() {
    let class = Class::new();
    class.write("ada/weights.txt", "42");
    class.prepend("ada/player.py", LOOKS_AROUND);
    class.write("ada/player.sh", "#!/bin/sh\nexec python3 player.py\n");
    let (home, ada) = (class.path("ada"), class.path("ada").display().to_string());
    for has_bubblewrap in walls() {
        for words in ["python3 player.py", "./player.sh"] {
            let program = format!("cmd:{words}");
            let options = ["--size", "2", "--clock", "100"];
            let outside = [&["check", &program, "--folder", &ada][..], &options].concat();
            let inside = [&["check", &program][..], &options].concat();
            for (place, check) in [(class.0.path(), outside), (&*home, inside)] {
                let checked = run_in(place, has_bubblewrap, &check);
                assert!(checked.status.success(), "{checked:?}");
                let told = stderr(&checked);
                assert!(told.contains("turnwise: isolation: "), "{told}");
            }
            let log = class.path("arena.jsonl");
            let _ = fs::remove_file(&log);
            let program = format!("ada=cmd:folder={ada}:{words}");
            let shown = log.display().to_string();
            let arena = [
                "arena",
                &program,
                "random",
                "--isolate",
                "--pairs",
                "1",
                "--log",
                &shown,
            ];
            let played = run_in(
                class.0.path(),
                has_bubblewrap,
                &[&arena[..], &options].concat(),
            );
            assert!(played.status.success(), "{played:?}");
            let entry = format!("folder = \"ada\"\nrun = \"{words}\"");
            let (_, of_tournament) = class.tournament(has_bubblewrap, &entry);
            let all: Vec<Value> = games(&log).into_iter().chain(of_tournament).collect();
            assert_eq!(all.iter().filter(|game| of_ada(game)).count(), 6, "{all:?}");
            for game in all {
                assert!(game["fault"].is_null(), "{game}");
            }
        }
    }
    assert!(!home.join("changed").exists());
}

#[test]
fn links_that_lead_out_are_named_before_the_first_game() {
    for has_bubblewrap in walls() {
        for (link, target, run) in [
            ("ada/weights", "../answers.txt", "python3 player.py weights"),
            ("ada/other.py", "../bob/player.py", "python3 other.py"),
            ("ada/unnamed", "/root", "python3 player.py"),
        ] {
            let class = Class::new();
            symlink(target, class.path(link)).expect("a link");
            let entry = format!("folder = \"ada\"\nrun = \"{run}\"");
            let name = link.strip_prefix("ada/").expect("in its folder");
            let why = format!("the link {name} leads out of the program's folder");
            class.is_rejected(has_bubblewrap, &entry, &why);
            let ada = class.path("ada").display().to_string();
            let program = format!("cmd:{run}");
            let check = ["check", &program, "--folder", &ada, "--size", "2"];
            let checked = run_in(class.0.path(), has_bubblewrap, &check);
            assert!(stderr(&checked).contains(&why), "{checked:?}");
        }
        let class = Class::new();
        symlink("bob", class.path("eve")).expect("a link");
        let entry = "folder = \"eve\"\nrun = \"python3 player.py\"";
        class.is_rejected(has_bubblewrap, entry, "got the link eve to bob");
        let climbs = "folder = \"ada\"\nrun = \"python3 ../bob/player.py\"";
        class.is_rejected(has_bubblewrap, climbs, "got \"../bob/player.py\"");
        symlink("../bob/player.py", class.path("ada/link.py")).expect("a link");
        let without = "run = \"python3 ada/link.py\"";
        class.is_rejected(has_bubblewrap, without, "got the link ada/link.py");
    }
}

/// Without `folder=`, a program can read the folders of the files in its command, but not the targets of links there.
#[test]
fn a_link_beside_a_named_file_opens_nothing() {
    let class = Class::new();
    symlink("../answers.txt", class.path("ada/answers")).expect("a link");
    class.prepend(
        "ada/player.py",
        "import os\nhere = os.path.dirname(os.path.abspath(__file__))\n\
         assert 'player.py' in os.listdir(here)\ntry:\n    open(here + '/answers')\n    os._exit(3)\n\
         except OSError:\n    pass",
    );
    for has_bubblewrap in walls() {
        let (_, games) = class.tournament(has_bubblewrap, "run = \"python3 ada/player.py\"");
        assert_eq!(
            games.iter().filter(|game| of_ada(game)).count(),
            4,
            "{games:?}"
        );
        for game in games {
            assert!(game["fault"].is_null(), "{game}");
        }
    }
}

#[test]
fn a_link_that_the_build_plants_is_named() {
    for has_bubblewrap in walls() {
        for target in ["../bob/player.py", "/home/other/answers.txt"] {
            let class = Class::new();
            class.write(
                "ada/Makefile",
                &format!("all:\n\tln -sf {target} player.py\n"),
            );
            let entry = format!("{RUN}\nbuild = \"make\"");
            let why = "the link player.py leads out of the program's folder";
            class.is_rejected(has_bubblewrap, &entry, why);
        }
    }
}

#[test]
fn a_link_that_appears_between_games_ends_the_next_game() {
    let halma = "--game halma --rules base --max-plies 4 --movetime 100";
    for has_bubblewrap in walls() {
        for (run, options) in [
            ("python3 player.py", "--size 2 --clock 100"),
            ("./halma.sh wander", halma),
        ] {
            let class = Class::new();
            fs::copy(HALMA_PLAYER, class.path("ada/halma.sh")).expect("there is room");
            open(&class.path("ada/halma.sh"));
            let log = class.path("log").display().to_string();
            let ada = format!("ada=cmd:folder={}:{run}", class.path("ada").display());
            let options: Vec<&str> = options.split(' ').collect();
            let usual = ["--isolate", "--pairs", "500", "--jobs", "1", "--log", &log];
            let words = [&["arena", &ada, "random"][..], &options, &usual].concat();
            let mut playing = command(has_bubblewrap, &words)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("it starts");
            let is_played =
                || fs::read_to_string(&log).is_ok_and(|text| text.contains("\"event\":\"game\""));
            let begun = Instant::now();
            while !is_played() {
                assert!(
                    begun.elapsed() < Duration::from_secs(100),
                    "no game is played"
                );
                thread::sleep(Duration::from_millis(2));
            }
            symlink("../answers.txt", class.path("ada/lib")).expect("a link");
            assert!(playing.wait().expect("it ends").success());
            let games = games(Path::new(&log));
            let last = games.last().expect("a game");
            let why = last["fault"]["reason"].as_str().unwrap_or_default();
            let told = "the link lib leads out of the program's folder";
            assert!(why.contains(told), "{last}");
            assert!(games[0]["fault"].is_null(), "{}", games[0]);
        }
    }
}

#[test]
fn a_build_changes_its_folder_alone_and_leaves_it_to_its_owner() {
    const OWNER: u32 = 12_345;
    let is_root = fs::metadata("/proc/self").expect("it is there").uid() == 0;
    for has_bubblewrap in walls() {
        let class = Class::new();
        class.write(
            "ada/Makefile",
            "all:\n\tmkdir -p out/deep && cp player.py out/deep/built.py && test -w sub\n\
             \t! touch ../bob/made 2>/dev/null\n",
        );
        fs::create_dir(class.path("ada/sub")).expect("there is room");
        let mut all = vec![class.path("ada")];
        if is_root {
            let inside = fs::read_dir(class.path("ada")).expect("a folder").flatten();
            all.extend(inside.map(|entry| entry.path()));
            for path in &all {
                chown(path, Some(OWNER), Some(OWNER)).expect("root may");
            }
        }
        let entry = "folder = \"ada\"\nbuild = \"make\"\nrun = \"python3 out/deep/built.py\"";
        let (told, games) = class.tournament(has_bubblewrap, entry);
        assert_eq!(
            games.iter().filter(|game| of_ada(game)).count(),
            4,
            "{told}"
        );
        for game in games {
            assert!(game["fault"].is_null(), "{game}");
        }
        assert!(!class.path("bob/made").exists());
        all.push(class.path("ada/out/deep/built.py"));
        let owner = if is_root {
            OWNER
        } else {
            class.path("bob").metadata().expect("it is there").uid()
        };
        for path in all {
            let about = path.metadata().expect("it is there");
            assert_eq!(about.uid(), owner, "{}", path.display());
        }
        let shared = "build = \"make\"\nrun = \"python3 ada/player.py\"";
        class.write("wrong.toml", &format!("game = \"entropy\"\n[format]\nkind = \"knockout\"\n[[participant]]\nname = \"greedy\"\nagent = \"greedy\"\n[[participant]]\nname = \"ada\"\n{shared}\n"));
        let wrong = run_in(
            class.0.path(),
            has_bubblewrap,
            &["tournament", "wrong.toml"],
        );
        assert!(
            stderr(&wrong).contains("expected a folder of its own"),
            "{wrong:?}"
        );
    }
}

#[test]
fn a_build_that_fills_the_disk_does_not_play_and_its_files_are_gone() {
    for has_bubblewrap in walls() {
        let class = Class::new();
        let fill = "all:\n\tmkdir deep && fallocate -l 200M deep/a && fallocate -l 200M b\n";
        class.write("ada/Makefile", fill);
        let entry = format!("{RUN}\nbuild = \"make\"");
        class.is_rejected(
            has_bubblewrap,
            &entry,
            "it wrote 256 MiB or more into its folder",
        );
        assert!(!class.path("ada/deep").exists() && !class.path("ada/b").exists());
        assert!(class.path("ada/player.py").exists());
    }
}

#[test]
fn a_tournament_that_is_stopped_does_not_wait_for_a_build() {
    let class = Class::new();
    let text = format!(
        "game = \"entropy\"\n[settings]\nsize = 2\n[format]\nkind = \"knockout\"\n[[participant]]\nname = \"random\"\n\
         agent = \"random\"\n[[participant]]\nname = \"ada\"\n{RUN}\nbuild = \"sleep 100000\"\n"
    );
    class.write("class.toml", &text);
    let log = class.path("stderr");
    let mut playing = turnwise(&["tournament", "class.toml"])
        .current_dir(class.0.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(&log).expect("there is room"))
        .spawn()
        .expect("it starts");
    let begun = Instant::now();
    // Once the log contains this line, turnwise handles signals.
    while !fs::read_to_string(&log).is_ok_and(|text| text.contains("isolation: ")) {
        assert!(
            begun.elapsed() < Duration::from_secs(100),
            "it does not begin"
        );
        thread::sleep(Duration::from_millis(5));
    }
    let pid = playing.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(sent.expect("it starts").success());
    assert_eq!(playing.wait().expect("it ends").code(), Some(143));
    // The build was stopped long before its own time limit.
    assert!(begun.elapsed() < Duration::from_secs(200));
    let told = fs::read_to_string(&log).expect("it is there");
    assert!(!told.contains("does not play"), "{told}");
}

#[test]
fn root_says_which_file_its_programs_cannot_read() {
    if fs::metadata("/proc/self").expect("it is there").uid() != 0 {
        println!("skipped: programs of other users; root can start them");
        return;
    }
    let class = Class::new();
    for (path, mode) in [("ada", 0o700), ("ada/player.py", 0o600)] {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(class.path(path), mode).expect("it is ours");
        let why = "chmod -R o+rX";
        class.is_rejected(is_there("bwrap"), RUN, why);
        open(&class.path("ada"));
    }
}
