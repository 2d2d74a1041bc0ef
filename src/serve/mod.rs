//! The daemon behind Halma's shim: it listens, keeps several games, and thinks for each on a thread of
//! its own. The wire is the contract in `protocol/halma-serve.md`.
//!
//! | module | what it is for |
//! |---|---|
//! | [`games`] | which game a position belongs to, who makes room, what time is left |
//! | [`shim`] | the other end: ask the daemon, or find out quickly that there is none |

pub mod games;
pub mod shim;

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use rustix::process::Signal;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;
use tokio_util::codec::Framed;
use tracing::{info, warn};
use turnwise_protocol::frame::Item;
use turnwise_protocol::halma::{Input, Mode};
use turnwise_protocol::halma_serve::{
    Answer, Ask, Asks, ErrorKind, MOST_SECONDS, Rules as WireRules,
};

use games::{Games, Limits, Ticket};
use turnwise_daemon::shutdown::Shutdown;
use turnwise_engine::cpu_time::CpuClock;
use turnwise_engine::log_throttle::LogThrottle;
use turnwise_halma::agent::{CpuWatch, Purpose, files};
use turnwise_halma::player::{Choice, Player};
use turnwise_halma::rules::{Position, Rules};
use turnwise_halma::search::Watch;

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
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// What all connections share.
struct Shared {
    games: Mutex<Games>,
    /// Turns true when everything is to end.
    stop: watch::Sender<bool>,
}

impl Shared {
    /// Games are whole after every call, so a panic elsewhere does no harm.
    fn games(&self) -> MutexGuard<'_, Games> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Server {
    /// Begins to listen.
    ///
    /// # Errors
    ///
    /// If the address cannot be had.
    pub async fn bind(address: SocketAddr, limits: Limits) -> io::Result<Self> {
        Ok(Self {
            listener: TcpListener::bind(address).await?,
            shared: Arc::new(Shared {
                games: Mutex::new(Games::new(limits)),
                stop: watch::Sender::new(false),
            }),
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    ///
    /// If the system does not say.
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
                _ = looks.tick() => self.shared.games().expire(Instant::now()),
                Some(_ended) = connections.join_next() => {}
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        let place = Arc::clone(&room).try_acquire_owned();
                        let shared = Arc::clone(&self.shared);
                        connections.spawn(async move {
                            match place {
                                Ok(_place) => Connection::new(stream, shared).serve(peer).await,
                                Err(_full) => refuse(stream).await,
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

async fn refuse(stream: TcpStream) {
    let reason = format!("expected at most {MOST_CONNECTIONS} connections, got one more");
    let mut lines = Framed::new(stream, Asks::default());
    let told = lines.send(error(ErrorKind::Busy, reason));
    // Whether it still listens makes no difference.
    let _ = tokio::time::timeout(READ_WITHIN, told).await;
}

fn error(kind: ErrorKind, reason: impl Into<String>) -> Answer {
    Answer::Error {
        kind,
        reason: reason.into(),
    }
}

/// One connection and the questions that it has put before their turn.
struct Connection {
    lines: Framed<TcpStream, Asks>,
    early: VecDeque<Item<Ask>>,
    /// True once the peer has closed its side: it may still wait for answers.
    is_at_end: bool,
    shared: Arc<Shared>,
    stop: watch::Receiver<bool>,
}

impl Connection {
    fn new(stream: TcpStream, shared: Arc<Shared>) -> Self {
        // Without it answers would come a little later, no more.
        let _ = stream.set_nodelay(true);
        Self {
            lines: Framed::new(stream, Asks::default()),
            early: VecDeque::new(),
            is_at_end: false,
            stop: shared.stop.subscribe(),
            shared,
        }
    }

    /// Answers questions until there are no more.
    async fn serve(mut self, peer: SocketAddr) {
        let mut warnings = LogThrottle::until("of this connection");
        while let Some(item) = self.next().await {
            let answer = match item {
                Item::Bad(bad) => Some(error(ErrorKind::Frame, bad.to_string())),
                Item::Message(Ask::Move {
                    rules,
                    input,
                    spent_s,
                }) => self.answer(rules, &input, spent_s).await,
            };
            // The peer has gone, or everything ends.
            let Some(answer) = answer else { return };
            if let Answer::Error { reason, .. } = &answer
                && warnings.one_more()
            {
                warn!("{peer}: {reason}");
            }
            match tokio::time::timeout(READ_WITHIN, self.lines.send(answer)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }

    /// The next line; none at the end, after a long silence, or when everything ends.
    async fn next(&mut self) -> Option<Item<Ask>> {
        if let Some(item) = self.early.pop_front() {
            return (!*self.stop.borrow()).then_some(item);
        }
        if self.is_at_end {
            return None;
        }
        tokio::select! {
            item = tokio::time::timeout(SILENCE, self.lines.next()) => item.ok()??.ok(),
            _ = self.stop.wait_for(|&stop| stop) => None,
        }
    }

    /// The answer to a question; none if nobody waits for it any more.
    async fn answer(&mut self, rules: WireRules, input: &str, spent_s: f64) -> Option<Answer> {
        let input = match Input::parse(input.as_bytes()) {
            Ok(input) => input,
            Err(wrong) => return Some(error(ErrorKind::Input, wrong.to_string())),
        };
        let rules = match rules {
            WireRules::Base => Rules::Base,
            WireRules::Addendum => Rules::Addendum,
        };
        let position = files::position(&input, rules);
        let purpose = match input.mode {
            Mode::Single => Purpose::Single,
            Mode::Game => Purpose::Game,
        };
        if !position.has_moves() {
            let reason = "expected a position with a legal move, got one without";
            return Some(error(ErrorKind::Stuck, reason));
        }
        let given = Duration::try_from_secs_f64(input.seconds).unwrap_or(Duration::MAX);
        let Some(spent) = shim::cpu_time(spent_s) else {
            let reason =
                format!("expected spent_s from 0 to {MOST_SECONDS} seconds, got {spent_s}");
            return Some(error(ErrorKind::Frame, reason));
        };
        let clock = (given, spent);
        let asked = (self.shared.games()).ask(&position, purpose, clock, Instant::now());
        let Some(ticket) = asked else {
            let reason = match purpose {
                Purpose::Single => {
                    "expected a search to spare, but as many as may be are under way"
                }
                Purpose::Game => "expected a game to spare, but all are thinking",
            };
            return Some(error(ErrorKind::Busy, reason));
        };
        let (number, is_known) = (ticket.number(), ticket.is_known);
        let opponent = ticket.opponent;
        let stop = Arc::new(AtomicBool::new(false));
        let search = Search {
            ticket,
            position,
            stop: Arc::clone(&stop),
        };
        let mut thinking = tokio::task::spawn_blocking(move || search.run());
        let finished = tokio::select! {
            finished = &mut thinking => finished,
            () = self.given_up() => {
                stop.store(true, Ordering::Relaxed);
                let finished = thinking.await;
                if let Ok((ticket, _, cpu)) = finished {
                    self.shared.games().broken_off(ticket, cpu);
                } else {
                    self.shared.games().lost(number);
                }
                return None;
            }
        };
        let Ok((ticket, Some(choice), cpu)) = finished else {
            self.shared.games().lost(number);
            return Some(error(
                ErrorKind::Failed,
                "the search failed; its game is forgotten",
            ));
        };
        let now = Instant::now();
        let game_cpu = (self.shared.games()).answered(ticket, &position, choice.mv, cpu, now);
        let output = files::output(&position, choice.mv)?.to_string();
        let game = number.map_or_else(|| "single move".to_owned(), |game| format!("game {game}"));
        let opponent = if is_known {
            // Those that still stand in its camp may be late, or there to stay.
            let theirs = position.to_move().other();
            let at_home = (position.pieces(theirs) & theirs.camp()).count();
            format!("; opponent: {opponent}, {at_home} in its camp")
        } else {
            String::new()
        };
        info!(
            "{game}, {:?}: {}, depth {}, {:.3} s CPU, {:.3} s in the game{opponent}",
            position.to_move(),
            output.trim_end().replace('\n', ", "),
            choice.depth,
            cpu.as_secs_f64(),
            game_cpu.as_secs_f64()
        );
        Some(Answer::Move {
            output,
            cpu_s: cpu.as_secs_f64(),
            game_cpu_s: game_cpu.as_secs_f64(),
            known: is_known,
            value: choice.value,
            depth: choice.depth,
            nodes: choice.nodes,
        })
    }

    /// Returns when nobody waits for an answer any more. What comes meanwhile is kept for its turn.
    async fn given_up(&mut self) {
        let (lines, early, stop) = (&mut self.lines, &mut self.early, &mut self.stop);
        let mut probes = tokio::time::interval(BETWEEN_PROBES);
        // Those that were not needed are not made up for.
        probes.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            // Its end would be behind what is not read any more.
            let reads = !self.is_at_end && early.len() < MOST_EARLY;
            tokio::select! {
                item = lines.next(), if reads => match item {
                    Some(Ok(item)) => early.push_back(item),
                    Some(Err(_)) => return,
                    None => self.is_at_end = true,
                },
                _ = probes.tick(), if !reads => {
                    match lines.get_ref().try_write(PROBE) {
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

/// A search, with what it needs.
struct Search {
    ticket: Ticket,
    position: Position,
    stop: Arc<AtomicBool>,
}

impl Search {
    /// Thinks; the player with its choice, and the CPU time of this thread for it.
    fn run(mut self) -> (Ticket, Option<Choice>, Duration) {
        let before = CpuClock::Thread.now();
        let mut watch = StoppableWatch {
            time: CpuWatch::new(CpuClock::Thread, self.ticket.limits),
            stop: self.stop,
        };
        let choice = (self.ticket.player).choose(&self.position, u64::MAX, &mut watch);
        let cpu = CpuClock::Thread.now().saturating_sub(before);
        (self.ticket, choice, cpu)
    }
}

/// A watch over CPU time that can be told that nobody waits any more.
struct StoppableWatch {
    time: CpuWatch,
    stop: Arc<AtomicBool>,
}

impl Watch for StoppableWatch {
    fn is_early(&mut self) -> bool {
        !self.stop.load(Ordering::Relaxed) && self.time.is_early()
    }

    fn is_soft_over(&mut self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.time.is_soft_over()
    }

    fn is_hard_over(&mut self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.time.is_hard_over()
    }
}
