//! Shows the standings during a tournament.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use turnwise_arena::records::GameRecord;

use crate::cli::report;
use crate::console::output::show;

/// The minimum time between two displays of the standings.
const BETWEEN_STANDINGS: Duration = Duration::from_secs(2);

/// Shows updated standings on a separate thread.
///
/// The standings of a thousand participants take seconds, and games must not wait for them.
pub(super) struct GrowingStandings {
    pairs: Option<Sender<Vec<GameRecord>>>,
    thread: Option<JoinHandle<()>>,
}

impl GrowingStandings {
    /// # Errors
    ///
    /// Returns an error if the system refuses a thread.
    pub fn of(board: report::Board) -> io::Result<Self> {
        let (send, receive) = channel();
        let thread = thread::Builder::new().name("standings".to_owned());
        Ok(Self {
            pairs: Some(send),
            thread: Some(thread.spawn(move || show_standings(board, &receive))?),
        })
    }

    /// Adds a finished pair.
    pub fn add(&self, games: &[GameRecord]) {
        if let Some(pairs) = &self.pairs {
            // The receiver is gone only after its thread ends, and then nothing shows standings.
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

/// Shows a board with each received pair until the sender is dropped.
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
