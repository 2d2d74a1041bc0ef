//! Measures how long a probe of a large transposition table takes, with and without a prefetch.
//!
//! Run with `cargo bench --bench table`; compare the rows of one run.

use divan::Bencher;
use divan::counter::ItemsCount;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_search::table::{Bound, Finding, Table};

fn main() {
    divan::main();
}

/// The size of the table, which is larger than most processors' caches.
const TABLE_BYTES: usize = 64 << 20;

/// The number of probes between the prefetch of a key and the probe of that key.
const AHEAD: usize = 4;

/// Looks up random positions. The throughput is in probes.
#[divan::bench(args = [true, false])]
fn probe(bencher: Bencher, prefetch: bool) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut table = Table::new(TABLE_BYTES);
    let keys: Vec<u64> = (0..1_000_000).map(|_| random.random()).collect();
    for &key in &keys {
        let finding = Finding {
            value: 0.0,
            bound: Bound::Exact,
            best: Some(1u16),
            narrowed: false,
        };
        table.put(key, 1, finding);
    }
    let bencher = bencher.counter(ItemsCount::new(keys.len() - AHEAD));
    bencher.bench_local(|| {
        // Each key depends on the previous entry, as in a search.
        let mut found = 0;
        for at in 0..keys.len() - AHEAD {
            if prefetch {
                table.prefetch(keys[at + AHEAD]);
            }
            let key = keys[at] ^ (found == u64::MAX) as u64;
            found += table.get(key).map_or(0, |entry| u64::from(entry.depth));
        }
        found
    });
}
