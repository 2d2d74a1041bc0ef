//! The simulated world finds nothing, unless something is planted in it.

use turnwise_simulation::bugs::Bug;
use turnwise_simulation::run::{catch_panics, run, run_with};

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

/// Whether one of the first seeds finds a planted bug, and what the seeds found until then.
fn finds(bug: Bug, said: &str) -> Result<(), String> {
    let mut found = Vec::new();
    for seed in 1..=80 {
        let violations = run_with(seed, Some(bug)).violations;
        if violations.iter().any(|violation| violation.contains(said)) {
            return Ok(());
        }
        found.extend(violations);
    }
    Err(found.join("\n"))
}

#[test]
fn each_invariant_catches_the_bug_planted_for_it() {
    catch_panics();
    let mut missed = Vec::new();
    for (bug, said) in [
        (Bug::Panic, "nothing panics"),
        (Bug::Hang, "the run ends"),
        (Bug::Late, "in fine weather no daemon is at fault"),
        (Bug::Twice, "no question is answered twice"),
        (Bug::Forever, "the run ends"),
        (Bug::Chatter, "the log has at most"),
        (Bug::Torn, "every line of the log is a JSON object"),
        (
            Bug::Unnoticed,
            "a daemon thinks no longer than its clock lasts",
        ),
        (Bug::Unnoticed, "in fine weather no daemon is at fault"),
        (Bug::Zombie, "in fine weather no daemon is at fault"),
        (
            Bug::Queue,
            "every question is answered in time: its time is up",
        ),
        (Bug::Lost, "every question is answered in time"),
        (Bug::Mixed, "every answer is legal"),
        (Bug::Hoard, "whoever takes no answers is not listened to"),
        (Bug::Leak, "every search comes back"),
    ] {
        if let Err(found) = finds(bug, said) {
            missed.push(format!("{bug:?}, {said}: {found}"));
        }
    }
    assert_eq!(missed, Vec::<String>::new());
    let differs = |seed| run_with(seed, Some(Bug::Chance)) != run_with(seed, Some(Bug::Chance));
    assert!(
        (1..=60).any(differs),
        "chance that does not come from the seed"
    );
}
