//! Assigns processor cores to searches. If all cores are in use, further searches wait in a queue and run in the order
//! of their arrival.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// The maximum number of searches in the queue.
const MOST_WAITING: usize = 64;

/// Counts the running searches, and keeps the queue of waiting searches.
pub struct Searches {
    cores: usize,
    state: Mutex<State>,
    /// The channel on which waiting searches are notified whenever a search has left its core or the queue.
    left: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    running: usize,
    /// The numbers of the waiting searches, in the order of their arrival.
    waiting: VecDeque<u64>,
    /// The number that the next search will get.
    next: u64,
}

/// The reason why a search is rejected instead of being queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BusyError {
    /// The queue is full.
    #[error("the engine is busy: {MOST_WAITING} searches are waiting; try again later")]
    Full,
    /// The server runs no searches, because the players of the running games need all cores.
    #[error("analysis is disabled while games are running")]
    NoCore,
}

/// The place that a search occupies, first in the queue and later on a core. Dropping this value frees the place.
pub struct Place {
    of: Arc<Searches>,
    number: u64,
    is_running: bool,
}

impl Searches {
    /// Creates an empty queue that lets up to `cores` searches run in parallel. If `cores` is 0, all searches are
    /// rejected.
    pub fn new(cores: usize) -> Arc<Self> {
        Arc::new(Self {
            cores,
            state: Mutex::default(),
            left: watch::Sender::new(()),
        })
    }

    /// Adds a search to the end of the queue, and returns its place.
    ///
    /// # Errors
    ///
    /// Returns an error if the queue is full, or if the number of cores is 0.
    pub fn queue(self: &Arc<Self>) -> Result<Place, BusyError> {
        if self.cores == 0 {
            return Err(BusyError::NoCore);
        }
        let mut state = self.state();
        if state.waiting.len() >= MOST_WAITING {
            return Err(BusyError::Full);
        }
        let number = state.next;
        state.next += 1;
        state.waiting.push_back(number);
        Ok(Place {
            of: self.clone(),
            number,
            is_running: false,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Waits until this search has a core. Meanwhile, calls `told` with the number of searches before it in the queue,
    /// whenever that number changes.
    pub async fn turn(&mut self, mut told: impl FnMut(usize)) {
        let mut left = self.of.left.subscribe();
        let mut known = None;
        loop {
            match self.advance() {
                None => return,
                before if before == known => {}
                before => {
                    known = before;
                    before.into_iter().for_each(&mut told);
                }
            }
            // This never fails, because each place keeps the queue alive.
            let _ = left.changed().await;
        }
    }

    /// Takes a core if it is this search's turn, and returns `None`; otherwise, returns the number of searches before
    /// it in the queue.
    fn advance(&mut self) -> Option<usize> {
        let mut state = self.of.state();
        let before = state
            .waiting
            .iter()
            .position(|&number| number == self.number)?;
        if before > 0 || state.running >= self.of.cores {
            return Some(before);
        }
        state.waiting.pop_front();
        state.running += 1;
        drop(state);
        self.is_running = true;
        // Wakes the next search in the queue, because another core may be free.
        self.of.left.send_replace(());
        None
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.of.state();
        match self.is_running {
            true => state.running -= 1,
            false => state.waiting.retain(|&number| number != self.number),
        }
        drop(state);
        self.of.left.send_replace(());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures_util::FutureExt;

    use super::*;

    /// Returns true if the search gets a core without waiting.
    fn has_turn(place: &mut Place) -> bool {
        place.turn(|_| {}).now_or_never().is_some()
    }

    #[test]
    fn so_many_run_as_there_are_cores_and_the_others_in_their_order() {
        let searches = Searches::new(2);
        let mut places: Vec<Place> = (0..4).map(|_| searches.queue().expect("room")).collect();
        // The second search must not overtake the first, even if a core is free.
        assert!(!has_turn(&mut places[1]));
        assert!(has_turn(&mut places[0]) && has_turn(&mut places[1]));
        assert!(!has_turn(&mut places[2]));
        drop(places.remove(0));
        assert!(!has_turn(&mut places[2]) && has_turn(&mut places[1]));
        // A search may also leave the queue while it is waiting.
        let mut last = searches.queue().expect("room");
        drop(places.remove(2));
        drop(places);
        assert!(has_turn(&mut last));
    }

    #[tokio::test]
    async fn those_that_wait_hear_how_many_are_before_them() {
        let searches = Searches::new(1);
        let [mut first, second, mut third] = [0; 3].map(|_| searches.queue().expect("room"));
        assert!(has_turn(&mut first));
        let heard = Mutex::new(Vec::new());
        let mut waits = std::pin::pin!(third.turn(|before| {
            heard.lock().expect("no panic").push(before);
        }));
        assert_eq!((&mut waits).now_or_never(), None);
        assert_eq!((&mut waits).now_or_never(), None);
        drop(second);
        assert_eq!((&mut waits).now_or_never(), None);
        drop(first);
        waits.await;
        assert_eq!(*heard.lock().expect("no panic"), [1, 0]);
    }

    #[test]
    fn a_full_queue_and_one_without_cores_say_so() {
        let searches = Searches::new(1);
        let places: Vec<Place> = (0..MOST_WAITING)
            .map_while(|_| searches.queue().ok())
            .collect();
        assert_eq!(places.len(), MOST_WAITING);
        assert_eq!(searches.queue().err(), Some(BusyError::Full));
        drop(places);
        assert!(searches.queue().is_ok());
        assert_eq!(Searches::new(0).queue().err(), Some(BusyError::NoCore));
    }
}
