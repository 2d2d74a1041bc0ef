//! Implements the referee's state of a game: the board and the order of the tiles.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use turnwise_engine::clock::{MovesLeft, TimeLeft};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::TimeControl;
use turnwise_engine::table::{Action, Table};
use turnwise_engine::view::{Grid, View};

use super::{result, view};
use crate::palindromes::board_score;
use crate::picture::{self, letter, notation};
use crate::referee::{self, CHAOS, IllegalMoveError, ORDER, ROLES, shuffle, shuffled_tiles};
use crate::rules::{Cell, Colour, EMPTY, Move, Phase, Position, Rules};

/// The seed that determines the draws in games with a given start position.
const SEED_OF_SET_UP: u64 = 0;

fn side(position: &Position) -> usize {
    match position.phase() {
        Phase::Place => CHAOS,
        _ => ORDER,
    }
}

/// The fields that Entropy adds to the log of a game.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The tiles' letters in the order of the draws.
    pub tiles: String,
    pub order_score: u32,
    /// The number of rows of the board; `None` if only the log's header states it.
    #[serde(default)]
    pub size: Option<u8>,
}

/// The referee's board, and all tiles of the game in drawing order.
pub struct EntropyTable {
    position: Position,
    tiles: Vec<Colour>,
    drawn: usize,
}

impl EntropyTable {
    /// Starts a game in this position. In games from equal positions, equal tiles are drawn.
    pub(super) fn set_up(position: Position) -> Self {
        let drawn = Some(position.drawn());
        let mut tiles: Vec<Colour> = (position.cells().iter().copied().chain(drawn))
            .filter(|&tile| tile != EMPTY)
            .collect();
        let placed = tiles.len();
        for colour in 1..=position.size() {
            tiles.extend(std::iter::repeat_n(colour, position.in_bag(colour).into()));
        }
        shuffle(&mut tiles[placed..], SEED_OF_SET_UP);
        Self {
            position,
            tiles,
            drawn: placed,
        }
    }

    /// Returns true if the tiles of all draws are known.
    pub(super) fn knows_all_tiles(&self) -> bool {
        self.tiles.len() == self.position.cells().len()
    }

    /// Starts a game whose first tiles are drawn in the order of `letters`. Fails if a full bag does not contain them.
    pub(super) fn with_tiles(rules: Rules, letters: &str) -> Result<Self, String> {
        let tiles: Vec<Colour> = (letters.bytes())
            .map(|letter| letter.wrapping_sub(b'A').wrapping_add(1))
            .collect();
        let of = |colour| tiles.iter().filter(|&&tile| tile == colour).count();
        let size = usize::from(rules.size);
        let is_tile = |tile: &Colour| (1..=rules.size).contains(tile) && of(*tile) <= size;
        if tiles.len() > size * size || !tiles.iter().all(is_tile) {
            return Err(wrong_tiles(rules.size));
        }
        Ok(Self {
            position: Position::new(rules),
            tiles,
            drawn: 0,
        })
    }
}

/// Returns the error for tiles that cannot be drawn in a game on a board with `size` rows.
pub(super) fn wrong_tiles(size: u8) -> String {
    let last = letter(size);
    format!("expected {size} tiles of each colour from A to {last} in the order of their draws")
}

impl Action for Move {
    /// From the highest to the lowest 16 bits: zero, the kind of move, the source, and the destination or color.
    fn code(self) -> u64 {
        let [kind, from, to] = match self {
            Move::Draw(colour) => [0, 0, colour.into()],
            Move::Place(to) => [1, 0, to],
            Move::Slide { from, to } => [2, from, to],
            Move::Pass => [3, 0, 0],
        };
        u64::from(kind) << 32 | u64::from(from) << 16 | u64::from(to)
    }

    fn of_code(code: u64) -> Option<Self> {
        let (from, to) = ((code >> 16) as Cell, code as Cell);
        match (code >> 32, from, to) {
            (0, 0, colour) => Some(Move::Draw(colour.try_into().ok()?)),
            (1, 0, to) => Some(Move::Place(to)),
            (2, from, to) => Some(Move::Slide { from, to }),
            (3, 0, 0) => Some(Move::Pass),
            _ => None,
        }
    }
}

impl Table for EntropyTable {
    type Rules = Rules;
    type Position = Position;
    type Move = Move;

    fn new(rules: &Rules, seed: u64) -> Self {
        Self {
            position: Position::new(*rules),
            tiles: shuffled_tiles(rules.size, seed),
            drawn: 0,
        }
    }

    fn position(&self) -> &Position {
        &self.position
    }

    fn turn(&mut self) -> Option<usize> {
        if self.position.phase() == Phase::Draw {
            let &tile = self.tiles.get(self.drawn)?;
            self.position.make(Move::Draw(tile));
            self.drawn += 1;
        }
        (self.position.phase() != Phase::Over).then(|| side(&self.position))
    }

    fn plies_left(&self) -> u32 {
        self.position.plies_left()
    }

    fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.position.moves(&mut moves);
        moves
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.position.is_legal(mv)
    }

    fn objection(&self, mv: Move) -> String {
        let position = &self.position;
        let name = |cell: Cell| notation(Move::Place(cell), position.size());
        let is_free = |cell: Cell| position.cells().get(usize::from(cell)) == Some(&EMPTY);
        let is_on_board = |cell: Cell| usize::from(cell) < position.cells().len();
        match (position.phase(), mv) {
            (Phase::Place | Phase::Slide, Move::Place(cell) | Move::Slide { to: cell, .. })
                if !is_on_board(cell) =>
            {
                format!("the square {} is not on the board", name(cell))
            }
            (Phase::Place, Move::Place(cell)) => format!("the square {} is occupied", name(cell)),
            (Phase::Place, _) => "Chaos must place the tile on an empty square".to_owned(),
            (Phase::Slide, Move::Pass) => IllegalMoveError::Pass.to_string(),
            (Phase::Slide, Move::Slide { from, .. }) if !is_on_board(from) => {
                format!("the square {} is not on the board", name(from))
            }
            (Phase::Slide, Move::Slide { from, .. }) if is_free(from) => {
                format!("the square {} has no tile to move", name(from))
            }
            (Phase::Slide, Move::Slide { from, to }) if from == to => {
                format!("the tile on {} does not move", name(from))
            }
            (Phase::Slide, Move::Slide { from, to }) if position.step(from, to).is_none() => {
                let (from, to) = (name(from), name(to));
                format!("the squares {from} and {to} share neither a row nor a column")
            }
            (Phase::Slide, Move::Slide { to, .. }) if !is_free(to) => {
                format!("the square {} is occupied", name(to))
            }
            (Phase::Slide, Move::Slide { from, to }) => {
                let (from, to) = (name(from), name(to));
                format!("another tile is in the way from {from} to {to}")
            }
            (Phase::Slide, _) => "Order must move a tile along its row or column".to_owned(),
            (Phase::Draw | Phase::Over, _) => "no player is to move".to_owned(),
        }
    }

    fn play(&mut self, mv: Move) {
        self.position.make(mv);
    }

    fn notation(&self, mv: Move) -> String {
        notation(mv, self.position.size())
    }

    fn parse(&self, text: &str) -> Result<Move, String> {
        parse(text, &self.position)
    }

    fn cells(&self, mv: Move) -> [Option<usize>; 2] {
        match mv {
            Move::Place(to) => [None, Some(to.into())],
            Move::Slide { from, to } => [Some(from.into()), Some(to.into())],
            Move::Pass | Move::Draw(_) => [None, None],
        }
    }

    fn grid(&self) -> Grid {
        view::grid(&self.position)
    }

    fn drawing(&self, coloured: bool) -> String {
        picture::board(&self.position, coloured)
    }

    fn measured(&self) -> Vec<u32> {
        vec![board_score(&self.position)]
    }

    fn reveal(&mut self, tile: &str) {
        let colour = tile.parse().ok().and_then(picture::colour);
        // Only a tile that is left in the bag can be drawn.
        let left = colour
            .filter(|&colour| colour <= self.position.size() && self.position.in_bag(colour) > 0);
        if self.drawn == self.tiles.len() && self.position.phase() == Phase::Draw {
            self.tiles.extend(left);
        }
    }

    fn view(&self, viewer: Option<usize>) -> View {
        view::view(&self.position, viewer)
    }

    fn tile(&self) -> Option<String> {
        (side(&self.position) == CHAOS).then(|| letter(self.position.drawn()).to_string())
    }

    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration) {
        let moves_left = self.position.moves_left();
        let total = match time {
            TimeControl::Clock { seconds, .. } => Duration::from_secs_f64(seconds),
            TimeControl::MoveTime { .. } | TimeControl::Nodes { .. } => left,
        };
        let among = |clock, moves| {
            let of = self.tiles.len() as u32;
            TimeLeft::in_process(clock, total, MovesLeft::Counted { moves, of }).divide()
        };
        // Increments of later moves are not on the clock yet, so they cannot be spent now.
        let alone = among(left, 1);
        let (soft, hard) = match time {
            TimeControl::Clock { increment, .. } => {
                let to_come = Duration::from_secs_f64(increment) * moves_left.saturating_sub(1);
                among(left + to_come, moves_left)
            }
            TimeControl::MoveTime { .. } | TimeControl::Nodes { .. } => alone,
        };
        (soft.min(alone.1), hard.min(alone.1))
    }

    fn outcome(&self, at_fault: Option<usize>, _left: Option<[Duration; 2]>) -> Fields {
        let score = referee::score(&self.position, at_fault.map(|side| ROLES[side]));
        result(self.position.size(), &self.tiles, score)
    }
}

/// Parses a move in the assignment's notation. The error names a pass only if it is legal.
fn parse(text: &str, position: &Position) -> Result<Move, String> {
    let size = position.size();
    if text == "pass" {
        return Ok(Move::Pass);
    }
    let numbers: Vec<Cell> = (text.split_ascii_whitespace())
        .map(|word| (word.parse().ok()).filter(|&at: &Cell| at < Cell::from(size)))
        .collect::<Option<_>>()
        .unwrap_or_default();
    let cell = |row: Cell, column: Cell| row * Cell::from(size) + column;
    match numbers[..] {
        [row, column] => Ok(Move::Place(cell(row, column))),
        [row, column, to_row, to_column] => Ok(Move::Slide {
            from: cell(row, column),
            to: cell(to_row, to_column),
        }),
        _ => {
            let moves = match position.is_legal(Move::Pass) {
                true => "\"row column\", \"row column row column\" or \"pass\"",
                false => "\"row column\" or \"row column row column\"",
            };
            Err(format!(
                "expected {moves}, rows and columns from 0 to {}",
                size - 1
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_that_forbids_a_move_is_named() {
        let rules = Rules {
            size: 3,
            pass: false,
        };
        let mut table = EntropyTable::new(&rules, 4);
        let objections = |table: &mut EntropyTable, moves: &[(&str, &str)]| {
            table.turn();
            for (text, why) in moves {
                let mv = table.parse(text).expect("a move");
                assert!(!table.is_legal(mv), "{text}");
                assert_eq!(table.objection(mv), *why, "{text}");
            }
        };
        let place = "Chaos must place the tile on an empty square";
        objections(&mut table, &[("0 1 0 2", place), ("pass", place)]);
        let expected =
            "expected \"row column\" or \"row column row column\", rows and columns from 0 to 2";
        assert_eq!(table.parse("x"), Err(expected.to_owned()));
        for (placed, slid) in [("0 1", "0 1 0 2"), ("1 2", "1 2 1 1")] {
            for text in [placed, slid] {
                table.turn();
                let mv = table.parse(text).expect("a move");
                table.play(mv);
            }
        }
        objections(&mut table, &[("0 2", "the square 0 2 is occupied")]);
        let mv = table.parse("0 1").expect("a move");
        table.play(mv);
        objections(
            &mut table,
            &[
                ("2 2", "Order must move a tile along its row or column"),
                ("2 2 2 1", "the square 2 2 has no tile to move"),
                ("0 1 0 1", "the tile on 0 1 does not move"),
                (
                    "0 1 1 0",
                    "the squares 0 1 and 1 0 share neither a row nor a column",
                ),
                ("0 1 0 2", "the square 0 2 is occupied"),
                ("0 1 2 1", "another tile is in the way from 0 1 to 2 1"),
                ("pass", "this match does not allow passing; --pass does"),
            ],
        );
    }

    #[test]
    fn a_table_draws_the_tiles_of_its_seed() {
        let rules = Rules {
            size: 3,
            pass: false,
        };
        let mut table = EntropyTable::new(&rules, 4);
        assert_eq!(table.turn(), Some(CHAOS));
        assert_eq!(table.position().drawn(), shuffled_tiles(3, 4)[0]);
        assert_eq!(table.legal_moves().len(), 9);
    }
}
