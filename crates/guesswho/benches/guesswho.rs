//! Measures how long the Guess Who strategies and the race solver take for a guess.
//!
//! Run with `cargo bench --bench guesswho`. Compare figures only within one run: `exact_rounds` with `look_ahead` and
//! `halving` on equal boards, and `race` across the course's boards, which differ in size.

use divan::{Bencher, black_box};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_guesswho::board::Board;
use turnwise_guesswho::config::{Attribute, Configuration, Person};
use turnwise_guesswho::lookahead;
use turnwise_guesswho::optimal::Optimal;
use turnwise_guesswho::parse::{self, Strictness};
use turnwise_guesswho::player::{Seat, View};
use turnwise_guesswho::race::solver::RaceSolver;
use turnwise_guesswho::strategies::StrategyKind;
use turnwise_guesswho::table::Table;

fn main() {
    divan::main();
}

const COURSE: [&str; 5] = [
    "official_game1_10p",
    "tonyhuang",
    "ac_game1",
    "kokaruk",
    "jm_game3",
];

fn text(name: &str) -> String {
    let path = format!("{}/tests/data/{name}.config", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the test data is there")
}

fn course(name: &str) -> Board {
    Board::new(
        parse::configuration(&text(name), Strictness::Lenient)
            .expect("the file is sound")
            .configuration,
    )
}

fn random_board(persons: usize, attributes: usize, values: u32) -> Board {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let attribute = |index| Attribute {
        name: format!("a{index}"),
        values: (0..values).map(|value| format!("v{value}")).collect(),
    };
    let person = |index| Person {
        name: format!("P{index}"),
        values: (0..attributes)
            .map(|_| random.random_range(0..values))
            .collect(),
    };
    Board::new(Configuration {
        attributes: (0..attributes).map(attribute).collect(),
        persons: (0..persons).map(person).collect(),
    })
}

#[divan::bench(args = COURSE)]
fn exact_rounds(bencher: Bencher<'_, '_>, name: &str) {
    let board = course(name);
    let table = Table::new(&board, &board.everyone()).expect("the board is small");
    bencher.bench_local(|| Optimal::new(table.clone()).cost(table.everyone(), u64::MAX));
}

#[divan::bench(args = COURSE)]
fn look_ahead(bencher: Bencher<'_, '_>, name: &str) {
    let board = course(name);
    let everyone = board.everyone();
    bencher.bench_local(|| lookahead::best(black_box(&board), &everyone));
}

#[divan::bench(args = COURSE)]
fn halving(bencher: Bencher<'_, '_>, name: &str) {
    let board = course(name);
    let everyone = board.everyone();
    bencher.bench_local(|| lookahead::most_even(black_box(&board), &everyone, 1));
}

/// Computes the exact value of the race from the start, where every person is a candidate for both players.
#[divan::bench(args = COURSE, sample_count = 20)]
fn race(bencher: Bencher<'_, '_>, name: &str) {
    let board = course(name);
    let everyone = board.everyone();
    bencher.bench_local(|| {
        let mut solver =
            RaceSolver::new(&board, [&everyone, &everyone]).expect("the board is small");
        let sets = solver
            .masks([&everyone, &everyone])
            .expect("everyone is there");
        solver.value(sets, 0, u64::MAX)
    });
}

/// Chooses the first guess of the strategy `custom` on a board of `persons` persons, which is too large to solve.
#[divan::bench(args = [60, 200, 1000, 10_000], sample_count = 20)]
fn first_guess_of_custom(bencher: Bencher<'_, '_>, persons: usize) {
    guess_of_custom(bencher, persons, persons);
}

/// Chooses a later guess of the strategy `custom` on a board of 200 persons, when `candidates` candidates remain.
///
/// These positions are so large that the race solver reaches its work limit.
#[divan::bench(args = [32, 48, 63, 100], sample_count = 20)]
fn later_guess_of_custom(bencher: Bencher<'_, '_>, candidates: usize) {
    guess_of_custom(bencher, 200, candidates);
}

fn guess_of_custom(bencher: Bencher<'_, '_>, persons: usize, candidates: usize) {
    let board = random_board(persons, 20, 5);
    let everyone = board.everyone();
    let some = &everyone[..candidates];
    bencher.bench_local(|| {
        let view = View {
            board: &board,
            mine: some,
            theirs: some,
            seat: Seat::First,
            opponent_finished: false,
        };
        StrategyKind::Custom.create().choices(&view)
    });
}

#[divan::bench(args = COURSE)]
fn parsing(bencher: Bencher<'_, '_>, name: &str) {
    let text = text(name);
    bencher.bench_local(|| parse::configuration(black_box(&text), Strictness::Lenient));
}
