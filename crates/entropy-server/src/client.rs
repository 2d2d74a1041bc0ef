//! The client of a tournament server: it connects, determines the server's wire (protocol), plays and reconnects.

use std::io;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::process::Signal;
use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::codec::{Framed, FramedParts};
use tracing::{info, warn};
use turnwise_daemon::shutdown::Shutdown;
use turnwise_daemon::world::{ByteStream, Link, World, now};
use turnwise_engine::guest::{Secret, with_secret};
use turnwise_engine::words::printable;
use turnwise_entropy::agents::{BuiltIn, Resources};
use turnwise_protocol::entropy::{PlayerCodec, Reply, Wire};

use crate::conversation::seen::Seen;
use crate::conversation::{self, Agent, Closing, EntropyConversation, Passing, Settings};
use crate::driver::{AtEnd, Ending, drive};
use crate::goodbye::Goodbye;
use crate::heartbeat::Heartbeat;

/// How long the client waits for the server to speak first before it sends its name.
const SERVER_SPEAKS_WITHIN: Duration = Duration::from_millis(300);

/// The first pause between two attempts to connect. The pauses grow, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A connection that lasted longer than this does not count as a failed attempt, even if no move was made on it.
const LASTING_CONNECTION: Duration = LONGEST_PAUSE;

/// A server that rejects a player does so within this time.
///
/// This is well beyond a host's time limit for a name. If a connection lasted longer, the player was admitted and then
/// disconnected while it waited for a game.
const LASTING_ADMISSION: Duration = Duration::from_secs(30);

/// Whether to try again when the server cannot be reached or the connection is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reconnect {
    /// Give up at once.
    Never,
    /// Give up after trying to reconnect for this time.
    For(Duration),
    /// Keep trying until a signal stops the process.
    Forever,
}

/// Where a client plays, and under which name.
#[derive(Debug, Clone)]
pub struct Config {
    /// The host name or address of the server.
    pub server: String,
    /// The server's TCP port.
    pub port: u16,
    /// The name to send to a server that asks for it.
    pub name: String,
    /// The secret that proves the name to a server that requires a proof.
    pub secret: Option<Secret>,
    /// Whether to reconnect after a lost connection.
    pub reconnect: Reconnect,
}

/// The way in which playing ended, if it ended without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// The server sent a goodbye without a reason.
    ///
    /// On a wire without goodbyes, this means that the server closed the connection between two games.
    ByServer,
    /// Games were completed, but then no server answered within the time that [`Reconnect`] allows.
    ///
    /// The last connection ended between two games.
    NobodyAnswers,
    /// A signal asked this process to stop.
    BySignal(Signal),
}

/// No connection could be made within the time that [`Reconnect`] allows.
#[derive(Debug, Error)]
pub enum PlayError {
    /// No connection could be made for as long as [`Reconnect`] allows to try.
    ///
    /// Either no game was ever completed, or the last connection was lost in mid-game.
    #[error("no connection to {address} ({cause}); gave up after {:.0} s", tried.as_secs_f64())]
    GaveUp {
        /// The server's host and port.
        address: String,
        /// Why the last connection was lost, or could not be made.
        cause: String,
        /// How long the client tried to reconnect.
        tried: Duration,
    },
    /// The server sent a goodbye with this reason before the first game, and did not invite the player to return.
    #[error("the server rejected us: {0}")]
    Refused(String),
    /// The server seems to speak another wire (protocol) than this client.
    #[error(
        "the server seems to speak the {theirs} wire, not {ours}; try --wire {theirs} or --wire auto"
    )]
    WrongWire {
        /// The wire that this client was configured to speak.
        ours: Wire,
        /// The wire that the server seems to speak.
        theirs: Wire,
    },
}

/// A player for Entropy's tournament servers.
#[derive(Debug, Clone)]
pub struct ServerPlayer {
    /// The wire format; `None` to detect it from the server's first message.
    pub wire: Option<Wire>,
    /// The agent that chooses the moves.
    pub agent: BuiltIn,
    /// The resources of the agent's search.
    pub resources: Resources,
    /// The seed for agents that make random choices.
    pub seed: u64,
    /// The time on our clock for all our moves of one game.
    pub clock: Duration,
    /// When to pass as Order; `None` for the [usual](Passing::usual) choice on the wire.
    pub pass: Option<Passing>,
}

impl ServerPlayer {
    /// Creates a new agent that has not learned anything yet. This may take some time.
    pub fn agent(&self) -> Agent {
        self.agent.start(self.seed, self.resources.clone())
    }

    fn passing(&self, wire: Wire) -> Passing {
        self.pass.unwrap_or(Passing::usual(wire))
    }

    /// Creates the conversation for a new connection; `latency` is the round-trip time to the server.
    pub fn conversation(&self, wire: Wire, latency: Duration, agent: Agent) -> EntropyConversation {
        let settings = Settings {
            wire,
            clock: self.clock,
            pass: self.passing(wire),
            latency,
            // Not needed: this process started long before the server started our clock.
            start: None,
        };
        EntropyConversation::new(settings, agent)
    }
}

/// Plays on a server until a goodbye, a signal, or the final loss of the connection.
///
/// Events of the games are passed to `watch`, as described at [`drive`].
pub async fn play(
    world: &impl World,
    config: &Config,
    player: &ServerPlayer,
    shutdown: &mut Shutdown,
    mut watch: impl FnMut(Seen),
) -> Result<Finished, PlayError> {
    let address = format!("{}:{}", config.server, config.port);
    let mut trouble = Trouble::default();
    let mut history = History::default();
    loop {
        let mut heartbeat = Heartbeat::new(now());
        let linked = tokio::select! {
            biased;
            signal = shutdown.requested() => return Ok(Finished::BySignal(signal)),
            linked = heartbeat.during(world.connect(&config.server, config.port)) => linked,
        };
        let connected = now();
        let cause = match linked {
            Err(error) => error.to_string(),
            Ok(link) => {
                let seen = (&mut trouble, &mut history);
                let linked = (link, heartbeat);
                let watch = &mut watch;
                match play_on(world, linked, config, player, seen, shutdown, watch).await? {
                    Played::Finished(finished) => return Ok(finished),
                    Played::Lost(cause) => {
                        trouble.was_connected(now() - connected, LASTING_CONNECTION);
                        cause
                    }
                    Played::NotLetIn(cause) => {
                        trouble.was_connected(now() - connected, LASTING_ADMISSION);
                        cause
                    }
                }
            }
        };
        let tried = trouble.tried();
        let Some(pause) = trouble.pause(config.reconnect, world.chance()) else {
            if history.is_whole() {
                if config.reconnect != Reconnect::Never {
                    info!(games = history.games, cause, "the server no longer answers");
                }
                return Ok(Finished::NobodyAnswers);
            }
            return Err(PlayError::GaveUp {
                address,
                cause,
                tried,
            });
        };
        let (server, next_attempt_in) = (&address, format!("{pause:.1?}"));
        match history.is_whole() {
            true => info!(server, cause, next_attempt_in, "waiting for the server"),
            false => warn!(server, cause, next_attempt_in, "not connected"),
        }
        tokio::select! {
            biased;
            signal = shutdown.requested() => return Ok(Finished::BySignal(signal)),
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// A summary of the games on all connections so far.
#[derive(Debug, Default)]
struct History {
    /// The number of games that began. The field `games` is the number of games that were completed.
    begun: u32,
    games: u32,
    /// True if the last connection on which games began was lost in mid-game.
    cut_short: bool,
}

impl History {
    fn add(&mut self, of: conversation::History) {
        self.games += of.completed;
        self.begun += of.begun;
        if of.begun > 0 {
            self.cut_short = of.was_cut_short;
        }
    }

    /// Returns true if games were completed, and the last connection with games did not end in mid-game.
    fn is_whole(&self) -> bool {
        self.games > 0 && !self.cut_short
    }
}

/// The reported cause if the server closed the connection.
const CLOSED: &str = "the server closed the connection";

/// Describes a goodbye for which the server gave a reason.
fn sent_away(reason: &str) -> String {
    format!("the server disconnected us: {}", printable(reason))
}

/// The way in which playing on one connection ended.
enum Played {
    Finished(Finished),
    Lost(String),
    /// No game began on the connection, but the server may admit us later.
    ///
    /// The connection's duration counts as time spent trying, unless it was the first attempt or lasted longer than
    /// [`LASTING_ADMISSION`].
    NotLetIn(String),
}

async fn play_on(
    world: &impl World,
    (link, mut heartbeat): (Link, Heartbeat),
    config: &Config,
    player: &ServerPlayer,
    (trouble, history): (&mut Trouble, &mut History),
    shutdown: &mut Shutdown,
    watch: &mut impl FnMut(Seen),
) -> Result<Played, PlayError> {
    let Link {
        mut stream,
        latency,
    } = link;
    info!(
        server = config.server,
        port = config.port,
        latency_ms = latency.as_secs_f64() * 1e3,
        "connected"
    );
    let agent = player.agent();
    let mut heard = BytesMut::new();
    let settling = settle(&mut *stream, &mut heard, config, player.wire);
    let settled = tokio::select! {
        biased;
        signal = shutdown.requested() => return Ok(Played::Finished(Finished::BySignal(signal))),
        settled = heartbeat.during(settling) => settled,
    };
    let wire = match settled {
        Ok(Some(wire)) => wire,
        Ok(None) => return Ok(Played::Lost(CLOSED.to_owned())),
        Err(error) => return Ok(Played::Lost(error.to_string())),
    };
    info!(%wire, pass = player.passing(wire).name(), "the wire is settled");
    let mut parts = FramedParts::new::<Reply>(stream, PlayerCodec::new(wire));
    parts.read_buf = heard;
    let mut conversation = player.conversation(wire, latency, agent);
    let stream = Framed::from_parts(parts);
    let ending = drive(
        world,
        stream,
        AtEnd::Abandon,
        heartbeat,
        &mut conversation,
        shutdown,
        watch,
    )
    .await;
    let here = conversation.history();
    if here.has_moved {
        *trouble = Trouble::default();
    }
    history.add(here);
    Ok(match ending {
        Ending::Signal(signal) => Played::Finished(Finished::BySignal(signal)),
        Ending::Closed(Closing::Goodbye(Goodbye::Over)) => Played::Finished(Finished::ByServer),
        Ending::Closed(Closing::Goodbye(Goodbye::Because(reason))) if history.begun == 0 => {
            return Err(PlayError::Refused(printable(&reason)));
        }
        Ending::Closed(Closing::Goodbye(Goodbye::ComeAgain(reason))) if here.begun == 0 => {
            Played::NotLetIn(sent_away(&reason))
        }
        Ending::Closed(Closing::Goodbye(Goodbye::Because(reason) | Goodbye::ComeAgain(reason))) => {
            Played::Lost(sent_away(&reason))
        }
        Ending::Closed(Closing::WrongWire { ours, theirs }) => {
            return Err(PlayError::WrongWire { ours, theirs });
        }
        Ending::Closed(Closing::Flooded) => {
            Played::Lost("the server sent more data than a game can need".to_owned())
        }
        Ending::EndOfStream => {
            let games = here.completed;
            if games > 0 && !here.was_cut_short {
                // A server on the line wire says no goodbye.
                if wire == Wire::Line {
                    return Ok(Played::Finished(Finished::ByServer));
                }
                let plan = config.reconnect.plan();
                info!(
                    games,
                    "the server closed the connection between games{plan}"
                );
            }
            Played::Lost(CLOSED.to_owned())
        }
        Ending::Failed(error) => Played::Lost(error.to_string()),
    })
}

/// Determines the wire (the protocol): it is given in `wire`, or the first byte from the server reveals it.
///
/// If the server stays silent, the client sends its name and then waits without a time limit. The received bytes stay
/// in `heard`. Returns `None` if the server closed the connection.
async fn settle(
    stream: &mut dyn ByteStream,
    heard: &mut BytesMut,
    config: &Config,
    wire: Option<Wire>,
) -> io::Result<Option<Wire>> {
    let name = &config.name;
    let said = match &config.secret {
        Some(secret) => with_secret(name, secret),
        None => name.clone(),
    };
    if let Some(wire) = wire {
        if wire == Wire::Json {
            stream.write_all(said.as_bytes()).await?;
        }
        return Ok(Some(wire));
    }
    let first = tokio::time::timeout(SERVER_SPEAKS_WITHIN, first_byte(stream, heard)).await;
    let first = match first {
        Ok(first) => first,
        Err(_silent) => {
            stream.write_all(said.as_bytes()).await?;
            info!(name, "sent our name; waiting for the server");
            first_byte(stream, heard).await
        }
    };
    Ok(first?.map(Wire::of_first_byte))
}

/// Returns the first byte that is not white space, or `None` at the stream's end.
///
/// Received bytes stay in `heard`, except for white space before that byte.
async fn first_byte(stream: &mut dyn ByteStream, heard: &mut BytesMut) -> io::Result<Option<u8>> {
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

/// A series of consecutive connection attempts that did not lead to a game.
#[derive(Debug, Default)]
struct Trouble {
    since: Option<Instant>,
    attempts: u32,
}

impl Trouble {
    /// Returns how long the client has been trying to reconnect.
    fn tried(&self) -> Duration {
        self.since.map_or(Duration::ZERO, |since| now() - since)
    }

    /// Records a connection that lasted for `time` and carried no move.
    ///
    /// If `time` exceeds `lasting`, it does not count as time spent trying, and the next attempt follows soon. If a
    /// server always hangs up sooner, the client eventually gives up.
    fn was_connected(&mut self, time: Duration, lasting: Duration) {
        if time > lasting {
            self.since = self.since.map(|since| since + time);
            self.attempts = 0;
        }
    }

    /// Returns the pause before the next attempt, or `None` if `policy` allows no further attempt.
    fn pause(&mut self, policy: Reconnect, seed: u64) -> Option<Duration> {
        self.since.get_or_insert_with(now);
        let tried = self.tried();
        let jitter = Xoshiro256PlusPlus::seed_from_u64(seed).random_range(0.5..1.0);
        let pause = policy.pause(tried, self.attempts, jitter);
        self.attempts += 1;
        pause
    }
}

impl Reconnect {
    /// Returns the pause before the next attempt, if the policy allows another attempt.
    ///
    /// The pause doubles with each attempt up to a limit. `jitter` (0.5 to 1) shortens the pause, so that many players
    /// do not reconnect at once. The last attempt is made at the end of the allowed time, not before.
    fn pause(self, tried: Duration, attempts: u32, jitter: f64) -> Option<Duration> {
        let most = match self {
            Reconnect::Never => None,
            Reconnect::For(limit) => limit.checked_sub(tried).filter(|left| !left.is_zero()),
            Reconnect::Forever => Some(Duration::MAX),
        }?;
        let doubled = FIRST_PAUSE * 2u32.saturating_pow(attempts.min(16));
        Some(doubled.min(LONGEST_PAUSE).mul_f64(jitter).min(most))
    }

    /// Describes how the client continues after the server closed, to be appended to the log message.
    fn plan(self) -> String {
        match self {
            Reconnect::Never => String::new(),
            Reconnect::For(limit) => format!(
                "; reconnecting for {} s in case it reopens",
                limit.as_secs_f64()
            ),
            Reconnect::Forever => "; reconnecting until it reopens".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_limit_and_stay_within_their_jitter() {
        let mut trouble = Trouble::default();
        let mut expected = FIRST_PAUSE;
        for _ in 0..12 {
            let pause = trouble.pause(Reconnect::Forever, 1).expect("forever");
            assert!(expected / 2 <= pause && pause <= expected);
            expected = (expected * 2).min(LONGEST_PAUSE);
        }
    }

    #[test]
    fn the_last_attempt_is_made_at_the_very_end_of_the_patience() {
        for seconds in [0.01, 0.5, 7.0, 60.0, 180.0] {
            for jitter in [0.5, 0.77, 0.99] {
                let limit = Duration::from_secs_f64(seconds);
                let (mut tried, mut attempts) = (Duration::ZERO, 0);
                while let Some(pause) = Reconnect::For(limit).pause(tried, attempts, jitter) {
                    assert!(!pause.is_zero());
                    tried += pause;
                    attempts += 1;
                }
                assert_eq!(tried, limit, "after {attempts} attempts");
            }
        }
        let late = Duration::from_secs(9);
        assert_eq!(
            Reconnect::For(Duration::from_secs(8)).pause(late, 3, 0.5),
            None
        );
    }

    #[test]
    fn never_gives_up_at_once() {
        assert_eq!(Trouble::default().pause(Reconnect::Never, 1), None);
        let no_time = Reconnect::For(Duration::ZERO);
        assert_eq!(Trouble::default().pause(no_time, 1), None);
    }
}
