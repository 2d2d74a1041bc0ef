//! How fast the search goes: nodes per second at a fixed depth, and building the line tables.
//!
//! `cargo bench --bench search`; compare rows of one run with each other, not runs with each other.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise::games::entropy::evaluated::Evaluated;
use turnwise::games::entropy::evaluation::{self, Evaluation};
use turnwise::games::entropy::patterns::Patterns;
use turnwise::games::entropy::rules::{Move, Phase, Position, Rules};
use turnwise::games::entropy::weights;
use turnwise::search::table::Table;
use turnwise::search::{Control, Limits, Width, deepening, reference};

fn main() {
    divan::main();
}

/// A position half-way through a random game, with this phase.
fn middle_game(size: u8, phase: Phase) -> Evaluated {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(u64::from(size));
    let mut position = Position::new(Rules { size, pass: false });
    let half = u16::from(size) * u16::from(size) / 2;
    while position.bag_total() > half || position.phase() != phase {
        let mut moves = Vec::new();
        match position.phase() {
            Phase::Draw => moves.extend((1..=size).map(Move::Draw)),
            Phase::Place => position.placements(&mut moves),
            Phase::Slide => position.slides(&mut moves),
            Phase::Over => unreachable!("the game is half-way"),
        }
        moves.retain(|&mv| position.is_legal(mv));
        position.make(moves[random.random_range(0..moves.len())]);
    }
    Evaluated::new(position, evaluation::by_holes(size))
}

/// Enough for these depths; laying it out is not part of what is measured.
const TABLE_BYTES: usize = 16 << 20;

fn limits(depth: u32) -> Limits {
    Limits {
        depth,
        ..Limits::default()
    }
}

fn nodes_at_depth(bencher: Bencher, size: u8, phase: Phase, depth: u32) {
    let mut game = middle_game(size, phase);
    let mut search = |table: &mut Table<Move>| {
        deepening::search(&mut game, table, limits(depth), &Control::new()).nodes
    };
    let nodes = search(&mut Table::new(TABLE_BYTES));
    bencher
        .counter(ItemsCount::new(nodes))
        .with_inputs(|| Table::new(TABLE_BYTES))
        .bench_local_values(|mut table| (search(&mut table), table));
}

#[divan::bench(args = [2, 3, 4], sample_count = 20)]
fn order_5x5_nodes(bencher: Bencher, depth: u32) {
    nodes_at_depth(bencher, 5, Phase::Slide, depth);
}

#[divan::bench(args = [2, 3, 4], sample_count = 20)]
fn chaos_5x5_nodes(bencher: Bencher, depth: u32) {
    nodes_at_depth(bencher, 5, Phase::Place, depth);
}

#[divan::bench(args = [2, 3], sample_count = 20)]
fn order_7x7_nodes(bencher: Bencher, depth: u32) {
    nodes_at_depth(bencher, 7, Phase::Slide, depth);
}

#[divan::bench(args = [2, 3], sample_count = 20)]
fn chaos_7x7_nodes(bencher: Bencher, depth: u32) {
    nodes_at_depth(bencher, 7, Phase::Place, depth);
}

/// Time to a depth: every move searched, and as many as the player looks at.
#[divan::bench(args = [true, false], sample_count = 10)]
fn order_7x7_to_depth_4(bencher: Bencher, narrow: bool) {
    let mut game = middle_game(7, Phase::Slide);
    let limits = Limits {
        width: narrow.then_some(Width { max: 24, min: 16 }),
        ..limits(4)
    };
    bencher
        .with_inputs(|| Table::new(TABLE_BYTES))
        .bench_local_values(|mut table| {
            deepening::search(&mut game, &mut table, limits, &Control::new()).nodes
        });
}

/// What a start of the program costs before its first move with learned weights.
#[divan::bench(args = [5, 7])]
fn read_released_weights(size: u8) -> Evaluation {
    let weights = weights::released(black_box(size)).expect("released for this size");
    weights.into_evaluation()
}

/// The same depth without pruning, table or ordering.
#[divan::bench(args = [2, 3], sample_count = 3)]
fn order_5x5_unpruned_reference(bencher: Bencher, depth: u32) {
    let mut game = middle_game(5, Phase::Slide);
    bencher.bench_local(|| reference::value(&mut game, black_box(depth)));
}

#[divan::bench(args = [5, 6, 7])]
fn number_patterns(size: u8) -> Patterns {
    Patterns::new(black_box(size))
}
