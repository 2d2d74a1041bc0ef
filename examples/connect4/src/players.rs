//! This program's agents, and the words for programs outside.

use std::io;
use std::time::Instant;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::outside::Lines;
use turnwise_engine::player::{Answer, Failure, FaultKind, Insight, LastMove, Player, Turn};
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Limits, deepening};

use crate::rules::Position;

/// Bytes of the transposition table.
const TABLE_BYTES: usize = 1 << 20;

/// The engine's search at this game.
pub(crate) struct Searching {
    table: Table<u8>,
    nodes: Option<u64>,
    depth: Option<u32>,
}

impl Searching {
    pub fn new(nodes: Option<u64>, depth: Option<u32>) -> Self {
        Self {
            table: Table::new(TABLE_BYTES),
            nodes,
            depth,
        }
    }
}

impl Player<Position, u8> for Searching {
    fn begin(&mut self, _side: usize, _position: &Position, _is_first: bool) -> io::Result<()> {
        Ok(())
    }

    fn choose(&mut self, turn: Turn<Position, u8>) -> io::Result<Answer<u8>> {
        let now = Instant::now();
        let budget = turn.allowance.budget;
        let limits = Limits {
            depth: self.depth.unwrap_or(u32::MAX),
            nodes: self.nodes.unwrap_or(u64::MAX),
            soft: budget.map(|(soft, _)| now + soft),
            hard: budget.map(|(_, hard)| now + hard),
            ..Limits::default()
        };
        let mut position = turn.position.clone();
        Ok(Answer::from_here(budget.is_some(), || {
            let control = Control::new();
            let found = deepening::search(&mut position, &mut self.table, limits, &control);
            let insight = Insight {
                depth: found.depth,
                nodes: found.nodes,
                value: f64::from(found.value),
                score: None,
            };
            Ok((found.best, insight))
        }))
    }

    fn finish(&mut self, _last: Option<&LastMove<Position, u8>>) {}
}

/// Plays any legal move.
pub(crate) struct Random(Xoshiro256PlusPlus);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }
}

impl Player<Position, u8> for Random {
    fn begin(&mut self, _side: usize, _position: &Position, _is_first: bool) -> io::Result<()> {
        Ok(())
    }

    fn choose(&mut self, turn: Turn<Position, u8>) -> io::Result<Answer<u8>> {
        let columns: Vec<u8> = turn.position.columns().collect();
        Ok(Answer::from_here(turn.allowance.budget.is_some(), || {
            let column = columns.choose(&mut self.0).copied();
            let column = column.ok_or_else(|| Failure::new(FaultKind::Silence, "no move"))?;
            let insight = Insight {
                depth: 0,
                nodes: 1,
                value: 0.0,
                score: None,
            };
            Ok((column, insight))
        }))
    }

    fn finish(&mut self, _last: Option<&LastMove<Position, u8>>) {}
}

/// `RED` or `YELLOW` first, then the opponent's columns, and `go` before the first move of the game; a
/// column in return.
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
