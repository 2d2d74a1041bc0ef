//! The transposition table: what is already known of positions met before.

use crate::game::Score;

/// What a stored value says about the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// It is the true one.
    Exact,
    /// The true one is at least this.
    Lower,
    /// The true one is at most this.
    Upper,
}

/// One stored finding.
#[derive(Debug, Clone, Copy)]
pub struct Entry<M> {
    key: u64,
    /// The value found.
    pub value: Score,
    /// The best move found, if a player was to move.
    pub best: Option<M>,
    /// The depth of the search that found it.
    pub depth: u8,
    /// How the value is to be understood.
    pub bound: Bound,
    /// Moves were left out below, for a width's sake.
    pub narrowed: bool,
    age: u8,
}

/// What a search found out about a position.
#[derive(Debug, Clone, Copy)]
pub struct Finding<M> {
    /// The value.
    pub value: Score,
    /// How the value is to be understood.
    pub bound: Bound,
    /// The best move, if a player was to move.
    pub best: Option<M>,
    /// Moves were left out below, for a width's sake.
    pub narrowed: bool,
}

/// A table of fixed size, owned by one search at a time; two entries a bucket, the deeper one kept
/// while it is of the same age.
#[derive(Debug)]
pub struct Table<M> {
    buckets: Vec<[Option<Entry<M>>; 2]>,
    age: u8,
}

impl<M: Copy> Table<M> {
    /// A table of at most `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        let fitting = (bytes / size_of::<[Option<Entry<M>>; 2]>()).max(1);
        let count = 1 << fitting.ilog2();
        Self {
            buckets: vec![[None; 2]; count],
            age: 0,
        }
    }

    /// Marks all entries as belonging to an earlier search; they still answer, but give way first.
    pub fn next_age(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.fill([None; 2]);
    }

    fn slot(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// What is known of the position with this hash.
    pub fn get(&self, key: u64) -> Option<&Entry<M>> {
        self.buckets[self.slot(key)]
            .iter()
            .flatten()
            .find(|entry| entry.key == key)
    }

    /// Stores a result, in place of an older one of the same position or the less valuable of the
    /// bucket.
    pub fn put(&mut self, key: u64, depth: u32, finding: Finding<M>) {
        let slot = self.slot(key);
        let age = self.age;
        let worth = |entry: &Option<Entry<M>>| match entry {
            None => -1,
            Some(entry) if entry.key == key => -1,
            Some(entry) => i32::from(entry.depth) + 256 * i32::from(entry.age == age),
        };
        let [first, second] = &mut self.buckets[slot];
        let held = second.is_some_and(|entry| entry.key == key);
        let place = if !held && worth(first) <= worth(second) {
            first
        } else {
            second
        };
        *place = Some(Entry {
            key,
            value: finding.value,
            best: finding.best,
            depth: depth.min(u32::from(u8::MAX)) as u8,
            bound: finding.bound,
            narrowed: finding.narrowed,
            age,
        });
    }
}
