//! What is left of a match that was killed outright: nothing.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{arena, played};

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// True if there is such a process that has not ended.
fn runs(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_some_and(|(_, state)| !state.starts_with('Z'))
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).expect("a folder").next().is_none()
}

#[test]
fn hung_children_those_that_left_their_group_and_folders_do_not_outlive_a_killed_arena() {
    let folder = tempfile::tempdir().expect("a folder");
    let [pids, scratch] = ["pids", "scratch"].map(|name| folder.path().join(name));
    fs::create_dir(&scratch).expect("there is room");
    let shown = pids.display();
    let command = format!(
        "cmd:sh -c 'setsid sleep 1000 & echo $! $$ > {shown}.new; mv {shown}.new {shown}; sleep 1000; :'"
    );
    let words = [
        &command, "random", "--game", "halma", "--begins", "black", "--pairs", "1",
    ];
    let mut arena = arena(&words, &folder.path().join("log"))
        .args(["--jobs", "1"])
        .env("TMPDIR", &scratch)
        .spawn()
        .expect("started");
    until("the command does not run", || pids.exists());
    assert!(!is_empty(&scratch));
    arena.kill().expect("it runs");
    arena.wait().expect("it ends");
    let pids = fs::read_to_string(&pids).expect("two numbers");
    assert_eq!(pids.split_whitespace().count(), 2);
    until("a process is left", || !pids.split_whitespace().any(runs));
    until("a folder is left", || is_empty(&scratch));
}

#[test]
fn a_guard_does_not_outlive_a_normal_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let command = "cmd:sh -c 'cp /proc/self/environ ENVIRON; exit 1'";
    let command = command.replace(
        "ENVIRON",
        &folder.path().join("environ").display().to_string(),
    );
    played(
        &[&command, "random", "--game", "halma", "--pairs", "1"],
        &log,
    );
    let environment = fs::read_to_string(folder.path().join("environ")).expect("it ran");
    let name = environment
        .split('\0')
        .find_map(|it| it.strip_prefix("TURNWISE_GUARD="));
    let name = name.expect("it was guarded");
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let mut lines = processes.filter_map(|it| fs::read_to_string(it.path().join("cmdline")).ok());
    assert!(!lines.any(|line| line.contains(name)));
}
