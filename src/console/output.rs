//! Results on stdout and notes on stderr.

use std::io::{self, Write};

use super::progress;

/// Writes a result to stdout at once; [`until_closed`] forgives a reader that has gone away.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Makes no failure of a reader that has seen enough, such as `head`.
pub fn until_closed(printed: io::Result<()>) -> io::Result<()> {
    match printed {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes to stdout at once, for work that goes on whether anybody reads it or not.
pub fn show(text: &str) {
    // What cannot be shown is no reason to stop.
    let _ = print(text);
}

/// Writes a line to stderr, above the progress bar if one is shown. Stderr may be gone.
pub fn note(line: &str) {
    progress::suspended(|| {
        let _ = writeln!(io::stderr(), "{line}");
    });
}
