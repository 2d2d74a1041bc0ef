//! A daemon that is asked for one move at a time: it listens, and thinks for each question on a thread
//! of its own. Which games there are and what is answered is for the game's [`Service`].

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
use tokio_util::codec::Framed;
use tracing::warn;

use crate::accepting::Failures;
use crate::codec::Codec;
use crate::shutdown::Shutdown;
use crate::world::{ByteStream, Listener, World, now};
use turnwise_engine::log_throttle::LogThrottle;
use turnwise_engine::own_socket::{OwnListener, user};
use turnwise_engine::service::{Service, Step};

/// Connections at the same time; further ones are told so and closed.
const MOST_CONNECTIONS: usize = 64;

/// A connection on which no whole question has come for so long is closed.
const SILENCE: Duration = Duration::from_secs(60);

/// Questions that a connection may put before the one before is answered; more wait in the socket.
const MOST_EARLY: usize = 4;

/// How often idle games are looked for.
const BETWEEN_LOOKS: Duration = Duration::from_secs(5);

/// How often somebody who waits is told that its answer is thought about: often enough to be told from a
/// daemon that has stalled.
const BETWEEN_SIGNS: Duration = Duration::from_millis(20);

/// What it is told: blanks before a JSON text say nothing. The system of a peer that has gone refuses
/// them, so that its leaving is heard where it cannot be read.
const SIGN: &[u8] = b" ";

/// How long a peer may take to read what it has been told.
const READ_WITHIN: Duration = Duration::from_secs(10);

/// Where questions come in.
pub enum Entrance {
    /// From whoever reaches a port.
    Port(Box<dyn Listener>),
    /// From processes of this user.
    Own {
        /// The socket, for this runtime.
        listener: UnixListener,
        /// The same, held as long as it is listened on.
        held: OwnListener,
    },
}

impl Entrance {
    /// The user's own socket.
    pub fn own(held: OwnListener) -> io::Result<Self> {
        let listener = held.listener().try_clone()?;
        listener.set_nonblocking(true)?;
        let listener = UnixListener::from_std(listener)?;
        Ok(Self::Own { listener, held })
    }

    /// The next connection, and whose it is.
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
                    let why = format!("user {} is not this daemon's", peer.uid());
                    return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
                }
                let process = peer.pid().map(|process| format!("process {process}"));
                Ok((Box::new(stream), process.unwrap_or("a process".to_owned())))
            }
        }
    }
}

/// A daemon that answers questions on every connection that it accepts.
pub struct Server<W, S> {
    entrance: Entrance,
    shared: Arc<Shared<W, S>>,
}

/// What all connections share.
struct Shared<W, S> {
    world: W,
    service: Mutex<S>,
    /// Turns true when everything is to end.
    stop: watch::Sender<bool>,
}

impl<W, S> Shared<W, S> {
    /// The service is whole after every call, so a panic elsewhere does no harm.
    fn service(&self) -> MutexGuard<'_, S> {
        self.service.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W, S> Server<W, S>
where
    W: World + Send + Sync + 'static,
    S: Service<Codec: Codec<S::Question, S::Answer>>,
{
    /// A server that accepts connections at `entrance` and hands their questions to `service`.
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

    /// Answers until it is told to end; then no search runs any more.
    pub async fn run(mut self, shutdown: &mut Shutdown) -> Signal {
        let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let mut connections = JoinSet::new();
        let mut failures = Failures::default();
        let mut looks = tokio::time::interval(BETWEEN_LOOKS);
        let signal = loop {
            tokio::select! {
                // Where several are ready it is not chance that chooses: the same seed is the same run.
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
        // Each connection joins its search before it ends.
        while connections.join_next().await.is_some() {}
        signal
    }
}

async fn refuse<S: Service<Codec: Codec<S::Question, S::Answer>>>(stream: Box<dyn ByteStream>) {
    let mut frames = Framed::new(stream, S::Codec::default());
    let told = frames.send(S::too_many_connections(MOST_CONNECTIONS));
    // Whether it still listens makes no difference.
    let _ = tokio::time::timeout(READ_WITHIN, told).await;
}

/// One connection and the questions that it has put before their turn.
struct Connection<W, S: Service> {
    frames: Framed<Box<dyn ByteStream>, S::Codec>,
    early: VecDeque<S::Question>,
    /// True once the peer has closed its side: it may still wait for answers.
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

    /// Answers questions until there are no more.
    async fn serve(mut self, peer: String) {
        let mut errors = LogThrottle::default();
        while let Some(question) = self.next().await {
            // The peer has gone, or everything ends.
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

    /// The next question; none at the end, after a long silence, or when everything ends.
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

    /// The answer to a question; none if nobody waits for it any more.
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

    /// Returns when nobody waits for an answer any more, and until then says that it is thought about. What
    /// comes meanwhile is kept for its turn.
    async fn given_up(&mut self) {
        let (frames, early, stop) = (&mut self.frames, &mut self.early, &mut self.stop);
        let mut signs = tokio::time::interval(BETWEEN_SIGNS);
        // Those that were missed are not made up for.
        signs.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            // Its end would be behind what is not read any more.
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
                    // A peer that reads nothing has its system's buffer to fill.
                    if let Some(Err(_)) = frames.get_mut().write(SIGN).now_or_never() {
                        return;
                    }
                }
            }
        }
    }
}
