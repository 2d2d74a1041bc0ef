//! Shows the standings during a tournament.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use turnwise_arena::records::GameRecord;

use crate::cli::report;
use crate::console::output::show;

/// The minimum time between two updates of the standings.
const BETWEEN_STANDINGS: Duration = Duration::from_secs(2);

/// Shows the standings during a tournament, and updates them on a separate thread.
///
/// Computing the standings of a thousand participants takes half a second, and games must not wait for that.
pub(super) struct GrowingStandings {
    pairs: Option<Sender<Vec<GameRecord>>>,
    thread: Option<JoinHandle<()>>,
}

impl GrowingStandings {
    /// # Errors
    ///
    /// Returns an error if the system provides no thread.
    pub fn of(board: report::Board) -> io::Result<Self> {
        let (send, receive) = channel();
        let thread = thread::Builder::new().name("standings".to_owned());
        Ok(Self {
            pairs: Some(send),
            thread: Some(thread.spawn(move || show_standings(board, &receive))?),
        })
    }

    /// Adds the games of a finished pair to the standings.
    pub fn add(&self, games: &[GameRecord]) {
        if let Some(pairs) = &self.pairs {
            // Sending fails only if the thread has ended. In that case, the standings are no longer shown, so the pair
            // is not needed.
            let _ = pairs.send(games.to_vec());
        }
    }
}

impl Drop for GrowingStandings {
    fn drop(&mut self) {
        self.pairs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Adds each pair that is received to the standings and shows them, until the sender is dropped.
fn show_standings(mut board: report::Board, pairs: &Receiver<Vec<GameRecord>>) {
    let mut next = Instant::now() + BETWEEN_STANDINGS;
    let mut has_news = false;
    loop {
        match pairs.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok(games) => {
                board.add(&games);
                has_news = true;
            }
            Err(RecvTimeoutError::Timeout) => {
                if std::mem::take(&mut has_news) {
                    show(&board.standings());
                }
                next = Instant::now() + BETWEEN_STANDINGS;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
