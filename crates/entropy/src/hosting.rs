//! Entropy's tournament server: its messages to players and its judgment of their answers.

use std::collections::VecDeque;
use std::time::Duration;
use std::vec::IntoIter;

use turnwise_engine::goodbye::Goodbye;
use turnwise_engine::hosting::{Expected, HostProtocol, HostedLines, Referee, Step, Welcome};
use turnwise_protocol::entropy::{
    HostCodec, HostMessage, Line, MAX_NAME, PlayerSays, Role, Tile, Wire,
};
use turnwise_protocol::frame::Item;

use crate::referee::{self, CHAOS, IllegalMoveError, ORDER, RuleBook, shuffled_tiles};
use crate::rules::{Colour, MIN_SIZE, Move, Phase, Position, Rules};
use crate::wire_cells;

/// How long the Python server pauses between the reset and the first message of a game.
pub const PAUSE: Duration = Duration::from_millis(100);

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
    pub fn judged_elsewhere() -> Self {
        Self {
            size: MIN_SIZE,
            rules: RuleBook::Strict,
            pass: false,
            wire: Wire::Json,
        }
    }
}

/// Returns the lines that begin a game for a player. The board size is omitted if the player was already told.
fn opening(size: u8, role: Role, is_told: bool) -> Vec<Line> {
    let size = (!is_told).then_some(Line::Size(size));
    size.into_iter().chain([Line::Role(role)]).collect()
}

impl HostProtocol for Hosting {
    type Codec = HostCodec;
    type Heard = Item<PlayerSays>;
    type Referee = HostedGame;

    fn codec(&self) -> HostCodec {
        HostCodec::new(self.wire)
    }

    /// Describes how the host welcomes a new player.
    ///
    /// On the JSON wire, the player sends its name first. On the other wires, the host sends the board size, and the
    /// player sends nothing before its first game; a player that answers with `{` uses the JSON wire.
    fn welcome(&self) -> Welcome {
        let hint = |auto: &str| format!("this host speaks the {} wire: use {auto}", self.wire);
        match self.wire {
            Wire::Json => Welcome::Name {
                most: MAX_NAME,
                hint: hint("--wire json or auto"),
            },
            Wire::Line | Wire::Codecup => Welcome::Words {
                words: format!("{}\n", Line::Size(self.size)).into_bytes(),
                foreign: (b'{', hint("--wire line or auto")),
            },
        }
    }

    fn goodbye(goodbye: Goodbye) -> HostMessage {
        let (reason, again) = match goodbye {
            Goodbye::Over => (None, false),
            Goodbye::Because(reason) => (Some(reason), false),
            Goodbye::ComeAgain(reason) => (Some(reason), true),
        };
        HostMessage::Kill { reason, again }
    }

    fn answer(heard: Item<PlayerSays>) -> Result<Line, String> {
        match heard {
            Item::Message(PlayerSays::Line(line)) => line.map_err(|bad| bad.to_string()),
            Item::Message(PlayerSays::Concede(comment)) => Err(format!("it conceded: {comment:?}")),
            Item::Bad(bad) => Err(bad.to_string()),
        }
    }

    fn referee(&self, seed: u64, is_told: [bool; 2]) -> HostedGame {
        HostedGame::new(self, shuffled_tiles(self.size, seed), is_told)
    }
}

/// Hosts the players of a match, who use the JSON wire. The match supplies the referee.
impl HostedLines for Hosting {
    const PAUSE: Duration = PAUSE;

    fn beginning_with(greeting: &[String]) -> Option<Self> {
        let [size, role] = greeting else {
            return None;
        };
        match (size.parse(), role.parse()) {
            (Ok(Line::Size(size)), Ok(Line::Role(_))) => Some(Self {
                size,
                ..Self::judged_elsewhere()
            }),
            _ => None,
        }
    }

    fn reset() -> HostMessage {
        HostMessage::Reset
    }

    fn lines(lines: &[String], is_question: bool) -> HostMessage {
        HostMessage::Payload {
            // A referee's own lines are always valid.
            lines: lines.iter().filter_map(|line| line.parse().ok()).collect(),
            answer: is_question,
        }
    }
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

/// The host's state of one game: the referee's board and the messages to send.
pub struct HostedGame {
    board: HostedBoard,
    tiles: IntoIter<Colour>,
    rules: RuleBook,
    /// The steps that are already decided and must be taken first. After them, the position determines the next step.
    steps: VecDeque<Step<HostMessage>>,
    /// Lines for Chaos that wait to be sent with its next tile, including the opening lines.
    news: Vec<Line>,
    /// Chaos's placement, until it is sent to Order.
    placed: Option<Line>,
}

fn say(role: usize, lines: Vec<Line>, expected: Expected, is_opening: bool) -> Step<HostMessage> {
    let answer = expected == Expected::Answer;
    Step::Say {
        role,
        message: HostMessage::Payload { lines, answer },
        expected,
        is_opening,
    }
}

impl HostedGame {
    fn new(hosting: &Hosting, tiles: Vec<Colour>, is_told: [bool; 2]) -> Self {
        let reset = |role| Step::Say {
            role,
            message: HostMessage::Reset,
            expected: Expected::Presence,
            is_opening: false,
        };
        let pause = Step::Pause {
            time: PAUSE,
            charged: (hosting.rules == RuleBook::Server).then_some(CHAOS),
        };
        let order = opening(hosting.size, Role::Order, is_told[ORDER]);
        let steps = [reset(ORDER), reset(CHAOS)]
            .into_iter()
            .chain((hosting.wire == Wire::Json).then_some(pause))
            .chain([say(ORDER, order, Expected::Presence, true)]);
        Self {
            steps: steps.collect(),
            news: opening(hosting.size, Role::Chaos, is_told[CHAOS]),
            placed: None,
            tiles: tiles.into_iter(),
            rules: hosting.rules,
            board: HostedBoard {
                position: Position::new(Rules {
                    size: hosting.size,
                    pass: hosting.pass,
                }),
                last: None,
                ply: 0,
            },
        }
    }

    /// Makes a player's move on the board if the rules allow it.
    fn play(&mut self, mv: Move) -> Result<(), IllegalMoveError> {
        self.rules.judge(&mut self.board.position, mv)?;
        self.board.last = Some(mv);
        self.board.ply += 1;
        Ok(())
    }

    /// Places the drawn tile according to Chaos's answer. Fails if the answer is not a legal placement.
    fn placement(&mut self, answer: Line) -> Result<(), String> {
        let Line::Place(cell) = answer else {
            return Err(format!("expected `row col`, got `{answer}`"));
        };
        let tile = Tile(self.board.position.drawn() - 1);
        let cell_on_board = wire_cells::on_board(cell, self.board.position.size());
        let judged = cell_on_board.map(|cell| self.play(Move::Place(cell)));
        let Some(Ok(())) = judged else {
            return Err(format!("illegal placement `{answer}`"));
        };
        let placed = Line::Placed(cell, tile);
        if self.board.position.phase() == Phase::Over {
            // Order has made all its moves; its absence would not change the score.
            let last = say(ORDER, vec![placed], Expected::Nothing, false);
            self.steps.push_back(last);
        }
        self.placed = Some(placed);
        Ok(())
    }

    /// Makes the slide or pass in Order's answer. Fails if the answer is not a legal move.
    fn slide(&mut self, answer: Line) -> Result<(), String> {
        let Line::Slide { from, to } = answer else {
            return Err(format!("expected `row col row col`, got `{answer}`"));
        };
        let slide = wire_cells::slide_on_board(from, to, self.board.position.size());
        match slide.map(|slide| self.play(slide)) {
            Some(Ok(())) => {
                self.news.push(answer);
                Ok(())
            }
            Some(Err(no_pass @ IllegalMoveError::Pass)) => {
                Err(format!("illegal move `{answer}`: {no_pass}"))
            }
            _ => Err(format!("illegal move `{answer}`")),
        }
    }
}

impl Referee for HostedGame {
    type Message = HostMessage;
    type Answer = Line;
    type Role = Role;
    type Board = HostedBoard;

    const ROLES: [Role; 2] = referee::ROLES;

    fn next(&mut self) -> Option<Step<HostMessage>> {
        if let Some(step) = self.steps.pop_front() {
            return Some(step);
        }
        match self.board.position.phase() {
            Phase::Draw => {
                let colour = self.tiles.next()?;
                let drawn = self.board.position.follow(Move::Draw(colour));
                drawn.expect("tiles are drawn when it is time");
                let is_opening = self.board.ply == 0;
                let mut news = std::mem::take(&mut self.news);
                news.push(Line::Draw(Tile(colour - 1)));
                Some(say(CHAOS, news, Expected::Answer, is_opening))
            }
            Phase::Slide => {
                let placed = self.placed.take().into_iter().collect();
                Some(say(ORDER, placed, Expected::Answer, false))
            }
            Phase::Place | Phase::Over => None,
        }
    }

    fn judge(&mut self, answer: Line) -> Result<(), String> {
        match self.board.position.phase() {
            Phase::Place => self.placement(answer),
            _ => self.slide(answer),
        }
    }

    fn board(&self) -> HostedBoard {
        self.board.clone()
    }

    fn score(&self, at_fault: Option<Role>) -> u32 {
        referee::score(&self.board.position, at_fault)
    }
}
