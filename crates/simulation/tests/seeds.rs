//! The simulated world finds nothing, unless something is planted in it.

use turnwise_simulation::run::{catch_panics, run, run_with};
use turnwise_simulation::world::Bug;

#[test]
fn a_thousand_seeds_break_no_invariant() {
    catch_panics();
    std::thread::scope(|scope| {
        for first in [1, 2] {
            scope.spawn(move || {
                for seed in (first..=1000).step_by(2) {
                    let report = run(seed);
                    assert_eq!(report.violations, Vec::<String>::new(), "seed {seed}");
                }
            });
        }
    });
}

#[test]
fn a_seed_gives_the_same_run_again() {
    for seed in 1..=20 {
        assert_eq!(run(seed), run(seed), "seed {seed}");
    }
}

/// What the invariants say of the first seeds with a bug planted.
fn found(bug: Bug) -> String {
    let seeds = 1..=30;
    let reports = seeds.map(|seed| run_with(seed, Some(bug)).violations);
    reports.flatten().collect::<Vec<_>>().join("\n")
}

#[test]
fn each_invariant_catches_the_bug_planted_for_it() {
    catch_panics();
    for (bug, said) in [
        (Bug::Panic, "nothing panics"),
        (Bug::Hang, "the run ends"),
        (Bug::Late, "in fine weather no daemon is at fault"),
        (Bug::Twice, "no question is answered twice"),
        (Bug::Forever, "the run ends"),
        (Bug::Chatter, "the log has at most"),
        (Bug::Torn, "every line of the log is a JSON object"),
    ] {
        let found = found(bug);
        assert!(found.contains(said), "{bug:?}: {found}");
    }
    let differs = |seed| run_with(seed, Some(Bug::Chance)) != run_with(seed, Some(Bug::Chance));
    assert!(
        (1..=60).any(differs),
        "chance that does not come from the seed"
    );
}
