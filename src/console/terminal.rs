//! Detects the capabilities of the terminal behind a stream.
//!
//! All these checks are in this module, so that the whole program treats `NO_COLOR`, `CLICOLOR_FORCE` and `TERM=dumb`
//! as `anstream` does.

use std::io::IsTerminal;
use std::os::fd::AsFd;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use rustix::termios::tcgetwinsize;

/// Returns true if output to the stream may be colored.
pub fn has_colours(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Returns true if the stream is a terminal on which lines can be overwritten.
pub fn can_redraw(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Returns the number of columns of the terminal behind the stream.
///
/// Returns `None` if the stream is not a terminal, or if the terminal does not report its size.
pub fn columns(stream: &impl AsFd) -> Option<u16> {
    let size = tcgetwinsize(stream).ok()?;
    (size.ws_col > 0).then_some(size.ws_col)
}
