//! A principal variation in the transposition table: read after a search, written before one in
//! another process, so that it orders its moves by what the search before has found.

use super::rules::{Move, Position};
use super::search::WON;
use crate::search::table::{Bound, Table};

/// The best moves that follow from a position on, as far as the table knows them and at most so many.
pub fn read(table: &Table<Move>, mut position: Position, most: usize) -> Vec<Move> {
    let mut line = Vec::new();
    while line.len() < most && !position.is_won() {
        let best = table.get(position.hash()).and_then(|entry| entry.best);
        // Two positions may have the same hash.
        let Some(mv) = best.filter(|&mv| position.is_legal(mv)) else {
            break;
        };
        line.push(mv);
        position.play(mv);
    }
    line
}

/// Puts these moves into the table, from a position on and as far as they are legal. Nothing is said of
/// their values: what a search finds stays the same.
pub fn write(table: &mut Table<Move>, mut position: Position, line: &[Move]) {
    for &mv in line {
        if !position.is_legal(mv) {
            break;
        }
        // Worth at least as much as a loss.
        table.put(position.hash(), 0, -WON as f32, Bound::Lower, Some(mv));
        position.play(mv);
    }
}
