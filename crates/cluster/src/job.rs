//! A thread of a worker: plays one bundle after another, and asks nobody in between.

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

/// A bundle is set apart when so many workers were lost in the middle of it.
const MOST_LOST: u64 = 3;

/// A thread that plays.
pub(crate) struct Job {
    /// Where it says that a bundle is begun again.
    pub server: Server,
    /// What drives that.
    pub runtime: Handle,
    /// How it plays.
    pub player: Arc<dyn Player>,
    /// Where the bundles come from.
    pub stock: Arc<Stock>,
    /// Hears of each bundle that this thread has done with.
    pub done: UnboundedSender<Done>,
    /// Hears of moves that somebody watches: a subject, and what is told there.
    pub announce: Sender<(String, String)>,
}

/// A bundle that a thread has done with.
pub(crate) struct Done {
    /// The bundle.
    pub lease: Arc<Lease>,
    /// What has become of it.
    pub ending: Ending,
}

/// What has become of a bundle.
pub(crate) enum Ending {
    /// The result of this bundle, which is the whole one, or the unit in it that could not be done.
    Known(Bundle, Outcome),
    /// Nobody needs it any more.
    Cancelled,
    /// The thread has panicked.
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
            let reason = "it is no bundle of units of work".to_owned();
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
                // It ends the run; those before it are not worth a message.
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
                // Where there is no room, those who watch hear of it later.
                let _ = self.announce.try_send(told);
            }
        };
        (self.player).play(&lease.run, unit, &follow, &is_cancelled)
    }
}

/// The task and the lines of a bundle of so many units; none if it has another number of them.
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
