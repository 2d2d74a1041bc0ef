//! Small sets that are alike in what can be asked about them share one number, so that the race
//! solver need not solve the same position once for every set of persons.

use std::collections::HashMap;

use super::super::table::{Table, bits};

/// Sets up to this size are told apart by shape only; for larger ones, finding the shape costs
/// more than it saves.
const LARGEST: u32 = 7;

/// What can be asked about a set: the shapes that each division and each person guess leave.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Shape {
    size: u32,
    /// Shapes of both parts, for divisions with at least two on either side, sorted.
    divisions: Vec<(u64, u64)>,
    /// Shapes of what a wrong person guess leaves, sorted.
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
    /// A key that two sets of this table share only if the race is the same with either: the set
    /// itself with an even key, or a shape with an odd one.
    ///
    /// Masks are shifted to make room, so at most 63 candidates may be in the table.
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
