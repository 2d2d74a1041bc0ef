//! Searches under way and those that wait for a core, in the order in which they came.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// So many may wait.
const MOST_WAITING: usize = 64;

/// The searches that have a core, and the queue of those that wait for one.
pub struct Searches {
    cores: usize,
    state: Mutex<State>,
    /// Told whenever somebody has left.
    left: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    running: usize,
    /// The numbers of those that wait, the next one first.
    waiting: VecDeque<u64>,
    /// The number of the next that comes.
    next: u64,
}

/// Why another search would not get its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BusyError {
    /// So many wait already.
    #[error("the engine is busy: {MOST_WAITING} searches are waiting; try again in a while")]
    Full,
    /// There is no core for searches.
    #[error("games are played here, whose players have the engine for themselves")]
    NoCore,
}

/// A place in the queue, and later on a core. Whoever drops it leaves.
pub struct Place {
    of: Arc<Searches>,
    number: u64,
    is_running: bool,
}

impl Searches {
    /// A queue for so many searches at once, or for none.
    pub fn new(cores: usize) -> Arc<Self> {
        Arc::new(Self {
            cores,
            state: Mutex::default(),
            left: watch::Sender::new(()),
        })
    }

    /// Takes the last place of the queue.
    ///
    /// # Errors
    ///
    /// If it is full, or never advances.
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
    /// Waits for a core. `told` hears how many are before it in the queue as long as it waits, whenever that
    /// changes.
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
            // The queue lives as long as its places do.
            let _ = left.changed().await;
        }
    }

    /// Takes a core if it is this one's turn; otherwise says how many are before it.
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
        // Another core may be free for the one behind.
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

    /// True if it is this one's turn at once.
    fn has_turn(place: &mut Place) -> bool {
        place.turn(|_| {}).now_or_never().is_some()
    }

    #[test]
    fn so_many_run_as_there_are_cores_and_the_others_in_their_order() {
        let searches = Searches::new(2);
        let mut places: Vec<Place> = (0..4).map(|_| searches.queue().expect("room")).collect();
        // Not even where a core is free does a later one overtake.
        assert!(!has_turn(&mut places[1]));
        assert!(has_turn(&mut places[0]) && has_turn(&mut places[1]));
        assert!(!has_turn(&mut places[2]));
        drop(places.remove(0));
        assert!(!has_turn(&mut places[2]) && has_turn(&mut places[1]));
        // One that waits may leave as well.
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
