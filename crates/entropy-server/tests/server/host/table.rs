//! A host in the test's own runtime, and a record of the host's events.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use turnwise_daemon::shutdown::Shutdown;
use turnwise_entropy::referee::RuleBook;
use turnwise_entropy_server::host::{self, Host, HostError, Hosting, WarResult};
use turnwise_protocol::entropy::{Role, Wire};

pub type Event = host::Event;
pub type GameResult = host::GameResult;

/// The settings of a host.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    pub size: u8,
    pub wars: u32,
    pub clock: Duration,
    pub rules: RuleBook,
    pub pass: bool,
    pub wire: Wire,
    pub seed: u64,
    pub same_tiles: bool,
}

/// Returns settings for one war on a 2x2 board, with a clock that is long enough never to run out.
///
/// The rules are strict, but passing is allowed.
pub fn config() -> Config {
    Config {
        size: 2,
        wars: 1,
        clock: Duration::from_secs(60),
        rules: RuleBook::Strict,
        pass: true,
        wire: Wire::Json,
        seed: 1,
        same_tiles: false,
    }
}

/// A host that runs in the test's runtime.
pub struct Table {
    pub address: SocketAddr,
    events: watch::Receiver<Vec<Event>>,
    ended: JoinHandle<Result<(), HostError>>,
}

/// The result of a host that has ended, and all its events.
pub struct Outcome {
    pub result: Result<(), HostError>,
    pub events: Vec<Event>,
}

impl Table {
    pub async fn open(config: Config) -> Self {
        let hosting = Hosting {
            size: config.size,
            rules: config.rules,
            pass: config.pass,
            wire: config.wire,
        };
        let config = host::Config {
            wars: config.wars,
            clock: config.clock,
            seed: config.seed,
            same_chances: config.same_tiles,
        };
        let host = Host::bind("127.0.0.1:0", hosting, config);
        let host = host.await.expect("a port");
        let address = host.address();
        let (reported, events) = watch::channel(Vec::new());
        let ended = tokio::spawn(async move {
            let (_switch, mut shutdown) = Shutdown::manual();
            let watch = |event| reported.send_modify(|events: &mut Vec<Event>| events.push(event));
            host.run(&mut shutdown, watch).await
        });
        Self {
            address,
            events,
            ended,
        }
    }

    /// Returns access to the events that remains valid after the table is consumed.
    pub fn reports(&self) -> Reports {
        Reports(self.events.clone())
    }

    /// Waits until this seat is taken.
    pub async fn seated(&self, seat: usize) {
        let taken = |event: &Event| matches!(event, Event::Joined { seat: at, .. } if *at == seat);
        self.reports().until(taken).await;
    }

    /// Waits until this seat is taken, while time jumps over the pause in which the door listens for signs.
    pub async fn seated_in_no_time(&self, seat: usize) {
        let taken = |event: &Event| matches!(event, Event::Joined { seat: at, .. } if *at == seat);
        self.reports().until_in_no_time(taken).await;
    }

    /// Waits until the host ends, and returns its outcome.
    pub async fn outcome(self) -> Outcome {
        let result = self.ended.await.expect("the host does not panic");
        let events = self.events.borrow().clone();
        Outcome { result, events }
    }
}

#[derive(Clone)]
pub struct Reports(watch::Receiver<Vec<Event>>);

impl Reports {
    /// Waits until an event that satisfies `kind` has been reported.
    pub async fn until(&self, kind: impl Fn(&Event) -> bool) {
        let reported = |events: &Vec<Event>| events.iter().any(&kind);
        let mut events = self.0.clone();
        events
            .wait_for(reported)
            .await
            .map(|_| ())
            .unwrap_or_else(|_| panic!("the host ended before: {:?}", self.0.borrow()));
    }

    /// Waits for an event like [`Reports::until`], while time jumps to the host's next timer.
    pub async fn until_in_no_time(&self, kind: impl Fn(&Event) -> bool) {
        tokio::time::pause();
        self.until(kind).await;
        tokio::time::resume();
    }
}

/// Stops tokio's paused clock while it exists, so that no time-out expires.
pub struct StandingClock(std::sync::mpsc::Sender<()>);

impl StandingClock {
    pub fn stop() -> Self {
        tokio::time::pause();
        let (goes_on, is_over) = std::sync::mpsc::channel();
        // A paused clock jumps to the next timer unless a blocking thread runs for the runtime. This thread runs for at
        // most a minute of real time, so that the test ends.
        tokio::task::spawn_blocking(move || is_over.recv_timeout(Duration::from_secs(60)));
        Self(goes_on)
    }

    /// Resumes the clock. Panics after a minute of real time, because then an action has waited for the clock.
    pub fn goes_on(self) {
        self.0.send(()).expect("nothing has waited for the clock");
        tokio::time::resume();
    }
}

pub fn is_fault(event: &Event) -> bool {
    matches!(event, Event::GameOver(game) if game.fault.is_some())
}

pub fn is_leaving(event: &Event) -> bool {
    matches!(event, Event::Left { .. })
}

impl Outcome {
    pub fn games(&self) -> Vec<&GameResult> {
        let games = self.events.iter().filter_map(|event| match event {
            Event::GameOver(game) => Some(game),
            _ => None,
        });
        games.collect()
    }

    pub fn wars(&self) -> Vec<&WarResult> {
        let wars = self.events.iter().filter_map(|event| match event {
            Event::WarOver(war) => Some(war),
            _ => None,
        });
        wars.collect()
    }

    /// Fails unless the host played all wars to their end, with `games` games in total.
    pub fn finished(&self, games: usize) {
        assert!(self.result.is_ok(), "{:?}: {:?}", self.result, self.events);
        assert_eq!(self.games().len(), games, "{:?}", self.events);
        assert_eq!(self.wars().len(), games / 2, "{:?}", self.events);
    }

    /// Fails unless this player lost the game with this number, starting at 0, in this role and for this reason.
    pub fn lost_by(&self, game: usize, culprit: &str, role: Role, reason: &str) {
        let result = self.games()[game];
        let fault = result.fault.as_ref();
        let fault = fault.unwrap_or_else(|| panic!("expected `{reason}`, got no fault"));
        let (name, score) = match role {
            Role::Order => (&result.names[0], 0),
            Role::Chaos => (&result.names[1], 100),
        };
        assert_eq!((fault.role, name.as_str()), (role, culprit), "{fault:?}");
        assert_eq!(result.score, score);
        assert!(
            fault.reason.contains(reason),
            "expected `{reason}`, got `{}`",
            fault.reason
        );
    }

    /// Fails unless the game with this number, starting at 0, was completed on a full board without a fault.
    pub fn complete(&self, game: usize) {
        let result = self.games()[game];
        assert_eq!(result.fault, None);
        assert!(!result.board.position.cells().contains(&0), "{result:?}");
    }
}
