//! Prints results to stdout and notes to stderr, and handles write errors.
//!
//! If stdout is a pipe and its reader has ended, as `head` does, that is not an error. Any other write error, for
//! example because of a full disk, is an error. A command that only prints stops at the error ([`print()`]). A command
//! that also has other results continues ([`show`]), and reports the error at the end ([`lost`]). Errors on stderr are
//! ignored.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use super::progress;

/// An error in writing to stdout.
#[derive(Debug, Error)]
#[error("cannot write to stdout: {0}")]
pub struct Unwritten(io::Error);

impl Unwritten {
    /// Returns true if the reader of stdout closed the pipe.
    pub fn is_closed(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

/// A writer to stdout that marks its errors, so that [`unwritten`] recognizes them.
pub struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stdout().write(bytes).map_err(of_stdout)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush().map_err(of_stdout)
    }
}

/// Marks an error as one that occurred while writing to stdout.
pub fn of_stdout(error: io::Error) -> io::Error {
    match error.kind() {
        // This error is not marked, because `write_all` must recognize it and try again.
        io::ErrorKind::Interrupted => error,
        kind => io::Error::new(kind, Unwritten(error)),
    }
}

/// Returns the error in writing to stdout that this error contains, if it contains one.
pub fn unwritten<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a Unwritten> {
    let error = error.downcast_ref::<io::Error>()?;
    error.get_ref()?.downcast_ref()
}

/// Writes a result to stdout and flushes it.
pub fn print(text: &str) -> io::Result<()> {
    Stdout.write_all(text.as_bytes())?;
    Stdout.flush()
}

/// The first error in writing to stdout that did not stop the work. It is stored here until [`lost`] takes it.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes to stdout and flushes it. If that fails, the work continues, and the error is stored for [`lost`].
pub fn show(text: &str) {
    if let Err(error) = print(text) {
        lose(error);
    }
}

/// Stores an error in writing to stdout for [`lost`], unless the error only means that the reader of a pipe has ended.
fn lose(error: io::Error) {
    if !unwritten(&error).is_some_and(Unwritten::is_closed) {
        first_lost().get_or_insert(error);
    }
}

/// Takes the stored error in writing to stdout and returns it; returns `None` if no error is stored.
pub fn lost() -> Option<io::Error> {
    first_lost().take()
}

/// Returns true if an error is stored that [`lost`] has not taken.
pub fn is_lost() -> bool {
    first_lost().is_some()
}

fn first_lost() -> MutexGuard<'static, Option<io::Error>> {
    LOST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a line to stderr, above the progress bar if one is shown. Errors are ignored.
pub fn note(line: &str) {
    prompt(&format!("{line}\n"));
}

/// Writes a prompt to stderr, without a line feed.
pub fn prompt(text: &str) {
    progress::suspended(|| {
        let _ = io::stderr().write_all(text.as_bytes());
    });
}
