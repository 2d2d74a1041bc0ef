//! Assigns processor cores to searches. If all cores are in use, further searches wait in a queue and run in the order
//! of their arrival.

use std::sync::Arc;

use tokio::sync::watch;

/// The maximum number of searches in the queue.
const MOST_WAITING: usize = 64;

/// The places of all running and waiting searches.
pub struct Searches {
    cores: usize,
    /// The numbers of the places in the order of arrival. The first ones, as many as there are cores, may run.
    places: watch::Sender<Vec<u64>>,
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
}

impl Searches {
    /// Creates an empty queue that lets up to `cores` searches run in parallel. If `cores` is 0, all searches are
    /// rejected.
    pub fn new(cores: usize) -> Arc<Self> {
        let places = watch::Sender::default();
        Arc::new(Self { cores, places })
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
        let mut number = None;
        self.places.send_if_modified(|places| {
            if places.len() < self.cores + MOST_WAITING {
                let next = places.last().map_or(0, |last| last + 1);
                places.push(next);
                number = Some(next);
            }
            // An arrival changes nothing for the other searches.
            false
        });
        Ok(Place {
            of: self.clone(),
            number: number.ok_or(BusyError::Full)?,
        })
    }
}

impl Place {
    /// Waits until this search has a core. Meanwhile, calls `told` with the number of searches before it in the queue,
    /// whenever that number changes.
    pub async fn turn(&self, mut told: impl FnMut(usize)) {
        let mut known = None;
        let has_core = |places: &Vec<u64>| {
            let before = places.iter().take_while(|&&number| number != self.number);
            let waiting = before.count().checked_sub(self.of.cores);
            if waiting != known {
                known = waiting;
                waiting.into_iter().for_each(&mut told);
            }
            waiting.is_none()
        };
        // This never fails, because each place keeps the queue alive.
        let _ = self.of.places.subscribe().wait_for(has_core).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let leave = |places: &mut Vec<u64>| places.retain(|&number| number != self.number);
        self.of.places.send_modify(leave);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures_util::FutureExt;

    use super::*;

    /// Returns true if the search gets a core without waiting.
    fn has_turn(place: &Place) -> bool {
        place.turn(|_| {}).now_or_never().is_some()
    }

    #[test]
    fn so_many_run_as_there_are_cores_and_the_others_in_their_order() {
        let searches = Searches::new(2);
        let mut places: Vec<Place> = (0..4).map(|_| searches.queue().expect("room")).collect();
        assert!(has_turn(&places[0]) && has_turn(&places[1]));
        assert!(!has_turn(&places[2]));
        drop(places.remove(0));
        assert!(!has_turn(&places[2]) && has_turn(&places[1]));
        // A search may also leave the queue while it is waiting.
        let last = searches.queue().expect("room");
        drop(places.remove(2));
        drop(places);
        assert!(has_turn(&last));
    }

    #[tokio::test]
    async fn those_that_wait_hear_how_many_are_before_them() {
        let searches = Searches::new(1);
        let [first, second, third] = [0; 3].map(|_| searches.queue().expect("room"));
        assert!(has_turn(&first));
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
        let places: Vec<Place> = (0..1 + MOST_WAITING)
            .map_while(|_| searches.queue().ok())
            .collect();
        assert_eq!(places.len(), 1 + MOST_WAITING);
        assert_eq!(searches.queue().err(), Some(BusyError::Full));
        drop(places);
        assert!(searches.queue().is_ok());
        assert_eq!(Searches::new(0).queue().err(), Some(BusyError::NoCore));
    }
}
