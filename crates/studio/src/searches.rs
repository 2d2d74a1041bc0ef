//! Running searches, and a first-come, first-served queue for cores.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// The maximum number of waiting searches.
const MOST_WAITING: usize = 64;

/// The running searches, and the queue of waiting searches.
pub struct Searches {
    cores: usize,
    state: Mutex<State>,
    /// Notified whenever a search leaves.
    left: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    running: usize,
    /// The numbers of the waiting searches, in order.
    waiting: VecDeque<u64>,
    /// The number of the next search.
    next: u64,
}

/// The reasons for rejecting another search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BusyError {
    /// The queue is full.
    #[error("the engine is busy: {MOST_WAITING} searches are waiting; try again later")]
    Full,
    /// The server has no core for searches.
    #[error("analysis is disabled while games are running")]
    NoCore,
}

/// A place in the queue, and later on a core. Dropping it frees the place.
pub struct Place {
    of: Arc<Searches>,
    number: u64,
    is_running: bool,
}

impl Searches {
    /// Creates a queue for `cores` concurrent searches; with 0, it rejects all searches.
    pub fn new(cores: usize) -> Arc<Self> {
        Arc::new(Self {
            cores,
            state: Mutex::default(),
            left: watch::Sender::new(()),
        })
    }

    /// Joins the end of the queue.
    ///
    /// # Errors
    ///
    /// Returns an error if the queue is full or has no cores.
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
    /// Waits for a core, and reports each change of its place in the queue to `told`.
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
            // The queue lives as long as its places.
            let _ = left.changed().await;
        }
    }

    /// Takes a core at this search's turn, or returns the number of earlier searches.
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
        // Another core may be free for the next search.
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

    /// Returns true if the search gets its turn at once.
    fn has_turn(place: &mut Place) -> bool {
        place.turn(|_| {}).now_or_never().is_some()
    }

    #[test]
    fn so_many_run_as_there_are_cores_and_the_others_in_their_order() {
        let searches = Searches::new(2);
        let mut places: Vec<Place> = (0..4).map(|_| searches.queue().expect("room")).collect();
        // A later search does not overtake, even if a core is free.
        assert!(!has_turn(&mut places[1]));
        assert!(has_turn(&mut places[0]) && has_turn(&mut places[1]));
        assert!(!has_turn(&mut places[2]));
        drop(places.remove(0));
        assert!(!has_turn(&mut places[2]) && has_turn(&mut places[1]));
        // A waiting search may also leave.
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
