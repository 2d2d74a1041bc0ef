//! The commands that build participants' programs, run once before the first game.

use std::time::Duration;

use turnwise_engine::player::Ponder;
use turnwise_engine::words::printable;
use turnwise_process::isolation::Isolation;
use turnwise_process::{Process, Streams};
use turnwise_tournament::class_file::{Build, Class};
use turnwise_tournament::held::Withdrawal;

use super::absent;
use crate::console::progress::StatusLine;

/// How long a program may take to be built.
const BUILD_TIME: Duration = Duration::from_secs(300);

/// What a build may use where programs are isolated.
const BUILD_ISOLATION: Isolation = Isolation {
    memory: 4 << 30,
    processes: 1024,
    files: 1 << 30,
    network: false,
    readable: Vec::new(),
    has_private_home: false,
};

/// Builds what is to be built; whose program cannot be built does not play.
pub(super) fn build(class: &Class, withdrawn: &mut [Option<Withdrawal>]) {
    let mut status = StatusLine::new();
    for build in &class.builds {
        let mut agents = class.settings.agents.iter();
        let place = agents.position(|agent| agent.name == build.participant);
        let place = place.expect("who is built takes part");
        status.tell(|| format!("building {}", printable(&build.participant)));
        let isolation = class.settings.isolation.as_ref().map(|_| BUILD_ISOLATION);
        if let Err(why) = built(build, isolation.as_ref()) {
            absent(withdrawn, &build.participant, place, &why);
        }
    }
}

fn built(build: &Build, isolation: Option<&Isolation>) -> Result<(), String> {
    let failed = |why: String| format!("`{}` failed: {why}", build.words.join(" "));
    // Isolated, it has another current folder.
    let folder = std::path::absolute(&build.folder).map_err(|error| failed(error.to_string()))?;
    let process = Process::start_in(
        &folder,
        &build.words,
        Streams::Null,
        isolation,
        Ponder::Allow,
    );
    let mut process = process.map_err(|error| failed(error.to_string()))?;
    let ended = process.run_to_its_end(BUILD_TIME, |_| true);
    let ended = ended.map_err(|error| failed(error.to_string()))?;
    if ended.killed_at.is_some() {
        return Err(failed(format!("not done within {BUILD_TIME:?}")));
    }
    if !ended.status.success() {
        let said = process.last_lines();
        let last = said.len().saturating_sub(3);
        let said = said[last..].join(" / ");
        return Err(failed(format!("{}: {}", ended.status, printable(&said))));
    }
    Ok(())
}
