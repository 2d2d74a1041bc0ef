//! Bugs that are planted to see that an invariant catches them.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turnwise_daemon::world::ByteStream;

use crate::network::SimulatedStream;

/// A bug in the world of our own side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// The thread that thinks panics where nobody catches it.
    Panic,
    /// A search never comes back, not even when it is told to.
    Hang,
    /// A search comes back ten seconds after it was told to.
    Late,
    /// All thinking is done where nothing is heard meanwhile.
    Deaf,
    /// Every message is sent twice.
    Twice,
    /// The daemon never gives up, nor does a lobby for long.
    Forever,
    /// A page of log for every thought.
    Chatter,
    /// Half of each line of the log is lost.
    Torn,
    /// Chance that does not come from the seed.
    Chance,
    /// A daemon that was stopped does not know it.
    Unnoticed,
    /// A daemon leaves in the middle of a war.
    Leaves,
    /// A daemon that was sent away does not come back.
    StaysAway,
    /// The connections of a process that died stay open.
    Zombie,
    /// Searches for several clients wait for each other.
    Queue,
    /// A client gets the answer to another's question.
    Mixed,
    /// An answer is lost now and then.
    Lost,
    /// Every byte that comes counts as a question.
    Patient,
    /// Whatever is sent is kept until it is taken, however much that is.
    Hoard,
    /// The arena's time runs on a player's clock that has answered already.
    Slow,
    /// A program of a match plays as chance will, not as its seed.
    Drift,
    /// A test is forgotten when a match is resumed.
    Endless,
    /// A disk loses records that it said were written.
    Forgets,
    /// A disk loses half of a record in the middle.
    Gap,
    /// A disk writes everything twice.
    Again,
    /// A game of which nobody waits for the move is never given up.
    Leak,
    /// A stranger has been told the secrets of the participants.
    Told,
    /// A participant is not given back to the lobby when its games are over.
    Kept,
    /// A file that was removed from a command's folder is still there.
    Stale,
    /// A disk says that it has what it has not got yet.
    Unsynced,
    /// A file is written where it stays.
    InPlace,
}

/// A stream of our own side, with the bug if it is one of streams.
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
    /// What is still to be sent.
    kept: Vec<u8>,
    messages: u32,
}

impl Planted {
    /// Sends what is kept, as far as the stream takes it.
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
        // A sign of life is no message.
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
