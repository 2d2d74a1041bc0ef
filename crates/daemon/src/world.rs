//! What a daemon needs of the world around it: connections, threads to think on, time and chance.
//!
//! [`System`] is the real one. A simulated one can stand in its place, with a network that breaks at will
//! and searches that end when it suits it; time is tokio's, which can be virtual.

use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use turnwise_engine::agent::{Agent, ThreadAgent};
use turnwise_engine::cpu_time::{self, CpuClock, CpuDeadlines};
use turnwise_engine::search::Limits;
use turnwise_engine::thought::Finished;

use crate::client::seed_of_now;
use crate::worker::{self, Thinking};

/// A connection attempt that takes longer has failed.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// An idle connection is probed after this time, then at these intervals, and given up after so many
/// probes without an answer: half a minute for a peer that has vanished.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(15);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_PROBES: u32 = 3;

/// A reply that the peer has not acknowledged for so long means that the peer has vanished.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_AT_MOST: Duration = Duration::from_secs(30);

/// Both directions of a connection.
pub trait ByteStream: AsyncRead + AsyncWrite + Unpin + Send + Sync {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send + Sync> ByteStream for T {}

/// A connection before the first message.
pub struct Link {
    /// The bytes in both directions; nothing has been read or written yet.
    pub stream: Box<dyn ByteStream>,
    /// The time of the handshake: one way and back.
    pub latency: Duration,
}

/// The world of a daemon that plays.
pub trait World {
    /// Connects to a server.
    ///
    /// # Errors
    ///
    /// If it does not answer.
    fn connect(&self, server: &str, port: u16) -> impl Future<Output = io::Result<Link>>;

    /// Starts an agent thinking, see [`worker::start`].
    fn think<A: ThreadAgent>(&self, agent: A, position: A::Position, limits: Limits)
    -> Thinking<A>;

    /// The same with a soft and a hard limit of the thread's CPU time.
    fn think_on_cpu<A: ThreadAgent>(
        &self,
        agent: A,
        position: A::Position,
        limits: (Duration, Duration),
    ) -> Thinking<A>;

    /// Lets an agent think at once, see [`worker::think_here`].
    fn think_here<A>(&self, agent: A, position: &A::Position, limits: Limits) -> Finished<A>
    where
        A: Agent<Move: Copy>;

    /// How long the calling thread has waited for a core so far, see [`cpu_time::queued`].
    fn queued(&self) -> Duration;

    /// A number that differs from call to call.
    fn chance(&self) -> u64;
}

/// Where connections come in.
pub trait Listener: Send {
    /// Takes the next one, and says where it comes from.
    ///
    /// # Errors
    ///
    /// If the system has no room for it at the moment, or the connection has failed before it was taken.
    fn poll_accept(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<(Box<dyn ByteStream>, SocketAddr)>>;
}

impl Listener for TcpListener {
    fn poll_accept(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<(Box<dyn ByteStream>, SocketAddr)>> {
        TcpListener::poll_accept(self, context).map_ok(|(stream, address)| {
            // Without it messages would come a little later, and nobody would notice a peer that has vanished.
            let _ = configure(&stream);
            (Box::new(stream) as Box<dyn ByteStream>, address)
        })
    }
}

/// What time it is, in a runtime of tokio.
pub fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// The system's sockets and threads.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

impl World for System {
    async fn connect(&self, server: &str, port: u16) -> io::Result<Link> {
        tokio::time::timeout(CONNECT_TIMEOUT, connect_to_any(server, port))
            .await
            .map_err(|_elapsed| io::Error::from(io::ErrorKind::TimedOut))?
    }

    fn think<A: ThreadAgent>(
        &self,
        agent: A,
        position: A::Position,
        limits: Limits,
    ) -> Thinking<A> {
        worker::start(agent, position, move || limits)
    }

    fn think_on_cpu<A: ThreadAgent>(
        &self,
        agent: A,
        position: A::Position,
        limits: (Duration, Duration),
    ) -> Thinking<A> {
        // Made on the agent's thread, whose time they count.
        worker::start(agent, position, move || Limits {
            cpu: Some(CpuDeadlines::after(CpuClock::Thread, limits)),
            ..Limits::default()
        })
    }

    fn think_here<A>(&self, agent: A, position: &A::Position, limits: Limits) -> Finished<A>
    where
        A: Agent<Move: Copy>,
    {
        worker::think_here(agent, position, limits)
    }

    fn queued(&self) -> Duration {
        cpu_time::queued()
    }

    fn chance(&self) -> u64 {
        seed_of_now()
    }
}

/// Connects to the first of the server's addresses that answers. Looking up its name and trying
/// its other addresses is no part of the latency.
async fn connect_to_any(server: &str, port: u16) -> io::Result<Link> {
    let mut refused = io::Error::from(io::ErrorKind::NotFound);
    for address in tokio::net::lookup_host((server, port)).await? {
        let began = Instant::now();
        match TcpStream::connect(address).await {
            Ok(stream) => {
                let latency = without_repetitions(began.elapsed());
                configure(&stream)?;
                let stream = Box::new(stream);
                return Ok(Link { stream, latency });
            }
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

/// A handshake less the time in which the system waited before it asked again, which it does after
/// 1, 3 and 7 s (RFC 6298, 2.1 and 5.5).
fn without_repetitions(handshake: Duration) -> Duration {
    let waited = [7, 3, 1, 0].map(Duration::from_secs);
    let longest = waited.into_iter().find(|&wait| handshake >= wait);
    handshake - longest.unwrap_or_default()
}

fn configure(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE_IDLE)
        .with_interval(KEEPALIVE_INTERVAL)
        .with_retries(KEEPALIVE_PROBES);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED_AT_MOST))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_repeated_handshake_waited_is_no_latency() {
        let milliseconds = Duration::from_millis;
        for (handshake, latency) in [
            (0, 0),
            (40, 40),
            (999, 999),
            (1_010, 10),
            (3_040, 40),
            (7_000, 0),
        ] {
            let latency = milliseconds(latency);
            assert_eq!(without_repetitions(milliseconds(handshake)), latency);
        }
    }
}
