//! The tournament server. It withstands any behavior of a player.
//!
//! | module | purpose |
//! |---|---|
//! | [`channel`] | lets a daemon play in a match |
//! | [`door`] | accepts players: reads names, checks the wire, refuses politely |
//! | [`seat`] | the connection to one player |
//! | `game` | plays one game between two seats: judges the answers, and enforces the clocks |
//! | `lines` | lets a seat play in a game that is refereed elsewhere |
//! | [`lobby`] | where participants of a tournament join by name and wait for their games |

pub mod channel;
pub mod door;
mod game;
mod lines;
pub mod lobby;
pub mod seat;

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use rustix::process::Signal;
use thiserror::Error;
use tokio::net::{TcpListener, ToSocketAddrs};
use turnwise_daemon::shutdown::Shutdown;
use turnwise_daemon::world::Listener;
use turnwise_entropy::referee::RuleBook;
use turnwise_entropy::rules::MIN_SIZE;
use turnwise_protocol::entropy::Wire;

use door::{Door, Refused};
pub use game::{Fault, GameResult, HostedBoard, Turn};
use seat::Seat;

/// How long a war waits for another player to replace a player that has left.
const WAIT_FOR_REPLACEMENT: Duration = Duration::from_secs(20);

/// The settings of the games that a tournament server hosts.
#[derive(Debug, Clone, Copy)]
pub struct Hosting {
    /// The number of rows of the board.
    pub size: u8,
    /// The rules that decide which moves are legal.
    pub rules: RuleBook,
    /// Whether Order may pass under the strict rules. Under the server's rules, it may always pass.
    pub pass: bool,
    /// The wire format that all players use.
    pub wire: Wire,
}

impl Hosting {
    /// Returns the settings for games with an external referee: players register by name, and the referee supplies
    /// all lines.
    fn judged_elsewhere() -> Self {
        Self {
            size: MIN_SIZE,
            rules: RuleBook::Strict,
            pass: false,
            wire: Wire::Json,
        }
    }
}

/// The settings of the wars that a host plays.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// The number of wars; a war is two games with swapped roles.
    pub wars: u32,
    /// The time that each player has for each game.
    pub clock: Duration,
    /// The seed from which the random draws of every game follow.
    pub seed: u64,
    /// True if both games of a war have equal random draws.
    pub same_chances: bool,
}

/// An event that a host reports to observers.
#[derive(Debug, Clone)]
pub enum Event {
    /// A player took a seat.
    Joined {
        /// The seat, 0 or 1.
        seat: usize,
        /// The name that the player plays under, with the suffix ` (2)` if the name is already taken.
        name: String,
        /// The address that the player connects from.
        address: SocketAddr,
    },
    /// A client was turned away at the door.
    Refused(Refused),
    /// A player left or was disconnected.
    Left {
        /// The name that the player played under.
        name: String,
        /// The reason why the host disconnected the player; `None` if the player left on its own.
        sent_away: Option<&'static str>,
    },
    /// A game begins. This is reported before its first move is requested.
    Begun(Begun),
    /// A player is asked for a move.
    Turn(Turn),
    /// A game is over.
    GameOver(GameResult),
    /// A war is over.
    WarOver(WarResult),
}

/// The data about a game that begins.
#[derive(Debug, Clone)]
pub struct Begun {
    /// The number of the war, starting at 1.
    pub war: u32,
    /// The number of the game within the war, 1 or 2.
    pub game: u8,
    /// The players' names, in the order Order, Chaos.
    pub names: [String; 2],
    /// The seed of the game's random draws.
    pub seed: u64,
}

/// The result of a war: two games with swapped roles.
#[derive(Debug, Clone)]
pub struct WarResult {
    /// The number of the war, starting at 1.
    pub war: u32,
    /// The players' names, in the order of the seats.
    pub names: [String; 2],
    /// For each seat, its score as Order.
    pub scores: [u32; 2],
    /// For each seat, whether its present player has played both games. Only such a player can win the war.
    pub played_both: [bool; 2],
}

impl WarResult {
    /// Returns the seat with the higher score, if its player has played both games.
    pub fn winner(&self) -> Option<usize> {
        let [one, other] = self.scores;
        let higher = (one != other).then_some(usize::from(one < other));
        higher.filter(|&seat| self.played_both[seat])
    }

    /// Returns true if both players played both games and have equal scores.
    pub fn is_drawn(&self) -> bool {
        self.played_both == [true; 2] && self.scores[0] == self.scores[1]
    }
}

/// Why the host stopped before all wars were played.
#[derive(Debug, Error)]
pub enum HostError {
    /// A signal asked this process to stop.
    #[error("stopped by a signal")]
    Signal(Signal),
    /// Both players have left, and no other player took a seat in time.
    #[error("both players disconnected, and nobody took their seats within {0:.0?}")]
    Deserted(Duration),
}

/// A tournament server that listens, with its two seats.
pub struct Host {
    config: Config,
    hosting: Hosting,
    door: Door,
    address: SocketAddr,
    seats: [Option<Seat>; 2],
}

impl Host {
    /// Creates a host that listens at this address; port 0 chooses a free port.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is unavailable.
    pub async fn bind(
        address: impl ToSocketAddrs,
        hosting: Hosting,
        config: Config,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self::at(Box::new(listener), address, hosting, config))
    }

    /// Creates a host for the players that this listener accepts; `address` is the listener's address.
    pub fn at(
        listener: Box<dyn Listener>,
        address: SocketAddr,
        hosting: Hosting,
        config: Config,
    ) -> Self {
        Self {
            config,
            hosting,
            door: Door::open(listener, hosting),
            address,
            seats: [None, None],
        }
    }

    /// Returns the address that players connect to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for two players, plays all wars, and says goodbye. `watch` receives all events.
    pub async fn run(
        mut self,
        shutdown: &mut Shutdown,
        mut watch: impl FnMut(Event),
    ) -> Result<(), HostError> {
        let result = tokio::select! {
            biased;
            signal = shutdown.requested() => Err(HostError::Signal(signal)),
            result = self.play_all(&mut watch) => result,
        };
        for seat in self.seats.into_iter().flatten() {
            seat.say_goodbye().await;
        }
        result
    }

    async fn play_all(&mut self, watch: &mut impl FnMut(Event)) -> Result<(), HostError> {
        // A player may leave again while the other seat is empty. The wars begin when both seats are taken.
        while self.seats.iter().any(Option::is_none) {
            self.seat_newcomers(watch).await;
            self.settle_seats(watch).await;
        }
        for war in 1..=self.config.wars {
            let mut scores = [0; 2];
            let mut players = Vec::new();
            for first in [0, 1] {
                self.settle_seats(watch).await;
                self.replace_missing(watch).await?;
                players.push(self.names());
                let (clock, seed) = (self.config.clock, self.seed(war, first));
                let mut names = self.names();
                names.rotate_left(first);
                watch(Event::Begun(Begun {
                    war,
                    game: first as u8 + 1,
                    names,
                    seed,
                }));
                let (hosting, seats) = (&self.hosting, &mut self.seats);
                let result = game::play(hosting, clock, seats, first, seed, watch).await;
                scores[first] = result.score;
                watch(Event::GameOver(result));
            }
            let stayed =
                |seat: usize| self.seats[seat].is_some() && players[0][seat] == players[1][seat];
            watch(Event::WarOver(WarResult {
                war,
                scores,
                played_both: [0, 1].map(stayed),
                names: players.swap_remove(1),
            }));
        }
        Ok(())
    }

    /// Returns the seed of a game's random draws.
    ///
    /// It depends on the host's seed, on the number of the war and, unless both games of a war have equal draws, on the
    /// number of the game.
    fn seed(&self, war: u32, game: usize) -> u64 {
        let game = if self.config.same_chances { 0 } else { game };
        let number = u64::from(war) << 1 | game as u64;
        // The factor is odd, so that no two games of a host have equal seeds. It is large, so that hosts with
        // neighboring seeds have no game in common.
        let seed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.config.seed.wrapping_add(seed)
    }

    fn names(&self) -> [String; 2] {
        self.seats.each_ref().map(game::name)
    }

    /// Gives the seats of missing players to newcomers. After a while, one player is enough to continue.
    async fn replace_missing(&mut self, watch: &mut impl FnMut(Event)) -> Result<(), HostError> {
        let waited = WAIT_FOR_REPLACEMENT;
        match tokio::time::timeout(waited, self.seat_newcomers(watch)).await {
            Ok(()) => Ok(()),
            Err(_) if self.seats.iter().any(Option::is_some) => Ok(()),
            Err(_) => Err(HostError::Deserted(waited)),
        }
    }

    /// Seats newcomers until both seats are taken.
    async fn seat_newcomers(&mut self, watch: &mut impl FnMut(Event)) {
        while let Some(at) = self.seats.iter().position(Option::is_none) {
            let mut newcomer = self
                .door
                .admit(|client| watch(Event::Refused(client)))
                .await;
            // A newcomer that waited at the door during a game may have left since then.
            newcomer.settle().await;
            if newcomer.is_gone() {
                continue;
            }
            let other = &self.seats[1 - at];
            if (other.as_ref()).is_some_and(|other| other.name == newcomer.name) {
                newcomer.name += " (2)";
            }
            watch(Event::Joined {
                seat: at,
                name: newcomer.name.clone(),
                address: newcomer.address,
            });
            self.seats[at] = Some(newcomer);
        }
    }

    /// Between games, reads late messages and frees the seats of players that have left.
    async fn settle_seats(&mut self, watch: &mut impl FnMut(Event)) {
        for seat in &mut self.seats {
            if let Some(seat) = seat {
                seat.settle().await;
            }
            if let Some(gone) = seat.take_if(|seat| seat.is_gone()) {
                watch(Event::Left {
                    name: gone.name,
                    sent_away: gone.sent_away,
                });
            }
        }
    }
}
