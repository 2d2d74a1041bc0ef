//! The bundles that a worker has leased: those that wait for a thread, those under way, and those whose
//! result is not stored yet.
//!
//! Bundles are leased ahead, so that a thread never waits for the server; but no more of them than are done
//! in two seconds, and than a share of those that wait, because another worker may stand idle near the end of a match.
//! Of longer bundles one is leased ahead while there are plenty, and given back if others have come to ask in vain
//! before it is begun.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use tokio::sync::Notify;

use crate::bundle::Bundle;

/// What is leased ahead is done in so long.
const AHEAD: Duration = Duration::from_secs(2);

/// The most bundles that are leased ahead.
const MOST_AHEAD: usize = 256;

/// Of the bundles that wait, a worker leases one out of so many ahead.
const SHARE: u64 = 4;

/// No bundle is leased while so many results wait to be stored.
const MOST_UNSTORED: usize = 250;

/// How much a bundle's time weighs in the usual time, against those before.
const WEIGHT: f64 = 0.2;

/// What the server has said last of a run's bundles.
#[derive(Debug, Default)]
pub(crate) struct Supply {
    waiting: AtomicU64,
    leased: AtomicU64,
}

impl Supply {
    /// So many wait, and so many are leased.
    pub fn set(&self, waiting: u64, leased: u64) {
        self.leased.store(leased, Ordering::Relaxed);
        self.set_waiting(waiting);
    }

    /// So many wait; how many are leased stays as it was.
    pub fn set_waiting(&self, waiting: u64) {
        self.waiting.store(waiting, Ordering::Relaxed);
    }

    /// True if everybody who has leased one can lease another before they are gone. A run of which none was leased
    /// has just begun: who will come is not known yet.
    fn is_plenty(&self) -> bool {
        let leased = self.leased.load(Ordering::Relaxed);
        leased > 0 && self.waiting.load(Ordering::Relaxed) > leased
    }
}

/// A bundle that is leased.
pub(crate) struct Lease {
    /// The run's name on the server.
    pub run: Arc<str>,
    /// Its units.
    pub bundle: Bundle,
    /// How often it was leased, this time included.
    pub times: u64,
    /// True if somebody wants to hear of its moves.
    pub is_watched: bool,
    /// When this worker was given the lease.
    pub leased: Instant,
    /// Its contents, and the lease.
    pub message: Message,
    /// Nobody needs its result any more.
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
    /// All that are leased.
    held: BTreeMap<(Arc<str>, Bundle), Arc<Lease>>,
    doing: usize,
    /// How long a bundle usually takes, in seconds, once one has been done.
    usual: Option<f64>,
    is_closed: bool,
}

/// The bundles on lease: waiting for a thread, under way, or with a result that is not stored yet.
pub(crate) struct Stock {
    jobs: usize,
    state: Mutex<State>,
    /// For threads: there is a bundle, or there will be none.
    has_come: Condvar,
    /// For whoever leases: one more may be wanted.
    pub is_news: Notify,
}

impl Stock {
    /// For so many threads.
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

    /// How many bundles to lease now of a run that has so many.
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

    /// Takes in a bundle, unless it is here already: a lease may run out while the network is away.
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

    /// A bundle to do, for which this thread waits; none once the stock is closed.
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

    /// A bundle that was taken is done, or will not be, after so long.
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

    /// A bundle is no longer leased.
    pub fn give_up(&self, lease: &Lease) {
        self.locked().held.remove(&lease.key());
        self.is_news.notify_one();
    }

    /// Bundles that are under way, and so units.
    pub fn doing(&self) -> usize {
        self.locked().doing
    }

    /// How many units are leased.
    pub fn units(&self) -> usize {
        let state = self.locked();
        state.held.keys().map(|(_, bundle)| bundle.count()).sum()
    }

    /// All that are leased.
    pub fn held(&self) -> Vec<Arc<Lease>> {
        self.locked().held.values().cloned().collect()
    }

    /// Cancels the bundles of runs that are not wanted.
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

    /// The bundles of a run that wait here, and will for long: they are no longer leased once they are given back.
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

    /// Threads get no more bundles; those that waited are returned.
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
