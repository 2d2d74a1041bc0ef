//! A daemon that answers single questions.
//!
//! The daemon listens for connections, and thinks about each question on a separate thread. The game's [`Service`]
//! manages the games and the answers.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{FutureExt, SinkExt, StreamExt};
use rustix::process::Signal;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;
use tokio_util::codec::{Decoder, Encoder, Framed};
use tracing::warn;

use crate::accepting::Failures;
use crate::shutdown::Shutdown;
use crate::world::{ByteStream, Listener, World, now};
use turnwise_engine::log_throttle::LogThrottle;
use turnwise_engine::own_socket::{OwnListener, user};
use turnwise_engine::service::{Service, Step};

/// The maximum number of connections; further connections get an error and are closed.
const MOST_CONNECTIONS: usize = 64;

/// How long a connection may stay without a complete question before it is closed.
const SILENCE: Duration = Duration::from_secs(60);

/// The maximum number of questions that are read from a connection before earlier questions are answered.
///
/// Further questions wait in the socket.
const MOST_EARLY: usize = 4;

/// The time between two checks for games that have been idle for too long.
const BETWEEN_LOOKS: Duration = Duration::from_secs(5);

/// The time between two signs of life while an answer is computed.
///
/// It is short enough that a client can distinguish this daemon from a stalled one.
const BETWEEN_SIGNS: Duration = Duration::from_millis(20);

/// A sign of life: a blank, which has no meaning before a JSON text.
///
/// If the peer has left, its system rejects the blank. This reveals that the peer has left, even while this daemon does
/// not read from the connection.
const SIGN: &[u8] = b" ";

/// How long a peer may take to read an answer.
const READ_WITHIN: Duration = Duration::from_secs(10);

/// A codec that reads values of type `I` from a byte stream and writes values of type `O` to the stream.
pub trait Codec<I, O>:
    Decoder<Item = I, Error = io::Error> + Encoder<O, Error = io::Error>
{
}

impl<F, I, O> Codec<I, O> for F where
    F: Decoder<Item = I, Error = io::Error> + Encoder<O, Error = io::Error>
{
}

/// The socket through which questions come.
pub enum Entrance {
    /// A port that any process may connect to.
    Port(Box<dyn Listener>),
    /// A socket that only the user's own processes can reach.
    Own {
        /// The socket, registered with this runtime.
        listener: UnixListener,
        /// The original socket, held for as long as the server listens.
        held: OwnListener,
    },
}

impl Entrance {
    /// Creates an entrance from a socket that only the user's own processes can reach.
    pub fn own(held: OwnListener) -> io::Result<Self> {
        let listener = held.listener().try_clone()?;
        listener.set_nonblocking(true)?;
        let listener = UnixListener::from_std(listener)?;
        Ok(Self::Own { listener, held })
    }

    /// Accepts the next connection, and describes its peer.
    async fn accept(&mut self) -> io::Result<(Box<dyn ByteStream>, String)> {
        match self {
            Self::Port(listener) => {
                let (stream, peer) = poll_fn(|context| listener.poll_accept(context)).await?;
                Ok((stream, peer.to_string()))
            }
            Self::Own { listener, .. } => {
                let (stream, _) = listener.accept().await?;
                let peer = stream.peer_cred()?;
                if peer.uid() != user() {
                    let why = format!("user {} does not own this daemon", peer.uid());
                    return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
                }
                let process = peer.pid().map(|process| format!("process {process}"));
                Ok((Box::new(stream), process.unwrap_or("a process".to_owned())))
            }
        }
    }
}

/// A daemon that answers questions on all its connections.
pub struct Server<W, S> {
    entrance: Entrance,
    shared: Arc<Shared<W, S>>,
}

/// The state that all connections share.
struct Shared<W, S> {
    world: W,
    service: Mutex<S>,
    /// Becomes true when the server stops.
    stop: watch::Sender<bool>,
}

impl<W, S> Shared<W, S> {
    /// Locks the service. Its state is consistent after every call, so a panic elsewhere does no harm.
    fn service(&self) -> MutexGuard<'_, S> {
        self.service.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W, S> Server<W, S>
where
    W: World + Send + Sync + 'static,
    S: Service<Codec: Codec<S::Question, S::Answer>>,
{
    /// Creates a server that passes questions from `entrance` to `service`.
    pub fn new(world: W, entrance: Entrance, service: S) -> Self {
        Self {
            entrance,
            shared: Arc::new(Shared {
                world,
                service: Mutex::new(service),
                stop: watch::Sender::new(false),
            }),
        }
    }

    /// Answers questions until a signal arrives, then waits until all searches have stopped.
    pub async fn run(mut self, shutdown: &mut Shutdown) -> Signal {
        let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let mut connections = JoinSet::new();
        let mut failures = Failures::default();
        let mut looks = tokio::time::interval(BETWEEN_LOOKS);
        let signal = loop {
            tokio::select! {
                // If several branches are ready, the choice must not be random, so that equal seeds give equal runs.
                biased;
                signal = shutdown.requested() => break signal,
                _ = looks.tick() => self.shared.service().expire(now()),
                Some(_ended) = connections.join_next() => {}
                accepted = self.entrance.accept() => match accepted {
                    Ok((stream, peer)) => {
                        failures.accepted();
                        let place = Arc::clone(&room).try_acquire_owned();
                        let shared = Arc::clone(&self.shared);
                        connections.spawn(async move {
                            match place {
                                Ok(_place) => Connection::new(stream, shared).serve(peer).await,
                                Err(_full) => refuse::<S>(stream).await,
                            }
                        });
                    }
                    Err(error) => failures.failed("a connection", error).await,
                },
            }
        };
        self.shared.stop.send_replace(true);
        // Each connection waits for its search before it ends.
        while connections.join_next().await.is_some() {}
        signal
    }
}

async fn refuse<S: Service<Codec: Codec<S::Question, S::Answer>>>(stream: Box<dyn ByteStream>) {
    let mut frames = Framed::new(stream, S::Codec::default());
    let told = frames.send(S::too_many_connections(MOST_CONNECTIONS));
    // It makes no difference whether the peer still reads.
    let _ = tokio::time::timeout(READ_WITHIN, told).await;
}

/// A connection, with the questions that arrived before earlier answers were sent.
struct Connection<W, S: Service> {
    frames: Framed<Box<dyn ByteStream>, S::Codec>,
    early: VecDeque<S::Question>,
    /// True once the peer has closed its sending side; the peer may still wait for answers.
    is_at_end: bool,
    shared: Arc<Shared<W, S>>,
    stop: watch::Receiver<bool>,
}

impl<W, S> Connection<W, S>
where
    W: World,
    S: Service<Codec: Codec<S::Question, S::Answer>>,
{
    fn new(stream: Box<dyn ByteStream>, shared: Arc<Shared<W, S>>) -> Self {
        Self {
            frames: Framed::new(stream, S::Codec::default()),
            early: VecDeque::new(),
            is_at_end: false,
            stop: shared.stop.subscribe(),
            shared,
        }
    }

    /// Answers all questions of the connection.
    async fn serve(mut self, peer: String) {
        let mut errors = LogThrottle::default();
        while let Some(question) = self.next().await {
            // `None` means that the peer has left or the server stops.
            let Some(answer) = self.answer(question).await else {
                return;
            };
            if let Some(reason) = S::error(&answer)
                && errors.one_more(now())
            {
                warn!("{peer}: {reason}");
            }
            match tokio::time::timeout(READ_WITHIN, self.frames.send(answer)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }

    /// Returns the next question, or `None` if no further question comes.
    ///
    /// No question comes after the end of the stream, after a long silence, or when the server stops.
    async fn next(&mut self) -> Option<S::Question> {
        if let Some(question) = self.early.pop_front() {
            return (!*self.stop.borrow()).then_some(question);
        }
        if self.is_at_end {
            return None;
        }
        tokio::select! {
            biased;
            _ = self.stop.wait_for(|&stop| stop) => None,
            question = tokio::time::timeout(SILENCE, self.frames.next()) => question.ok()??.ok(),
        }
    }

    /// Returns the answer to a question, or `None` if the answer is no longer wanted.
    async fn answer(&mut self, question: S::Question) -> Option<S::Answer> {
        let step = self.shared.service().ask(question, now());
        let (mut thinking, ticket) = match step {
            Step::Answer(answer) => return Some(answer),
            Step::Think {
                agent,
                position,
                cpu_limits,
                ticket,
            } => {
                let world = &self.shared.world;
                (world.think_on_cpu(agent, position, cpu_limits), ticket)
            }
        };
        tokio::select! {
            biased;
            finished = thinking.finished() => {
                Some(self.shared.service().finished(ticket, finished, now()))
            }
            () = self.given_up() => {
                thinking.stop();
                let finished = thinking.finished().await;
                self.shared.service().cancelled(ticket, finished);
                None
            }
        }
    }

    /// Waits until the answer is no longer wanted.
    ///
    /// Meanwhile, it sends signs of life and stores questions that arrive.
    async fn given_up(&mut self) {
        let (frames, early, stop) = (&mut self.frames, &mut self.early, &mut self.stop);
        let mut signs = tokio::time::interval(BETWEEN_SIGNS);
        // After a delay, missed signs are skipped instead of being sent all at once.
        signs.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            // Nothing is read after the end of the stream, or while enough early questions wait.
            let reads = !self.is_at_end && early.len() < MOST_EARLY;
            tokio::select! {
                biased;
                _ = stop.wait_for(|&stop| stop) => return,
                item = frames.next(), if reads => match item {
                    Some(Ok(question)) => early.push_back(question),
                    Some(Err(_)) => return,
                    None => self.is_at_end = true,
                },
                _ = signs.tick() => {
                    // A peer that does not read may still be there: its system buffers the signs, and a full buffer is
                    // no error here.
                    if let Some(Err(_)) = frames.get_mut().write(SIGN).now_or_never() {
                        return;
                    }
                }
            }
        }
    }
}
