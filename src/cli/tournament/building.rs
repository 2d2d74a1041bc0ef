//! Runs the commands that build the participants' programs, once before the first game.

use std::path::Path;
use std::time::Duration;

use turnwise_engine::player::Ponder;
use turnwise_engine::words::printable;
use turnwise_process::isolation::{Isolation, Own};
use turnwise_process::own_folder::{Before, OwnFolder};
use turnwise_process::{Process, Streams};
use turnwise_tournament::class_file::{Build, Class};
use turnwise_tournament::held::Withdrawal;

use super::absent;
use crate::console::progress::Slow;

/// The maximum time for building a program.
const BUILD_TIME: Duration = Duration::from_secs(300);

/// The maximum amount of data that an isolated build may add to its folder, in bytes.
const BUILD_FILES: u64 = 256 << 20;

/// The isolation of a build: it may use limited memory, processes and files, but no network.
const BUILD_ISOLATION: Isolation = Isolation {
    memory: 4 << 30,
    processes: 1024,
    files: BUILD_FILES,
    network: false,
    readable: Vec::new(),
    has_private_home: false,
    own: Own::Named,
};

/// Builds the participants' programs, and withdraws each participant whose build fails. Stops early once `is_stopped`
/// returns true.
pub(super) fn build(
    class: &Class,
    withdrawn: &mut [Option<Withdrawal>],
    is_stopped: &dyn Fn() -> bool,
) {
    for build in &class.builds {
        let mut agents = class.settings.agents.iter();
        let place = agents.position(|agent| agent.name == build.participant);
        let place = place.expect("who is built takes part");
        if withdrawn[place].is_some() {
            continue;
        }
        let _slow = Slow::new(format!("building {}", printable(&build.participant)));
        let built = match class.settings.isolation {
            Some(_) => built_isolated(build, is_stopped),
            None => run(build, &build.folder, None, BUILD_TIME, is_stopped),
        };
        if is_stopped() {
            return;
        }
        if let Err(why) = built {
            let hint = hint(&build.words);
            let why = format!("`{}` failed: {why}{hint}", build.words.join(" "));
            absent(withdrawn, &build.participant, place, &why);
        }
    }
}

/// Returns advice for a command that only a shell understands, or nothing.
fn hint(words: &[String]) -> &'static str {
    let is_shell = words.first().is_some_and(|program| program.ends_with("sh"));
    let is_meant_for_shell =
        |word: &String| word.contains(['*', '|', ';', '>', '$']) || word == "&&";
    match !is_shell && words.iter().any(is_meant_for_shell) {
        true => {
            "; the command does not run in a shell: for *, &&, |, ;, > and $, write sh -c '...'"
        }
        false => "",
    }
}

/// Runs an isolated build, which may change only the participant's folder. If the build adds too much data, the new
/// files are removed, and the build fails.
fn built_isolated(build: &Build, is_stopped: &dyn Fn() -> bool) -> Result<(), String> {
    let in_words = |error: std::io::Error| error.to_string();
    let folder = OwnFolder::open(&build.folder).map_err(in_words)?;
    let before = Before::of(folder.path()).map_err(in_words)?;
    let isolation = Isolation {
        files: before.bytes() + BUILD_FILES,
        own: Own::Builds(folder.path().to_owned()),
        ..BUILD_ISOLATION
    };
    let ended = run(
        build,
        folder.path(),
        Some(&isolation),
        BUILD_TIME,
        is_stopped,
    );
    // If root started the tournament, the build ran as another user, who now owns the new files. This gives the files
    // back to the owner of the folder.
    before.restore_owners().map_err(in_words)?;
    if before.grown_by().map_err(in_words)? >= BUILD_FILES {
        before.remove_new().map_err(in_words)?;
        return Err(format!(
            "it wrote {} MiB or more into its folder, and the new files were removed; expected less",
            BUILD_FILES >> 20
        ));
    }
    ended?;
    folder.check_again().map_err(in_words)?;
    folder.mark_programs().map_err(in_words)
}

/// Runs a build until it ends. Stops the build after the time `longest`, or once `is_stopped` returns true.
fn run(
    build: &Build,
    folder: &Path,
    isolation: Option<&Isolation>,
    longest: Duration,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), String> {
    let process = Process::start_in(
        folder,
        &build.words,
        Streams::Null,
        isolation,
        Ponder::Allow,
    );
    let mut process = process.map_err(|error| error.to_string())?;
    let ended = process.run_to_its_end(Duration::ZERO, |progress| {
        is_stopped() || progress.wall >= longest
    });
    let ended = ended.map_err(|error| error.to_string())?;
    if ended.killed_at.is_some() {
        return Err(format!(
            "it was still running after {} s, the limit of a build, and was killed; build the program before the \
             tournament",
            longest.as_secs()
        ));
    }
    if !ended.status.success() {
        let said = process.last_lines();
        let last = said.len().saturating_sub(3);
        let said = said[last..].join(" / ");
        return Err(format!("{}: {}", ended.status, printable(&said)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_only_a_shell_understands_gets_a_hint() {
        let hint_of = |command: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            hint(&words)
        };
        for command in [
            "g++ -o player *.cpp",
            "make && make test",
            "cat a>b",
            "echo $HOME",
        ] {
            assert!(hint_of(command).contains("sh -c"), "{command}");
        }
        for command in ["make -j2", "sh -c g++ *.cpp", "/bin/bash -c $X"] {
            assert_eq!(hint_of(command), "", "{command}");
        }
    }

    #[test]
    fn a_build_that_hangs_ends_at_its_limit_and_when_the_tournament_is_stopped() {
        let folder = tempfile::tempdir().expect("a folder");
        let build = Build {
            participant: "ada".to_owned(),
            folder: folder.path().to_owned(),
            words: ["sleep", "600"].map(str::to_owned).to_vec(),
        };
        let short = Duration::from_millis(1);
        for (longest, is_stopped) in [(short, false), (Duration::from_secs(600), true)] {
            let ended = run(&build, folder.path(), None, longest, &|| is_stopped);
            let why = ended.expect_err("it was killed");
            assert!(
                why.contains("the limit of a build, and was killed"),
                "{why}"
            );
        }
    }
}
