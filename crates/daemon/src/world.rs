//! The environment of a daemon: connections, threads for searches, time and randomness.
//!
//! [`System`] is the real environment. A simulation can replace it, in which the network fails at will and searches end
//! at chosen times. Time is always tokio's, which can be virtual.

use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use turnwise_engine::agent::{Agent, ThreadAgent};
use turnwise_engine::cpu_time::{self, CpuClock, CpuDeadlines};
use turnwise_engine::search::Limits;
use turnwise_engine::thought::Finished;

use crate::worker::{self, Thinking};

/// A connection attempt that takes longer than this has failed.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection may be idle before the system probes whether the peer is still there.
///
/// The next constants are the time between two probes, and the number of unanswered probes after which the connection
/// is broken. With these settings, the system notices after half a minute that a peer has vanished.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(15);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_PROBES: u32 = 3;

/// If the peer's system does not acknowledge a reply within this time, the peer counts as vanished.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_AT_MOST: Duration = Duration::from_secs(30);

/// A byte stream for both directions of a connection.
pub trait ByteStream: AsyncRead + AsyncWrite + Unpin + Send + Sync {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send + Sync> ByteStream for T {}

/// A new connection, before the first message.
pub struct Link {
    /// The bytes in both directions; nothing has been read or written yet.
    pub stream: Box<dyn ByteStream>,
    /// The duration of the handshake: one round trip.
    pub latency: Duration,
}

/// The environment of a daemon that plays.
pub trait World {
    /// Connects to a server.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not answer.
    fn connect(&self, server: &str, port: u16) -> impl Future<Output = io::Result<Link>>;

    /// Starts an agent's search, see [`worker::start`].
    fn think<A: ThreadAgent>(&self, agent: A, position: A::Position, limits: Limits)
    -> Thinking<A>;

    /// Starts an agent's search with a soft and a hard limit on the CPU time of the thread.
    fn think_on_cpu<A: ThreadAgent>(
        &self,
        agent: A,
        position: A::Position,
        limits: (Duration, Duration),
    ) -> Thinking<A>;

    /// Lets an agent think on this thread, see [`worker::think_here`].
    fn think_here<A>(&self, agent: A, position: &A::Position, limits: Limits) -> Finished<A>
    where
        A: Agent<Move: Copy>;

    /// Returns the calling thread's total wait for a core, see [`cpu_time::queued`].
    fn queued(&self) -> Duration;

    /// Returns a seed for random choices, which differs from call to call.
    fn chance(&self) -> u64;
}

/// A source of incoming connections.
pub trait Listener: Send {
    /// Accepts the next connection, and returns its origin.
    ///
    /// # Errors
    ///
    /// Returns an error if the system has no room for it at the moment, or if the connection failed before it was
    /// accepted.
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
            // If this fails, messages arrive a little later, and a vanished peer is not noticed.
            let _ = configure(&stream);
            (Box::new(stream) as Box<dyn ByteStream>, address)
        })
    }
}

/// Returns the current time of tokio's clock.
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
        // The limits are created on the agent's thread, whose time they count.
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

/// Returns a seed that differs between processes and between calls.
pub fn seed_of_now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanoseconds = since.map_or(0, |since| since.as_nanos() as u64);
    nanoseconds ^ u64::from(std::process::id()) << 32
}

/// Connects to the first address of the server that answers.
///
/// The latency excludes the lookup of the name and the attempts at other addresses.
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

/// Returns a handshake's duration without the time spent waiting for retransmissions.
///
/// The system retransmits after 1, 3 and 7 s (RFC 6298, 2.1 and 5.5).
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
