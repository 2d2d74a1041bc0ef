//! Plays one game between two seats: judges the answers, and enforces the clocks.

use std::time::Duration;

use turnwise_engine::clock::GameClock;
use turnwise_entropy::referee::{self, IllegalMoveError, RuleBook, shuffled_tiles};
use turnwise_entropy::rules::{Move, Phase, Position, Rules};
use turnwise_entropy::wire_cells;
use turnwise_protocol::entropy::{HostMessage, Line, Role, Tile, Wire};

use super::seat::{NoMove, Seat};
use super::{Event, Hosting};
use crate::PAUSE;

/// The fault that broke off a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The role of the player at fault.
    pub role: Role,
    /// The player's fault as text, for example `it has left`.
    pub reason: String,
}

/// A hosted game's board, as an observer sees it.
#[derive(Debug, Clone)]
pub struct HostedBoard {
    /// The current position. It includes the drawn tile if Chaos is to move.
    pub position: Position,
    /// The previous move, made by the other player; `None` at the beginning of the game.
    pub last: Option<Move>,
    /// The number of moves of both players so far.
    pub ply: u32,
}

/// The result of a game. Names and timers are in the order Order, Chaos.
#[derive(Debug, Clone)]
pub struct GameResult {
    /// The players' names; `nobody` for an empty seat.
    pub names: [String; 2],
    /// Order's score.
    pub score: u32,
    /// The fault that broke the game off, if the game was not played to its end.
    pub fault: Option<Fault>,
    /// The time left on the players' clocks at the end of the game.
    pub timers: [Duration; 2],
    /// The final board.
    pub board: HostedBoard,
}

/// A running game at the moment when a player is asked for a move. Names and timers are in the order Order, Chaos.
#[derive(Debug, Clone)]
pub struct Turn {
    /// The players' names; `nobody` for an empty seat.
    pub names: [String; 2],
    /// The role of the player to move.
    pub role: Role,
    /// The time left on the players' clocks before the move.
    pub timers: [Duration; 2],
    /// The current board.
    pub board: HostedBoard,
}

/// A player in a game, with its seat if it has not left.
struct Player<'a> {
    name: String,
    role: Role,
    seat: Option<&'a mut Seat>,
    clock: GameClock,
}

impl Player<'_> {
    fn fault(&self, reason: impl Into<String>) -> Fault {
        Fault {
            role: self.role,
            reason: reason.into(),
        }
    }

    /// Returns the lines that announce the game to the player.
    ///
    /// The door may have sent the size of the board already, but only for the player's first game.
    fn opening(&mut self, size: u8) -> Vec<Line> {
        let seat = self.seat.as_mut();
        let is_told = seat.is_some_and(|seat| std::mem::take(&mut seat.is_told));
        let size = (!is_told).then_some(Line::Size(size));
        size.into_iter().chain([Line::Role(self.role)]).collect()
    }

    async fn tell(&mut self, message: HostMessage) -> Result<(), Fault> {
        if let Some(seat) = &mut self.seat {
            seat.tell(message).await;
            if !seat.is_gone() {
                return Ok(());
            }
        }
        Err(self.fault("it has left"))
    }

    /// Sends these lines without asking for an answer.
    async fn inform(&mut self, lines: Vec<Line>) -> Result<(), Fault> {
        let answer = false;
        self.tell(HostMessage::Payload { lines, answer }).await
    }

    /// Sends these lines, and returns the answer if it arrives before the player's clock runs out.
    async fn ask(&mut self, lines: Vec<Line>) -> Result<Line, Fault> {
        let Some(seat) = &mut self.seat else {
            return Err(self.fault("it has left"));
        };
        let answer = true;
        let limit = self.clock.remaining();
        let question = HostMessage::Payload { lines, answer };
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

/// Plays a game with tiles from `seed`, in which the player in seat `first` is Order.
pub(super) async fn play(
    hosting: &Hosting,
    clock: Duration,
    seats: &mut [Option<Seat>; 2],
    first: usize,
    seed: u64,
    watch: &mut impl FnMut(Event),
) -> GameResult {
    let [mut order, mut chaos] = seats.each_mut();
    if first == 1 {
        std::mem::swap(&mut order, &mut chaos);
    }
    let [order, chaos] = [(order, Role::Order), (chaos, Role::Chaos)].map(|(seat, role)| Player {
        name: name(seat),
        role,
        seat: seat.as_mut(),
        clock: GameClock::new(clock),
    });
    let mut game = Game {
        order,
        chaos,
        rules: hosting.rules,
        board: HostedBoard {
            position: Position::new(Rules {
                size: hosting.size,
                pass: hosting.pass,
            }),
            last: None,
            ply: 0,
        },
    };
    let fault = game.run(hosting.wire, seed, watch).await.err();
    GameResult {
        score: referee::score(&game.board.position, fault.as_ref().map(|fault| fault.role)),
        fault,
        timers: game.timers(),
        names: game.names(),
        board: game.board,
    }
}

/// Returns the name of the player in a seat, or `nobody`.
pub(super) fn name(seat: &Option<Seat>) -> String {
    seat.as_ref()
        .map_or_else(|| "nobody".to_owned(), |seat| seat.name.clone())
}

struct Game<'a> {
    order: Player<'a>,
    chaos: Player<'a>,
    rules: RuleBook,
    board: HostedBoard,
}

impl Game<'_> {
    async fn run(
        &mut self,
        wire: Wire,
        seed: u64,
        watch: &mut impl FnMut(Event),
    ) -> Result<(), Fault> {
        self.order.tell(HostMessage::Reset).await?;
        self.chaos.tell(HostMessage::Reset).await?;
        if wire == Wire::Json {
            self.pause().await;
        }
        let size = self.board.position.size();
        let opening = self.order.opening(size);
        self.order.inform(opening).await?;
        let mut news = self.chaos.opening(size);
        for colour in shuffled_tiles(size, seed) {
            let drawn = self.board.position.follow(Move::Draw(colour));
            drawn.expect("tiles are drawn when it is time");
            news.push(Line::Draw(Tile(colour - 1)));
            watch(self.turn(Role::Chaos));
            let answer = self.chaos.ask(std::mem::take(&mut news)).await?;
            let placed = self.place(answer);
            let placed = vec![placed.map_err(|reason| self.chaos.fault(reason))?];
            if self.board.position.phase() == Phase::Over {
                // Order has made all its moves; its absence does not change the score.
                let _ = self.order.inform(placed).await;
                break;
            }
            watch(self.turn(Role::Order));
            let answer = self.order.ask(placed).await?;
            let slid = self.slide(answer);
            slid.map_err(|reason| self.order.fault(reason))?;
            news.push(answer);
        }
        Ok(())
    }

    /// Pauses after the reset, like the Python server, under whose rules the pause is charged to Chaos.
    async fn pause(&mut self) {
        tokio::time::sleep(PAUSE).await;
        if self.rules == RuleBook::Server {
            self.chaos.clock.charge(PAUSE);
        }
        // Messages still in transit when the last game was broken off do not belong to this game.
        for player in [&mut self.order, &mut self.chaos] {
            if let Some(seat) = &mut player.seat {
                seat.settle().await;
            }
        }
    }

    /// Makes a player's move on the board if the rules allow it.
    fn make(&mut self, mv: Move) -> Result<(), IllegalMoveError> {
        self.rules.judge(&mut self.board.position, mv)?;
        self.board.last = Some(mv);
        self.board.ply += 1;
        Ok(())
    }

    /// Places the drawn tile according to Chaos's answer, and returns the line that reports it to Order.
    ///
    /// The error explains why the answer is not a legal placement.
    fn place(&mut self, answer: Line) -> Result<Line, String> {
        let Line::Place(cell) = answer else {
            return Err(format!("expected `row col`, got `{answer}`"));
        };
        let tile = Tile(self.board.position.drawn() - 1);
        let on_board = wire_cells::on_board(cell, self.board.position.size());
        match on_board.map(|cell| self.make(Move::Place(cell))) {
            Some(Ok(())) => Ok(Line::Placed(cell, tile)),
            _ => Err(format!("illegal placement `{answer}`")),
        }
    }

    /// Makes the slide or pass in Order's answer. The error explains why the answer is not a legal move.
    fn slide(&mut self, answer: Line) -> Result<(), String> {
        let Line::Slide { from, to } = answer else {
            return Err(format!("expected `row col row col`, got `{answer}`"));
        };
        let slide = wire_cells::slide_on_board(from, to, self.board.position.size());
        match slide.map(|slide| self.make(slide)) {
            Some(Ok(())) => Ok(()),
            Some(Err(no_pass @ IllegalMoveError::Pass)) => {
                Err(format!("illegal move `{answer}`: {no_pass}"))
            }
            _ => Err(format!("illegal move `{answer}`")),
        }
    }

    fn names(&self) -> [String; 2] {
        [&self.order, &self.chaos].map(|player| player.name.clone())
    }

    fn timers(&self) -> [Duration; 2] {
        [&self.order, &self.chaos].map(|player| player.clock.remaining())
    }

    fn turn(&self, role: Role) -> Event {
        Event::Turn(Turn {
            names: self.names(),
            role,
            timers: self.timers(),
            board: self.board.clone(),
        })
    }
}
