//! The tournament server. It speaks what the game's [`HostProtocol`] says, and survives
//! whatever its players do.
//!
//! | module | what it is for |
//! |---|---|
//! | [`channel`] | a daemon as a player of a match |
//! | [`door`] | accepting players: names, the right wire, polite refusals |
//! | [`seat`] | one player's connection |
//! | `game` | one game between two seats, clocks enforced |
//! | `lines` | a seat in a game that is judged elsewhere |
//! | [`lobby`] | participants of a tournament, who come and go by name |

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
use turnwise_engine::hosting::{BoardOf, HostProtocol, MessageOf, RoleOf};

use crate::codec::Codec;
use crate::shutdown::Shutdown;
use crate::world::Listener;
use door::{Door, Refused};
pub use game::{Fault, GameResult, Turn};
use seat::Seat;

/// How long a war waits for somebody to take the seat of a player who has left.
const WAIT_FOR_REPLACEMENT: Duration = Duration::from_secs(20);

/// A game that can be hosted: its codec reads and writes what its protocol says.
pub trait Hosted:
    HostProtocol<Codec: Codec<<Self as HostProtocol>::Heard, MessageOf<Self>>> + Send + Sync + 'static
{
}

impl<P> Hosted for P where
    P: HostProtocol<Codec: Codec<<P as HostProtocol>::Heard, MessageOf<P>>> + Send + Sync + 'static
{
}

/// How much is played, and how long.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// Wars to play; two games each, roles swapped.
    pub wars: u32,
    /// Time for each player in each game.
    pub clock: Duration,
    /// Determines the chances of every game.
    pub seed: u64,
    /// Both games of a war have the same chances.
    pub same_chances: bool,
}

/// What happened, for whoever watches.
#[derive(Debug, Clone)]
pub enum Event<R, B> {
    /// A player took a seat.
    Joined {
        /// The seat, 0 or 1.
        seat: usize,
        /// The name it plays under, with ` (2)` behind it if the other player has the same one.
        name: String,
        /// Where it connects from.
        address: SocketAddr,
    },
    /// A client was turned away at the door.
    Refused(Refused),
    /// A player left, or was sent away.
    Left {
        /// The name it played under.
        name: String,
        /// Why it was sent away, if it did not leave by itself.
        sent_away: Option<&'static str>,
    },
    /// A game begins; told before its first move is asked for.
    Begun(Begun),
    /// A player is asked for a move.
    Turn(Turn<R, B>),
    /// A game is over.
    GameOver(GameResult<R, B>),
    /// A war is over.
    WarOver(WarResult),
}

/// How a game begins.
#[derive(Debug, Clone)]
pub struct Begun {
    /// The war's number, from 1.
    pub war: u32,
    /// 1 or 2 within the war.
    pub game: u8,
    /// The players by role.
    pub names: [String; 2],
    /// What its chances come from.
    pub seed: u64,
}

/// What happens at a host of this game.
pub type EventOf<P> = Event<RoleOf<P>, BoardOf<P>>;

/// Two games with roles swapped.
#[derive(Debug, Clone)]
pub struct WarResult {
    /// The war's number, from 1.
    pub war: u32,
    /// The players by seat.
    pub names: [String; 2],
    /// The first role's score in the game in which the seat had it.
    pub scores: [u32; 2],
    /// Which of them have played both games; nobody else can win the war.
    pub played_both: [bool; 2],
}

impl WarResult {
    /// The seat with the higher score, if there is one and the score is all its player's own.
    pub fn winner(&self) -> Option<usize> {
        let [one, other] = self.scores;
        let higher = (one != other).then_some(usize::from(one < other));
        higher.filter(|&seat| self.played_both[seat])
    }

    /// True if both have played both games to the same score.
    pub fn is_drawn(&self) -> bool {
        self.played_both == [true; 2] && self.scores[0] == self.scores[1]
    }
}

/// Why the host stopped before all wars were played.
#[derive(Debug, Error)]
pub enum HostError {
    /// A signal asked for the end.
    #[error("stopped by a signal")]
    Signal(Signal),
    /// Nobody is left to play.
    #[error("both players are gone and nobody took their seats within {0:.0?}")]
    Deserted(Duration),
}

/// A server that listens, and its two seats.
pub struct Host<P: HostProtocol> {
    config: Config,
    door: Door<P>,
    address: SocketAddr,
    seats: [Option<Seat<P>>; 2],
}

impl<P: Hosted> Host<P> {
    /// Binds the socket; port 0 takes a free one.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub async fn bind(
        address: impl ToSocketAddrs,
        protocol: P,
        config: Config,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self::at(Box::new(listener), address, protocol, config))
    }

    /// The same where players come in by another way, at this address.
    pub fn at(
        listener: Box<dyn Listener>,
        address: SocketAddr,
        protocol: P,
        config: Config,
    ) -> Self {
        Self {
            config,
            door: Door::open(listener, protocol),
            address,
            seats: [None, None],
        }
    }

    /// Where players connect to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for two players, plays all wars, and says goodbye. `watch` hears of everything.
    pub async fn run(
        mut self,
        shutdown: &mut Shutdown,
        mut watch: impl FnMut(EventOf<P>),
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

    async fn play_all(&mut self, watch: &mut impl FnMut(EventOf<P>)) -> Result<(), HostError> {
        // One may leave again while the other seat is empty; the wars begin when both are there.
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
                let protocol = self.door.protocol.as_ref();
                let result = game::play(protocol, clock, &mut self.seats, first, seed, watch).await;
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

    /// The seed of a game: by the host's, the war and, unless both games share their chances, the game.
    fn seed(&self, war: u32, game: usize) -> u64 {
        let game = if self.config.same_chances { 0 } else { game };
        let number = u64::from(war) << 1 | game as u64;
        // An odd factor, so that no two games of a host share a seed, nor neighbouring seeds a game.
        let seed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.config.seed.wrapping_add(seed)
    }

    fn names(&self) -> [String; 2] {
        self.seats.each_ref().map(game::name)
    }

    /// Lets players in for those who are missing; after a time, one player is enough to go on.
    async fn replace_missing(
        &mut self,
        watch: &mut impl FnMut(EventOf<P>),
    ) -> Result<(), HostError> {
        let waited = WAIT_FOR_REPLACEMENT;
        match tokio::time::timeout(waited, self.seat_newcomers(watch)).await {
            Ok(()) => Ok(()),
            Err(_) if self.seats.iter().any(Option::is_some) => Ok(()),
            Err(_) => Err(HostError::Deserted(waited)),
        }
    }

    /// Lets players in until both seats are taken.
    async fn seat_newcomers(&mut self, watch: &mut impl FnMut(EventOf<P>)) {
        while let Some(at) = self.seats.iter().position(Option::is_none) {
            let mut newcomer = self
                .door
                .admit(|client| watch(Event::Refused(client)))
                .await;
            // Whoever has waited at the door through a game may have left since.
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

    /// Between games: hears what came late, and frees the seats of those who have left.
    async fn settle_seats(&mut self, watch: &mut impl FnMut(EventOf<P>)) {
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
