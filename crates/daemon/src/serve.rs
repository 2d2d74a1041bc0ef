//! A daemon that is asked for one move at a time: it listens, and thinks for each question on a thread
//! of its own. Which games there are and what is answered is for the game's [`Service`].

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use rustix::process::Signal;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;
use tokio_util::codec::Framed;
use tracing::warn;

use crate::codec::Codec;
use crate::shutdown::Shutdown;
use crate::worker;
use turnwise_engine::cpu_time::{CpuClock, CpuDeadlines};
use turnwise_engine::log_throttle::LogThrottle;
use turnwise_engine::search::Limits;
use turnwise_engine::service::{Service, Step};

/// Connections at the same time; further ones are told so and closed.
const MOST_CONNECTIONS: usize = 64;

/// A connection on which no whole question has come for so long is closed.
const SILENCE: Duration = Duration::from_secs(60);

/// Questions that a connection may put before the one before is answered; more wait in the socket.
const MOST_EARLY: usize = 4;

/// How often idle games are looked for.
const BETWEEN_LOOKS: Duration = Duration::from_secs(5);

/// How often a peer whose leaving could not be read is asked whether it still listens.
const BETWEEN_PROBES: Duration = Duration::from_secs(1);

/// What it is asked with: blanks before a JSON text say nothing. The system of a peer that has gone
/// refuses them, and that is heard at the next one.
const PROBE: &[u8] = b" ";

/// How long a peer may take to read what it has been told.
const READ_WITHIN: Duration = Duration::from_secs(10);

/// A listening daemon.
pub struct Server<S> {
    listener: TcpListener,
    shared: Arc<Shared<S>>,
}

/// What all connections share.
struct Shared<S> {
    service: Mutex<S>,
    /// Turns true when everything is to end.
    stop: watch::Sender<bool>,
}

impl<S> Shared<S> {
    /// The service is whole after every call, so a panic elsewhere does no harm.
    fn service(&self) -> MutexGuard<'_, S> {
        self.service.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Service<Codec: Codec<S::Question, S::Answer>>> Server<S> {
    /// Begins to listen.
    pub async fn bind(address: SocketAddr, service: S) -> io::Result<Self> {
        Ok(Self {
            listener: TcpListener::bind(address).await?,
            shared: Arc::new(Shared {
                service: Mutex::new(service),
                stop: watch::Sender::new(false),
            }),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until it is told to end; then no search runs any more.
    pub async fn run(self, shutdown: &mut Shutdown) -> Signal {
        let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let mut connections = JoinSet::new();
        let mut looks = tokio::time::interval(BETWEEN_LOOKS);
        let signal = loop {
            tokio::select! {
                signal = shutdown.requested() => break signal,
                _ = looks.tick() => self.shared.service().expire(Instant::now()),
                Some(_ended) = connections.join_next() => {}
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        let place = Arc::clone(&room).try_acquire_owned();
                        let shared = Arc::clone(&self.shared);
                        connections.spawn(async move {
                            match place {
                                Ok(_place) => Connection::new(stream, shared).serve(peer).await,
                                Err(_full) => refuse::<S>(stream).await,
                            }
                        });
                    }
                    Err(error) => {
                        // Out of descriptors, for example: a moment later there may be some.
                        warn!("cannot accept a connection: {error}");
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                },
            }
        };
        self.shared.stop.send_replace(true);
        // Each connection joins its search before it ends.
        while connections.join_next().await.is_some() {}
        signal
    }
}

async fn refuse<S: Service<Codec: Codec<S::Question, S::Answer>>>(stream: TcpStream) {
    let mut frames = Framed::new(stream, S::Codec::default());
    let told = frames.send(S::too_many_connections(MOST_CONNECTIONS));
    // Whether it still listens makes no difference.
    let _ = tokio::time::timeout(READ_WITHIN, told).await;
}

/// One connection and the questions that it has put before their turn.
struct Connection<S: Service> {
    frames: Framed<TcpStream, S::Codec>,
    early: VecDeque<S::Question>,
    /// True once the peer has closed its side: it may still wait for answers.
    is_at_end: bool,
    shared: Arc<Shared<S>>,
    stop: watch::Receiver<bool>,
}

impl<S: Service<Codec: Codec<S::Question, S::Answer>>> Connection<S> {
    fn new(stream: TcpStream, shared: Arc<Shared<S>>) -> Self {
        // Without it answers would come a little later, no more.
        let _ = stream.set_nodelay(true);
        Self {
            frames: Framed::new(stream, S::Codec::default()),
            early: VecDeque::new(),
            is_at_end: false,
            stop: shared.stop.subscribe(),
            shared,
        }
    }

    /// Answers questions until there are no more.
    async fn serve(mut self, peer: SocketAddr) {
        let mut errors = LogThrottle::default();
        while let Some(question) = self.next().await {
            // The peer has gone, or everything ends.
            let Some(answer) = self.answer(question).await else {
                return;
            };
            if let Some(reason) = S::error(&answer)
                && errors.one_more(Instant::now())
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
            question = tokio::time::timeout(SILENCE, self.frames.next()) => question.ok()??.ok(),
            _ = self.stop.wait_for(|&stop| stop) => None,
        }
    }

    /// The answer to a question; none if nobody waits for it any more.
    async fn answer(&mut self, question: S::Question) -> Option<S::Answer> {
        let step = self.shared.service().ask(question, Instant::now());
        let (mut thinking, ticket) = match step {
            Step::Answer(answer) => return Some(answer),
            Step::Think {
                agent,
                position,
                cpu_limits,
                ticket,
            } => {
                let limits = move || Limits {
                    cpu: Some(CpuDeadlines::after(CpuClock::Thread, cpu_limits)),
                    ..Limits::default()
                };
                (worker::start(agent, position, limits), ticket)
            }
        };
        tokio::select! {
            finished = thinking.finished() => {
                let now = Instant::now();
                Some(self.shared.service().finished(ticket, finished, now))
            }
            () = self.given_up() => {
                thinking.stop();
                let finished = thinking.finished().await;
                self.shared.service().cancelled(ticket, finished);
                None
            }
        }
    }

    /// Returns when nobody waits for an answer any more. What comes meanwhile is kept for its turn.
    async fn given_up(&mut self) {
        let (frames, early, stop) = (&mut self.frames, &mut self.early, &mut self.stop);
        let mut probes = tokio::time::interval(BETWEEN_PROBES);
        // Those that were not needed are not made up for.
        probes.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            // Its end would be behind what is not read any more.
            let reads = !self.is_at_end && early.len() < MOST_EARLY;
            tokio::select! {
                item = frames.next(), if reads => match item {
                    Some(Ok(question)) => early.push_back(question),
                    Some(Err(_)) => return,
                    None => self.is_at_end = true,
                },
                _ = probes.tick(), if !reads => {
                    match frames.get_ref().try_write(PROBE) {
                        Err(error) if error.kind() != io::ErrorKind::WouldBlock => return,
                        // A peer that reads nothing has its system's buffer to fill.
                        _ => {}
                    }
                }
                _ = stop.wait_for(|&stop| stop) => return,
            }
        }
    }
}
