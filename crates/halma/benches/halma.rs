//! Measures the speed of the move generator, of the tests' naive generator, and of jump chains.
//!
//! Run with `cargo bench --bench halma`.

#[path = "../tests/halma/naive.rs"]
#[allow(dead_code)]
mod naive;
#[path = "../tests/halma/positions.rs"]
#[allow(dead_code)]
mod positions;

use divan::Bencher;
use divan::counter::ItemsCount;
use positions::after_random_moves;
use turnwise_halma::jumps::{Components, Jumps};
use turnwise_halma::rules::{Position, Rules};

fn main() {
    divan::main();
}

/// Returns positions of random games, from the opening to the phase in which the armies mix.
fn sample() -> Vec<Position> {
    let plies = (0..).step_by(5).take(40);
    let position = |plies| after_random_moves(u64::from(plies), plies, Rules::Base);
    plies.map(position).collect()
}

fn count_moves(sample: &[Position]) -> usize {
    sample.iter().map(|position| position.moves().len()).sum()
}

/// Finds all legal moves of the sample's positions. The throughput is in moves.
#[divan::bench(args = ["bitboards", "naive"])]
fn generate_moves(bencher: Bencher, generator: &str) {
    let sample = sample();
    let naive: Vec<_> = sample.iter().map(positions::naive).collect();
    let bencher = bencher.counter(ItemsCount::new(count_moves(&sample)));
    if generator == "naive" {
        bencher.bench_local(|| naive.iter().map(|board| board.moves().len()).sum::<usize>());
    } else {
        bencher.bench_local(|| count_moves(&sample));
    }
}

/// Generates the moves of positions as sets of squares. The throughput is in positions.
#[divan::bench]
fn generate_targets(bencher: Bencher) {
    let sample = sample();
    let bencher = bencher.counter(ItemsCount::new(sample.len()));
    bencher.bench_local(|| {
        let mut count = 0;
        for position in &sample {
            position.targets(|_, targets| count += targets.count());
        }
        count
    });
}

/// Finds only the squares that chains of jumps reach.
#[divan::bench]
fn follow_jump_chains(bencher: Bencher) {
    let sample = sample();
    let chains = |position: &Position| -> usize {
        let jumps = Jumps::new(position.occupied());
        let pieces = position.pieces(position.to_move()).into_iter();
        let each = |from| jumps.chains(from, &mut Components::default()).count() as usize;
        pieces.map(each).sum()
    };
    let bencher = bencher.counter(ItemsCount::new(sample.iter().map(chains).sum::<usize>()));
    bencher.bench_local(|| sample.iter().map(chains).sum::<usize>());
}
