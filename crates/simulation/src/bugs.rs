//! Bugs that are planted to verify that an invariant catches them.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turnwise_daemon::world::ByteStream;

use crate::network::SimulatedStream;

/// A bug in the world of our processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// The searching thread panics outside any handler.
    Panic,
    /// A search never returns, even after a stop request.
    Hang,
    /// A search returns ten seconds after the stop request.
    Late,
    /// All searches run on the network task.
    Deaf,
    /// Every message is sent twice.
    Twice,
    /// The daemon never gives up, and a lobby waits far too long.
    Forever,
    /// Every search logs a page of text.
    Chatter,
    /// Half of each log line is lost.
    Torn,
    /// Randomness does not come from the seed.
    Chance,
    /// A daemon does not notice that it was stopped.
    Unnoticed,
    /// A daemon leaves in mid-war.
    Leaves,
    /// A daemon that was sent away does not return.
    StaysAway,
    /// The connections of a dead process stay open.
    Zombie,
    /// Searches for different clients wait for each other.
    Queue,
    /// A client gets the answer to another client's question.
    Mixed,
    /// Some answers are lost.
    Lost,
    /// Every incoming byte counts as a question.
    Patient,
    /// Output is buffered without limit until the peer reads it.
    Hoard,
    /// A player's clock keeps running after its answer, during the arena's own time.
    Slow,
    /// A program in a match plays random moves that its seed does not determine.
    Drift,
    /// A resumed match forgets its statistical test.
    Endless,
    /// A disk loses records whose writes it reported as successful.
    Forgets,
    /// A disk loses half of a record in the middle of a file.
    Gap,
    /// A disk writes all data twice.
    Again,
    /// A game whose move is no longer wanted is never released.
    Leak,
    /// A stranger knows the participants' secrets.
    Told,
    /// A participant does not return to the lobby after its games.
    Kept,
    /// A file that was removed from a command's folder still exists.
    Stale,
    /// A disk reports data as stored too early.
    Unsynced,
    /// A file is written directly under its final name.
    InPlace,
}

/// Wraps a stream of our side with the bug if the bug concerns streams.
pub(crate) fn planted(stream: SimulatedStream, bug: Option<Bug>) -> Box<dyn ByteStream> {
    match bug {
        Some(bug @ (Bug::Twice | Bug::Lost | Bug::Hoard | Bug::Patient)) => Box::new(Planted {
            stream,
            bug,
            kept: Vec::new(),
            messages: 0,
        }),
        _ => Box::new(stream),
    }
}

/// A stream with a bug in it.
struct Planted {
    stream: SimulatedStream,
    bug: Bug,
    /// Bytes that must still be sent.
    kept: Vec<u8>,
    messages: u32,
}

impl Planted {
    /// Sends the buffered bytes as far as the stream accepts them.
    fn poll_kept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.kept.is_empty() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, &self.kept))?;
            self.kept.drain(..written);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Planted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let _ = self.poll_kept(context);
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if self.bug == Bug::Patient {
            buffer.filled_mut()[before..].fill(b'\n');
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Planted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.bug != Bug::Hoard {
            ready!(self.poll_kept(context))?;
        }
        // A sign of life does not count as a message.
        self.messages += u32::from(bytes != b" ");
        let times = match self.bug {
            Bug::Twice => 2,
            Bug::Lost if self.messages.is_multiple_of(3) => 0,
            _ => 1,
        };
        for _ in 0..times {
            self.kept.extend_from_slice(bytes);
        }
        if let Poll::Ready(Err(error)) = self.poll_kept(context) {
            return Poll::Ready(Err(error));
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.bug != Bug::Hoard {
            ready!(self.poll_kept(context))?;
        }
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
