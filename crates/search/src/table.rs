//! The transposition table: results for positions that have been searched before.

use std::num::NonZeroU8;
use std::sync::{Mutex, PoisonError};

use crate::game::Score;
use crate::memory;

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

/// What the table knows about a position: the result of an earlier search.
#[derive(Debug, Clone, Copy)]
pub struct Entry<M> {
    /// The value of the position, or a bound on this value; see `bound`.
    pub value: Score,
    /// The best move that the search found, if a player was to move.
    ///
    /// The move may be illegal, because different positions can have the same key.
    pub best: Option<M>,
    /// The depth, in plies, of the search that produced this entry.
    pub depth: u8,
    /// How `value` relates to the true value of the position.
    pub bound: Bound,
    /// True if the search left out moves in this position or in later positions because of a width.
    pub narrowed: bool,
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

    /// Announces that [`get`](Self::get) will be called for this key soon, so that the processor can load the entry.
    fn prefetch(&self, _key: u64) {}
}

/// An [`Entry`] as the table stores it, in at most 16 bytes.
#[derive(Debug, Clone, Copy)]
struct Slot<M> {
    /// The upper half of the position's key. The lower half determines the bucket.
    key: u32,
    value: Score,
    best: Option<M>,
    depth: u8,
    flags: Flags,
}

/// The bound, whether moves were left out, and the age of an entry: 2, 1 and 5 bits.
///
/// The bits of the bound are never zero, so `Option<Slot>` needs no further byte.
#[derive(Debug, Clone, Copy)]
struct Flags(NonZeroU8);

const NARROWED: u8 = 4;
const AGE_SHIFT: u32 = 3;
/// The number of ages that an entry can distinguish.
const AGES: u8 = 1 << (u8::BITS - AGE_SHIFT);

impl Flags {
    fn new(bound: Bound, narrowed: bool, age: u8) -> Self {
        let bound = match bound {
            Bound::Exact => NonZeroU8::MIN,
            Bound::Lower => const { NonZeroU8::new(2).unwrap() },
            Bound::Upper => const { NonZeroU8::new(3).unwrap() },
        };
        Self(bound | (u8::from(narrowed) * NARROWED) | (age << AGE_SHIFT))
    }

    fn bound(self) -> Bound {
        match self.0.get() % NARROWED {
            1 => Bound::Exact,
            2 => Bound::Lower,
            _ => Bound::Upper,
        }
    }

    fn narrowed(self) -> bool {
        self.0.get() & NARROWED != 0
    }

    fn has_age(self, age: u8) -> bool {
        self.0.get() >> AGE_SHIFT == age % AGES
    }
}

/// A bucket of the table: one cache line. Positions with equal low bits of the key compete for its entries.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Bucket<M>([Option<Slot<M>>; 4]);

impl<M: Copy> Bucket<M> {
    const EMPTY: Self = {
        assert!(
            size_of::<Self>() == 64,
            "a move takes more than 6 bytes, so a bucket takes more than a cache line"
        );
        Self([None; 4])
    };

    fn find(&self, key: u64) -> Option<Entry<M>> {
        let mut held = self.0.iter().flatten();
        let slot = held.find(|slot| slot.key == (key >> 32) as u32)?;
        Some(Entry {
            value: slot.value,
            best: slot.best,
            depth: slot.depth,
            bound: slot.flags.bound(),
            narrowed: slot.flags.narrowed(),
        })
    }

    /// Stores a finding. It replaces the old entry for its position, or else the least valuable entry of the bucket:
    /// entries from earlier searches come first, then the shallowest entry.
    fn store(&mut self, key: u64, depth: u32, finding: Finding<M>, age: u8) {
        let new = Slot {
            key: (key >> 32) as u32,
            value: finding.value,
            best: finding.best,
            depth: depth.min(u32::from(u8::MAX)) as u8,
            flags: Flags::new(finding.bound, finding.narrowed, age),
        };
        // The factor 256 exceeds every depth, so the age decides first.
        let worth = |held: &Option<Slot<M>>| match held {
            Some(held) if held.key == new.key => -2,
            None => -1,
            Some(held) => i32::from(held.depth) + 256 * i32::from(held.flags.has_age(age)),
        };
        let place = self.0.iter_mut().min_by_key(|held| worth(held));
        *place.expect("a bucket has slots") = Some(new);
    }
}

/// A transposition table of fixed size, used by one search at a time. When an entry in a bucket must be replaced, the
/// deepest entries are kept, but entries from earlier searches are replaced first.
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
        // The advice must come before the first write, at which the system chooses the size of the pages.
        memory::advise_huge_pages(&mut buckets);
        buckets.resize(count, Bucket::EMPTY);
        Self { buckets, age: 0 }
    }

    /// Begins a new age, so that all present entries count as old. Lookups still find old entries, but they are
    /// replaced first.
    pub fn next_age(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// Removes all entries. The size of the table does not change.
    pub fn clear(&mut self) {
        self.buckets.fill(Bucket::EMPTY);
    }

    fn slot(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// Returns the entry for the position with this key, if the table has one.
    pub fn get(&self, key: u64) -> Option<Entry<M>> {
        self.buckets[self.slot(key)].find(key)
    }

    /// Loads the entry for the position with this key into the processor's cache, and does not wait for it.
    pub fn prefetch(&self, key: u64) {
        memory::prefetch(&self.buckets[self.slot(key)]);
    }

    /// Stores the result of a search to `depth` plies. It replaces the old entry for its position, or else the least
    /// valuable entry of the bucket: entries from earlier searches come first, then the shallowest entry.
    pub fn put(&mut self, key: u64, depth: u32, finding: Finding<M>) {
        let slot = self.slot(key);
        self.buckets[slot].store(key, depth, finding, self.age);
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

impl<M: Copy> Access<M> for &mut Table<M> {
    fn get(&self, key: u64) -> Option<Entry<M>> {
        Table::get(self, key)
    }

    fn put(&mut self, key: u64, depth: u32, finding: Finding<M>) {
        Table::put(self, key, depth, finding);
    }

    fn prefetch(&self, key: u64) {
        Table::prefetch(self, key);
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

impl<M: Copy> Shared<'_, M> {
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
        self.with_bucket(key, |bucket| bucket.find(key))
    }

    fn put(&mut self, key: u64, depth: u32, finding: Finding<M>) {
        let age = self.age;
        self.with_bucket(key, |bucket| bucket.store(key, depth, finding, age));
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// What a naive table stores: the whole key, the depth, the finding and the age.
    type Stored = (u64, u32, Finding<u8>, u8);

    /// Stores a finding as [`Bucket::store`] does, in a bucket without packing.
    fn store_naively(bucket: &mut Vec<Stored>, new: Stored) {
        let full = bucket.len() == 4;
        match bucket.iter().position(|held| held.0 == new.0) {
            Some(at) => bucket[at] = new,
            None if !full => bucket.push(new),
            None => {
                let worth = |held: &Stored| (held.3 == new.3, held.1);
                let least = bucket.iter().map(worth).min().expect("it is full");
                let at = bucket.iter().position(|held| worth(held) == least);
                bucket[at.expect("the least")] = new;
            }
        }
    }

    #[test]
    fn a_table_keeps_what_a_naive_table_keeps() {
        const BUCKETS: u64 = 8;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut table = Table::new(BUCKETS as usize * 64);
        let mut naive = vec![Vec::new(); BUCKETS as usize];
        // More ages than the table can distinguish.
        for age in 0..40u8 {
            for _ in 0..200 {
                let key = random
                    .random_range(1..200u64)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let bounds = [Bound::Exact, Bound::Lower, Bound::Upper];
                let finding = Finding {
                    value: random.random(),
                    bound: bounds[random.random_range(0..3)],
                    best: random.random::<bool>().then(|| random.random()),
                    narrowed: random.random(),
                };
                let depth = random.random_range(0..300);
                table.put(key, depth, finding);
                let bucket = &mut naive[(key % BUCKETS) as usize];
                store_naively(bucket, (key, depth.min(255), finding, age));
            }
            for key in 1..200u64 {
                let key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let bucket = &naive[(key % BUCKETS) as usize];
                let expected = bucket.iter().find(|held| held.0 == key);
                let found = table.get(key).map(|entry| {
                    let depth = u32::from(entry.depth);
                    (entry.value, entry.best, depth, entry.bound, entry.narrowed)
                });
                let expected = expected.map(|&(_, depth, finding, _)| {
                    let Finding {
                        value,
                        best,
                        bound,
                        narrowed,
                    } = finding;
                    (value, best, depth, bound, narrowed)
                });
                assert_eq!(found, expected, "age {age}");
            }
            table.next_age();
        }
    }

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
