//! Tests that a match that was killed leaves no processes behind.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::{arena, games, played};

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns true if the process with this ID exists and has not exited.
fn runs(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_some_and(|(_, state)| !state.starts_with('Z'))
}

/// Stops a process, and waits until none of its threads runs.
///
/// The signal alone stops a process only when one of its threads next runs, which takes a while on a busy machine.
fn stop(process: u32) {
    signal(process, "-STOP");
    let is_stopped = || {
        let threads = fs::read_dir(format!("/proc/{process}/task")).expect("it runs");
        let mut stats = threads
            .flatten()
            .filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
        stats.all(|stat| {
            stat.rsplit_once(") ")
                .is_some_and(|(_, state)| state.starts_with('T'))
        })
    };
    until("a process does not stop", is_stopped);
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

/// Returns a command in Python that leaves a process behind and then runs `then`.
///
/// The process that is left behind has no parent, no environment and its own session. It writes its process ID to the
/// file `pid` and computes for half a second. Then it creates another file, whose name ends in `.done`, and continues
/// computing.
fn escaping(pid: &Path, then: &str) -> String {
    let program = format!(
        "import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        path = {pid:?}
        open(path + '.new', 'w').write(str(os.getpid()))
        os.rename(path + '.new', path)
        compute = 'import sys, time\\nwhile time.process_time() < 0.5: pass\\nopen(sys.argv[1], \"w\")\\nwhile True: pass'
        os.execve(sys.executable, [sys.executable, '-c', compute, path + '.done'], {{}})
    os._exit(0)
os.wait()
while not os.path.exists({pid:?}): time.sleep(0.001)
{then}"
    );
    format!(
        "cmd:python3 -c {}",
        shlex::try_quote(&program).expect("no NUL")
    )
}

/// Returns the command of a Halma game with these additional words, in which the program `command` moves first.
fn with_first_move(command: &str, words: &[&str], log: &Path) -> Command {
    let game = [
        "--game", "halma", "--begins", "black", "--pairs", "1", "--jobs", "1",
    ];
    let mut arena = arena(&[command, "random"], log);
    arena.args(game).args(words);
    arena
}

#[test]
fn a_process_without_parent_session_or_environment_ends_with_its_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let pid = folder.path().join("pid");
    let command = escaping(&pid, "");
    let output = with_first_move(&command, &[], &folder.path().join("log")).output();
    assert!(output.expect("started").status.success());
    let pid = fs::read_to_string(pid).expect("it ran");
    assert!(!runs(&pid));
}

#[test]
fn such_a_process_is_charged_to_its_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let pid = folder.path().join("pid");
    let log = folder.path().join("log");
    let wait = format!(
        "while not os.path.exists({:?}): time.sleep(0.01)",
        pid.with_extension("done")
    );
    let output = with_first_move(&escaping(&pid, &wait), &["--clock", "100"], &log).output();
    assert!(output.expect("started").status.success());
    let game = &games(&log)[0];
    assert!(game["cpu_s"]["black"].as_f64() >= Some(0.5), "{game}");
    assert!(!runs(&fs::read_to_string(pid).expect("it ran")));
}

#[test]
fn a_program_that_kills_its_supervisor_loses_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let pid = folder.path().join("pid");
    let log = folder.path().join("log");
    let command = escaping(&pid, "os.kill(os.getppid(), 9); time.sleep(1000)");
    let output = with_first_move(&command, &[], &log).output();
    assert!(output.expect("started").status.success());
    for game in games(&log) {
        assert_eq!(game["fault"]["kind"], "crash", "{game}");
    }
    assert!(!runs(&fs::read_to_string(pid).expect("it ran")));
}

fn signal(process: u32, signal: &str) {
    let status = Command::new("kill")
        .args([signal, &process.to_string()])
        .status();
    assert!(status.expect("there is kill").success());
}

#[test]
fn a_supervisor_outlives_neither_its_arena_nor_the_guard() {
    let folder = tempfile::tempdir().expect("a folder");
    let [pid, scratch] = ["pid", "scratch"].map(|name| folder.path().join(name));
    fs::create_dir(&scratch).expect("there is room");
    let command = escaping(&pid, "time.sleep(1000)");
    let mut arena = with_first_move(&command, &[], &folder.path().join("first"));
    let mut arena = arena.env("TMPDIR", &scratch).spawn().expect("started");
    until("the command does not run", || pid.exists());
    let process = fs::read_to_string(&pid).expect("it runs");
    // The guard was started first.
    signal(helpers(arena.id())[0], "-KILL");
    arena.kill().expect("it runs");
    arena.wait().expect("it ends");
    until("a process is left", || !runs(&process));
    assert!(!is_empty(&scratch));
    let mut next = with_first_move("cmd:true", &[], &folder.path().join("next"));
    let next = next.env("TMPDIR", &scratch).output();
    assert!(next.expect("started").status.success());
    assert!(is_empty(&scratch));
}

#[test]
fn the_next_arena_clears_what_is_left_where_everybody_was_killed_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let [pids, scratch] = ["pids", "scratch"].map(|name| folder.path().join(name));
    fs::create_dir(&scratch).expect("there is room");
    let shown = pids.display();
    let command = format!(
        "cmd:sh -c 'setsid sleep 1000 & echo $! $$ > {shown}.new; mv {shown}.new {shown}; sleep 1000; :'"
    );
    let mut arena = with_first_move(&command, &[], &folder.path().join("first"));
    let mut arena = arena.env("TMPDIR", &scratch).spawn().expect("started");
    until("the command does not run", || pids.exists());
    let pids = fs::read_to_string(&pids).expect("it runs");
    let helpers = helpers(arena.id());
    assert_eq!(helpers.len(), 2, "a guard and a supervisor");
    // The arena is stopped first: it must not notice what happens to the others.
    for process in [arena.id()].iter().chain(&helpers) {
        stop(*process);
    }
    for process in helpers {
        signal(process, "-KILL");
    }
    arena.kill().expect("it runs");
    arena.wait().expect("it ends");
    for process in pids.split_whitespace() {
        assert!(runs(process), "{process} of {pids} has exited");
    }
    // This process simulates one that has received the ID of an exited process, but has a different start time.
    let mut other = Command::new("sleep")
        .arg("1000")
        .spawn()
        .expect("there is sleep");
    let run = fs::read_dir(&scratch).expect("a folder").next();
    let run = run.expect("an entry").expect("an entry").path();
    fs::write(run.join(format!("child-{}-1", other.id())), "").expect("there is room");
    let mut next = with_first_move("cmd:true", &[], &folder.path().join("next"));
    let next = next.env("TMPDIR", &scratch).output();
    assert!(next.expect("started").status.success());
    assert!(!pids.split_whitespace().any(runs));
    assert!(is_empty(&scratch));
    assert!(other.try_wait().expect("it is ours").is_none());
    other.kill().expect("it runs");
    other.wait().expect("it ends");
}

/// Returns the process IDs of the children of the process `parent`, in the order in which they were started.
fn helpers(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let stats = processes.filter_map(|it| fs::read_to_string(it.path().join("stat")).ok());
    let children = stats.filter_map(|stat| {
        let (head, rest) = stat.split_once(" (")?;
        // The fields after the name: the state, the parent, and 18 fields further the start time. See `proc(5)`.
        let (_, rest) = rest.rsplit_once(") ")?;
        let field = |at: usize| rest.split(' ').nth(at)?.parse::<u64>().ok();
        (field(1) == Some(parent.into())).then(|| Some((field(19)?, head.parse().ok()?)))?
    });
    let mut children: Vec<_> = children.collect();
    children.sort_unstable();
    children.into_iter().map(|(_, process)| process).collect()
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
