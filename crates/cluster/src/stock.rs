//! Keeps the bundles that a worker has leased: waiting for a thread, in progress, or with a result that is
//! not stored yet.
//!
//! A worker leases bundles in advance, so that its threads never wait for the server. It leases at most as many as it
//! can do in two seconds, and at most a share of the waiting bundles, because another worker may be idle near the end
//! of a match. If bundles take longer, it leases only one in advance, and only while many bundles are waiting. If other
//! workers find no work, it returns this bundle, unless the bundle has already begun.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use tokio::sync::Notify;
use turnwise_engine::search::Stop;

use crate::bundle::Bundle;

/// The time within which a worker should finish all bundles that it has leased in advance.
const AHEAD: Duration = Duration::from_secs(2);

/// The maximum number of bundles that are leased in advance.
const MOST_AHEAD: usize = 256;

/// A worker may lease one bundle in advance for each group of this many bundles that wait on the server.
const SHARE: u64 = 4;

/// While at least this many results wait to be stored on the server, the worker leases no further bundles.
const MOST_UNSTORED: usize = 250;

/// While the results that wait to be stored have at least this size in bytes, the worker leases no further bundles.
const MOST_UNSTORED_BYTES: usize = 64 << 20;

/// The weight of the latest bundle's time in the usual time, which is a moving average of bundle times.
const WEIGHT: f64 = 0.2;

/// The numbers of a run's bundles that are waiting and that are leased, according to the server's latest counts.
#[derive(Debug, Default)]
pub(crate) struct Supply {
    waiting: AtomicU64,
    leased: AtomicU64,
}

impl Supply {
    /// Sets the numbers of bundles that are waiting and that are leased.
    pub fn set(&self, waiting: u64, leased: u64) {
        self.leased.store(leased, Ordering::Relaxed);
        self.set_waiting(waiting);
    }

    /// Sets the number of bundles that are waiting, and keeps the number of leased bundles.
    pub fn set_waiting(&self, waiting: u64) {
        self.waiting.store(waiting, Ordering::Relaxed);
    }

    /// Returns true if more bundles are waiting than leased, so that each worker could lease another one.
    ///
    /// Returns false for a run without leases: it has just begun, and it is not known yet how many workers it has.
    fn is_plenty(&self) -> bool {
        let leased = self.leased.load(Ordering::Relaxed);
        leased > 0 && self.waiting.load(Ordering::Relaxed) > leased
    }
}

/// A bundle that this worker has leased.
pub(crate) struct Lease {
    /// The name of the bundle's run on the server.
    pub run: Arc<str>,
    pub bundle: Bundle,
    /// How often the bundle has been leased so far, including this lease.
    pub times: u64,
    /// Whether the worker must report the moves of the bundle's games.
    pub is_watched: bool,
    /// When this worker received the lease.
    pub leased: Instant,
    /// When a thread began to play the bundle.
    pub begun: OnceLock<Instant>,
    /// The maximum time to play the bundle.
    pub lifetime: Duration,
    /// The message that contains the units and holds the lease.
    pub message: Message,
    /// Stops the thread that plays the bundle.
    pub stop: Stop,
    /// Why the bundle was stopped, if it was.
    pub why: OnceLock<Stopped>,
}

/// The reason why a worker stops to play a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The result is no longer needed.
    Unneeded,
    /// Another worker should play the bundle.
    Returned,
    /// The bundle has taken too long.
    Expired,
}

impl Lease {
    /// Stops the thread that plays the bundle. Only the first reason counts.
    pub fn stop(&self, why: Stopped) {
        let _ = self.why.set(why);
        self.stop.stop();
    }

    /// Returns true if a thread has played the bundle for longer than its maximum time.
    pub fn is_over(&self) -> bool {
        let begun = self.begun.get();
        begun.is_some_and(|begun| begun.elapsed() >= self.lifetime)
    }

    fn key(&self) -> (Arc<str>, Bundle) {
        (self.run.clone(), self.bundle)
    }
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<Lease>>,
    /// All leased bundles, keyed by the run's name and the bundle.
    held: BTreeMap<(Arc<str>, Bundle), Arc<Lease>>,
    doing: usize,
    /// The total size in bytes of the results that are not stored yet.
    unstored: usize,
    /// The usual time of a bundle in seconds; `None` until a bundle has been done.
    usual: Option<f64>,
    is_closed: bool,
}

/// The bundles that a worker has leased: waiting for a thread, in progress, or with a result that is not stored yet.
pub(crate) struct Stock {
    jobs: usize,
    state: Mutex<State>,
    /// Notifies waiting threads that a bundle has arrived, or that no further bundle will come.
    has_come: Condvar,
    /// Wakes the task that leases bundles, because the stock may want another bundle.
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

    /// Returns how many bundles the worker should lease now from a run with this supply.
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
        let is_full = state.held.len() - waiting - doing >= MOST_UNSTORED
            || state.unstored >= MOST_UNSTORED_BYTES;
        if is_full || waiting > idle + ahead / 2 {
            return 0;
        }
        (idle + ahead).saturating_sub(waiting)
    }

    /// Adds a bundle, unless this worker already holds it.
    ///
    /// A worker may lease a bundle twice, because the first lease may expire during a network failure.
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

    /// Waits for a bundle that a thread can play. Returns `None` once the stock is closed.
    pub fn take(&self) -> Option<Arc<Lease>> {
        let mut state = self.locked();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(lease) = state.waiting.pop_front() {
                state.doing += 1;
                let _ = lease.begun.set(Instant::now());
                self.is_news.notify_one();
                return Some(lease);
            }
            state = (self.has_come.wait(state)).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Records that a thread has finished with a bundle, which took the time `took`. The bundle's results have `bytes`
    /// bytes, which stay in memory until [`Self::give_up`].
    pub fn done(&self, took: Duration, bytes: usize) {
        let mut state = self.locked();
        state.doing -= 1;
        state.unstored += bytes;
        let took = took.as_secs_f64();
        let usual = state
            .usual
            .map_or(took, |usual| usual + WEIGHT * (took - usual));
        state.usual = Some(usual);
        self.is_news.notify_one();
    }

    /// Removes a bundle from the stock because it is no longer leased. Its results had `bytes` bytes.
    pub fn give_up(&self, lease: &Lease, bytes: usize) {
        let mut state = self.locked();
        state.unstored -= bytes;
        state.held.remove(&lease.key());
        self.is_news.notify_one();
    }

    /// Returns the number of bundles in progress, which equals the number of units in progress.
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

    /// Stops all bundles in progress, so that other workers can play them.
    pub fn return_all(&self) {
        for lease in self.locked().held.values() {
            lease.stop(Stopped::Returned);
        }
    }

    /// Cancels the bundles of all runs for which `is_wanted` returns false.
    pub fn cancel(&self, is_wanted: impl Fn(&str) -> bool) {
        let mut state = self.locked();
        let State { waiting, held, .. } = &mut *state;
        for lease in held.values().filter(|lease| !is_wanted(&lease.run)) {
            lease.stop(Stopped::Unneeded);
        }
        waiting.retain(|lease| {
            let is_wanted = is_wanted(&lease.run);
            if !is_wanted {
                held.remove(&lease.key());
            }
            is_wanted
        });
    }

    /// Returns true if no thread would take a waiting bundle soon.
    pub fn is_slow(&self) -> bool {
        let state = self.locked();
        let is_short = |usual: f64| usual <= AHEAD.as_secs_f64();
        !state.usual.is_some_and(is_short) && state.doing >= self.jobs
    }

    /// Removes the waiting bundles for whose runs `is_unwanted` returns true from the stock, and returns them.
    pub fn withdraw(&self, is_unwanted: impl Fn(&str) -> bool) -> Vec<Arc<Lease>> {
        let mut state = self.locked();
        let waiting = std::mem::take(&mut state.waiting);
        let (back, kept): (Vec<_>, Vec<_>) =
            (waiting.into_iter()).partition(|lease| is_unwanted(&lease.run));
        state.waiting = kept.into();
        for lease in &back {
            state.held.remove(&lease.key());
        }
        back
    }

    /// Closes the stock, so that its threads end, and returns the bundles that no thread has started.
    pub fn close(&self) -> Vec<Arc<Lease>> {
        self.locked().is_closed = true;
        self.has_come.notify_all();
        self.withdraw(|_run| true)
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
