//! Detects the features of the terminal behind a stream.
//!
//! All such checks are here, so that the whole program follows the same conventions: `NO_COLOR`, `CLICOLOR_FORCE` and
//! `TERM=dumb`, as `anstream` reads them.

use std::io::IsTerminal;
use std::os::fd::AsFd;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use rustix::termios::tcgetwinsize;

/// Returns true if output to the stream may be colored.
pub fn has_colours(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Returns true if a line written to the stream can be overwritten.
pub fn can_redraw(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Returns the columns and rows of the terminal behind the stream.
///
/// Returns `None` without a terminal, or if the terminal does not report its size.
pub fn size(stream: &impl AsFd) -> Option<(u16, u16)> {
    let size = tcgetwinsize(stream).ok()?;
    (size.ws_col > 0).then_some((size.ws_col, size.ws_row))
}

/// Returns the columns of the terminal behind the stream, as [`size`] reports them.
pub fn columns(stream: &impl AsFd) -> Option<u16> {
    size(stream).map(|(columns, _rows)| columns)
}
