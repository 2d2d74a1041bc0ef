//! Bugs that tests plant in the simulated world, to verify that an invariant catches each bug.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turnwise_daemon::world::ByteStream;

use crate::network::SimulatedStream;

/// A bug that can be planted in the world in which our processes run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// A search panics where no handler catches the panic.
    Panic,
    /// A search never returns, even after a stop request.
    Hang,
    /// A search returns only ten seconds after a stop request.
    Late,
    /// All searches run on the task that reads the network, so that no message is read during a search.
    Deaf,
    /// Every message is sent twice.
    Twice,
    /// A daemon never gives up reconnecting, and a lobby waits far too long for its participants.
    Forever,
    /// Every search writes a whole page of text to the log.
    Chatter,
    /// Half of each log line is lost.
    Torn,
    /// Random numbers do not come from the seed, so that runs cannot be reproduced.
    Chance,
    /// A daemon does not notice that its process was suspended for a while.
    Unnoticed,
    /// A daemon leaves in the middle of a war.
    Leaves,
    /// A daemon that the host has temporarily rejected does not return.
    StaysAway,
    /// The connections of a process stay open after the process has died.
    Zombie,
    /// Searches for different clients wait for each other.
    Queue,
    /// A client gets the answer to another client's question.
    Mixed,
    /// Some answers are lost.
    Lost,
    /// Every incoming byte counts as a complete question, so that slow clients are never disconnected.
    Patient,
    /// Output is buffered without limit until the peer reads it.
    Hoard,
    /// A player is charged for the time that the arena itself uses after the player's answer.
    Slow,
    /// A program in a match plays random moves that its seed does not determine.
    Drift,
    /// A resumed match forgets that a sequential test may end it early.
    Endless,
    /// A disk loses records whose writes it reported as successful.
    Forgets,
    /// A disk loses half of a record in the middle of a file.
    Gap,
    /// A disk writes all data twice.
    Again,
    /// A daemon that answers questions never releases a game whose move is no longer needed.
    Leak,
    /// A stranger knows the secrets with which participants prove their names.
    Told,
    /// A participant does not return to the lobby after its games.
    Kept,
    /// A file still exists after it was removed from a command's folder.
    Stale,
    /// A disk reports data as synchronized before it is.
    Unsynced,
    /// A file is written directly under its final name, not under another name and then renamed.
    InPlace,
}

/// Returns our end of a connection, wrapped in a [`Planted`] stream if the bug concerns streams.
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

/// A stream in which a bug is planted.
struct Planted {
    stream: SimulatedStream,
    bug: Bug,
    /// The bytes that have been written to this stream and must still be sent.
    kept: Vec<u8>,
    messages: u32,
}

impl Planted {
    /// Sends the bytes in `kept`, as far as the inner stream accepts them.
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
        // A single blank is a sign of life and does not count as a message.
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
