//! The transposition table: results for positions that have been searched before.

use std::sync::{Mutex, PoisonError};

use crate::game::Score;

/// How a stored value relates to the true value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// They are equal.
    Exact,
    /// The true value is at least the stored value.
    Lower,
    /// The true value is at most the stored value.
    Upper,
}

/// The table's entry for one position.
#[derive(Debug, Clone, Copy)]
pub struct Entry<M> {
    key: u64,
    /// The value of the position, exact or a bound on it.
    pub value: Score,
    /// The best move found, if a player was to move.
    pub best: Option<M>,
    /// The depth of the search that produced the entry.
    pub depth: u8,
    /// How the value relates to the true value.
    pub bound: Bound,
    /// True if a width caused moves below to be left out.
    pub narrowed: bool,
    age: u8,
}

/// The result of a search of a position.
#[derive(Debug, Clone, Copy)]
pub struct Finding<M> {
    /// The value of the position, exact or a bound on it.
    pub value: Score,
    /// How the value relates to the true value.
    pub bound: Bound,
    /// The best move, if a player was to move.
    pub best: Option<M>,
    /// True if a width caused moves below to be left out.
    pub narrowed: bool,
}

/// Memory that a new table leaves free for other uses, in bytes.
const SPARE: usize = 4 << 20;

/// A table as a search sees it: its own table, or a table shared with other threads.
pub(super) trait Access<M> {
    fn get(&self, key: u64) -> Option<Entry<M>>;
    fn put(&mut self, key: u64, depth: u32, finding: Finding<M>);
}

/// Two entries that compete for space.
type Bucket<M> = [Option<Entry<M>>; 2];

fn find<M: Copy>(bucket: &Bucket<M>, key: u64) -> Option<Entry<M>> {
    let mut known = bucket.iter().flatten();
    known.find(|entry| entry.key == key).copied()
}

/// Stores an entry, replacing an older entry for this position or the less valuable entry.
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

/// A table of fixed size, owned by one search at a time. Of the two entries in a bucket, the deeper one is kept
/// while it belongs to the current age.
#[derive(Debug)]
pub struct Table<M> {
    buckets: Vec<Bucket<M>>,
    age: u8,
}

impl<M: Copy> Table<M> {
    /// Creates a table of at most `bytes` bytes.
    ///
    /// The table is smaller if the system cannot provide that memory plus 4 MiB. A smaller table slows the search, but
    /// the search still answers.
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

    /// Marks all entries as older. Lookups still find them, but they are replaced first.
    pub fn next_age(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// Removes all entries; the size stays.
    pub fn clear(&mut self) {
        self.buckets.fill([None; 2]);
    }

    fn slot(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// Returns the entry for the position with this hash.
    pub fn get(&self, key: u64) -> Option<Entry<M>> {
        find(&self.buckets[self.slot(key)], key)
    }

    /// Stores a result, replacing an older result for this position or the less valuable entry.
    pub fn put(&mut self, key: u64, depth: u32, finding: Finding<M>) {
        let slot = self.slot(key);
        store(&mut self.buckets[slot], finding.entry(key, depth, self.age));
    }

    /// Returns a view of the table for several threads at once.
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

/// The number of parts of a shared table, each with its own lock. Threads rarely contend.
const SHARDS: usize = 1 << 12;

/// A table shared by several threads. It uses locks instead of atomics: an uncontended lookup is cheap compared
/// with the work on a position that is worth storing.
pub(super) struct Shared<'a, M> {
    shards: Vec<Mutex<&'a mut [Bucket<M>]>>,
    buckets_a_shard: usize,
    age: u8,
}

impl<M> Shared<'_, M> {
    fn with_bucket<T>(&self, key: u64, work: impl FnOnce(&mut Bucket<M>) -> T) -> T {
        let buckets = self.shards.len() * self.buckets_a_shard;
        let slot = key as usize & (buckets - 1);
        // An entry is written in one step, so a panic elsewhere leaves only complete entries.
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
        // From a single bucket to more buckets than locks.
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
