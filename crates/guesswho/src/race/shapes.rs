//! Gives numbers to the shapes of small sets. A set's shape is determined by the questions about the set.
//!
//! Sets of equal shape share a number, so the race solver solves positions that differ only in the persons once instead
//! of many times.

use std::collections::HashMap;

use super::super::table::{Table, bits};

/// The largest size of a set that gets a shape. For larger sets, shapes cost more time than they save.
const LARGEST: u32 = 7;

/// The shape of a set: for each question about the set, the keys of the sets that the question leaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Shape {
    size: u32,
    /// The keys of both parts, for each division into two parts of at least two candidates, sorted.
    divisions: Vec<(u64, u64)>,
    /// The keys of the sets that remain after each wrong person guess, sorted.
    guesses: Vec<u64>,
}

fn distinct<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}

#[derive(Clone, Debug, Default)]
pub struct Shapes {
    by_set: HashMap<u64, u64>,
    numbers: HashMap<Shape, u64>,
}

impl Shapes {
    /// Returns the key of a set. Two sets share a key only if their races are equal.
    ///
    /// An even key stands for the set itself, an odd key for a shape. Masks are shifted by one bit, so the table may
    /// contain at most 63 candidates.
    pub fn key(&mut self, table: &Table, set: u64) -> u64 {
        if set.count_ones() > LARGEST {
            return set << 1;
        }
        if let Some(&key) = self.by_set.get(&set) {
            return key;
        }
        let size = set.count_ones();
        let divisions = distinct(table.splits().iter().filter_map(|split| {
            let (yes, no) = (set & split.yes, set & !split.yes);
            (yes.count_ones() >= 2 && no.count_ones() >= 2).then(|| {
                let (yes, no) = (self.key(table, yes), self.key(table, no));
                (yes.min(no), yes.max(no))
            })
        }));
        let guesses = bits(set).filter(|_| size > 1);
        let shape = Shape {
            size,
            guesses: distinct(guesses.map(|bit| self.key(table, set & !(1 << bit)))),
            divisions,
        };
        let next = 2 * self.numbers.len() as u64 + 1;
        let key = *self.numbers.entry(shape).or_insert(next);
        self.by_set.insert(set, key);
        key
    }
}
