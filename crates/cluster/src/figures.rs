//! Counts the work of a coordinator and of a worker, and reports the counts in Prometheus's text format.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use turnwise_engine::words::counted;

use crate::outcome::Origin;

/// A counter of seconds, which only increases.
type Seconds = Counter<f64, std::sync::atomic::AtomicU64>;

/// The counters of a coordinator, from its start. Clones share the counters.
#[derive(Debug, Default, Clone)]
pub struct RunFigures {
    /// The number of results that were processed.
    pub results: Counter,
    /// The number of results that were ignored because their units already had a result.
    pub repeated: Counter,
    /// The number of leases that expired or were returned before the bundle's result came.
    pub leases_lost: Counter,
    /// The number of units that were set apart, because several workers were lost or failed while they played them.
    pub set_apart: Counter,
    /// The number of outstanding units, which have been started and have no result yet.
    pub outstanding: Gauge,
    /// The number of workers that have sent results.
    pub workers: Gauge,
    names: Arc<Mutex<BTreeSet<String>>>,
}

impl RunFigures {
    /// Counts a message with `first` new results and `repeated` results of units that already had one.
    pub(crate) fn count(&self, origin: &Origin, first: usize, repeated: usize) {
        self.repeated.inc_by(repeated as u64);
        if first == 0 {
            return;
        }
        self.results.inc_by(first as u64);
        self.leases_lost.inc_by(origin.leases.saturating_sub(1));
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if !names.contains(&origin.worker) {
            names.insert(origin.worker.clone());
            self.workers.set(names.len() as i64);
        }
    }

    /// Returns the numbers of workers and of lost leases as text, for a status line.
    pub fn in_short(&self) -> String {
        format!(
            "{}, {} lost",
            counted(self.workers.get(), "worker"),
            counted(self.leases_lost.get(), "lease")
        )
    }

    /// Returns all counts in Prometheus's text format.
    pub fn text(&self) -> String {
        let mut registry = Registry::with_prefix("turnwise_coordinator");
        let counters = [
            ("results", "Results accepted", &self.results),
            (
                "results_repeated",
                "Duplicate results of units",
                &self.repeated,
            ),
            (
                "leases_lost",
                "Leases that ended without a result",
                &self.leases_lost,
            ),
            (
                "units_set_apart",
                "Units set apart after several workers were lost or failed",
                &self.set_apart,
            ),
        ];
        for (name, help, counter) in counters {
            registry.register(name, help, counter.clone());
        }
        let outstanding = self.outstanding.clone();
        registry.register("units_outstanding", "Units without a result", outstanding);
        let workers = self.workers.clone();
        registry.register("workers", "Workers with a result", workers);
        encoded(&registry)
    }
}

impl fmt::Display for RunFigures {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} from {}; {} lost, {} repeated",
            counted(self.results.get(), "result"),
            counted(self.workers.get(), "worker"),
            counted(self.leases_lost.get(), "lease"),
            counted(self.repeated.get(), "result"),
        )
    }
}

/// The counters of a worker, from its start. Clones share the counters.
#[derive(Debug, Default, Clone)]
pub struct WorkerFigures {
    /// The number of units that the worker has done.
    pub done: Counter,
    /// The total time that the worker spent on units that it has done.
    pub seconds: Seconds,
    /// The number of units that were cancelled while they were played.
    pub cancelled: Counter,
    /// The number of units that ended with a panic on this worker.
    pub crashed: Counter,
    /// The number of units that had already been leased before this worker leased them.
    pub leased_again: Counter,
    /// The number of units that the worker has leased: units that are waiting or in progress, and units whose result is
    /// not stored yet.
    pub held: Gauge,
}

impl WorkerFigures {
    /// Returns all counts in Prometheus's text format.
    pub fn text(&self) -> String {
        let mut registry = Registry::with_prefix("turnwise_worker");
        let counters = [
            ("units_done", "Units done", &self.done),
            (
                "units_cancelled",
                "Units cancelled while running",
                &self.cancelled,
            ),
            ("units_crashed", "Units that crashed here", &self.crashed),
            (
                "units_leased_again",
                "Repeated leases of units",
                &self.leased_again,
            ),
        ];
        for (name, help, counter) in counters {
            registry.register(name, help, counter.clone());
        }
        let seconds = self.seconds.clone();
        registry.register("unit_seconds", "Total time of the units done", seconds);
        registry.register("units_held", "Units leased", self.held.clone());
        encoded(&registry)
    }
}

fn encoded(registry: &Registry) -> String {
    let mut text = String::new();
    encode(&mut text, registry).expect("a string takes all");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_is_counted_once() {
        let figures = RunFigures::default();
        let origin = |worker: &str, leases| Origin {
            worker: worker.to_owned(),
            speed: 0.0,
            leases,
        };
        figures.count(&origin("attic", 1), 1, 0);
        figures.count(&origin("attic", 3), 4, 1);
        figures.count(&origin("cellar", 4), 0, 1);
        figures.count(&origin("cellar", 2), 1, 0);
        assert_eq!(
            figures.to_string(),
            "6 results from 2 workers; 3 leases lost, 2 results repeated"
        );
        let text = figures.text();
        for line in [
            "turnwise_coordinator_results_total 6",
            "turnwise_coordinator_leases_lost_total 3",
            "turnwise_coordinator_workers 2",
            "# EOF",
        ] {
            assert!(text.lines().any(|other| other == line), "{text}");
        }
    }
}
