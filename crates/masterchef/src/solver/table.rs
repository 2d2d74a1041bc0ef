//! The solver's memory: a table of limited size that stores bounds on the values of searched positions.

use crate::units::Units;

/// The known bounds on a position's value, from the point of view of the captain to move.
#[derive(Clone, Copy)]
pub(super) struct Bounds<U> {
    pub(super) lower: U,
    pub(super) upper: U,
    /// The pick that gave the lower bound, or else the pick that was tried first, or [`Bounds::NO_PICK`].
    pub(super) pick: u8,
}

impl<U: Units> Bounds<U> {
    const NO_PICK: u8 = u8::MAX;

    /// Returns the bounds of a position that was not searched: any value is possible, and no pick is known.
    pub(super) fn unknown() -> Bounds<U> {
        Bounds {
            lower: U::MIN,
            upper: U::MAX,
            pick: Self::NO_PICK,
        }
    }
}

#[derive(Clone, Copy)]
struct Entry<U> {
    key: u128,
    bounds: Bounds<U>,
    /// The number of picks left in the position; 0 marks an empty entry. An entry with more picks left saves more work.
    left: u8,
}

impl<U: Units> Entry<U> {
    fn empty() -> Entry<U> {
        Entry {
            key: 0,
            bounds: Bounds::unknown(),
            left: 0,
        }
    }
}

/// The number of entries per address; a new entry replaces the one that saves the least work.
const BUCKET: usize = 4;

/// A hash table that doubles its size up to a limit and then drops the entries that save the least work.
pub(super) struct Table<U> {
    entries: Vec<Entry<U>>,
    used: usize,
    limit: usize,
}

impl<U: Units> Table<U> {
    /// Creates an empty table that grows to at most `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Table<U> {
        // The number of entries is a power of two, because an address consists of some bits of a key.
        let limit = 1 << (bytes / size_of::<Entry<U>>()).ilog2();
        Table {
            entries: vec![Entry::empty(); limit.min(1 << 12)],
            used: 0,
            limit,
        }
    }

    fn bucket(&self, key: u128) -> usize {
        (key as usize) & (self.entries.len() - 1) & !(BUCKET - 1)
    }

    pub(super) fn get(&self, key: u128) -> Option<Bounds<U>> {
        let bucket = self.bucket(key);
        let mut entries = self.entries[bucket..bucket + BUCKET].iter();
        let entry = entries.find(|entry| entry.key == key && entry.left != 0)?;
        Some(entry.bounds)
    }

    pub(super) fn put(&mut self, key: u128, left: u8, bounds: Bounds<U>) {
        if self.used * 4 > self.entries.len() * 3 && self.entries.len() < self.limit {
            self.grow();
        }
        let bucket = self.bucket(key);
        let entries = &mut self.entries[bucket..bucket + BUCKET];
        let known = |entry: &Entry<U>| entry.key == key && entry.left != 0;
        let place = entries.iter().position(known).unwrap_or_else(|| {
            let least = (0..BUCKET).min_by_key(|&place| entries[place].left);
            least.expect("a bucket has entries")
        });
        self.used += usize::from(entries[place].left == 0);
        entries[place] = Entry { key, bounds, left };
    }

    fn grow(&mut self) {
        let larger = vec![Entry::empty(); self.entries.len() * 2];
        let old = std::mem::replace(&mut self.entries, larger);
        self.used = 0;
        for entry in old.into_iter().filter(|entry| entry.left != 0) {
            self.put(entry.key, entry.left, entry.bounds);
        }
    }
}
