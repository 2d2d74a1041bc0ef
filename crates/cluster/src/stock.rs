//! The bundles that a worker has leased: waiting for a thread, under way, or with a result that is not stored yet.
//!
//! A worker leases bundles ahead, so that its threads never wait for the server. It leases at most as many as it does
//! in two seconds, and at most a share of the waiting bundles, because another worker may be idle near the end of a
//! match. It leases one longer bundle ahead while there are plenty, and returns that bundle if other workers request
//! work without success before it is begun.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use tokio::sync::Notify;

use crate::bundle::Bundle;

/// Bundles leased ahead should be done within this time.
const AHEAD: Duration = Duration::from_secs(2);

/// The maximum number of bundles leased ahead.
const MOST_AHEAD: usize = 256;

/// Bundles leased ahead are at most the number of waiting bundles divided by this.
const SHARE: u64 = 4;

/// No bundle is leased while this many results wait to be stored.
const MOST_UNSTORED: usize = 250;

/// The weight of a bundle's time in the usual time.
const WEIGHT: f64 = 0.2;

/// The server's latest counts of a run's bundles.
#[derive(Debug, Default)]
pub(crate) struct Supply {
    waiting: AtomicU64,
    leased: AtomicU64,
}

impl Supply {
    /// Sets the numbers of waiting and leased bundles.
    pub fn set(&self, waiting: u64, leased: u64) {
        self.leased.store(leased, Ordering::Relaxed);
        self.set_waiting(waiting);
    }

    /// Sets the number of waiting bundles only.
    pub fn set_waiting(&self, waiting: u64) {
        self.waiting.store(waiting, Ordering::Relaxed);
    }

    /// Returns true if each holder of a lease can lease another bundle before none is left.
    ///
    /// A run without leases has just begun, and how many workers it has is not known yet.
    fn is_plenty(&self) -> bool {
        let leased = self.leased.load(Ordering::Relaxed);
        leased > 0 && self.waiting.load(Ordering::Relaxed) > leased
    }
}

/// A leased bundle.
pub(crate) struct Lease {
    /// The run's name on the server.
    pub run: Arc<str>,
    pub bundle: Bundle,
    /// The number of leases so far, including this one.
    pub times: u64,
    /// Whether the moves must be reported.
    pub is_watched: bool,
    /// When this worker received the lease.
    pub leased: Instant,
    /// The message that contains the units and holds the lease.
    pub message: Message,
    /// True once the result is no longer needed.
    pub is_cancelled: AtomicBool,
}

impl Lease {
    fn key(&self) -> (Arc<str>, Bundle) {
        (self.run.clone(), self.bundle)
    }
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<Lease>>,
    /// All leased bundles.
    held: BTreeMap<(Arc<str>, Bundle), Arc<Lease>>,
    doing: usize,
    /// The usual time of a bundle in seconds, once one has been done.
    usual: Option<f64>,
    is_closed: bool,
}

/// A worker's leased bundles: waiting for a thread, under way, or with a result that is not stored yet.
pub(crate) struct Stock {
    jobs: usize,
    state: Mutex<State>,
    /// Notifies threads that a bundle has arrived, or that no further bundle will come.
    has_come: Condvar,
    /// Notifies the leasing task that another bundle may be wanted.
    pub is_news: Notify,
}

impl Stock {
    /// Creates a stock for `jobs` threads.
    pub fn new(jobs: usize) -> Self {
        Self {
            jobs,
            state: Mutex::default(),
            has_come: Condvar::new(),
            is_news: Notify::new(),
        }
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of bundles to lease now from a run with this supply.
    pub fn wanted(&self, supply: &Supply) -> usize {
        let state = self.locked();
        let (waiting, doing) = (state.waiting.len(), state.doing);
        let ahead = state.usual.map_or(0, |usual| {
            let ahead = AHEAD.as_secs_f64() * self.jobs as f64 / usual.max(f64::MIN_POSITIVE);
            (ahead as usize).min(MOST_AHEAD)
        });
        let share = usize::try_from(supply.waiting.load(Ordering::Relaxed) / SHARE);
        let ahead = ahead.min(share.unwrap_or(usize::MAX));
        let ahead = ahead.max(usize::from(supply.is_plenty()));
        let idle = self.jobs.saturating_sub(doing);
        if state.held.len() - waiting - doing >= MOST_UNSTORED || waiting > idle + ahead / 2 {
            return 0;
        }
        (idle + ahead).saturating_sub(waiting)
    }

    /// Adds a bundle unless it is already held: a lease may expire during a network failure.
    pub fn put(&self, lease: Lease) {
        let mut state = self.locked();
        let key = lease.key();
        if state.held.contains_key(&key) {
            return;
        }
        let lease = Arc::new(lease);
        state.held.insert(key, lease.clone());
        state.waiting.push_back(lease);
        self.has_come.notify_one();
    }

    /// Waits for a bundle to do. Returns `None` once the stock is closed.
    pub fn take(&self) -> Option<Arc<Lease>> {
        let mut state = self.locked();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(lease) = state.waiting.pop_front() {
                state.doing += 1;
                self.is_news.notify_one();
                return Some(lease);
            }
            state = (self.has_come.wait(state)).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Records that a thread has finished with a bundle after this time.
    pub fn done(&self, took: Duration) {
        let mut state = self.locked();
        state.doing -= 1;
        let took = took.as_secs_f64();
        let usual = state
            .usual
            .map_or(took, |usual| usual + WEIGHT * (took - usual));
        state.usual = Some(usual);
        self.is_news.notify_one();
    }

    /// Releases a bundle that is no longer leased.
    pub fn give_up(&self, lease: &Lease) {
        self.locked().held.remove(&lease.key());
        self.is_news.notify_one();
    }

    /// Returns the number of bundles under way, which equals the number of units under way.
    pub fn doing(&self) -> usize {
        self.locked().doing
    }

    /// Returns the number of leased units.
    pub fn units(&self) -> usize {
        let state = self.locked();
        state.held.keys().map(|(_, bundle)| bundle.count()).sum()
    }

    /// Returns all leased bundles.
    pub fn held(&self) -> Vec<Arc<Lease>> {
        self.locked().held.values().cloned().collect()
    }

    /// Cancels the bundles of unwanted runs.
    pub fn cancel(&self, is_wanted: impl Fn(&str) -> bool) {
        let mut state = self.locked();
        let State { waiting, held, .. } = &mut *state;
        for lease in held.values().filter(|lease| !is_wanted(&lease.run)) {
            lease.is_cancelled.store(true, Ordering::Relaxed);
        }
        waiting.retain(|lease| {
            let is_wanted = is_wanted(&lease.run);
            if !is_wanted {
                held.remove(&lease.key());
            }
            is_wanted
        });
    }

    /// Returns the bundles of a run that would wait here for long, and releases them.
    pub fn give_back(&self, run: &str) -> Vec<Arc<Lease>> {
        let mut state = self.locked();
        let is_short = |usual: f64| usual <= AHEAD.as_secs_f64();
        if state.usual.is_some_and(is_short) || state.doing < self.jobs {
            return Vec::new();
        }
        let waiting = std::mem::take(&mut state.waiting);
        let (back, kept): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|it| *it.run == *run);
        state.waiting = kept.into();
        for lease in &back {
            state.held.remove(&lease.key());
        }
        back
    }

    /// Closes the stock for its threads, and returns the waiting bundles.
    pub fn close(&self) -> Vec<Arc<Lease>> {
        let mut state = self.locked();
        state.is_closed = true;
        self.has_come.notify_all();
        let waiting: Vec<_> = state.waiting.drain(..).collect();
        for lease in &waiting {
            state.held.remove(&lease.key());
        }
        waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supply(waiting: u64, leased: u64) -> Supply {
        let supply = Supply::default();
        supply.set(waiting, leased);
        supply
    }

    #[test]
    fn one_long_bundle_is_wanted_ahead_while_there_are_plenty() {
        for (waiting, leased, is_plenty) in
            [(0, 0, false), (100, 0, false), (3, 3, false), (4, 3, true)]
        {
            let supply = supply(waiting, leased);
            assert_eq!(supply.is_plenty(), is_plenty, "{waiting} {leased}");
        }
        let stock = Stock::new(2);
        let wanted = || [supply(100, 0), supply(100, 3)].map(|supply| stock.wanted(&supply));
        assert_eq!(wanted(), [2, 3]);
        for (usual, expected) in [(30.0, [2, 3]), (1.0, [6, 6])] {
            stock.locked().usual = Some(usual);
            assert_eq!(wanted(), expected);
        }
    }

    #[test]
    fn near_the_end_the_short_ones_are_shared() {
        let stock = Stock::new(2);
        stock.locked().usual = Some(0.1);
        for (waiting, wanted) in [(1000, 42), (100, 27), (12, 5), (3, 2), (0, 2)] {
            assert_eq!(stock.wanted(&supply(waiting, 50)), wanted, "{waiting}");
        }
    }
}
