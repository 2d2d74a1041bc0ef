//! The solver's memory: bounds of positions already searched, in bounded space.

/// What is known of a position, from the view of the captain to move.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) lower: i64,
    pub(super) upper: i64,
    /// The pick that gave the lower bound or was tried first; [`Bounds::NO_PICK`] if there is none.
    pub(super) pick: u8,
}

impl Bounds {
    pub(super) const NO_PICK: u8 = u8::MAX;

    /// Nothing is known.
    pub(super) const UNKNOWN: Bounds = Bounds {
        lower: i64::MIN,
        upper: i64::MAX,
        pick: Bounds::NO_PICK,
    };
}

#[derive(Clone, Copy)]
struct Entry {
    key: u128,
    bounds: Bounds,
    /// Picks left: 0 marks an empty entry, and the larger the more work the entry saves.
    left: u8,
}

const EMPTY: Entry = Entry {
    key: 0,
    bounds: Bounds::UNKNOWN,
    left: 0,
};

/// Entries that share an address; the one that saves least work gives way.
const BUCKET: usize = 4;

/// A hash table that doubles as it fills, up to a limit, and forgets the least valuable then.
pub(super) struct Table {
    entries: Vec<Entry>,
    used: usize,
    limit: usize,
}

impl Table {
    /// An empty table of at most `limit` entries of 48 bytes, a power of two.
    pub(super) fn new(limit: usize) -> Table {
        Table {
            entries: vec![EMPTY; limit.min(1 << 12)],
            used: 0,
            limit,
        }
    }

    fn bucket(&self, key: u128) -> usize {
        (key as usize) & (self.entries.len() - 1) & !(BUCKET - 1)
    }

    pub(super) fn get(&self, key: u128) -> Option<Bounds> {
        let bucket = self.bucket(key);
        let entries = &self.entries[bucket..bucket + BUCKET];
        entries
            .iter()
            .find(|entry| entry.key == key && entry.left != 0)
            .map(|entry| entry.bounds)
    }

    pub(super) fn put(&mut self, key: u128, left: u8, bounds: Bounds) {
        if self.used * 4 > self.entries.len() * 3 && self.entries.len() < self.limit {
            self.grow();
        }
        let bucket = self.bucket(key);
        let entries = &mut self.entries[bucket..bucket + BUCKET];
        let place = match entries
            .iter()
            .position(|entry| entry.key == key && entry.left != 0)
        {
            Some(place) => place,
            None => (0..BUCKET)
                .min_by_key(|&place| entries[place].left)
                .expect("a bucket has entries"),
        };
        self.used += usize::from(entries[place].left == 0);
        entries[place] = Entry { key, bounds, left };
    }

    fn grow(&mut self) {
        let larger = vec![EMPTY; self.entries.len() * 2];
        let old = std::mem::replace(&mut self.entries, larger);
        self.used = 0;
        for entry in old.into_iter().filter(|entry| entry.left != 0) {
            self.put(entry.key, entry.left, entry.bounds);
        }
    }
}
