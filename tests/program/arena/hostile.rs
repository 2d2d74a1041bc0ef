//! Tests programs that attack the arena instead of playing.
//!
//! Each attacker must lose its games through its own fault. The match must continue, and no process or file of the
//! attacker may remain.

use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

use super::walls::Around;
use super::{HALMA_PLAYER, arena, games, played};
use crate::support::turnwise;

pub(super) const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hostile");

/// The names of the attackers that also play legal moves.
pub(super) const PLAYING: [&str; 5] =
    ["continuer", "forker", "spinner", "stopped", "tile_recorder"];

/// The memory limit for all processes of a program together, in MiB.
const MEMORY: &str = "192";

/// A pair of games between an attacker and a built-in agent that commits no faults.
pub(super) struct Attacked {
    /// The environment in which the arena runs.
    around: Around,
    /// The referee's folder, which contains only the log.
    folder: TempDir,
    /// A folder next to the referee's folder, for files that must stay unchanged.
    pub beside: TempDir,
    /// A unique word in the arguments of the attacker's processes.
    word: String,
    /// The attacker's clock for a game, in seconds.
    clock: &'static str,
}

/// Returns the arena's message about the isolation that is in force here.
///
/// Returns `None` if this machine cannot isolate programs.
fn in_force() -> Option<&'static str> {
    static SAID: OnceLock<Option<String>> = OnceLock::new();
    let said = SAID.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let words = [
            "cmd:true",
            "random",
            "--isolate",
            "--pairs",
            "1",
            "--size",
            "3",
        ];
        let output = arena(&words, &folder.path().join("log")).output();
        let stderr = String::from_utf8(output.expect("started").stderr).expect("text");
        let line = stderr
            .lines()
            .find(|line| line.starts_with("turnwise: isolation: "));
        let line = line.expect("it says what is in force").to_owned();
        line.contains("namespaces (bubblewrap)").then_some(line)
    });
    said.as_deref()
}

/// Returns true if this machine can isolate programs. Otherwise, prints that the test `test` is skipped.
pub(super) fn has_walls(test: &str) -> bool {
    let has_walls = in_force().is_some();
    if !has_walls {
        println!(
            "skipped: {test}: there are no namespaces; the package bubblewrap makes it possible"
        );
    }
    has_walls
}

impl Attacked {
    fn new() -> Self {
        Self::inside(Around::Nothing)
    }

    pub fn inside(around: Around) -> Self {
        let [folder, beside] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let word = folder.path().file_name().expect("a name");
        let word = format!("attack{}", word.to_string_lossy().replace('.', "-"));
        Self {
            around,
            folder,
            beside,
            word,
            clock: "3",
        }
    }

    /// Writes a file that no attacker may read or change, and returns its path.
    pub fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.beside.path().join(name);
        fs::write(&path, content).expect("there is room");
        path
    }

    /// Plays the pair of games with the attacker `script`, and returns both games.
    ///
    /// Asserts that the attacker has lost both through its own faults.
    pub fn by(&self, script: &str, words: &[&str]) -> [Value; 2] {
        let log = self.folder.path().join("log");
        let script = Path::new(SCRIPTS).join(script);
        let all = words.join(" ");
        let culprit = format!(
            "culprit=cmd:python3 {} {} {all}",
            script.display(),
            self.word
        );
        let match_words = [
            &culprit,
            "random",
            "--isolate",
            "--memory",
            MEMORY,
            "--pairs",
            "1",
            "--size",
            "4",
            "--clock",
            self.clock,
            // Some attackers compute from the beginning, and would use up a longer time for the start.
            "--start-time",
            "0.5",
            "--jobs",
            "1",
        ];
        let output = self.around.output(&mut arena(&match_words, &log));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        let games: [Value; 2] = games(&log).try_into().expect("two games");
        for game in &games {
            assert_eq!(game["fault"]["agent"], "culprit", "{game}");
        }
        assert_eq!(left_of(&self.word), Vec::<String>::new());
        let names = fs::read_dir(self.folder.path()).expect("a folder");
        let names: Vec<_> = names.map(|it| it.expect("an entry").file_name()).collect();
        assert_eq!(names, ["log"]);
        games
    }
}

/// Returns a command-line argument that contains a path but is not a file name itself.
///
/// The reason is that a program may be allowed to read a file whose name is an argument.
pub(super) fn at(path: &Path) -> String {
    format!("at:{}", path.display())
}

/// Returns the running processes that have this word in their arguments.
pub(super) fn left_of(word: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    // If the first thread of a process has ended, only the other threads still show the process's arguments.
    let threads = processes.flat_map(|it| fs::read_dir(it.path().join("task")));
    let threads = threads.flatten().flatten();
    let lines = threads.filter_map(|it| fs::read_to_string(it.path().join("cmdline")).ok());
    lines.filter(|line| line.contains(word)).collect()
}

/// Returns the last lines on stderr of the player that was at fault in a game.
pub(super) fn last_words(game: &Value) -> String {
    let lines = game["fault"]["stderr"].as_array().into_iter().flatten();
    lines
        .filter_map(Value::as_str)
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn what_an_arena_says_is_in_force_is_what_it_has_seen() {
    let Some(line) = in_force() else {
        return assert!(!has_walls("what is in force"));
    };
    assert!(line.contains("; all protections in force"), "{line}");
    let report = turnwise(&["check", "--machine"]).output();
    let report = String::from_utf8(report.expect("started").stdout).expect("text");
    for what in [
        "files of others hidden",
        "writing into its own folder only",
        "modes, owners, times and attributes of others' files protected",
        "TCP closed",
        "UDP closed",
        "Unix sockets closed",
        "other processes out of reach",
        "limits, priorities and cores of other processes protected",
        "memory of each process limited",
        "number of processes limited",
    ] {
        assert!(report.contains(&format!("yes        {what}")), "{report}");
    }
}

#[test]
fn a_fork_bomb_is_bounded_and_gone() {
    if has_walls("a fork bomb") {
        Attacked::new().by("fork_bomb.py", &[]);
    }
}

#[test]
fn a_memory_hog_gets_no_more_than_its_share_alone_or_with_children() {
    if !has_walls("a memory hog") {
        return;
    }
    for game in Attacked::new().by("memory_hog.py", &[]) {
        let words = last_words(&game);
        assert!(
            words.contains("refused beyond 128 MiB") || words.contains("refused beyond 64 MiB"),
            "{game}"
        );
        assert!(
            words.contains("it used more than 192 MiB of memory"),
            "{game}"
        );
        assert!(!words.contains("all children"), "{game}");
    }
}

#[test]
fn a_disk_filler_fills_its_own_folder_alone_and_that_not_far() {
    if !has_walls("a disk filler") {
        return;
    }
    for game in Attacked::new().by("disk_filler.py", &[]) {
        let words = last_words(&game);
        assert!(words.contains("No space left on device"), "{game}");
        assert!(!words.contains("all of it"), "{game}");
    }
}

#[test]
fn endless_output_is_a_fault_at_once() {
    if !has_walls("endless output") {
        return;
    }
    for game in Attacked::new().by("endless_output.py", &[]) {
        assert_eq!(game["fault"]["kind"], "garbage", "{game}");
    }
}

#[test]
fn a_beacon_is_heard_by_nobody() {
    if !has_walls("a beacon") {
        return;
    }
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = tcp.local_addr().expect("it is bound").port();
    let udp = UdpSocket::bind(("127.0.0.1", port)).expect("the same port");
    for game in Attacked::new().by("beacon.py", &[&port.to_string()]) {
        assert!(last_words(&game).contains("was not heard"), "{game}");
    }
    tcp.set_nonblocking(true).expect("possible");
    udp.set_nonblocking(true).expect("possible");
    let is_nobody = |kind| assert_eq!(kind, ErrorKind::WouldBlock);
    is_nobody(tcp.accept().expect_err("nobody connects").kind());
    is_nobody(udp.recv(&mut [0]).expect_err("nobody sends").kind());
}

#[test]
fn a_program_that_kills_its_parent_loses_like_any_other() {
    if has_walls("a program that kills its parent") {
        let pid = std::process::id().to_string();
        Attacked::new().by("parent_killer.py", &[&pid]);
    }
}

#[test]
fn a_spy_sees_neither_the_opponents_files_nor_the_referees() {
    if !has_walls("a spy") {
        return;
    }
    let attacked = Attacked::new();
    let secret = attacked.file("player.py", "the opponent's secret");
    let log = attacked.folder.path().join("log");
    for game in attacked.by("spy.py", &[&at(&secret), &at(&log)]) {
        let words = last_words(&game);
        assert!(
            !words.contains("secret\n") && !words.contains("event"),
            "{game}"
        );
        assert_eq!(
            words.matches("No such file or directory").count(),
            3,
            "{game}"
        );
    }
}

#[test]
fn a_vandal_changes_nothing() {
    if !has_walls("a vandal") {
        return;
    }
    let attacked = Attacked::new();
    let kept = attacked.file("player.py", "as it was");
    let [log, other] = [&attacked.folder, &attacked.beside].map(|it| at(it.path()));
    for game in attacked.by("vandal.py", &[&log, &other]) {
        assert!(!last_words(&game).contains("wrote into"), "{game}");
    }
    assert_eq!(fs::read_to_string(kept).expect("it is there"), "as it was");
    let scripts = fs::read_dir(SCRIPTS).expect("a folder").flatten();
    assert!(
        scripts
            .into_iter()
            .all(|it| it.file_name() != "result.jsonl")
    );
}

#[test]
fn a_sleeper_goes_with_its_child_that_computes() {
    if !has_walls("a sleeper") {
        return;
    }
    let attacked = Attacked {
        // Its child computes until the arena gives up waiting, which takes twice as long as the clock.
        clock: "1",
        ..Attacked::new()
    };
    for game in attacked.by("sleeper.py", &[]) {
        assert_eq!(game["fault"]["kind"], "silence", "{game}");
    }
}

#[test]
fn a_process_that_leaves_its_session_goes_with_its_program() {
    if has_walls("an escapee") {
        Attacked::new().by("escapee.py", &[]);
    }
}

#[test]
fn an_honest_program_plays_isolated_as_it_does_otherwise() {
    if !has_walls("an honest program") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let command = format!(
        "own=cmd:{} stdio entropy --clock 2",
        env!("CARGO_BIN_EXE_turnwise")
    );
    let words = [
        &command,
        "random",
        "--isolate",
        "--pairs",
        "1",
        "--size",
        "4",
        "--clock",
        "100",
    ];
    played(&words, &log);
    for game in games(&log) {
        assert!(game["fault"].is_null(), "{game}");
    }
}

#[test]
fn a_command_of_each_move_is_prepared_and_remembers_isolated() {
    if !has_walls("a command of each move") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // If root started the arena, the program runs as another user.
    let all = fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder.path(), all.clone()).expect("it is ours");
    let [player, calibrate] = ["homework.sh", "calibrate.sh"].map(|name| folder.path().join(name));
    fs::copy(HALMA_PLAYER, &player).expect("there is room");
    let prepare = "#!/bin/sh\n[ \"$HOME\" = /home/player ] && echo measured >calibration.txt\n";
    fs::write(&calibrate, prepare).expect("there is room");
    for script in [&player, &calibrate] {
        fs::set_permissions(script, all.clone()).expect("it is ours");
    }
    for (mode, kind) in [("calibrated", "illegal"), ("once", "silence")] {
        let log = folder.path().join(mode);
        let command = format!("own=cmd:{} {mode}", player.display());
        let words = [
            &command,
            "random",
            "--isolate",
            "--game",
            "halma",
            "--pairs",
            "1",
        ];
        played(&words, &log);
        for game in games(&log) {
            assert_eq!(game["fault"]["kind"], kind, "{game}");
        }
    }
}
