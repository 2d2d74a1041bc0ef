//! Stdin and stdout for a player, read and written on the thread of the network task.
//!
//! tokio's own streams use other threads. On a busy machine, switching to another thread and back may take milliseconds
//! per move. They count on the server's clock, but the player cannot measure them.

use tokio::io::{Join, Stdin, Stdout};
use tokio::net::unix::pipe::{OpenOptions, Receiver, Sender};
use tokio_util::either::Either;

/// Stdin and stdout as one stream.
pub type StandardStreams = Join<Either<Receiver, Stdin>, Either<Sender, Stdout>>;

/// Opens stdin and stdout as one stream. Needs a tokio runtime.
///
/// Pipes are opened a second time, so that other processes that share them keep their blocking mode. Streams that are
/// not pipes, or that cannot be opened, are served by tokio's threads.
pub fn open() -> StandardStreams {
    let pipes = OpenOptions::new();
    let input = pipes.open_receiver("/dev/stdin");
    let output = pipes.open_sender("/dev/stdout");
    tokio::io::join(
        input.map_or_else(|_| Either::Right(tokio::io::stdin()), Either::Left),
        output.map_or_else(|_| Either::Right(tokio::io::stdout()), Either::Left),
    )
}
