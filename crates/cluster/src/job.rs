//! A thread of a worker, which plays one bundle after another without having to wait for the server in between.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use tokio::runtime::Handle;
use tokio::sync::mpsc::{Sender, UnboundedSender};
use turnwise_arena::referee::Event;

use crate::outcome::{Failure, Outcome, Part};
use crate::playing::Player;
use crate::server::Server;
use crate::stock::{Lease, Stock, Stopped};
use crate::watching;

/// How many workers may be lost while they play a bundle before the bundle is set apart.
const MOST_LOST: u64 = 3;

/// A thread of a worker that plays bundles, with everything that it needs for this.
pub(crate) struct Job {
    /// The server, which counts the restarts of each bundle.
    pub server: Server,
    /// The runtime on which requests to the server run.
    pub runtime: Handle,
    /// Plays the units of bundles.
    pub player: Arc<dyn Player>,
    /// The bundles that the worker has leased, from which the thread takes its next bundle.
    pub stock: Arc<Stock>,
    /// Receives each finished bundle.
    pub done: UnboundedSender<Done>,
    /// Receives reports of moves; a report consists of a subject and a message.
    pub announce: Sender<(String, String)>,
}

/// A bundle that a thread has finished with, and how it ended.
pub(crate) struct Done {
    /// The lease of the finished bundle.
    pub lease: Arc<Lease>,
    /// How the bundle ended.
    pub ending: Ending,
}

/// How a bundle ended.
pub(crate) enum Ending {
    /// It has a result.
    Known(Outcome),
    /// It was cancelled, because its result is no longer needed.
    Cancelled,
    /// It has no result, because playing it panicked.
    Crashed,
}

impl Ending {
    /// Returns the size of the results in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Known(Outcome::Done(parts)) => parts.iter().map(|part| part.content.len()).sum(),
            _ => 0,
        }
    }
}

impl Job {
    /// Plays one bundle after another until the stock is closed.
    pub fn work(&self) {
        while let Some(lease) = self.stock.take() {
            let begun = Instant::now();
            let played = catch_unwind(AssertUnwindSafe(|| self.play(&lease)));
            let ending = played.unwrap_or(Ending::Crashed);
            self.stock.done(begun.elapsed(), ending.bytes());
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
                return Ending::Known(Outcome::SetApart);
            }
        }
        let Some((task, lines)) = contents(&lease.message.payload, bundle.count()) else {
            let reason = "it is not a bundle of units of work";
            return Ending::Known(Outcome::Failed(reason.into()));
        };
        let mut parts = Vec::new();
        for line in lines {
            let begun = Instant::now();
            match self.play_unit(lease, (task, line)) {
                Ok(Some(content)) => parts.push(Part {
                    content: content.into(),
                    seconds: begun.elapsed().as_secs_f64(),
                }),
                Ok(None) if lease.why.get() == Some(&Stopped::Expired) => {
                    let most = lease.lifetime.as_secs_f64();
                    let reason = format!("not finished after {most:.0} s");
                    return Ending::Known(Outcome::Failed(reason.into()));
                }
                Ok(None) => return Ending::Cancelled,
                // Each unit of the bundle is then offered alone, so the results of earlier units are not sent.
                Err(failure) => return Ending::Known(Outcome::Failed(failure)),
            }
        }
        Ending::Known(Outcome::Done(parts))
    }

    fn play_unit(&self, lease: &Lease, unit: (&str, &str)) -> Result<Option<Vec<u8>>, Failure> {
        let follow = |event: Event| {
            if lease.is_watched {
                let told = (watching::subject(&lease.run), watching::message(event));
                // If the channel is full, the report is dropped.
                let _ = self.announce.try_send(told);
            }
        };
        (self.player).play(&lease.run, unit, &follow, &lease.stop)
    }
}

/// Splits a bundle's message into the task's hash and a line for each unit.
///
/// Returns `None` if the number of lines is not `units`.
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
