//! Defines the options for isolating programs. All commands that run programs have these options.

use anyhow::bail;
use turnwise_process::guard::Guard;
use turnwise_process::isolation::{Isolation, in_force, missing, report};

use crate::console::{note, output};

/// The options that state whether programs are isolated, and the memory limit of an isolated program.
#[derive(Debug, Clone, clap::Args)]
pub struct IsolationArguments {
    /// Sandbox `cmd:` agents: no network, no files except the system's and their own, and at most their share of the
    /// machine, as far as it can enforce this (turnwise check --machine)
    #[arg(long)]
    isolate: bool,
    /// Report every protection of --isolate
    #[arg(long, short, requires = "isolate")]
    verbose: bool,
    /// Limit the memory of an isolated program and its processes, in MiB; 1024 by default
    #[arg(long, value_name = "MB", requires = "isolate",
          value_parser = clap::value_parser!(u64).range(Isolation::LEAST_MEMORY >> 20..=1 << 20))]
    memory: Option<u64>,
}

impl IsolationArguments {
    /// Returns how programs are isolated; `None` if programs are not isolated.
    pub fn isolation(&self) -> Option<Isolation> {
        let mut isolation = self.isolate.then(Isolation::default)?;
        if let Some(memory) = self.memory {
            isolation.memory = memory << 20;
        }
        Some(isolation)
    }

    /// Prints each protection that this machine can enforce, if the user asked for details.
    pub fn report(&self) -> anyhow::Result<()> {
        if self.verbose {
            output::prompt(&report_of_machine()?);
        }
        Ok(())
    }
}

/// Prints which limits of the isolation this machine can enforce. The guard process must be running when this is
/// called.
pub fn tell_what_is_in_force() {
    note!("turnwise: isolation: {}", in_force());
}

/// Tests which kinds of isolation this machine supports, and returns a report with one line for each kind.
pub fn report_of_machine() -> anyhow::Result<String> {
    let _guard = Guard::start()?;
    Ok(report())
}

/// Checks that this machine supports every kind of isolation that untrusted programs need. Runs a guard during the
/// check.
///
/// # Errors
///
/// Returns an error that names the kind of isolation that is missing.
pub fn insist_on_walls() -> anyhow::Result<()> {
    let _guard = Guard::start()?;
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "this machine cannot isolate the participants' programs: {}\nexpected in force, but missing: {}\ninstall the \
         package bubblewrap, or use a machine where `turnwise check --machine` shows nothing MISSING; to run them \
         anyway, with this access to your files and processes, set isolate = \"best-effort\" in the tournament's file",
        in_force(),
        missing.join(", ")
    );
}
