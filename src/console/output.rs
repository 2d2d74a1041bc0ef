//! Prints results to stdout and notes to stderr, and handles write errors.
//!
//! A closed stdout pipe, such as after `head`, is not an error; any other write error, such as a full disk, is. A
//! command that only prints stops at such an error ([`print()`]). Work with other results continues ([`show`]) and
//! reports the error at the end ([`lost`]). Errors on stderr are ignored.

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

/// Stdout, whose errors [`unwritten`] recognizes.
pub struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stdout().write(bytes).map_err(of_stdout)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush().map_err(of_stdout)
    }
}

/// Marks an error as a stdout error.
pub fn of_stdout(error: io::Error) -> io::Error {
    match error.kind() {
        // `write_all` retries after this error.
        io::ErrorKind::Interrupted => error,
        kind => io::Error::new(kind, Unwritten(error)),
    }
}

/// Returns the stdout error that an error wraps, if any.
pub fn unwritten<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a Unwritten> {
    let error = error.downcast_ref::<io::Error>()?;
    error.get_ref()?.downcast_ref()
}

/// Writes a result to stdout and flushes it.
pub fn print(text: &str) -> io::Result<()> {
    Stdout.write_all(text.as_bytes())?;
    Stdout.flush()
}

/// The first stdout error during work that continued.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes to stdout and flushes, for work that continues after a write error.
pub fn show(text: &str) {
    if let Err(error) = print(text) {
        lose(error);
    }
}

/// Stores a stdout error until the end of the work.
pub fn lose(error: io::Error) {
    if !unwritten(&error).is_some_and(Unwritten::is_closed) {
        first_lost().get_or_insert(error);
    }
}

/// Takes the first stdout error during work that continued. A closed pipe does not count.
pub fn lost() -> Option<io::Error> {
    first_lost().take()
}

/// Returns true if a stored stdout error has not been taken.
pub fn is_lost() -> bool {
    first_lost().is_some()
}

fn first_lost() -> MutexGuard<'static, Option<io::Error>> {
    LOST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a line to stderr, above any progress bar. Ignores errors.
pub fn note(line: &str) {
    prompt(&format!("{line}\n"));
}

/// Writes a prompt to stderr, without a line feed.
pub fn prompt(text: &str) {
    progress::suspended(|| {
        let _ = io::stderr().write_all(text.as_bytes());
    });
}
