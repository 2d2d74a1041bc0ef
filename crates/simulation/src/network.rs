//! A network in memory, in virtual time, on which everything goes wrong that a seed wants to go wrong.

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
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf, WriteHalf, duplex,
    split,
};
use tokio::sync::mpsc;
use tokio::time::sleep;

/// Bytes that are on their way in one direction before a writer has to wait.
const IN_FLIGHT: usize = 16 * 1024;

/// A peer that is silent for so long while something of ours is on its way to it counts as gone, as the
/// socket options of the daemon want it.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// What goes wrong on a connection besides its delays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Both ends see the end of the stream.
    Cut,
    /// Both ends get an error.
    Reset,
    /// Nothing arrives any more, and nobody is told; after a while the system gives up.
    Vanish,
    /// Nothing arrives for so long.
    Freeze(Duration),
}

/// How likely things are to go wrong.
#[derive(Debug, Clone, Copy)]
pub struct Weather {
    /// The share of connections that break or freeze somewhere.
    pub faulty: f64,
    /// The share of attempts to connect that are refused.
    pub refused: f64,
    /// The longest way of a message.
    pub slowest: Duration,
    /// True if messages are cut into small parts.
    pub drips: bool,
}

/// One network with all its listeners.
#[derive(Clone)]
pub struct SimulatedNetwork(Arc<Mutex<State>>);

struct State {
    weather: Weather,
    random: Xoshiro256PlusPlus,
    listeners: BTreeMap<u16, mpsc::Sender<(SimulatedStream, SocketAddr)>>,
    connections: u16,
    faults: u32,
}

impl SimulatedNetwork {
    /// A network whose weather comes from this seed.
    pub fn new(seed: u64, weather: Weather) -> Self {
        Self(Arc::new(Mutex::new(State {
            weather,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            listeners: BTreeMap::new(),
            connections: 0,
            faults: 0,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many connections there were so far, and how many of them are disturbed by more than delays.
    pub fn counts(&self) -> (u32, u32) {
        let state = self.state();
        (u32::from(state.connections), state.faults)
    }

    /// Takes connections to this port until the receiver is dropped.
    pub fn listen(&self, port: u16) -> mpsc::Receiver<(SimulatedStream, SocketAddr)> {
        let (sender, receiver) = mpsc::channel(128);
        self.state().listeners.insert(port, sender);
        receiver
    }

    /// Connects to a port; says how long the handshake took.
    pub async fn connect(&self, port: u16) -> io::Result<(SimulatedStream, Duration)> {
        let (latency, refused, listener) = {
            let mut state = self.state();
            let Weather {
                slowest, refused, ..
            } = state.weather;
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

    /// Both ends of a new connection, and the address of the first one.
    fn link(&self) -> (SimulatedStream, SimulatedStream, SocketAddr) {
        let mut state = self.state();
        state.connections += 1;
        let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), state.connections);
        let (near, near_inner) = duplex(IN_FLIGHT);
        let (far, far_inner) = duplex(IN_FLIGHT);
        let broken = Arc::new(Mutex::new(None));
        let seed = state.random.next_u64();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let faulty = state.weather.faulty;
        let fault = random.random_bool(faulty).then(|| {
            state.faults += 1;
            let fault = match random.random_range(0..4) {
                0 => Fault::Cut,
                1 => Fault::Reset,
                2 => Fault::Vanish,
                _ => Fault::Freeze(random.random_range(Duration::ZERO..Duration::from_secs(20))),
            };
            (random.random_range(0..4000), fault)
        });
        let Weather { slowest, drips, .. } = state.weather;
        drop(state);
        let pump = Pump {
            random,
            slowest,
            drips,
            fault,
            carried: 0,
            broken: Arc::clone(&broken),
        };
        tokio::spawn(pump.run(near_inner, far_inner));
        let end = |stream| SimulatedStream {
            stream,
            broken: Arc::clone(&broken),
        };
        (end(near), end(far), address)
    }
}

/// One end of a connection.
#[derive(Debug)]
pub struct SimulatedStream {
    stream: DuplexStream,
    /// What reading and writing fail with, once they do.
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

/// Carries bytes both ways.
struct Pump {
    random: Xoshiro256PlusPlus,
    slowest: Duration,
    drips: bool,
    /// After so many bytes in both directions together.
    fault: Option<(usize, Fault)>,
    carried: usize,
    broken: Arc<Mutex<Option<io::ErrorKind>>>,
}

impl Pump {
    async fn run(mut self, near: DuplexStream, far: DuplexStream) {
        let (mut from_near, mut to_near) = split(near);
        let (mut from_far, mut to_far) = split(far);
        let (mut one, mut other) = (vec![0; IN_FLIGHT], vec![0; IN_FLIGHT]);
        let (mut near_ended, mut far_ended) = (false, false);
        while !(near_ended && far_ended) {
            // What comes of the two is carried one after the other: that is a slow network, no other one.
            let (length, forwards) = tokio::select! {
                biased;
                length = from_near.read(&mut one), if !near_ended => (length, true),
                length = from_far.read(&mut other), if !far_ended => (length, false),
            };
            let length = length.unwrap_or(0);
            let (bytes, writer, ended) = match forwards {
                true => (&one[..length], &mut to_far, &mut near_ended),
                false => (&other[..length], &mut to_near, &mut far_ended),
            };
            if length == 0 {
                *ended = true;
                let _ = writer.shutdown().await;
                continue;
            }
            if !self.carry(bytes, writer).await {
                return;
            }
        }
    }

    /// False once the connection is broken.
    async fn carry(&mut self, mut bytes: &[u8], writer: &mut WriteHalf<DuplexStream>) -> bool {
        while !bytes.is_empty() {
            let most = match self.random.random_range(0..4) {
                0 if self.drips => 1,
                1 if self.drips => 7,
                _ => IN_FLIGHT,
            };
            let (part, rest) = bytes.split_at(most.min(bytes.len()));
            bytes = rest;
            sleep(self.random.random_range(Duration::ZERO..=self.slowest)).await;
            self.carried += part.len();
            if let Some((_, fault)) = self.fault.take_if(|(after, _)| self.carried >= *after) {
                match fault {
                    Fault::Cut => return false,
                    Fault::Freeze(time) => sleep(time).await,
                    Fault::Reset | Fault::Vanish => {
                        if fault == Fault::Vanish {
                            sleep(KEEPALIVE).await;
                        }
                        let mut broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
                        *broken = Some(io::ErrorKind::ConnectionReset);
                        return false;
                    }
                }
            }
            if writer.write_all(part).await.is_err() {
                return false;
            }
        }
        true
    }
}
