//! The daemon towards a tournament server: connect, settle on a wire, play, reconnect.

use std::io;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::BytesMut;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::process::Signal;
use socket2::{SockRef, TcpKeepalive};
use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::codec::{Framed, FramedParts};
use tracing::{info, warn};
use turnwise_protocol::entropy::{PlayerCodec, Wire};

use crate::agent::built_in::{BuiltIn, Means};
use crate::driver::{AtEnd, Ending, drive};
use crate::session::{Closing, Session, Settings};
use crate::shutdown::Shutdown;

/// How long a server that speaks first may be silent before it is told our name.
const SERVER_SPEAKS_WITHIN: Duration = Duration::from_millis(300);

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

/// The first pause between two attempts to connect, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A connection that lasted longer was no failed attempt, whether or not a game was played.
const LASTING_CONNECTION: Duration = LONGEST_PAUSE;

/// How a wire is settled on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireChoice {
    /// By what the server says first.
    Auto,
    /// Settled beforehand.
    Fixed(Wire),
}

/// What to do when the server cannot be reached or the connection is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reconnect {
    /// Give up at once.
    Never,
    /// Give up after trying for so long.
    For(Duration),
    /// Go on trying.
    Forever,
}

/// Where and how to play.
#[derive(Debug, Clone)]
pub struct Config {
    /// Host name or address.
    pub server: String,
    /// TCP port.
    pub port: u16,
    /// The name that a JSON server is told.
    pub name: String,
    /// How to settle on a wire.
    pub wire: WireChoice,
    /// Who plays.
    pub agent: BuiltIn,
    /// How many threads search.
    pub threads: NonZeroUsize,
    /// The random choices of agents that make some.
    pub seed: u64,
    /// Our time for a game in one role.
    pub clock: Duration,
    /// Whether Order may pass.
    pub pass: bool,
    /// What to do about a lost connection.
    pub reconnect: Reconnect,
}

/// Why playing ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// The server said goodbye, or closed a line connection between two games.
    ByServer,
    /// A signal asked for the end.
    BySignal(Signal),
}

/// Why playing ended badly.
#[derive(Debug, Error)]
pub enum Lost {
    /// No connection, and the policy is to try no longer.
    #[error("no connection to {address} ({cause}); gave up after {:.0} s", tried.as_secs_f64())]
    GaveUp {
        /// Server and port.
        address: String,
        /// What the last attempt met with.
        cause: String,
        /// How long it was tried.
        tried: Duration,
    },
    /// The server speaks another wire.
    #[error(
        "the server seems to speak the {theirs} wire, not {ours}; try --wire {theirs} or --wire auto"
    )]
    WrongWire {
        /// What was spoken here.
        ours: Wire,
        /// What the server seems to speak.
        theirs: Wire,
    },
}

/// A connection before the first message.
struct Link {
    stream: TcpStream,
    /// The time of the TCP handshake: one way and back.
    latency: Duration,
}

/// Plays on a server until it says goodbye, a signal comes, or the connection is lost for good.
///
/// # Errors
///
/// [`Lost`], with what was tried.
pub async fn play(config: &Config, shutdown: &mut Shutdown) -> Result<Finished, Lost> {
    let address = format!("{}:{}", config.server, config.port);
    let mut trouble = Trouble::default();
    loop {
        let linked = tokio::select! {
            signal = shutdown.requested() => return Ok(Finished::BySignal(signal)),
            linked = connect(config) => linked,
        };
        let connected = Instant::now();
        let cause = match linked {
            Err(error) => error.to_string(),
            Ok(link) => match play_on(link, config, &mut trouble, shutdown).await? {
                Played::Finished(finished) => return Ok(finished),
                Played::Lost(cause) => {
                    if connected.elapsed() > LASTING_CONNECTION {
                        trouble = Trouble::default();
                    }
                    cause
                }
            },
        };
        let pause = trouble.pause(config.reconnect, &address, &cause)?;
        warn!(server = address, cause, next_attempt_in = ?pause, "not connected");
        tokio::select! {
            signal = shutdown.requested() => return Ok(Finished::BySignal(signal)),
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// What is said of a connection that the server closed.
const CLOSED: &str = "the server closed the connection";

/// How the games on one connection ended.
enum Played {
    Finished(Finished),
    Lost(String),
}

async fn play_on(
    mut link: Link,
    config: &Config,
    trouble: &mut Trouble,
    shutdown: &mut Shutdown,
) -> Result<Played, Lost> {
    let latency = link.latency;
    info!(
        server = config.server,
        port = config.port,
        latency_ms = latency.as_secs_f64() * 1e3,
        "connected"
    );
    let means = Means {
        threads: config.threads,
        ..Means::default()
    };
    let agent = config.agent.start(config.seed, means);
    let mut heard = BytesMut::new();
    let settled = tokio::select! {
        signal = shutdown.requested() => return Ok(Played::Finished(Finished::BySignal(signal))),
        settled = settle(&mut link.stream, &mut heard, config) => settled,
    };
    let wire = match settled {
        Ok(Some(wire)) => wire,
        Ok(None) => return Ok(Played::Lost(CLOSED.to_owned())),
        Err(error) => return Ok(Played::Lost(error.to_string())),
    };
    info!(%wire, "the wire is settled");
    let settings = Settings {
        wire,
        clock: config.clock,
        pass: config.pass,
        latency,
        head_start: Duration::ZERO,
    };
    let mut parts = FramedParts::new(link.stream, PlayerCodec::new(wire));
    parts.read_buf = heard;
    let mut session = Session::new(settings, agent);
    let stream = Framed::from_parts(parts);
    let ending = drive(stream, AtEnd::Abandon, &mut session, shutdown).await;
    if session.has_understood() {
        *trouble = Trouble::default();
    }
    Ok(match ending {
        Ending::Signal(signal) => Played::Finished(Finished::BySignal(signal)),
        Ending::Closed(Closing::Killed) => Played::Finished(Finished::ByServer),
        Ending::Closed(Closing::WrongWire { ours, theirs }) => {
            return Err(Lost::WrongWire { ours, theirs });
        }
        Ending::Closed(Closing::Flooded) => {
            Played::Lost("the server sent more than it can have waited for".to_owned())
        }
        // The line wire has no goodbye but this one.
        Ending::EndOfStream { in_game: false }
            if wire == Wire::Line && session.completed_games() > 0 =>
        {
            Played::Finished(Finished::ByServer)
        }
        Ending::EndOfStream { .. } => Played::Lost(CLOSED.to_owned()),
        Ending::Failed(error) => Played::Lost(error.to_string()),
    })
}

async fn connect(config: &Config) -> io::Result<Link> {
    tokio::time::timeout(CONNECT_TIMEOUT, connect_to_any(config))
        .await
        .map_err(|_elapsed| io::Error::from(io::ErrorKind::TimedOut))?
}

/// Connects to the first of the server's addresses that answers. Looking up its name and trying
/// its other addresses is no part of the latency.
async fn connect_to_any(config: &Config) -> io::Result<Link> {
    let server = (config.server.as_str(), config.port);
    let mut refused = io::Error::from(io::ErrorKind::NotFound);
    for address in tokio::net::lookup_host(server).await? {
        let began = Instant::now();
        match TcpStream::connect(address).await {
            Ok(stream) => {
                let latency = without_repetitions(began.elapsed());
                configure(&stream)?;
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

/// Settles the wire as it is configured, or by what the server says: a server that speaks at once
/// is taken at its word; one that is silent is told our name and then taken at its word, however
/// long that takes. Keeps what was heard; none if the server closed the connection.
async fn settle(
    stream: &mut TcpStream,
    heard: &mut BytesMut,
    config: &Config,
) -> io::Result<Option<Wire>> {
    if let WireChoice::Fixed(wire) = config.wire {
        if wire == Wire::Json {
            stream.write_all(config.name.as_bytes()).await?;
        }
        return Ok(Some(wire));
    }
    let first = tokio::time::timeout(SERVER_SPEAKS_WITHIN, first_byte(stream, heard)).await;
    let first = match first {
        Ok(first) => first?,
        Err(_silent) => {
            stream.write_all(config.name.as_bytes()).await?;
            info!(name = config.name, "sent our name; waiting for the server");
            first_byte(stream, heard).await?
        }
    };
    Ok(first.map(Wire::of_first_byte))
}

/// The first byte that is not white space, or none at the end; everything else read stays in
/// `heard`.
async fn first_byte(stream: &mut TcpStream, heard: &mut BytesMut) -> io::Result<Option<u8>> {
    loop {
        if let Some(&byte) = heard.iter().find(|byte| !byte.is_ascii_whitespace()) {
            return Ok(Some(byte));
        }
        heard.clear();
        if stream.read_buf(heard).await? == 0 {
            return Ok(None);
        }
    }
}

/// Attempts in a row that came to nothing.
#[derive(Debug, Default)]
struct Trouble {
    since: Option<Instant>,
    attempts: u32,
}

impl Trouble {
    /// The pause before the next attempt: doubled each time up to a limit, and shortened at random
    /// by up to a half so that many players do not come back in step.
    fn pause(&mut self, policy: Reconnect, address: &str, cause: &str) -> Result<Duration, Lost> {
        let tried = self.since.get_or_insert_with(Instant::now).elapsed();
        let go_on = match policy {
            Reconnect::Never => false,
            Reconnect::For(limit) => tried < limit,
            Reconnect::Forever => true,
        };
        if !go_on {
            return Err(Lost::GaveUp {
                address: address.to_owned(),
                cause: cause.to_owned(),
                tried,
            });
        }
        let doubled = FIRST_PAUSE * 2u32.saturating_pow(self.attempts.min(16));
        self.attempts += 1;
        let jitter = Xoshiro256PlusPlus::seed_from_u64(seed_of_now()).random_range(0.5..1.0);
        Ok(doubled.min(LONGEST_PAUSE).mul_f64(jitter))
    }
}

/// A seed that differs from process to process and from call to call.
pub(crate) fn seed_of_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanoseconds = now.map_or(0, |since| since.as_nanos() as u64);
    nanoseconds ^ u64::from(std::process::id()) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_limit_and_stay_within_their_jitter() {
        let mut trouble = Trouble::default();
        let mut expected = FIRST_PAUSE;
        for _ in 0..12 {
            let pause = trouble
                .pause(Reconnect::Forever, "here:1", "refused")
                .expect("forever");
            assert!(expected / 2 <= pause && pause <= expected);
            expected = (expected * 2).min(LONGEST_PAUSE);
        }
    }

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

    #[test]
    fn never_gives_up_at_once() {
        let lost = Trouble::default().pause(Reconnect::Never, "here:1", "refused");
        assert!(matches!(lost, Err(Lost::GaveUp { .. })));
        let lost = Trouble::default().pause(Reconnect::For(Duration::ZERO), "here:1", "refused");
        assert!(lost.is_err());
    }
}
