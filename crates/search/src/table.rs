//! The transposition table: results for positions that have been searched before.

use std::sync::{Mutex, PoisonError};

use crate::game::Score;

/// How a stored value of a position relates to the true value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The true value equals the stored value.
    Exact,
    /// The true value is at least the stored value.
    Lower,
    /// The true value is at most the stored value.
    Upper,
}

/// An entry of the table. It contains the result of a search of one position.
#[derive(Debug, Clone, Copy)]
pub struct Entry<M> {
    key: u64,
    /// The value of the position, or a bound on this value; see `bound`.
    pub value: Score,
    /// The best move that the search found, if a player was to move.
    pub best: Option<M>,
    /// The depth, in plies, of the search that produced this entry.
    pub depth: u8,
    /// How `value` relates to the true value of the position.
    pub bound: Bound,
    /// True if the search left out moves in this position or in later positions because of a width.
    pub narrowed: bool,
    age: u8,
}

/// The result of the search of a position, to be stored in the table.
#[derive(Debug, Clone, Copy)]
pub struct Finding<M> {
    /// The value of the position, or a bound on this value; see `bound`.
    pub value: Score,
    /// How `value` relates to the true value of the position.
    pub bound: Bound,
    /// The best move that the search found, if a player was to move.
    pub best: Option<M>,
    /// True if the search left out moves in this position or in later positions because of a width.
    pub narrowed: bool,
}

/// The amount of memory that a new table must leave free for other uses, in bytes.
const SPARE: usize = 4 << 20;

/// The operations that a search needs on a transposition table, which it owns or shares with other threads.
pub(super) trait Access<M> {
    fn get(&self, key: u64) -> Option<Entry<M>>;
    fn put(&mut self, key: u64, depth: u32, finding: Finding<M>);
}

/// A bucket of the table, with space for two entries. Positions with equal low bits of the key compete for it.
type Bucket<M> = [Option<Entry<M>>; 2];

fn find<M: Copy>(bucket: &Bucket<M>, key: u64) -> Option<Entry<M>> {
    let mut known = bucket.iter().flatten();
    known.find(|entry| entry.key == key).copied()
}

/// Stores an entry. It replaces the old entry for its position, or else the less valuable entry of the bucket: one from
/// an earlier search, or the shallower one.
fn store<M>(bucket: &mut Bucket<M>, entry: Entry<M>) {
    let worth = |held: &Option<Entry<M>>| match held {
        None => -1,
        Some(held) if held.key == entry.key => -1,
        Some(held) => i32::from(held.depth) + 256 * i32::from(held.age == entry.age),
    };
    let [first, second] = bucket;
    let held = second.as_ref().is_some_and(|held| held.key == entry.key);
    let place = if !held && worth(first) <= worth(second) {
        first
    } else {
        second
    };
    *place = Some(entry);
}

/// A transposition table of fixed size, used by one search at a time. When an entry in a bucket must be replaced, the
/// deeper of the two entries is kept, but entries from earlier searches are replaced first.
#[derive(Debug)]
pub struct Table<M> {
    buckets: Vec<Bucket<M>>,
    age: u8,
}

impl<M: Copy> Table<M> {
    /// Creates a table of at most `bytes` bytes.
    ///
    /// The table is smaller if the system cannot provide `bytes` plus 4 MiB of memory. A smaller table makes the search
    /// slower but does not make it fail.
    pub fn new(bytes: usize) -> Self {
        let fitting = (bytes / size_of::<Bucket<M>>()).max(1);
        let mut count = 1 << fitting.ilog2();
        let mut buckets = Vec::new();
        let mut has_room = |count| {
            let mut spare = Vec::<u8>::new();
            buckets = Vec::new();
            buckets.try_reserve_exact(count).is_ok() && spare.try_reserve_exact(SPARE).is_ok()
        };
        while !has_room(count) && count > 1 {
            count = (count / 4).max(1);
        }
        buckets.resize(count, [None; 2]);
        Self { buckets, age: 0 }
    }

    /// Begins a new age, so that all present entries count as old. Lookups still find old entries, but they are
    /// replaced first.
    pub fn next_age(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// Removes all entries. The size of the table does not change.
    pub fn clear(&mut self) {
        self.buckets.fill([None; 2]);
    }

    fn slot(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// Returns the entry for the position with this key, if the table has one.
    pub fn get(&self, key: u64) -> Option<Entry<M>> {
        find(&self.buckets[self.slot(key)], key)
    }

    /// Stores the result of a search to `depth` plies. It replaces the old entry for its position, or else the less
    /// valuable entry of the bucket: one from an earlier search, or the shallower one.
    pub fn put(&mut self, key: u64, depth: u32, finding: Finding<M>) {
        let slot = self.slot(key);
        store(&mut self.buckets[slot], finding.entry(key, depth, self.age));
    }

    /// Returns a view of the table that several threads can use concurrently.
    pub(super) fn share(&mut self) -> Shared<'_, M> {
        let age = self.age;
        let buckets_a_shard = (self.buckets.len() / SHARDS).max(1);
        let shards = self.buckets.chunks_mut(buckets_a_shard);
        Shared {
            shards: shards.map(Mutex::new).collect(),
            buckets_a_shard,
            age,
        }
    }
}

impl<M> Finding<M> {
    fn entry(self, key: u64, depth: u32, age: u8) -> Entry<M> {
        Entry {
            key,
            value: self.value,
            best: self.best,
            depth: depth.min(u32::from(u8::MAX)) as u8,
            bound: self.bound,
            narrowed: self.narrowed,
            age,
        }
    }
}

impl<M: Copy> Access<M> for &mut Table<M> {
    fn get(&self, key: u64) -> Option<Entry<M>> {
        Table::get(self, key)
    }

    fn put(&mut self, key: u64, depth: u32, finding: Finding<M>) {
        Table::put(self, key, depth, finding);
    }
}

/// The number of parts of a shared table. Each part has its own lock, so threads rarely wait for each other.
const SHARDS: usize = 1 << 12;

/// A table that several threads share. It uses locks instead of atomics, because taking a free lock is cheap compared
/// with the search of a position that is worth storing.
pub(super) struct Shared<'a, M> {
    shards: Vec<Mutex<&'a mut [Bucket<M>]>>,
    buckets_a_shard: usize,
    age: u8,
}

impl<M> Shared<'_, M> {
    fn with_bucket<T>(&self, key: u64, work: impl FnOnce(&mut Bucket<M>) -> T) -> T {
        let buckets = self.shards.len() * self.buckets_a_shard;
        let slot = key as usize & (buckets - 1);
        // An entry is written in one step, so all entries are complete even if another thread panicked while it held
        // the lock.
        let shard = &self.shards[slot / self.buckets_a_shard];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut shard[slot % self.buckets_a_shard])
    }
}

impl<M: Copy> Access<M> for &Shared<'_, M> {
    fn get(&self, key: u64) -> Option<Entry<M>> {
        self.with_bucket(key, |bucket| find(bucket, key))
    }

    fn put(&mut self, key: u64, depth: u32, finding: Finding<M>) {
        let entry = finding.entry(key, depth, self.age);
        self.with_bucket(key, |bucket| store(bucket, entry));
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn a_shared_table_keeps_what_the_same_table_keeps_alone() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        // These sizes range from a single bucket to more buckets than locks.
        for bytes in [0, 1 << 8, 1 << 12, 1 << 20] {
            let [mut alone, mut shared] = [(); 2].map(|()| Table::<u8>::new(bytes));
            for _ in 0..3 {
                alone.next_age();
                shared.next_age();
                let mut access = &shared.share();
                for _ in 0..2_000 {
                    let key = random
                        .random_range(0..3_000u64)
                        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let known = Table::get(&alone, key).map(|entry| (entry.depth, entry.best));
                    let known_shared = access.get(key).map(|entry| (entry.depth, entry.best));
                    assert_eq!(known, known_shared);
                    let finding = Finding {
                        value: 0.0,
                        bound: Bound::Exact,
                        best: Some(random.random()),
                        narrowed: false,
                    };
                    let depth = random.random_range(0..9);
                    alone.put(key, depth, finding);
                    access.put(key, depth, finding);
                }
            }
        }
    }
}
