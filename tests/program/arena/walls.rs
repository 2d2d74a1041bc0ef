//! Tests the walls around isolated programs in three environments. A wall is a restriction that isolates programs.
//!
//! The environments are a machine with namespaces, a container with Docker's defaults, and a container without
//! capabilities. In each environment, attacks that Landlock cannot block fail, honest programs play, and the arena
//! claims only the walls in force.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::process::{Command, Output};
use std::thread;

use nix::libc;
use rustix::process::geteuid;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

use super::hostile::{Attacked, at, has_walls, last_words};
use super::{arena, games};
use crate::support::turnwise;

/// The environment in which an arena runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// The machine as it is, without additional restrictions.
    Nothing,
    /// A container as Docker creates it by default: root with some capabilities and without namespaces.
    Docker,
    /// A container with neither capabilities nor namespaces.
    Bare,
    /// A container like `Bare`, but also without Landlock.
    Old,
}

/// The capabilities that root keeps in Docker's default container.
const DOCKERS: &str = "-all,+chown,+dac_override,+fsetid,+fowner,+mknod,+net_raw,+setgid,+setuid,+setfcap,+setpcap,\
                       +net_bind_service,+sys_chroot,+kill,+audit_write";

impl Around {
    /// Returns those environments that this machine can create and in which programs are protected from each other.
    fn walled() -> Vec<Self> {
        let mut all = vec![Self::Bare];
        all.extend(geteuid().is_root().then_some(Self::Docker));
        all.extend(has_walls("attacks in namespaces").then_some(Self::Nothing));
        all
    }

    /// Runs a command in this environment, waits until it exits, and returns its output.
    pub fn output(self, command: &mut Command) -> Output {
        let capabilities = match self {
            _ if !geteuid().is_root() => None,
            Self::Nothing => None,
            Self::Docker => Some(DOCKERS),
            Self::Bare | Self::Old => Some("-all"),
        };
        let mut around = match capabilities {
            None => Command::new(command.get_program()),
            Some(capabilities) => {
                let mut around = Command::new("setpriv");
                around.arg(format!("--bounding-set={capabilities}"));
                around.arg("--inh-caps=-all").arg(command.get_program());
                around
            }
        };
        around.args(command.get_args());
        for (name, value) in command.get_envs() {
            value.map(|value| around.env(name, value));
        }
        // The filter applies only to this thread and its child processes.
        let run = thread::spawn(move || {
            if self != Self::Nothing {
                apply_filter(&without_namespaces(self == Self::Old)).expect("a filter");
            }
            around.output().expect("it can be started")
        });
        run.join().expect("it ends")
    }
}

/// Returns a seccomp filter that denies namespaces and mounts, as a container does.
///
/// If `is_old` is true, it also denies Landlock.
fn without_namespaces(is_old: bool) -> BpfProgram {
    let bit = |flag: i32| {
        let flag = flag as u64;
        let length = SeccompCmpArgLen::Dword;
        let condition = SeccompCondition::new(0, length, SeccompCmpOp::MaskedEq(flag), flag);
        SeccompRule::new(vec![condition.expect("a condition")]).expect("a rule")
    };
    let namespaces = [libc::CLONE_NEWNS, libc::CLONE_NEWUSER].map(bit).to_vec();
    let mut rules = BTreeMap::from([
        (libc::SYS_unshare, Vec::new()),
        (libc::SYS_mount, Vec::new()),
        (libc::SYS_clone, namespaces),
        (libc::SYS_clone3, Vec::new()),
    ]);
    rules.extend(is_old.then_some((libc::SYS_landlock_create_ruleset, Vec::new())));
    let arch = std::env::consts::ARCH.try_into().expect("a known machine");
    // The C library replaces `clone3` only if the call does not exist.
    let denied = SeccompAction::Errno(libc::ENOSYS as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, denied, arch);
    filter.and_then(BpfProgram::try_from).expect("a filter")
}

/// Plays games with an attacker in each environment. Passes the last lines of its stderr to `check`.
///
/// `words` are the attacker's arguments.
fn attacked(script: &str, words: &[&str], check: impl Fn(Around, &str)) {
    for around in Around::walled() {
        let attacked = Attacked::inside(around);
        for game in attacked.by(script, words) {
            check(around, &last_words(&game));
        }
    }
}

#[test]
fn nobody_changes_the_attributes_of_others_files() {
    for around in Around::walled() {
        let attacked = Attacked::inside(around);
        let kept = attacked.file("player.py", "as it was");
        let about = || {
            let about = kept.metadata().expect("it is there");
            (about.mode(), about.uid(), about.mtime(), about.ctime_nsec())
        };
        let before = about();
        for game in attacked.by("chmodder.py", &[&at(&kept)]) {
            let words = last_words(&game);
            assert!(!words.contains("changed"), "{around:?}: {game}");
            assert!(words.contains("attributes"), "{around:?}: {game}");
        }
        assert_eq!(about(), before, "{around:?}");
    }
}

#[test]
fn nobody_changes_limits_priorities_and_cores_of_others() {
    let pid = std::process::id().to_string();
    attacked("prlimiter.py", &[&pid], |around, words| {
        assert!(!words.contains("changed"), "{around:?}: {words}");
        assert!(words.contains("cores"), "{around:?}: {words}");
    });
}

#[test]
fn nobody_holds_memory_that_belongs_to_no_process() {
    attacked("memfd_hog.py", &[], |around, words| {
        assert!(!words.contains("all of it"), "{around:?}: {words}");
        assert!(words.contains("/dev/zero"), "{around:?}: {words}");
    });
}

#[test]
fn a_process_without_its_first_thread_is_watched_and_ended_like_any_other() {
    attacked("leaderless.py", &[], |around, words| {
        let expected = "it used more than 192 MiB of memory";
        assert!(words.contains(expected), "{around:?}: {words}");
        assert!(!words.contains("all of it"), "{around:?}: {words}");
    });
}

#[test]
fn nothing_of_system_v_outlives_a_program() {
    let key = std::process::id().to_string();
    attacked("shm_hog.py", &[&key], |around, words| {
        assert_eq!(
            words.matches("did not make a").count(),
            4,
            "{around:?}: {words}"
        );
    });
}

#[test]
fn files_without_a_name_are_counted() {
    for kind in ["open", "mapped"] {
        attacked("unlinked_hog.py", &[kind], |around, words| {
            let expected = match around {
                Around::Nothing => "No space left on device",
                _ => "it wrote more than 64 MiB",
            };
            assert!(words.contains(expected), "{around:?}, {kind}: {words}");
            assert!(!words.contains("all of it"), "{around:?}, {kind}: {words}");
        });
    }
}

#[test]
fn nobody_reaches_a_unix_socket_by_its_path() {
    for around in Around::walled() {
        let attacked = Attacked::inside(around);
        let path = attacked.beside.path().join("socket");
        let _streams = UnixListener::bind(&path).expect("a socket");
        let datagrams = format!("{}-datagrams", path.display());
        let _datagrams = UnixDatagram::bind(datagrams).expect("a socket");
        for game in attacked.by("caller.py", &[&at(&path)]) {
            let words = last_words(&game);
            assert!(!words.contains("was heard"), "{around:?}: {game}");
            assert!(words.contains("pair"), "{around:?}: {game}");
        }
    }
}

#[test]
fn the_kernel_wakes_no_program_that_is_suspended() {
    attacked("waker.py", &[], |around, words| {
        assert_eq!(
            words.matches("was refused").count(),
            6,
            "{around:?}: {words}"
        );
    });
}

#[test]
fn an_honest_program_plays_inside_all_walls() {
    for around in Around::walled() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        let command = format!(
            "own=cmd:{} stdio entropy --clock 2",
            env!("CARGO_BIN_EXE_turnwise")
        );
        let words = ["random", "--isolate", "--pairs", "1", "--size", "4"];
        let words = [&[&*command], &words[..], &["--clock", "100"]].concat();
        let output = around.output(&mut arena(&words, &log));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{around:?}: {stderr}");
        for game in games(&log) {
            assert!(game["fault"].is_null(), "{around:?}: {game}");
        }
    }
}

/// Returns the report that `turnwise check --machine` prints in this environment.
fn machine(around: Around) -> String {
    let output = around.output(&mut turnwise(&["check", "--machine"]));
    assert!(output.status.success(), "{around:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_machine_reports_its_walls() {
    for around in Around::walled() {
        let report = machine(around);
        assert!(!report.contains("MISSING"), "{around:?}: {report}");
        let kind = match around {
            Around::Nothing => "namespaces (bubblewrap)",
            _ => "no namespaces",
        };
        assert!(report.contains(kind), "{around:?}: {report}");
        let shares_user = report.contains("programs run as");
        assert_eq!(shares_user, around == Around::Bare, "{around:?}: {report}");
    }
    let report = machine(Around::Old);
    for wall in ["files of others hidden", "writing into its own folder only"] {
        let line = format!("MISSING    {wall}\n");
        assert!(report.contains(&line), "{report}");
    }
    // Of all restrictions, only the seccomp filter provides these walls.
    for wall in [
        "UDP closed",
        "Unix sockets closed",
        "memory outside of processes limited",
    ] {
        let line = format!("yes        {wall}\n");
        assert!(report.contains(&line), "{report}");
    }
}

#[test]
fn a_tournament_needs_walls_unless_its_file_does_without() {
    for (isolate, is_refused) in [("", true), ("isolate = \"best-effort\"\n", false)] {
        let folder = tempfile::tempdir().expect("a folder");
        let class = folder.path().join("class.toml");
        let text = format!(
            "game = \"entropy\"\n{isolate}[settings]\nsize = 3\n[format]\nkind = \"round-robin\"\ntimes = 1\n\
             [[participant]]\nname = \"ada\"\nfolder = \".\"\nrun = \"true\"\n\
             [[participant]]\nname = \"random\"\nagent = \"random\"\n"
        );
        fs::write(&class, text).expect("there is room");
        let mut command = turnwise(&["tournament", "--yes"]);
        command.arg(&class);
        let output = Around::Old.output(&mut command);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), !is_refused, "{stderr}");
        assert_eq!(
            class.with_extension("jsonl").exists(),
            !is_refused,
            "{stderr}"
        );
        if is_refused {
            for words in [
                "missing: files of others hidden",
                "bubblewrap",
                "best-effort",
            ] {
                assert!(stderr.contains(words), "{stderr}");
            }
        }
    }
}

#[test]
fn a_program_is_compiled_and_started_inside_all_walls() {
    for around in Around::walled() {
        let folder = tempfile::tempdir().expect("a folder");
        let submission = folder.path().join("ada");
        fs::create_dir(&submission).expect("there is room");
        // If root started the tournament, the program runs as another user.
        for place in [folder.path(), &submission] {
            fs::set_permissions(place, fs::Permissions::from_mode(0o755)).expect("it is ours");
        }
        let source = "#include <iostream>\nint main() { std::cerr << \"compiled\\n\"; }\n";
        fs::write(submission.join("player.cpp"), source).expect("there is room");
        let class = folder.path().join("class.toml");
        let text = "game = \"entropy\"\n[settings]\nsize = 3\n[format]\nkind = \"round-robin\"\ntimes = 1\n\
                    [[participant]]\nname = \"ada\"\nfolder = \"ada\"\nbuild = \"g++ player.cpp -o player\"\n\
                    run = \"./player\"\n[[participant]]\nname = \"random\"\nagent = \"random\"\n";
        fs::write(&class, text).expect("there is room");
        let mut command = turnwise(&["tournament", "--yes"]);
        command.arg(&class);
        let output = around.output(&mut command);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{around:?}: {stderr}");
        for game in games(&class.with_extension("jsonl")) {
            assert_eq!(last_words(&game), "compiled\n", "{around:?}: {game}");
        }
    }
}
