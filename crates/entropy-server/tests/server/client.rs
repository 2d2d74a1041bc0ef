//! Tests how a playing daemon reacts to goodbyes, and how it counts its time.

use std::cell::Cell;
use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::Instant;
use tokio_util::codec::Framed;
use turnwise_daemon::shutdown::Shutdown;
use turnwise_daemon::worker::Thinking;
use turnwise_daemon::world::{Link, System, World, now};
use turnwise_engine::agent::{Agent, ThreadAgent};
use turnwise_engine::search::Limits;
use turnwise_engine::thought::Finished as Thought;
use turnwise_entropy::agents::{BuiltIn, Resources};
use turnwise_entropy_server::client::ServerPlayer;
use turnwise_entropy_server::client::{self, Config, Finished, PlayError, Reconnect};
use turnwise_entropy_server::conversation::seen::{Seen, SeenMove};
use turnwise_entropy_server::conversation::{EntropyConversation, Passing, Settings};
use turnwise_entropy_server::driver::{AtEnd, drive};
use turnwise_entropy_server::heartbeat::Heartbeat;
use turnwise_protocol::entropy::{PlayerCodec, Wire};

const OVER: &str = r#"{"purpose":"kill"}"#;
const BECAUSE: &str = r#"{"purpose":"kill","comment":"who are you?"}"#;
const COME_AGAIN: &str = r#"{"purpose":"kill","comment":"too late","again":true}"#;
const COME_AGAIN_SILENTLY: &str = r#"{"purpose":"kill","again":true}"#;

/// A simulated server that says goodbye on every connection.
///
/// Each connection gets the next entry of `said`, and all connections after the last entry get the last entry.
struct Goodbyes {
    said: &'static [&'static str],
    /// For each connection, the delay between the player's name and the goodbye; the last entry repeats.
    after: Vec<Duration>,
    connections: Cell<usize>,
    /// How long the server's threads have waited for a core.
    queued: Cell<Duration>,
    /// The increase of `queued` at each query.
    wakes_late: Duration,
}

impl World for Goodbyes {
    async fn connect(&self, _server: &str, _port: u16) -> io::Result<Link> {
        let connection = self.connections.get();
        self.connections.set(connection + 1);
        let said = self.said[connection.min(self.said.len() - 1)];
        let after = self.after[connection.min(self.after.len() - 1)];
        let (stream, mut server) = tokio::io::duplex(1024);
        tokio::spawn(async move {
            let mut name = [0; 100];
            let _ = server.read(&mut name).await;
            tokio::time::sleep(after).await;
            let _ = server.write_all(said.as_bytes()).await;
        });
        Ok(Link {
            stream: Box::new(stream),
            latency: Duration::ZERO,
        })
    }

    fn queued(&self) -> Duration {
        self.queued.set(self.queued.get() + self.wakes_late);
        self.queued.get()
    }

    fn think<A: ThreadAgent>(
        &self,
        agent: A,
        position: A::Position,
        limits: Limits,
    ) -> Thinking<A> {
        System.think(agent, position, limits)
    }

    fn think_on_cpu<A: ThreadAgent>(
        &self,
        agent: A,
        position: A::Position,
        limits: (Duration, Duration),
    ) -> Thinking<A> {
        System.think_on_cpu(agent, position, limits)
    }

    fn think_here<A>(&self, agent: A, position: &A::Position, limits: Limits) -> Thought<A>
    where
        A: Agent<Move: Copy>,
    {
        System.think_here(agent, position, limits)
    }

    fn chance(&self) -> u64 {
        1
    }
}

/// Plays on a server with these goodbyes, and returns how playing ended, the number of connections and the duration.
async fn play(
    said: &'static [&'static str],
    after: &[Duration],
    reconnect: Reconnect,
) -> (Result<Finished, PlayError>, usize, Duration) {
    let world = Goodbyes {
        said,
        after: after.to_vec(),
        connections: Cell::new(0),
        queued: Cell::default(),
        wakes_late: Duration::ZERO,
    };
    let config = Config {
        server: "server".to_owned(),
        port: 1,
        name: "ada".to_owned(),
        secret: None,
        reconnect,
    };
    let player = ServerPlayer {
        wire: Some(Wire::Json),
        agent: BuiltIn::Random,
        resources: Resources::default(),
        seed: 1,
        clock: Duration::from_secs(1),
        pass: None,
    };
    let (_switch, mut shutdown) = Shutdown::manual();
    let began = Instant::now();
    let ended = client::play(&world, &config, &player, &mut shutdown, drop).await;
    (ended, world.connections.get(), began.elapsed())
}

const PATIENCE: Duration = Duration::from_secs(60);
const AT_ONCE: &[Duration] = &[Duration::ZERO];

#[tokio::test(start_paused = true)]
async fn whoever_may_come_again_does_until_it_is_let_in() {
    let said = &[COME_AGAIN, COME_AGAIN_SILENTLY, OVER];
    let (ended, connections, _) = play(said, AT_ONCE, Reconnect::For(PATIENCE)).await;
    assert!(matches!(ended, Ok(Finished::ByServer)), "{ended:?}");
    assert_eq!(connections, 3);
}

#[tokio::test(start_paused = true)]
async fn whoever_is_refused_does_not_come_again() {
    let said = &[COME_AGAIN, BECAUSE, OVER];
    let (ended, connections, _) = play(said, AT_ONCE, Reconnect::Forever).await;
    let is_refused = matches!(&ended, Err(PlayError::Refused(reason)) if reason == "who are you?");
    assert!(is_refused, "{ended:?}");
    assert_eq!(connections, 2);
}

#[tokio::test(start_paused = true)]
async fn whoever_may_come_again_but_does_not_want_to_gives_up() {
    let (ended, connections, _) = play(&[COME_AGAIN], AT_ONCE, Reconnect::Never).await;
    let Err(PlayError::GaveUp { cause, .. }) = ended else {
        panic!("{ended:?}");
    };
    assert_eq!(cause, "the server disconnected us: too late");
    assert_eq!(connections, 1);
}

/// A client that is never admitted gives up: the time until each goodbye counts as time spent trying, even if the
/// connections last rather long.
#[tokio::test(start_paused = true)]
async fn the_patience_of_whoever_is_never_let_in_ends() {
    for seconds in [0, 1, 6, 20] {
        let after = Duration::from_secs(seconds);
        let (ended, _, took) = play(&[COME_AGAIN], &[after], Reconnect::For(PATIENCE)).await;
        assert!(matches!(ended, Err(PlayError::GaveUp { .. })), "{ended:?}");
        let most = PATIENCE + 2 * after + Duration::from_secs(1);
        assert!((PATIENCE..=most).contains(&took), "{seconds} s: {took:?}");
    }
}

/// A player is rejected at first, and later waits in a lobby for longer than it tries to reconnect.
///
/// The wait in the lobby does not count as time spent trying.
#[tokio::test(start_paused = true)]
async fn whoever_is_sent_away_after_a_long_wait_comes_again() {
    let hour = Duration::from_secs(3600);
    let said = &[COME_AGAIN, COME_AGAIN, OVER];
    let after = &[Duration::ZERO, hour, Duration::ZERO];
    let (ended, connections, took) = play(said, after, Reconnect::For(PATIENCE)).await;
    assert!(matches!(ended, Ok(Finished::ByServer)), "{ended:?}");
    assert_eq!(connections, 3);
    assert!((hour..hour + PATIENCE).contains(&took), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_move_is_charged_with_the_wait_for_a_core_to_read_the_question_but_none_before_our_last_reply()
 {
    const LATE: Duration = Duration::from_millis(7);
    let world = Goodbyes {
        said: &[],
        after: Vec::new(),
        connections: Cell::new(0),
        queued: Cell::default(),
        wakes_late: LATE,
    };
    let settings = Settings {
        wire: Wire::Line,
        clock: Duration::from_secs(60),
        pass: Passing::Never,
        latency: Duration::ZERO,
        start: None,
    };
    let agent = BuiltIn::Random.start(1, Resources::default());
    let mut conversation = EntropyConversation::new(settings, agent);
    let (stream, mut server) = tokio::io::duplex(1024);
    let server = async move {
        let mut reply = [0; 100];
        // The last question follows as soon as the reply to the second has been read.
        for (question, after) in [("2\nORDER\n0 0 A\n", 1), ("1 1 B\n", 1), ("1 0 B\n", 0)] {
            tokio::time::sleep(Duration::from_secs(after)).await;
            server
                .write_all(question.as_bytes())
                .await
                .expect("it listens");
            let length = server.read(&mut reply).await.expect("it answers");
            assert_ne!(length, 0);
        }
    };
    let mut used = Vec::new();
    let (_switch, mut shutdown) = Shutdown::manual();
    let mut watch = |seen| {
        if let Seen::Moved(SeenMove {
            figures: Some(figures),
            ..
        }) = seen
        {
            used.push(figures.used);
        }
    };
    let player = drive(
        &world,
        Framed::new(stream, PlayerCodec::new(Wire::Line)),
        AtEnd::Abandon,
        Heartbeat::new(now()),
        &mut conversation,
        &mut shutdown,
        &mut watch,
    );
    tokio::join!(player, server);
    // The first question is the last of three messages, and each message queries the world once.
    assert_eq!(used, [3 * LATE, LATE, Duration::ZERO]);
}
