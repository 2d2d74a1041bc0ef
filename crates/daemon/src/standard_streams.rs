//! Stdin and stdout for a player, read and written on the thread of the network task.
//!
//! tokio's own do that on other threads. On a busy machine the way to another thread and back may
//! take milliseconds of every move, on a clock of which the player then sees nothing.

use tokio::io::{Join, Stdin, Stdout};
use tokio::net::unix::pipe::{OpenOptions, Receiver, Sender};
use tokio_util::either::Either;

/// Stdin and stdout as one stream.
pub type StandardStreams = Join<Either<Receiver, Stdin>, Either<Sender, Stdout>>;

/// Opens both. Needs a tokio runtime.
///
/// Pipes are opened anew, so that whoever shares them with us does not find them in another mode.
/// What is no pipe, or cannot be opened, is left to tokio's threads.
pub fn open() -> StandardStreams {
    let pipes = OpenOptions::new();
    let input = pipes.open_receiver("/dev/stdin");
    let output = pipes.open_sender("/dev/stdout");
    tokio::io::join(
        input.map_or_else(|_| Either::Right(tokio::io::stdin()), Either::Left),
        output.map_or_else(|_| Either::Right(tokio::io::stdout()), Either::Left),
    )
}
