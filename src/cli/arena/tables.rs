//! Plays matches in which all agents sit at one table. They are run as tournaments with a single round.

use std::process::ExitCode;

use turnwise_arena::lineup::Lineup;
use turnwise_arena::log::Log;
use turnwise_arena::records::{DrawRecord, GameRecord};
use turnwise_games::start_daemon;
use turnwise_tournament::class_file::Class;
use turnwise_tournament::one_table::one_table;

use super::view::announce;
use super::{Arguments, commands, create, extended, jobs, settings};
use crate::cli::WrongUsage;
use crate::cli::tournament::{Executor, How, Opened, play};
use crate::console::note;

/// Plays the match that the arguments describe.
pub(super) fn begin(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    #[cfg(feature = "cluster")]
    check(arguments)?;
    let settings = settings(arguments).map_err(WrongUsage)?;
    let class = one_table("--tables", settings).map_err(|error| WrongUsage(error.into()))?;
    // An agent that cannot start causes an error here, before the log is created.
    Lineup::of(&class.settings, start_daemon)?;
    let log = create(arguments.log.as_deref(), &class.settings)?;
    conduct(Opened::new(class), log, arguments)
}

/// Resumes a match in which all agents sit at one table from its log.
pub(super) fn go_on(
    class: Class,
    log: Log,
    (draws, done): (Vec<DrawRecord>, Vec<Vec<GameRecord>>),
    arguments: &Arguments,
) -> anyhow::Result<ExitCode> {
    #[cfg(feature = "cluster")]
    check(arguments)?;
    let settings = extended(class.settings, arguments.pairs)?;
    let class = one_table("--pairs", settings).map_err(|error| WrongUsage(error.into()))?;
    commands::agree(&class.settings, log.path(), arguments.yes)?;
    Lineup::of(&class.settings, start_daemon)?;
    let log = match arguments.pairs {
        Some(_) => log.rewrite(&class.settings, &[])?,
        None => log,
    };
    let opened = Opened {
        draws,
        done,
        ..Opened::new(class)
    };
    conduct(opened, log, arguments)
}

/// Returns an error if the arguments contain options that apply only to pairs.
#[cfg(feature = "cluster")]
fn check(arguments: &Arguments) -> Result<(), WrongUsage> {
    match arguments.cluster {
        Some(_) => Err(WrongUsage(anyhow::anyhow!(
            "--cluster does not support --tables; use turnwise tournament with a file"
        ))),
        None => Ok(()),
    }
}

fn conduct(opened: Opened, log: Log, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let settings = &opened.joined.class.settings;
    if !arguments.quiet && !arguments.json {
        announce(settings, "rotation", &log);
    }
    let how = How {
        executor: Executor::Here(jobs(arguments.jobs.map(usize::from), settings)),
        live: &arguments.live,
        watch: false,
        bar: !arguments.quiet,
        json: arguments.json,
        recording: arguments.transcript.open()?,
        folder: None,
        wanted: None,
    };
    let shown = log.path().display().to_string();
    let code = play(opened, log, how)?;
    if code != ExitCode::SUCCESS {
        note!("stopped; turnwise arena --resume {shown} continues");
    }
    Ok(code)
}
