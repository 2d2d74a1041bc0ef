//! Search speed in nodes per second at a fixed depth, and the cost of building the line tables.
//!
//! `cargo bench --bench search`; compare rows within one run, not across runs.

use std::num::NonZeroUsize;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Limits, Schedule, deepening, reference, threads};
use turnwise_entropy::evaluated::Evaluated;
use turnwise_entropy::evaluation::{self, Evaluation};
use turnwise_entropy::patterns::Patterns;
use turnwise_entropy::rules::{Move, Phase, Position, Rules};
use turnwise_entropy::search_agent::WIDTHS_WITH_GLANCE;
use turnwise_entropy::weights;

fn main() {
    divan::main();
}

/// Returns a position in the given phase, about half-way through a random game.
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

/// The size of the transposition table, large enough for these depths. Its allocation is not measured.
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

/// The ways to reach depth 5 by iterative deepening, with the search agent's widths.
#[derive(Debug, Clone, Copy)]
enum Iterations {
    /// Searches every depth, with only the most promising moves.
    EveryDepth,
    /// Searches depths 1, 3 and 5, with only the most promising moves.
    EveryOther,
    /// Searches depths 1, 3 and 5, each first with few moves and then with more moves, like the search agent.
    Widening,
}

/// Returns the limits for a search from this position to depth 5.
fn to_depth_5(game: &Evaluated, iterations: Iterations) -> Limits {
    let widest = &WIDTHS_WITH_GLANCE[WIDTHS_WITH_GLANCE.len() - 1..];
    let schedule = match iterations {
        Iterations::EveryDepth => Schedule {
            step: 1,
            ..game.leaves_before_draw(widest)
        },
        Iterations::EveryOther => game.leaves_before_draw(widest),
        Iterations::Widening => game.leaves_before_draw(WIDTHS_WITH_GLANCE),
    };
    Limits {
        schedule,
        ..limits(5)
    }
}

/// Measures the time to reach depth 5 for each way to deepen. Compare the ratios, not the absolute times.
#[divan::bench(args = [Iterations::EveryDepth, Iterations::EveryOther, Iterations::Widening], sample_count = 5)]
fn order_7x7_to_depth_5(bencher: Bencher, iterations: Iterations) {
    let mut game = middle_game(7, Phase::Slide);
    let limits = to_depth_5(&game, iterations);
    bencher
        .with_inputs(|| Table::new(TABLE_BYTES))
        .bench_local_values(|mut table| {
            deepening::search(&mut game, &mut table, limits, &Control::new()).nodes
        });
}

/// Measures the time to reach depth 5 with a given number of threads. Each thread needs an idle core.
#[divan::bench(args = [1, 2], sample_count = 5)]
fn order_7x7_by_threads(bencher: Bencher, number: usize) {
    let mut game = middle_game(7, Phase::Slide);
    let limits = to_depth_5(&game, Iterations::Widening);
    let number = NonZeroUsize::new(number).expect("not zero");
    bencher
        .with_inputs(|| Table::new(TABLE_BYTES))
        .bench_local_values(|mut table| {
            threads::search(&mut game, &mut table, limits, &Control::new(), number).nodes
        });
}

/// Measures the time to load learned weights, which happens at start-up before the first move.
#[divan::bench(args = [5, 7])]
fn read_released_weights(size: u8) -> Evaluation {
    let weights = weights::released(black_box(size)).expect("released for this size");
    weights.into_evaluation()
}

/// Measures the reference search, which has no pruning, no transposition table and no move ordering, at depths 2 and 3.
#[divan::bench(args = [2, 3], sample_count = 3)]
fn order_5x5_unpruned_reference(bencher: Bencher, depth: u32) {
    let mut game = middle_game(5, Phase::Slide);
    bencher.bench_local(|| reference::value(&mut game, black_box(depth)));
}

#[divan::bench(args = [5, 6, 7])]
fn number_patterns(size: u8) -> Patterns {
    Patterns::new(black_box(size))
}
