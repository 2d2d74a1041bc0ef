//! Results on stdout and notes on stderr: what is printed, and what becomes of it if it cannot be.
//!
//! A reader that has gone away, such as `head`, has seen enough, which is no failure. Anything else, such as a full disk,
//! is one. Commands that only print end there ([`print()`]); work that matters beyond stdout goes on
//! ([`show`]), and what was lost is told when it is done ([`lost`]). What cannot be noted on stderr is
//! no reason to do anything else.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use super::progress;

/// Stdout could not be written to.
#[derive(Debug, Error)]
#[error("cannot write to stdout: {0}")]
pub struct Unwritten(io::Error);

impl Unwritten {
    /// True if whoever read stdout has gone away.
    pub fn is_closed(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

/// Stdout, whose errors can be told from others by [`unwritten`].
pub struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stdout().write(bytes).map_err(of_stdout)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush().map_err(of_stdout)
    }
}

/// Marks an error as one of stdout.
pub fn of_stdout(error: io::Error) -> io::Error {
    match error.kind() {
        // Whoever writes all of something tries again.
        io::ErrorKind::Interrupted => error,
        kind => io::Error::new(kind, Unwritten(error)),
    }
}

/// The failure of stdout that an error tells of, if it is one.
pub fn unwritten<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a Unwritten> {
    let error = error.downcast_ref::<io::Error>()?;
    error.get_ref()?.downcast_ref()
}

/// Writes a result to stdout at once.
pub fn print(text: &str) -> io::Result<()> {
    Stdout.write_all(text.as_bytes())?;
    Stdout.flush()
}

/// The first failure of stdout in work that went on.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes to stdout at once, for work that goes on whether it can be written or not.
pub fn show(text: &str) {
    if let Err(error) = print(text) {
        lose(error);
    }
}

/// Keeps a failure of stdout for the end of the work.
pub fn lose(error: io::Error) {
    if !unwritten(&error).is_some_and(Unwritten::is_closed) {
        first_lost().get_or_insert(error);
    }
}

/// The first failure of stdout in work that went on, told once; that nobody reads it is none.
pub fn lost() -> Option<io::Error> {
    first_lost().take()
}

/// True if there is one that has not been told.
pub fn is_lost() -> bool {
    first_lost().is_some()
}

fn first_lost() -> MutexGuard<'static, Option<io::Error>> {
    LOST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a line to stderr, above the progress bar if one is shown. Stderr may be gone.
pub fn note(line: &str) {
    prompt(&format!("{line}\n"));
}

/// Writes to stderr in front of where the user types.
pub fn prompt(text: &str) {
    progress::suspended(|| {
        let _ = io::stderr().write_all(text.as_bytes());
    });
}
