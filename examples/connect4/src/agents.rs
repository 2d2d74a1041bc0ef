//! The agents of Connect Four, and the line protocol for external programs.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::agent::{Agent, BoxedAgent, by_function};
use turnwise_engine::outside::Lines;
use turnwise_engine::player::{Failure, FaultKind, LastMove, Turn};
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Found, Limits, deepening};

use crate::rules::Position;

/// The size of the search's transposition table, in bytes.
const TABLE_BYTES: usize = 1 << 20;

/// An agent that plays Connect Four with the engine's search.
pub(crate) struct Searching(Table<u8>);

impl Searching {
    pub fn new() -> Self {
        Self(Table::new(TABLE_BYTES))
    }
}

impl Agent for Searching {
    type Position = Position;
    type Move = u8;

    fn think(&mut self, position: &Position, limits: Limits, control: &Control<u8>) -> Found<u8> {
        deepening::search(&mut position.clone(), &mut self.0, limits, control)
    }

    fn recover(&mut self) {
        self.0.clear();
    }
}

/// Creates an agent that plays random legal moves.
pub(crate) fn random(seed: u64) -> BoxedAgent<Position, u8> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    by_function(move |position: &Position, _| {
        let columns: Vec<u8> = position.columns().collect();
        let column = columns.choose(&mut random);
        let &column = column.expect("a player to move has a move");
        Found::without_answer(column, 0.0, 0, 1)
    })
}

/// The line protocol for external programs.
///
/// A program first receives its color, `RED` or `YELLOW`. Then each line is a column that the opponent has played, or
/// `go` if the program must make the first move of the game. The program answers with a column.
pub(crate) struct Words;

impl Lines<Position, u8> for Words {
    fn greeting(&self, side: usize, _position: &Position) -> Vec<String> {
        vec![["RED", "YELLOW"][side].to_owned()]
    }

    fn question(&self, turn: &Turn<Position, u8>) -> Vec<String> {
        match turn.last {
            None => vec!["go".to_owned()],
            Some(_) => Vec::new(),
        }
    }

    fn news(&self, last: &LastMove<Position, u8>) -> Vec<String> {
        vec![last.played.to_string()]
    }

    fn answer(&self, line: &str, _position: &Position) -> Result<u8, Failure> {
        line.trim().parse().map_err(|_| {
            let reason = format!("expected a column, got {line:?}");
            Failure::new(FaultKind::Garbage, reason)
        })
    }
}
