//! A worker's thread: plays one bundle after another, without contacting the server in between.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use tokio::runtime::Handle;
use tokio::sync::mpsc::{Sender, UnboundedSender};
use turnwise_arena::referee::Event;

use crate::bundle::Bundle;
use crate::outcome::{Outcome, Part};
use crate::playing::Player;
use crate::server::Server;
use crate::stock::{Lease, Stock};
use crate::watching;

/// A bundle is set apart when this many workers were lost while they played it.
const MOST_LOST: u64 = 3;

/// A playing thread.
pub(crate) struct Job {
    /// The server that counts bundles begun again.
    pub server: Server,
    /// The runtime for the server's tasks.
    pub runtime: Handle,
    /// The player of units.
    pub player: Arc<dyn Player>,
    /// The source of bundles.
    pub stock: Arc<Stock>,
    /// Receives each finished bundle.
    pub done: UnboundedSender<Done>,
    /// Receives reports of moves: a subject and a message.
    pub announce: Sender<(String, String)>,
}

/// A finished bundle.
pub(crate) struct Done {
    /// The bundle.
    pub lease: Arc<Lease>,
    /// How it ended.
    pub ending: Ending,
}

/// How a bundle ended.
pub(crate) enum Ending {
    /// With the result of the whole bundle, or of a single unit that failed.
    Known(Bundle, Outcome),
    /// The result is no longer needed.
    Cancelled,
    /// The thread panicked.
    Crashed,
}

impl Job {
    /// Plays until the stock is closed.
    pub fn work(&self) {
        while let Some(lease) = self.stock.take() {
            let begun = Instant::now();
            let played = catch_unwind(AssertUnwindSafe(|| self.play(&lease)));
            let ending = played.unwrap_or(Ending::Crashed);
            self.stock.done(begun.elapsed());
            if self.done.send(Done { lease, ending }).is_err() {
                return;
            }
        }
    }

    fn play(&self, lease: &Lease) -> Ending {
        let bundle = lease.bundle;
        if lease.times > 1 {
            let lost = self.server.begin_again(&lease.run, bundle);
            if self.runtime.block_on(lost) >= MOST_LOST {
                return Ending::Known(bundle, Outcome::SetApart);
            }
        }
        let Some((task, lines)) = contents(&lease.message.payload, bundle.count()) else {
            let reason = "it is not a bundle of units of work".to_owned();
            return Ending::Known(bundle, Outcome::Failed(reason));
        };
        let mut parts = Vec::new();
        for (number, line) in bundle.numbers().zip(lines) {
            let begun = Instant::now();
            match self.play_unit(lease, (task, line)) {
                Ok(Some(content)) => parts.push(Part {
                    content: content.into(),
                    seconds: begun.elapsed().as_secs_f64(),
                }),
                Ok(None) => return Ending::Cancelled,
                // A failed unit ends the run, so the earlier results are not worth a message.
                Err(reason) => {
                    return Ending::Known(Bundle::alone(number), Outcome::Failed(reason));
                }
            }
        }
        Ending::Known(bundle, Outcome::Done(parts))
    }

    fn play_unit(&self, lease: &Lease, unit: (&str, &str)) -> Result<Option<Vec<u8>>, String> {
        let is_cancelled = || lease.is_cancelled.load(Ordering::Relaxed);
        let follow = |event: Event| {
            if lease.is_watched {
                let told = (watching::subject(&lease.run), watching::message(event));
                // If the channel is full, observers see the move later.
                let _ = self.announce.try_send(told);
            }
        };
        (self.player).play(&lease.run, unit, &follow, &is_cancelled)
    }
}

/// Returns a bundle's task and lines, or `None` if the number of units is wrong.
fn contents(message: &[u8], units: usize) -> Option<(&str, Vec<&str>)> {
    let (task, lines) = std::str::from_utf8(message).ok()?.split_once('\n')?;
    let lines: Vec<&str> = lines.split('\n').take(units + 1).collect();
    (lines.len() == units).then_some((task, lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_has_a_line_for_each_unit() {
        assert_eq!(contents(b"task\n1\n2", 2), Some(("task", vec!["1", "2"])));
        for (message, units) in [
            (&b""[..], 1),
            (b"task", 1),
            (b"task\n1", 2),
            (b"task\n1\n2", 1),
            (b"task\n1\n", 1),
            (b"task\n\xff", 1),
        ] {
            assert_eq!(contents(message, units), None, "{message:?}");
        }
    }
}
