//! What the referee asks of a player, wherever that player runs.

use std::io;
use std::time::Duration;

use turnwise_protocol::entropy::{self as wire, Line, Role, Tile};

use crate::game::Score;
use crate::games::entropy::rules::{Cell, Move, Phase, Position};
use crate::records::FaultKind;

/// The patience with a player outside where there is no limit.
pub(super) const FOREVER: Duration = Duration::from_secs(86_400);

/// Why there is no move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind of fault.
    pub kind: FaultKind,
    /// What happened, in a sentence's part.
    pub reason: String,
}

impl Answer {
    /// The answer of a player outside, which tells nothing of its search.
    pub(super) fn from_outside(
        mv: Result<Move, Failure>,
        wall: Duration,
        cpu: Option<Duration>,
    ) -> Self {
        Self {
            mv,
            wall,
            cpu,
            insight: None,
        }
    }
}

impl Failure {
    /// A failure with its reason.
    pub fn new(kind: FaultKind, reason: impl Into<String>) -> Self {
        Self {
            kind,
            reason: reason.into(),
        }
    }

    /// Silence for all that time.
    pub(super) fn silent_for(patience: Duration) -> Self {
        Self::new(
            FaultKind::Silence,
            format!("no answer within {patience:.1?}"),
        )
    }
}

/// What a player may use for one move.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allowance {
    /// When to begin nothing new, and when to break off, from now on.
    pub budget: Option<(Duration, Duration)>,
    /// The most nodes.
    pub nodes: Option<u64>,
    /// A player that has said nothing for so long will not say anything any more.
    pub patience: Option<Duration>,
}

/// A move that the opponent has just made.
#[derive(Debug, Clone)]
pub struct LastMove {
    /// Where it was made.
    pub before: Position,
    /// The move.
    pub played: Move,
    /// How long it took.
    pub took: Duration,
}

/// A question to a player.
#[derive(Debug)]
pub struct Turn<'a> {
    /// Where it is to move.
    pub position: &'a Position,
    /// What the opponent did since the last question.
    pub last: Option<LastMove>,
    /// How long it may think.
    pub allowance: Allowance,
}

/// What a search says of its move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Insight {
    /// The deepest completed iteration.
    pub depth: u32,
    /// Positions looked at.
    pub nodes: u64,
    /// The value of the move for Order.
    pub score: Score,
}

/// The answer to a question.
#[derive(Debug)]
pub struct Answer {
    /// The move; whether it is legal is for the referee to say.
    pub mv: Result<Move, Failure>,
    /// From question to answer.
    pub wall: Duration,
    /// CPU time of the player's thread or process, where it is known and something depends on it.
    pub cpu: Option<Duration>,
    /// What is known of the search.
    pub insight: Option<Insight>,
}

/// One player of a pair: it is made before the first game and dropped after the second.
pub trait Player: Send {
    /// A game begins in this role.
    ///
    /// # Errors
    ///
    /// If the player cannot be started at all: nobody's fault in the game, and the match must end.
    fn begin(&mut self, role: Role, position: &Position) -> io::Result<()>;

    /// Chooses a move.
    fn choose(&mut self, turn: Turn) -> Answer;

    /// The game is over; `last` is the move that ended it, if this player does not know of it.
    fn finish(&mut self, last: Option<&LastMove>);

    /// The last lines that the player wrote for people.
    fn stderr(&self) -> Vec<String>;
}

fn wire_cell(cell: Cell, size: u8) -> wire::Cell {
    wire::Cell {
        row: (cell / Cell::from(size)) as u8,
        col: (cell % Cell::from(size)) as u8,
    }
}

fn board_cell(cell: wire::Cell, size: u8) -> Option<Cell> {
    (cell.row < size && cell.col < size)
        .then(|| Cell::from(cell.row) * Cell::from(size) + Cell::from(cell.col))
}

/// The opponent's move in a player's words.
pub(super) fn news(last: &LastMove) -> Line {
    let size = last.before.size();
    let cell = |cell| wire_cell(cell, size);
    match last.played {
        Move::Place(to) => Line::Placed(cell(to), Tile(last.before.drawn() - 1)),
        Move::Slide { from, to } => Line::Slide {
            from: cell(from),
            to: cell(to),
        },
        Move::Pass | Move::Draw(_) => {
            let cells = last.before.cells();
            let tile = cells.iter().position(|&colour| colour != 0).unwrap_or(0);
            let at = cell(tile as Cell);
            Line::Slide { from: at, to: at }
        }
    }
}

/// A question in a player's words, without what begins a game.
pub(super) fn question(turn: &Turn) -> Vec<Line> {
    let mut lines: Vec<Line> = turn.last.iter().map(news).collect();
    if turn.position.phase() == Phase::Place {
        lines.push(Line::Draw(Tile(turn.position.drawn() - 1)));
    }
    lines
}

/// An answer as a move on this board.
pub(super) fn move_of(line: Line, position: &Position) -> Result<Move, Failure> {
    let size = position.size();
    let off_board = || Failure::new(FaultKind::Illegal, format!("`{line}` is not on the board"));
    match (position.phase(), line) {
        (Phase::Place, Line::Place(cell)) => board_cell(cell, size)
            .map(Move::Place)
            .ok_or_else(off_board),
        (Phase::Slide, Line::Slide { from, to }) => {
            let from = board_cell(from, size).ok_or_else(off_board)?;
            let to = board_cell(to, size).ok_or_else(off_board)?;
            Ok(match from == to {
                true => Move::Pass,
                false => Move::Slide { from, to },
            })
        }
        (phase, _) => {
            let expected = match phase {
                Phase::Place => "`row col`",
                _ => "`row col row col`",
            };
            Err(Failure::new(
                FaultKind::Garbage,
                format!("expected {expected}, got `{line}`"),
            ))
        }
    }
}
