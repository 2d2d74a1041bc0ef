//! Plays one game between two seats, and enforces the clocks.

use std::time::Duration;

use turnwise_engine::clock::GameClock;
use turnwise_engine::hosting::{
    AnswerOf, BoardOf, Expected, HostProtocol, MessageOf, Referee, RoleOf, Step,
};

use super::seat::{NoMove, Seat};
use super::{Event, EventOf, Hosted};

/// The fault that broke off a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault<R> {
    /// The role of the player at fault.
    pub role: R,
    /// The player's fault as text, for example `it has left`.
    pub reason: String,
}

/// The result of a game. Names and timers are in the order of the roles.
#[derive(Debug, Clone)]
pub struct GameResult<R, B> {
    /// The players' names; `nobody` for an empty seat.
    pub names: [String; 2],
    /// The score of the player in the first role.
    pub score: u32,
    /// The fault that broke the game off, if the game was not played to its end.
    pub fault: Option<Fault<R>>,
    /// The time left on the players' clocks at the end of the game.
    pub timers: [Duration; 2],
    /// The final board.
    pub board: B,
}

/// A running game at the moment when a player is asked for a move. Names and timers are in the order of the roles.
#[derive(Debug, Clone)]
pub struct Turn<R, B> {
    /// The players' names; `nobody` for an empty seat.
    pub names: [String; 2],
    /// The role of the player to move.
    pub role: R,
    /// The time left on the players' clocks before the move.
    pub timers: [Duration; 2],
    /// The current board.
    pub board: B,
}

/// A player in a game, with its seat if it has not left.
struct Player<'a, P: HostProtocol> {
    name: String,
    role: RoleOf<P>,
    seat: Option<&'a mut Seat<P>>,
    clock: GameClock,
}

impl<P: Hosted> Player<'_, P> {
    fn fault(&self, reason: impl Into<String>) -> Fault<RoleOf<P>> {
        Fault {
            role: self.role,
            reason: reason.into(),
        }
    }

    async fn tell(&mut self, message: MessageOf<P>) -> Result<(), Fault<RoleOf<P>>> {
        if let Some(seat) = &mut self.seat {
            seat.tell(message).await;
            if !seat.is_gone() {
                return Ok(());
            }
        }
        Err(self.fault("it has left"))
    }

    async fn ask(&mut self, question: MessageOf<P>) -> Result<AnswerOf<P>, Fault<RoleOf<P>>> {
        let Some(seat) = &mut self.seat else {
            return Err(self.fault("it has left"));
        };
        let limit = self.clock.remaining();
        let (answer, took) = seat.ask(question, limit).await;
        self.clock.charge(took);
        if let Some(overrun) = self.clock.overrun() {
            return Err(self.fault(format!("its clock ran out by {overrun:.1?}")));
        }
        answer.map_err(|why| {
            self.fault(match why {
                NoMove::Late => "its clock ran out".to_owned(),
                NoMove::Gone => "it has left".to_owned(),
                NoMove::Said(what) => what,
            })
        })
    }
}

/// Plays a game with random draws from `seed`, in which the player in seat `first` has the first role.
pub(super) async fn play<P: Hosted>(
    protocol: &P,
    clock: Duration,
    seats: &mut [Option<Seat<P>>; 2],
    first: usize,
    seed: u64,
    watch: &mut impl FnMut(EventOf<P>),
) -> GameResult<RoleOf<P>, BoardOf<P>> {
    let [mut one, mut other] = seats.each_mut();
    if first == 1 {
        std::mem::swap(&mut one, &mut other);
    }
    let [first_role, second_role] = P::Referee::ROLES;
    let players = [(one, first_role), (other, second_role)].map(|(seat, role)| Player {
        name: name(seat),
        role,
        seat: seat.as_mut(),
        clock: GameClock::new(clock),
    });
    let is_told =
        (players.each_ref()).map(|player| player.seat.as_ref().is_some_and(|seat| seat.is_told));
    let mut game = Game {
        referee: protocol.referee(seed, is_told),
        players,
    };
    let fault = game.run(watch).await.err();
    GameResult {
        score: game.referee.score(fault.as_ref().map(|fault| fault.role)),
        fault,
        timers: game.timers(),
        board: game.referee.board(),
        names: game.players.map(|player| player.name),
    }
}

/// Returns the name of the player in a seat, or `nobody`.
pub(super) fn name<P: HostProtocol>(seat: &Option<Seat<P>>) -> String {
    seat.as_ref()
        .map_or_else(|| "nobody".to_owned(), |seat| seat.name.clone())
}

struct Game<'a, P: HostProtocol> {
    players: [Player<'a, P>; 2],
    referee: P::Referee,
}

impl<P: Hosted> Game<'_, P> {
    async fn run(&mut self, watch: &mut impl FnMut(EventOf<P>)) -> Result<(), Fault<RoleOf<P>>> {
        while let Some(step) = self.referee.next() {
            match step {
                Step::Pause { time, charged } => {
                    tokio::time::sleep(time).await;
                    if let Some(role) = charged {
                        self.players[role].clock.charge(time);
                    }
                    // Messages still in transit when the last game was broken off do not belong to this game.
                    for seat in self.players.iter_mut().filter_map(|it| it.seat.as_mut()) {
                        seat.settle().await;
                    }
                }
                Step::Say {
                    role,
                    message,
                    expected,
                    is_opening,
                } => {
                    if let (true, Some(seat)) = (is_opening, &mut self.players[role].seat) {
                        seat.is_told = false;
                    }
                    match expected {
                        Expected::Presence => self.players[role].tell(message).await?,
                        Expected::Nothing => {
                            let _ = self.players[role].tell(message).await;
                        }
                        Expected::Answer => {
                            watch(self.turn(self.players[role].role));
                            let answer = self.players[role].ask(message).await?;
                            let judged = self.referee.judge(answer);
                            judged.map_err(|reason| self.players[role].fault(reason))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn timers(&self) -> [Duration; 2] {
        self.players
            .each_ref()
            .map(|player| player.clock.remaining())
    }

    fn turn(&self, role: RoleOf<P>) -> EventOf<P> {
        Event::Turn(Turn {
            names: self.players.each_ref().map(|player| player.name.clone()),
            role,
            timers: self.timers(),
            board: self.referee.board(),
        })
    }
}
