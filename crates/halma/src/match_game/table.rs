//! The state of a game of Halma, which the referee keeps.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::TimeControl;
use turnwise_engine::table::{Action, Table};
use turnwise_engine::view::{Grid, View};

use super::{mode, view};
use crate::breach::breach;
use crate::budget::{Forecast, budget};
use crate::jumps::{Components, Jumps};
use crate::picture::{self, MoveError, steps_to_go};
use crate::rules::{Color, Move, Position, Rules};
use crate::squares::Square;

/// Clocks that differ by at most this much count as equal. Times in the log have this resolution.
const SAME_TIME: Duration = Duration::from_micros(1);

/// The settings of a match.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The rule set of the match.
    pub rules: Rules,
    /// The number of plies after which a game ends. Then the player with more time left wins; equal times are a draw.
    pub plies: u32,
    /// The player that makes the first move. If unset, the seed of the pair of games decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins: Option<Color>,
    /// The delay before a process is killed after its time has run out, in seconds.
    pub grace_s: f64,
    /// Whether output.txt may have blanks and carriage returns at the ends of lines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lenient: bool,
}

/// The data that the log stores about a game, in addition to its players and moves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The player that made the first move.
    pub begins: Color,
    /// Black's score: 1 for a win, 0.5 for a draw, 0 for a loss.
    pub black_score: f64,
    /// The reason why the game ended.
    pub ending: Ending,
    /// If the winner filled the goal: the loser's steps to go, as [`steps_to_go`] counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<u32>,
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Ending {
    /// The winner has filled the opposing camp.
    Goal,
    /// The loser had no legal move.
    Stuck,
    /// The number of plies was reached, and the winner had more time left.
    Time,
    /// The number of plies was reached, without clocks or with equal clocks.
    Draw,
    /// The loser committed a fault, such as an illegal move.
    Fault,
}

impl Ending {
    /// Describes in words why the game ended.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Goal => "the camp is full",
            Ending::Stuck => "no legal move",
            Ending::Time => "drawn by plies, won by time left",
            Ending::Draw => "drawn by plies",
            Ending::Fault => "a fault",
        }
    }
}

/// The state of a game.
pub struct HalmaTable {
    position: Position,
    /// The player that made the first move.
    begins: Color,
    /// The maximum number of plies left.
    plies_left: u32,
    /// The last move, which the board marks.
    last: Option<Move>,
}

impl HalmaTable {
    /// Creates a table for a game from this position with `plies_left` plies.
    pub(super) fn beginning(position: Position, plies_left: u32) -> Self {
        Self {
            begins: position.to_move(),
            position,
            plies_left,
            last: None,
        }
    }

    /// Describes in words how the game ended. Returns `None` while the game continues.
    pub(super) fn ending(&self) -> Option<String> {
        match self.winner() {
            Some((side, ending)) => Some(format!(
                "{:?} has won, {}",
                Color::BOTH[side],
                ending.name()
            )),
            None => (self.plies_left == 0).then(|| Ending::Draw.name().to_owned()),
        }
    }

    /// Returns the side that filled the opposing camp, or whose opponent has no legal move.
    fn winner(&self) -> Option<(usize, Ending)> {
        let mover = self.position.to_move();
        if self.position.is_won() {
            Some((mover.other() as usize, Ending::Goal))
        } else if !self.position.has_moves() {
            Some((mover.other() as usize, Ending::Stuck))
        } else {
            None
        }
    }
}

impl Action for Move {
    /// The low byte is the square before the move, the next byte the square after it.
    fn code(self) -> u64 {
        let [from, to] = [self.from, self.to].map(|square| square.index() as u8);
        u16::from_le_bytes([from, to]).into()
    }

    fn of_code(code: u64) -> Option<Self> {
        let squares = u16::try_from(code).ok()?.to_le_bytes();
        let [from, to] = squares.map(Square::from_index);
        Some(Move { from, to })
    }
}

impl Table for HalmaTable {
    type Rules = Settings;
    type Position = Position;
    type Move = Move;

    fn new(settings: &Settings, seed: u64) -> Self {
        let by_lot = Color::BOTH[usize::from(seed % 2 == 1)];
        let begins = settings.begins.unwrap_or(by_lot);
        Self::beginning(Position::start(begins, settings.rules), settings.plies)
    }

    fn position(&self) -> &Position {
        &self.position
    }

    fn turn(&mut self) -> Option<usize> {
        let goes_on = self.plies_left > 0 && self.winner().is_none();
        goes_on.then_some(self.position.to_move() as usize)
    }

    fn plies_left(&self) -> u32 {
        self.plies_left
    }

    fn legal_moves(&self) -> Vec<Move> {
        self.position.moves()
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.position.is_legal(mv)
    }

    fn objection(&self, mv: Move) -> String {
        let position = &self.position;
        let (mover, Move { from, to }) = (position.to_move(), mv);
        if !position.pieces(mover).contains(from) {
            return format!("{mover:?} has no piece on {from}");
        }
        if from == to {
            return format!("the piece on {from} does not move");
        }
        if position.occupied().contains(to) {
            return format!("the square {to} is occupied");
        }
        let jumps = Jumps::new(position.occupied());
        let can_go = jumps.targets(from, &mut Components::default()).contains(to);
        match can_go.then(|| breach(position, mv)).flatten() {
            Some(breach) => breach.to_string(),
            None => format!("no step and no chain of jumps leads from {from} to {to}"),
        }
    }

    fn play(&mut self, mv: Move) {
        self.position.play(mv);
        self.plies_left -= 1;
        self.last = Some(mv);
    }

    fn notation(&self, mv: Move) -> String {
        picture::notation(&self.position, mv)
    }

    /// Reads a move. Ignores the path of a chain of jumps between its first and last square.
    fn parse(&self, text: &str) -> Result<Move, String> {
        text.parse().map_err(|error: MoveError| error.to_string())
    }

    fn cells(&self, mv: Move) -> [Option<usize>; 2] {
        [mv.from, mv.to].map(|square| Some(square.index()))
    }

    fn grid(&self) -> Grid {
        view::grid(&self.position)
    }

    fn drawing(&self, coloured: bool) -> String {
        picture::board(&self.position, self.last, coloured)
    }

    fn measured(&self) -> Vec<u32> {
        let to_go = Color::BOTH.map(|color| steps_to_go(&self.position, color));
        to_go.to_vec()
    }

    fn view(&self, viewer: Option<usize>) -> View {
        view::view(self, viewer)
    }

    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration) {
        budget(left, mode(time), &self.position, Forecast::default())
    }

    fn outcome(&self, at_fault: Option<usize>, left: Option<[Duration; 2]>) -> Fields {
        let lost = |side: usize| if side == 0 { 0.0 } else { 1.0 };
        let winner = self.winner();
        let (black_score, ending) = match (at_fault, winner) {
            (Some(side), _) => (lost(side), Ending::Fault),
            (None, Some((side, ending))) => (lost(1 - side), ending),
            (None, None) => by_time(left),
        };
        Fields::of(&Kept {
            begins: self.begins,
            black_score,
            ending,
            margin: (ending == Ending::Goal)
                .then(|| steps_to_go(&self.position, self.position.to_move())),
        })
    }
}

/// Returns Black's score and the ending of a game that reached the maximum number of plies.
///
/// As the assignment requires, the player with more time left wins.
fn by_time(left: Option<[Duration; 2]>) -> (f64, Ending) {
    match left {
        Some([black, white]) if black.abs_diff(white) > SAME_TIME => {
            (f64::from(u8::from(black > white)), Ending::Time)
        }
        _ => (0.5, Ending::Draw),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_time_left_wins_a_draw() {
        let time = |black, white| by_time(Some([black, white].map(Duration::from_millis)));
        assert_eq!(time(20, 10), (1.0, Ending::Time));
        assert_eq!(time(10, 20), (0.0, Ending::Time));
        assert_eq!(time(10, 10), (0.5, Ending::Draw));
        assert_eq!(by_time(None), (0.5, Ending::Draw));
    }
}
