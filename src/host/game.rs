//! One game between two seats, clocks enforced.

use std::time::Duration;

use turnwise_protocol::entropy::{self as wire, HostMessage, Line, Role, Tile, Wire};

use super::seat::{NoMove, Seat};
use super::{Config, Event};
use turnwise_engine::clock::GameClock;
use turnwise_entropy::palindromes::board_score;
use turnwise_entropy::referee::{Illegal, RuleBook, SCORE_IF_CHAOS_FAILS, SCORE_IF_ORDER_FAILS};
use turnwise_entropy::rules::{Cell, Colour, Move, Phase, Position, Rules};

/// The pause of the Python server between the reset and the first message.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);

/// Who broke off a game, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The role at fault.
    pub role: Role,
    /// What it did.
    pub reason: String,
}

/// How a game ended.
#[derive(Debug, Clone)]
pub struct GameResult {
    /// The name of the player who was Order.
    pub order: String,
    /// The name of the player who was Chaos.
    pub chaos: String,
    /// Order's score.
    pub order_score: u32,
    /// Who broke it off, if it was not played to its end.
    pub fault: Option<Fault>,
    /// Time left for Order and for Chaos.
    pub timers: [Duration; 2],
    /// The board at the end.
    pub position: Position,
}

/// A game under way, at the moment when a player is asked for a move.
#[derive(Debug, Clone)]
pub struct Turn {
    /// The name of the player who is Order.
    pub order: String,
    /// The name of the player who is Chaos.
    pub chaos: String,
    /// Who is asked.
    pub role: Role,
    /// The other player's move before; none at the beginning.
    pub last: Option<Move>,
    /// Moves of both players so far.
    pub ply: u32,
    /// Time left for Order and for Chaos.
    pub timers: [Duration; 2],
    /// The board, and the tile that was drawn for Chaos.
    pub position: Position,
}

/// A player in a game; without a seat it has left before.
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

    async fn tell(&mut self, message: HostMessage) -> Result<(), Fault> {
        if let Some(seat) = &mut self.seat {
            seat.tell(message).await;
            if !seat.is_gone() {
                return Ok(());
            }
        }
        Err(self.fault("it has left"))
    }

    async fn settle(&mut self) {
        if let Some(seat) = &mut self.seat {
            seat.settle().await;
        }
    }

    fn greeting(&mut self, size: u8) -> Vec<Line> {
        let seat = self.seat.as_mut();
        seat.map_or_else(Vec::new, |seat| seat.greeting(size, self.role))
    }

    async fn ask(&mut self, lines: Vec<Line>) -> Result<Line, Fault> {
        let Some(seat) = &mut self.seat else {
            return Err(self.fault("it has left"));
        };
        let limit = self.clock.remaining();
        let (answer, took) = seat.ask(lines, limit).await;
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

/// Plays a game with these tiles; `order` is the seat of Order.
pub(super) async fn play(
    config: &Config,
    seats: &mut [Option<Seat>; 2],
    order: usize,
    tiles: Vec<Colour>,
    watch: &mut impl FnMut(Event),
) -> GameResult {
    let [first, second] = seats;
    let (order_seat, chaos_seat) = match order {
        0 => (first, second),
        _ => (second, first),
    };
    let name = |seat: &Option<Seat>| {
        seat.as_ref()
            .map_or_else(|| "nobody".to_owned(), |seat| seat.name.clone())
    };
    let mut table = Game {
        order: Player {
            name: name(order_seat),
            role: Role::Order,
            seat: order_seat.as_mut(),
            clock: GameClock::new(config.clock),
        },
        chaos: Player {
            name: name(chaos_seat),
            role: Role::Chaos,
            seat: chaos_seat.as_mut(),
            clock: GameClock::new(config.clock),
        },
        position: Position::new(Rules {
            size: config.size,
            pass: config.pass,
        }),
        rules: config.rules,
        last: None,
        ply: 0,
    };
    let fault = table.run(config, tiles, watch).await.err();
    let order_score = match &fault {
        None => board_score(&table.position),
        Some(fault) if fault.role == Role::Order => SCORE_IF_ORDER_FAILS,
        Some(_) => SCORE_IF_CHAOS_FAILS,
    };
    GameResult {
        order_score,
        fault,
        timers: table.timers(),
        order: table.order.name,
        chaos: table.chaos.name,
        position: table.position,
    }
}

struct Game<'a> {
    order: Player<'a>,
    chaos: Player<'a>,
    position: Position,
    rules: RuleBook,
    last: Option<Move>,
    ply: u32,
}

impl Game<'_> {
    async fn run(
        &mut self,
        config: &Config,
        tiles: Vec<Colour>,
        watch: &mut impl FnMut(Event),
    ) -> Result<(), Fault> {
        self.order.tell(HostMessage::Reset).await?;
        self.chaos.tell(HostMessage::Reset).await?;
        if config.wire == Wire::Json {
            tokio::time::sleep(PAUSE).await;
            if config.rules == RuleBook::Server {
                self.chaos.clock.charge(PAUSE);
            }
            // What was still on its way when the last game was broken off answers nothing of this one.
            self.order.settle().await;
            self.chaos.settle().await;
        }
        let lines = self.order.greeting(config.size);
        let answer = false;
        self.order
            .tell(HostMessage::Payload { lines, answer })
            .await?;
        let mut news = self.chaos.greeting(config.size);
        for colour in tiles {
            self.position
                .follow(Move::Draw(colour))
                .expect("tiles are drawn when it is time");
            watch(self.turn(Role::Chaos));
            let placed = self.placement(news, colour).await?;
            if self.position.phase() == Phase::Over {
                let lines = vec![placed];
                let answer = false;
                // Order has made all of its moves; whether it is still there changes no score.
                let _ = self
                    .order
                    .tell(HostMessage::Payload { lines, answer })
                    .await;
                return Ok(());
            }
            watch(self.turn(Role::Order));
            news = vec![self.slide(placed).await?];
        }
        Ok(())
    }

    fn timers(&self) -> [Duration; 2] {
        [&self.order, &self.chaos].map(|player| player.clock.remaining())
    }

    fn turn(&self, role: Role) -> Event {
        Event::Turn(Turn {
            order: self.order.name.clone(),
            chaos: self.chaos.name.clone(),
            role,
            last: self.last,
            ply: self.ply,
            timers: self.timers(),
            position: self.position.clone(),
        })
    }

    /// Makes a player's move on the board if the rules allow it.
    fn play(&mut self, mv: Move) -> Result<(), Illegal> {
        self.rules.judge(&mut self.position, mv)?;
        self.last = Some(mv);
        self.ply += 1;
        Ok(())
    }

    /// Lets Chaos place a tile; what Order is to hear of it.
    async fn placement(&mut self, mut news: Vec<Line>, colour: Colour) -> Result<Line, Fault> {
        let tile = Tile(colour - 1);
        news.push(Line::Draw(tile));
        let answer = self.chaos.ask(news).await?;
        let Line::Place(cell) = answer else {
            return Err(self
                .chaos
                .fault(format!("expected `row col`, got `{answer}`")));
        };
        let judged = self.index(cell).map(|index| self.play(Move::Place(index)));
        match judged {
            Some(Ok(())) => Ok(Line::Placed(cell, tile)),
            _ => Err(self.chaos.fault(format!("illegal placement `{answer}`"))),
        }
    }

    /// Lets Order move; what Chaos is to hear of it.
    async fn slide(&mut self, placed: Line) -> Result<Line, Fault> {
        let answer = self.order.ask(vec![placed]).await?;
        let Line::Slide { from, to } = answer else {
            return Err(self
                .order
                .fault(format!("expected `row col row col`, got `{answer}`")));
        };
        let judged = self.index(from).zip(self.index(to)).map(|(from, to)| {
            let mv = match from == to {
                true => Move::Pass,
                false => Move::Slide { from, to },
            };
            self.play(mv)
        });
        match judged {
            Some(Ok(())) => Ok(answer),
            Some(Err(no_pass @ Illegal::Pass)) => {
                let reason = format!("illegal move `{answer}`: {no_pass}");
                Err(self.order.fault(reason))
            }
            _ => Err(self.order.fault(format!("illegal move `{answer}`"))),
        }
    }

    fn index(&self, cell: wire::Cell) -> Option<Cell> {
        let size = self.position.size();
        (cell.row < size && cell.col < size)
            .then(|| Cell::from(cell.row) * Cell::from(size) + Cell::from(cell.col))
    }
}
