//! What the terminal at the other end of a stream can do.
//!
//! The one place where it is asked, so that everything keeps to the same conventions: `NO_COLOR`,
//! `CLICOLOR_FORCE` and `TERM=dumb`, as `anstream` reads them.

use std::io::IsTerminal;
use std::os::fd::AsFd;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use rustix::termios::tcgetwinsize;

/// True if what is written to the stream may be coloured.
pub fn has_colours(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// True if a line that was written to the stream can be written over.
pub fn can_redraw(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Columns and rows of the terminal behind the stream; `None` if there is no terminal, or it does not
/// tell.
pub fn size(stream: &impl AsFd) -> Option<(u16, u16)> {
    let size = tcgetwinsize(stream).ok()?;
    (size.ws_col > 0).then_some((size.ws_col, size.ws_row))
}

/// Columns of the terminal behind the stream, as [`size`] tells them.
pub fn columns(stream: &impl AsFd) -> Option<u16> {
    size(stream).map(|(columns, _rows)| columns)
}
