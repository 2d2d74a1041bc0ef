//! A queue of log lines that a separate thread writes.
//!
//! Thanks to this thread, logging never waits for a full disk, a stopped terminal or a pipe without a reader.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use tracing::warn;

/// The maximum number of queued lines. [`MOST_BYTES`] limits their total size.
const MOST_LINES: usize = 4096;
const MOST_BYTES: usize = 4 << 20;

/// How long lines are collected before they are written.
///
/// Waking a thread takes longer than queuing a line. Because lines are collected, the caller wakes the writing thread
/// only for the first line, and that thread does not occupy a core while a reply is being sent.
const TOGETHER: Duration = Duration::from_millis(1);

/// How long the process waits for the last lines before it exits.
const LAST_WAIT: Duration = Duration::from_millis(500);

/// The queue of one output.
///
/// Lines that arrive while the queue is full are dropped and counted. The log reports the number of dropped lines once
/// the queue has room again.
#[derive(Debug, Clone)]
pub struct Queue {
    lines: SyncSender<Vec<u8>>,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    /// The size in bytes of all queued lines that are not written yet.
    waiting: AtomicUsize,
    /// The number of lines dropped since the last report.
    dropped: AtomicU64,
}

impl Queue {
    /// Creates a queue and starts its thread. `name` is the output's name in log messages.
    ///
    /// # Errors
    ///
    /// Returns an error if the system cannot start the thread.
    pub fn start(name: &'static str, output: impl Write + Send + 'static) -> io::Result<Self> {
        let (sender, lines) = sync_channel(MOST_LINES);
        let counts = Arc::new(Counts::default());
        let shared = Arc::clone(&counts);
        std::thread::Builder::new()
            .name(format!("log to {name}"))
            .spawn(move || write_all(&lines, &shared, name, output))?;
        Ok(Self {
            lines: sender,
            counts,
        })
    }

    /// Waits until all lines are written, for at most `LAST_WAIT`.
    pub fn flush_soon(&self) {
        let until = Instant::now() + LAST_WAIT;
        while self.counts.waiting.load(Ordering::Acquire) > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Write for Queue {
    /// Queues a whole line, or drops it if the queue is full. Never returns an error.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let length = line.len();
        let waiting = self.counts.waiting.fetch_add(length, Ordering::AcqRel);
        if waiting + length > MOST_BYTES || self.lines.try_send(line.to_vec()).is_err() {
            self.counts.waiting.fetch_sub(length, Ordering::AcqRel);
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
        }
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_all(lines: &Receiver<Vec<u8>>, counts: &Counts, name: &str, mut output: impl Write) {
    for first in lines {
        std::thread::sleep(TOGETHER);
        write_waiting(first, lines, counts, name, &mut output);
    }
}

/// Writes a line and all lines queued behind it.
fn write_waiting(
    first: Vec<u8>,
    lines: &Receiver<Vec<u8>>,
    counts: &Counts,
    name: &str,
    output: &mut impl Write,
) {
    for line in std::iter::once(first).chain(lines.try_iter()) {
        // If the output fails, the line is lost: it cannot be reported anywhere else.
        let _ = output.write_all(&line);
        let waiting = counts.waiting.fetch_sub(line.len(), Ordering::AcqRel);
        if waiting <= MOST_BYTES / 2 {
            let lines = counts.dropped.swap(0, Ordering::Relaxed);
            if lines > 0 {
                warn!(
                    lines,
                    output = name,
                    "log lines were dropped: the output was too slow"
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// An output that blocks while the lock is held.
    struct Stopped(Arc<Mutex<Vec<u8>>>);

    impl Write for Stopped {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_output_that_stops_costs_lines_but_no_time_and_no_memory() {
        let written = Arc::new(Mutex::new(Vec::new()));
        let stop = written.lock().expect("no panic");
        let mut queue = Queue::start("test", Stopped(Arc::clone(&written))).expect("a thread");
        let line = [b'x'; 2048];
        let sent = 10_000;
        for _ in 0..sent {
            queue.write_all(&line).expect("it never fails");
        }
        let dropped = queue.counts.dropped.load(Ordering::Relaxed) as usize;
        assert!(queue.counts.waiting.load(Ordering::Relaxed) <= MOST_BYTES);
        assert!(dropped >= sent - MOST_BYTES / line.len() - 1, "{dropped}");
        drop(stop);
        while queue.counts.waiting.load(Ordering::Acquire) > 0 {
            std::thread::yield_now();
        }
        let written = written.lock().expect("no panic").len();
        assert_eq!(written, (sent - dropped) * line.len());
    }
}
