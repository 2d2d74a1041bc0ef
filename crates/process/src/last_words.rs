//! Keeps the end of a child's stderr, which may explain why the child has failed.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use turnwise_engine::words::is_unprintable;

use crate::locked;

/// The maximum number of bytes that are kept of a child's stderr.
const MOST_BYTES: usize = 8 * 1024;
const MOST_LINES: usize = 20;

/// How long to wait for the remaining output of a child that has exited.
const PATIENCE: Duration = Duration::from_millis(500);

/// Collects the end of a child's stderr.
pub(crate) struct LastWords {
    kept: Arc<Mutex<Vec<u8>>>,
    /// A channel that is closed when stderr has ended.
    ended: Receiver<()>,
}

impl LastWords {
    /// Starts a thread that reads a stream until its end. Returns the channel through which the thread gets the stream.
    ///
    /// The child that writes the stream is started after the thread. If the system cannot start the thread, no child
    /// has been started yet.
    ///
    /// # Errors
    ///
    /// Returns an error if the system cannot start a thread.
    pub fn prepare<S: Read + Send + 'static>() -> io::Result<(Self, Sender<S>)> {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (ending, ended) = channel();
        let (stream, streams) = channel();
        let shared = Arc::clone(&kept);
        let thread = thread::Builder::new().name("last words".to_owned());
        thread.spawn(move || {
            // No stream arrives if the child cannot be started, or if it has no stderr.
            if let Ok(stream) = streams.recv() {
                keep_end(stream, &shared);
            }
            drop(ending);
        })?;
        Ok((Self { kept, ended }, stream))
    }

    /// Returns the last bytes of stderr that have been read so far.
    pub fn so_far(&self) -> MutexGuard<'_, Vec<u8>> {
        locked(&self.kept)
    }

    /// Returns the last bytes of a child that has exited, after a short wait for bytes that have not been read yet.
    pub fn at_the_end(&self) -> MutexGuard<'_, Vec<u8>> {
        // The result only says whether the stream or the wait has ended first, which makes no difference here.
        let _ = self.ended.recv_timeout(PATIENCE);
        self.so_far()
    }
}

/// Returns the last [`MOST_LINES`] lines, without characters that could control a terminal.
pub(crate) fn shown<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let is_unfit = |letter: char| is_unprintable(letter) && letter != '\t';
    let lines: Vec<&str> = lines.collect();
    let last = &lines[lines.len().saturating_sub(MOST_LINES)..];
    (last.iter().map(|line| line.replace(is_unfit, "\u{fffd}"))).collect()
}

/// Reads a stream to its end and keeps the last bytes. A read that a signal interrupts is repeated.
fn keep_end(mut stream: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 4096];
    loop {
        match stream.read(&mut chunk) {
            Ok(read @ 1..) => {
                let mut kept = locked(kept);
                kept.extend_from_slice(&chunk[..read]);
                let surplus = kept.len().saturating_sub(MOST_BYTES);
                kept.drain(..surplus);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => break,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that yields the given parts. Before each part, a read fails as if a signal had interrupted it.
    struct Interrupted(Vec<&'static [u8]>, bool);

    impl Read for Interrupted {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let said = self.0.pop().unwrap_or_default();
            buffer[..said.len()].copy_from_slice(said);
            Ok(said.len())
        }
    }

    #[test]
    fn a_signal_is_not_the_end_of_what_a_player_says() {
        let (words, stream) = LastWords::prepare().expect("a thread");
        let said = Interrupted(vec![b" lost", b"all is"], false);
        stream.send(said).expect("it listens");
        assert_eq!(*words.at_the_end(), b"all is lost");
    }
}
