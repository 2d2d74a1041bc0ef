//! Decides where the pairs of a tournament are played: by threads on this machine, or by the workers of a cluster.

use std::fmt::Display;
use std::path::Path;

use turnwise_arena::lineup::Lineup;
use turnwise_arena::records::Settings;
use turnwise_tournament::class_file::Class;

#[cfg(feature = "cluster")]
use super::super::cluster::{self, Workers};
use super::{Arguments, usual_jobs};
use crate::console::output;

/// The place where the pairs of a tournament are played.
pub(in crate::cli) enum Executor {
    /// On this machine, in this number of threads.
    Here(usize),
    /// On other machines, by workers of a cluster that are reached through this connection.
    #[cfg(feature = "cluster")]
    Workers(Box<Workers>),
}

impl Executor {
    /// Returns how many pairs are played in parallel; `None` on a cluster, where the number is unknown.
    pub fn jobs(&self) -> Option<usize> {
        match self {
            Executor::Here(jobs) => Some(*jobs),
            #[cfg(feature = "cluster")]
            Executor::Workers(_) => None,
        }
    }

    /// Prepares the participants for the first game. Calls `missing`, with the participant's index and the reason, for
    /// each participant that cannot play.
    pub fn prepare(
        &mut self,
        lineup: &mut Lineup,
        settings: &Settings,
        missing: &mut dyn FnMut(usize, &dyn Display),
    ) -> anyhow::Result<()> {
        match self {
            Executor::Here(_) => lineup.prepare(settings, &output::note),
            #[cfg(feature = "cluster")]
            Executor::Workers(workers) => {
                workers.pack(settings, &mut |place, error| missing(place, &error))?;
            }
        }
        #[cfg(not(feature = "cluster"))]
        let _ = missing;
        Ok(())
    }
}

/// Returns the executor that the command-line arguments select. `log` is the path of the tournament's log.
pub(super) fn executor(
    arguments: &Arguments,
    class: &Class,
    log: &Path,
) -> anyhow::Result<Executor> {
    #[cfg(feature = "cluster")]
    if let Some(url) = &arguments.cluster {
        cluster::check(&class.settings)?;
        return Ok(Executor::Workers(Box::new(Workers::reach(
            url,
            log,
            arguments.metrics,
        )?)));
    }
    #[cfg(not(feature = "cluster"))]
    let _ = log;
    let jobs = arguments.jobs.map(usize::from);
    Ok(Executor::Here(jobs.unwrap_or_else(|| usual_jobs(class))))
}
