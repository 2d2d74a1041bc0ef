//! Keeps the failures of a run's workers, and decides what caused them: the worker, the unit or a participant.
//!
//! A single worker's report proves nothing, because the worker's machine may be at fault. Reports of several workers do.

use std::collections::{BTreeMap, BTreeSet};

use crate::outcome::Failure;
use crate::worker::About;

/// How many units a worker may fail before it is set aside.
const MOST_FAILED: usize = 2;

/// The minimum and the maximum number of different workers that must fail a unit or a participant before the unit or the
/// participant is at fault. Between these limits, every connected worker must fail.
const WITNESSES: (usize, usize) = (2, 3);

/// The maximum number of workers whose failures are kept.
const MOST_WORKERS: usize = 10_000;

/// The failures of a run's workers.
pub(crate) struct Failures {
    /// The failures of each worker: the message's sequence number, the unit, and the reason.
    workers: BTreeMap<String, Vec<(u64, u32, Failure)>>,
    /// The workers that failed each unit for another reason than a participant.
    units: BTreeMap<u32, BTreeSet<String>>,
    /// The connected workers that refuse the run, with their reasons.
    refusing: BTreeMap<String, Failure>,
    /// The number of connected workers with this build.
    connected: usize,
}

impl Failures {
    /// Creates the failures of a run that has just begun.
    pub fn new() -> Self {
        Self {
            workers: BTreeMap::new(),
            units: BTreeMap::new(),
            refusing: BTreeMap::new(),
            connected: usize::MAX,
        }
    }

    fn suffice(&self, witnesses: usize) -> bool {
        witnesses >= self.connected.clamp(WITNESSES.0, WITNESSES.1)
    }

    /// Records that a worker failed a unit. `sequence` identifies the report, which may arrive twice.
    ///
    /// Returns true if the worker must be set aside.
    pub fn add(&mut self, worker: &str, (sequence, unit): (u64, u32), failure: &Failure) -> bool {
        if self.workers.len() >= MOST_WORKERS && !self.workers.contains_key(worker) {
            return false;
        }
        if failure.agent.is_none() {
            self.units
                .entry(unit)
                .or_default()
                .insert(worker.to_owned());
        }
        let failed = self.workers.entry(worker.to_owned()).or_default();
        if failed.len() < MOST_FAILED && failed.iter().all(|&(known, ..)| known != sequence) {
            failed.push((sequence, unit, failure.clone()));
        }
        failed.len() >= MOST_FAILED
    }

    /// Updates the list of connected workers.
    pub fn set_connected(&mut self, connected: usize, refusing: BTreeMap<String, Failure>) {
        self.connected = connected;
        self.refusing = refusing;
    }

    /// Returns the units that are at fault, because several workers failed them.
    pub fn failed_units(&self) -> Vec<u32> {
        let failed = self.units.iter();
        let failed = failed.filter(|(_, workers)| self.suffice(workers.len()));
        failed.map(|(&unit, _)| unit).collect()
    }

    /// Returns the participants that are at fault, because several workers cannot start their programs.
    pub fn failed_agents(&self) -> BTreeSet<usize> {
        let failed = self.workers.iter();
        let failed =
            failed.flat_map(|(worker, failed)| failed.iter().map(move |it| (worker, &it.2)));
        let mut witnesses: BTreeMap<usize, BTreeSet<&String>> = BTreeMap::new();
        for (worker, failure) in failed.chain(&self.refusing) {
            if let Some(agent) = failure.agent {
                witnesses.entry(agent).or_default().insert(worker);
            }
        }
        witnesses.retain(|_, workers| self.suffice(workers.len()));
        witnesses.into_keys().collect()
    }

    /// Forgets the failures that a unit or a participant caused. Returns the workers that need not stay aside.
    pub fn forgive(&mut self, is_excused: impl Fn(u32, &Failure) -> bool) -> Vec<String> {
        let mut restored = Vec::new();
        for (worker, failed) in &mut self.workers {
            let was_aside = failed.len() >= MOST_FAILED;
            failed.retain(|(_, unit, failure)| !is_excused(*unit, failure));
            if was_aside && failed.len() < MOST_FAILED {
                restored.push(worker.clone());
            }
        }
        self.units
            .retain(|&unit, _| !is_excused(unit, &Failure::from("")));
        restored
    }
}

/// Describes why a run waits although units are outstanding, or returns `None` if a connected worker plays it.
pub(crate) fn why_waiting(run: &str, workers: &[About]) -> Option<String> {
    if workers.is_empty() {
        return Some("no worker is connected; start one with turnwise worker".to_owned());
    }
    let refuse = |about: &About| {
        about.paused.is_some() || about.refused.iter().any(|refusal| refusal.run == run)
    };
    workers.iter().all(refuse).then(|| {
        "no connected worker plays this run (turnwise cluster status shows the reasons); mend one, or start another"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(agents: &[(&str, u32, Option<usize>)]) -> Failures {
        let mut failures = Failures::new();
        for (sequence, &(worker, unit, agent)) in (0..).zip(agents) {
            let reason = "why".to_owned();
            failures.add(worker, (sequence, unit), &Failure { reason, agent });
        }
        failures
    }

    #[test]
    fn a_worker_is_set_aside_at_its_second_failure() {
        let mut failures = Failures::new();
        let why = Failure::from("why");
        assert!(!failures.add("attic", (1, 5), &why));
        assert!(!failures.add("attic", (1, 5), &why), "the same message");
        assert!(!failures.add("cellar", (2, 5), &why));
        assert!(failures.add("attic", (3, 5), &why));
        // The unit was at fault, so that both workers may continue.
        assert_eq!(failures.forgive(|unit, _| unit == 5), ["attic"]);
        assert!(!failures.add("attic", (4, 6), &why));
    }

    #[test]
    fn one_machine_proves_nothing_and_three_do() {
        for (connected, witnesses, is_at_fault) in [
            (usize::MAX, 2, false),
            (usize::MAX, 3, true),
            (0, 1, false),
            (1, 1, false),
            (1, 2, true),
            (2, 2, true),
            (3, 2, false),
            (9, 3, true),
        ] {
            let workers = ["attic", "cellar", "hall"];
            for agent in [None, Some(4)] {
                let failed = workers[..witnesses].iter().map(|&name| (name, 5, agent));
                let mut failures = failing(&failed.collect::<Vec<_>>());
                failures.set_connected(connected, BTreeMap::new());
                let (units, agents) = (failures.failed_units(), failures.failed_agents());
                let found = units.len() + agents.len();
                assert_eq!(found, usize::from(is_at_fault), "{connected} {witnesses}");
            }
        }
    }

    #[test]
    fn workers_that_refuse_are_witnesses_too() {
        let mut failures = failing(&[("attic", 5, Some(4)), ("attic", 6, Some(4))]);
        let refuses = |name: &str| (name.to_owned(), Failure::of_agent(4, "why".to_owned()));
        failures.set_connected(3, [refuses("attic"), refuses("cellar")].into());
        assert!(failures.failed_agents().is_empty());
        failures.set_connected(3, [refuses("hall"), refuses("cellar")].into());
        assert_eq!(failures.failed_agents(), [4].into());
        assert!(failures.failed_units().is_empty());
    }
}
