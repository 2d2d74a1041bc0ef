//! Simulates a network in memory and in virtual time. A seed determines its failures.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf, ReadHalf, WriteHalf,
    duplex, split,
};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};
use turnwise_daemon::world::{ByteStream, Listener};

use crate::bugs::{Bug, planted};

/// How many bytes can be in transit in one direction of a connection before a writer has to wait.
const IN_FLIGHT: usize = 16 * 1024;

/// How many connections may wait until a listener accepts them.
const BACKLOG: usize = 128;

/// How long a peer may be silent while data is in transit before the connection counts as broken.
///
/// The daemon's socket options also use this time.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// A failure of a connection, other than a delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// The connection is closed: both ends see the end of the stream.
    Cut,
    /// The connection is reset: both ends get an error.
    Reset,
    /// Nothing more arrives, and neither end is notified until the system gives up after a while.
    Vanish,
    /// Nothing more arrives in one direction. The opposite direction works until the system gives up.
    HalfOpen,
    /// Nothing arrives for this time; then the connection continues.
    Freeze(Duration),
}

/// The failure rates and the delays of a simulated network.
#[derive(Debug, Clone, Copy)]
pub struct Weather {
    /// The fraction of connections that break or freeze, from 0 to 1.
    pub faulty: f64,
    /// The fraction of connection attempts that are refused, from 0 to 1.
    pub refused: f64,
    /// The maximum time that a message takes to arrive.
    pub slowest: Duration,
    /// True if messages arrive in small pieces.
    pub drips: bool,
}

impl Weather {
    /// The state of a network with short delays and without failures.
    pub const FINE: Self = Self {
        faulty: 0.0,
        refused: 0.0,
        slowest: Duration::from_micros(500),
        drips: false,
    };

    /// Chooses at random the state of a network that has failures of all kinds.
    pub fn storm(random: &mut Xoshiro256PlusPlus) -> Self {
        Self {
            faulty: random.random_range(0.0..0.9),
            refused: random.random_range(0.0..0.5),
            slowest: Duration::from_millis(random.random_range(0..200)),
            drips: random.random_bool(0.5),
        }
    }

    /// Chooses at random the state of a network, with or without failures.
    pub fn some(random: &mut Xoshiro256PlusPlus) -> Self {
        match random.random_bool(0.4) {
            true => Self::FINE,
            false => Self::storm(random),
        }
    }

    /// Returns true if no connection fails and no connection attempt is refused.
    pub fn is_fine(&self) -> bool {
        self.faulty == 0.0 && self.refused == 0.0
    }
}

/// A process's access to the simulated network. All clones share the network and its listeners.
#[derive(Clone)]
pub struct SimulatedNetwork {
    weather: Weather,
    /// The address from which the process connects.
    address: Ipv4Addr,
    shared: Arc<Mutex<State>>,
}

struct State {
    random: Xoshiro256PlusPlus,
    listeners: BTreeMap<u16, mpsc::Sender<(SimulatedStream, SocketAddr)>>,
    connections: u16,
    faults: u32,
}

impl SimulatedNetwork {
    /// Creates a network whose random failures come from this seed.
    pub fn new(seed: u64, weather: Weather) -> Self {
        Self {
            weather,
            address: Ipv4Addr::LOCALHOST,
            shared: Arc::new(Mutex::new(State {
                random: Xoshiro256PlusPlus::seed_from_u64(seed),
                listeners: BTreeMap::new(),
                connections: 0,
                faults: 0,
            })),
        }
    }

    /// Returns access to this network for connections that fail with the probabilities in `weather`.
    pub fn under(&self, weather: Weather) -> Self {
        Self {
            weather,
            ..self.clone()
        }
    }

    /// Returns access to this network, for connections from the address `address`.
    pub fn from_address(&self, address: Ipv4Addr) -> Self {
        Self {
            address,
            ..self.clone()
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of all connections so far, and the number of connections that had a failure.
    pub fn counts(&self) -> (u32, u32) {
        let state = self.state();
        (u32::from(state.connections), state.faults)
    }

    /// Listens at a port, and sends each connection to the returned receiver until the receiver is dropped.
    pub fn listen(&self, port: u16) -> mpsc::Receiver<(SimulatedStream, SocketAddr)> {
        let (sender, receiver) = mpsc::channel(BACKLOG);
        self.state().listeners.insert(port, sender);
        receiver
    }

    /// Connects to a port. Returns the connection and the duration of the handshake.
    pub async fn connect(&self, port: u16) -> io::Result<(SimulatedStream, Duration)> {
        let Weather {
            slowest, refused, ..
        } = self.weather;
        let (latency, refused, listener) = {
            let mut state = self.state();
            let latency = state.random.random_range(Duration::ZERO..=slowest);
            let refused = state.random.random_bool(refused);
            (latency, refused, state.listeners.get(&port).cloned())
        };
        sleep(latency).await;
        let refusal = || io::Error::from(io::ErrorKind::ConnectionRefused);
        let listener = listener.filter(|_| !refused).ok_or_else(refusal)?;
        let (ours, theirs, address) = self.link();
        listener
            .try_send((theirs, address))
            .map_err(|_| refusal())?;
        Ok((ours, latency))
    }

    /// Creates a connection. Returns its two ends and the address of the first end.
    fn link(&self) -> (SimulatedStream, SimulatedStream, SocketAddr) {
        let mut state = self.state();
        state.connections += 1;
        let address = SocketAddr::new(IpAddr::V4(self.address), state.connections);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(state.random.next_u64());
        let fault = random.random_bool(self.weather.faulty).then(|| {
            state.faults += 1;
            let fault = match random.random_range(0..5) {
                0 => Fault::Cut,
                1 => Fault::Reset,
                2 => Fault::Vanish,
                3 => Fault::HalfOpen,
                _ => Fault::Freeze(random.random_range(Duration::ZERO..Duration::from_secs(20))),
            };
            (random.random_range(0..4000), fault)
        });
        drop(state);
        let (near, near_inner) = duplex(IN_FLIGHT);
        let (far, far_inner) = duplex(IN_FLIGHT);
        let broken = Arc::new(Mutex::new(None));
        let line = Line {
            weather: self.weather,
            trouble: Arc::new(Mutex::new(Trouble {
                fault,
                carried: 0,
                silent_until: None,
            })),
            broken: Arc::clone(&broken),
        };
        let seeds = [random.next_u64(), random.next_u64()];
        tokio::spawn(line.run(near_inner, far_inner, seeds));
        let end = |stream| SimulatedStream {
            stream,
            broken: Arc::clone(&broken),
        };
        (end(near), end(far), address)
    }
}

/// A listener at a port, as a daemon uses it.
///
/// Sometimes the system has no file descriptor for a new connection, which is then accepted later.
pub struct Door {
    came: mpsc::Receiver<(SimulatedStream, SocketAddr)>,
    waiting: Option<(SimulatedStream, SocketAddr)>,
    random: Xoshiro256PlusPlus,
    shortage: f64,
    /// The bug that is planted in the accepted streams, if any.
    bug: Option<Bug>,
}

impl Door {
    /// Creates a listener at a port. Attempts to accept fail with probability `shortage` for lack of file descriptors.
    pub fn at(
        network: &SimulatedNetwork,
        port: u16,
        seed: u64,
        shortage: f64,
        bug: Option<Bug>,
    ) -> Self {
        Self {
            came: network.listen(port),
            waiting: None,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            shortage,
            bug,
        }
    }
}

impl Listener for Door {
    fn poll_accept(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<(Box<dyn ByteStream>, SocketAddr)>> {
        let came = match self.waiting.take() {
            Some(came) => Some(came),
            None => ready!(self.came.poll_recv(context)),
        };
        let Some((stream, address)) = came else {
            return Poll::Ready(Err(io::ErrorKind::NotConnected.into()));
        };
        if self.random.random_bool(self.shortage) {
            self.waiting = Some((stream, address));
            return Poll::Ready(Err(io::Error::other("too many open files")));
        }
        Poll::Ready(Ok((planted(stream, self.bug), address)))
    }
}

/// One end of a simulated connection.
#[derive(Debug)]
pub struct SimulatedStream {
    stream: DuplexStream,
    /// The error that reads and writes return once the connection is broken.
    broken: Arc<Mutex<Option<io::ErrorKind>>>,
}

impl SimulatedStream {
    fn error(&self) -> Option<io::Error> {
        let broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        broken.map(io::Error::from)
    }
}

impl AsyncRead for SimulatedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let at_end = buffer.filled().len() == before && buffer.remaining() > 0;
        match self.error().filter(|_| at_end) {
            Some(error) => Poll::Ready(Err(error)),
            None => Poll::Ready(Ok(())),
        }
    }
}

impl AsyncWrite for SimulatedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.error() {
            Some(error) => Poll::Ready(Err(error)),
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// A task that carries the bytes of a connection in both directions.
struct Line {
    weather: Weather,
    trouble: Arc<Mutex<Trouble>>,
    broken: Arc<Mutex<Option<io::ErrorKind>>>,
}

/// The failures of a connection, and when they occur.
struct Trouble {
    /// The failure, and the number of bytes (in both directions together) after which it occurs.
    fault: Option<(usize, Fault)>,
    carried: usize,
    /// The time before which nothing arrives in either direction.
    silent_until: Option<Instant>,
}

/// The error that says that the connection is broken.
struct Broken;

impl Line {
    async fn run(self, near: DuplexStream, far: DuplexStream, [there, back]: [u64; 2]) {
        let (from_near, to_near) = split(near);
        let (from_far, to_far) = split(far);
        // When this returns, both ends are dropped, which notifies both peers.
        let _ = tokio::try_join!(
            self.direction(from_near, to_far, there),
            self.direction(from_far, to_near, back),
        );
    }

    /// Carries bytes in one direction until the sender closes its side or the connection breaks.
    async fn direction(
        &self,
        mut from: ReadHalf<DuplexStream>,
        mut to: WriteHalf<DuplexStream>,
        seed: u64,
    ) -> Result<(), Broken> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let Weather { slowest, drips, .. } = self.weather;
        let mut chunk = vec![0; IN_FLIGHT];
        loop {
            let length = from.read(&mut chunk).await.unwrap_or(0);
            if length == 0 {
                let _ = to.shutdown().await;
                return Ok(());
            }
            let mut bytes = &chunk[..length];
            while !bytes.is_empty() {
                let most = match random.random_range(0..4) {
                    0 if drips => 1,
                    1 if drips => 7,
                    _ => IN_FLIGHT,
                };
                let (part, rest) = bytes.split_at(most.min(bytes.len()));
                bytes = rest;
                sleep(random.random_range(Duration::ZERO..=slowest)).await;
                self.suffer(part.len()).await?;
                to.write_all(part).await.map_err(|_gone| Broken)?;
            }
        }
    }

    /// Counts `more` further bytes, and applies the failures that are due after them.
    async fn suffer(&self, more: usize) -> Result<(), Broken> {
        let (fault, silent_until) = {
            let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
            trouble.carried += more;
            let carried = trouble.carried;
            let fault = trouble.fault.take_if(|(after, _)| carried >= *after);
            let fault = fault.map(|(_, fault)| fault);
            let silence = match fault {
                Some(Fault::Freeze(time)) => Some(time),
                // During this wait, the other direction sees the end before further bytes arrive.
                Some(Fault::Vanish) => Some(2 * KEEPALIVE),
                _ => None,
            };
            if let Some(silence) = silence {
                trouble.silent_until = Some(Instant::now() + silence);
            }
            (fault, trouble.silent_until)
        };
        match fault {
            Some(Fault::Cut) => return Err(Broken),
            Some(Fault::Reset | Fault::Vanish | Fault::HalfOpen) => {
                if fault != Some(Fault::Reset) {
                    sleep(KEEPALIVE).await;
                }
                let mut broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
                *broken = Some(io::ErrorKind::ConnectionReset);
                return Err(Broken);
            }
            Some(Fault::Freeze(_)) | None => {}
        }
        if let Some(until) = silent_until {
            sleep_until(until).await;
        }
        Ok(())
    }
}
