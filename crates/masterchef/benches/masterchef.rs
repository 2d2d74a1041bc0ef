//! Measures and compares the speed of the MasterChef engines.
//!
//! On drafts that all engines finish in reasonable time, the solver is compared with the assignment's algorithms and
//! with a search that stores all positions. On large pools, the solver runs alone. Run this benchmark with
//! `cargo bench --bench masterchef`.

#[path = "../tests/masterchef/support.rs"]
mod masterchef_support;

use divan::Bencher;
use masterchef_support::{Family, by_memory};
use turnwise_masterchef::answer::{Answer, run_to_the_end};
use turnwise_masterchef::literal::{self, Algorithm};
use turnwise_masterchef::rules::Draft;
use turnwise_masterchef::solver;

fn main() {
    divan::main();
}

fn minimax(draft: &Draft) -> Answer {
    literal::search(draft, Algorithm::Minimax, &mut run_to_the_end)
}

fn alpha_beta(draft: &Draft) -> Answer {
    literal::search(draft, Algorithm::AlphaBeta, &mut run_to_the_end)
}

fn plain_memory(draft: &Draft) -> Answer {
    by_memory(draft, &mut run_to_the_end)
}

fn solved(draft: &Draft) -> Answer {
    solver::solve(draft, &mut run_to_the_end)
}

type Engine = (&'static str, fn(&Draft) -> Answer);

/// Solves a draft with twelve free contestants and six picks left, which every engine finishes.
#[divan::bench(args = ["minimax", "alpha_beta", "plain_memory", "solver"])]
fn twelve_free_six_left(bencher: Bencher, engine: &str) {
    run(bencher, engine, &Family::Uniform.draft(12, 4, 1));
}

/// Solves a draft with twelve free contestants and no picks made yet.
///
/// Minimax is not measured, because it would visit hundreds of millions of positions.
#[divan::bench(args = ["alpha_beta", "plain_memory", "solver"], sample_count = 3)]
fn twelve_free_ten_left(bencher: Bencher, engine: &str) {
    run(bencher, engine, &Family::Uniform.draft(12, 0, 1));
}

fn run(bencher: Bencher, name: &str, draft: &Draft) {
    const ENGINES: [Engine; 4] = [
        ("minimax", minimax),
        ("alpha_beta", alpha_beta),
        ("plain_memory", plain_memory),
        ("solver", solved),
    ];
    let (_, engine) = ENGINES
        .into_iter()
        .find(|&(known, _)| known == name)
        .expect("an engine of this name");
    bencher.bench_local(|| engine(divan::black_box(draft)));
}

/// Solves a draft with a hundred free contestants and no picks made yet, for each family of pools.
#[divan::bench(args = Family::ALL.map(Family::name), sample_count = 5)]
fn hundred_free_ten_left(bencher: Bencher, family: &str) {
    let family = Family::ALL
        .into_iter()
        .find(|known| known.name() == family)
        .expect("a family of this name");
    let draft = family.draft(100, 0, 1);
    bencher.bench_local(|| solved(divan::black_box(&draft)));
}
