//! The options by which programs are kept from harm to others, the same wherever programs play.

use anyhow::bail;
use turnwise_process::guard::Guard;
use turnwise_process::isolation::{Isolation, in_force, missing, report};

use crate::console::note;

/// Whether programs are isolated, and how much memory they get.
#[derive(Debug, Clone, clap::Args)]
pub struct IsolationArguments {
    /// Let programs of cmd: reach neither the network nor files other than the system's and their own, and use no
    /// more than their share of the machine; at the start it says how much of that this machine can enforce
    #[arg(long)]
    isolate: bool,
    /// Memory of an isolated program with all that it starts, in MiB; 1024 by default
    #[arg(long, value_name = "MB", requires = "isolate",
          value_parser = clap::value_parser!(u64).range(Isolation::LEAST_MEMORY >> 20..=1 << 20))]
    memory: Option<u64>,
}

impl IsolationArguments {
    /// What programs may use and see, if they are isolated.
    pub fn isolation(&self) -> Option<Isolation> {
        let mut isolation = self.isolate.then(Isolation::default)?;
        if let Some(memory) = self.memory {
            isolation.memory = memory << 20;
        }
        Some(isolation)
    }
}

/// Says what of it this machine enforces. There must be a guard.
pub fn tell_what_is_in_force() {
    note!("turnwise: isolation: {}", in_force());
}

/// Tests all walls and returns a report with one line for each wall.
pub fn report_of_machine() -> anyhow::Result<String> {
    let _guard = Guard::start()?;
    Ok(report())
}

/// Verifies, with a short-lived guard, that this machine has every wall that untrusted programs need.
///
/// # Errors
///
/// Returns an error that names the missing wall.
pub fn insist_on_walls() -> anyhow::Result<()> {
    let _guard = Guard::start()?;
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "this machine cannot isolate the participants' programs: {}\nexpected in force, but missing: {}\ninstall the \
         package bubblewrap, or use a machine where `turnwise check --machine` shows nothing MISSING; to run them all \
         the same, with this access to your files and processes: isolate = \"best-effort\" in the tournament's file",
        in_force(),
        missing.join(", ")
    );
}
