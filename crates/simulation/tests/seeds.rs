//! Tests that the simulated world finds no violation without a planted bug, and that it finds each planted bug.

use turnwise_simulation::bugs::Bug;
use turnwise_simulation::run::{Scenario, catch_panics, run, run_as};

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

/// Runs seeds that have found bugs, which must stay fixed.
///
/// The bugs concerned a stop while a daemon detects the wire, a daemon that gets another name because its old seat is
/// still taken, a stop after which the clock has less time than the network needs, and a stop between the connection
/// and the name.
#[test]
fn seeds_that_found_something_find_it_no_more() {
    catch_panics();
    for seed in [8495, 17049, 12601, 23737, 74937, 92965] {
        let report = run(seed);
        assert_eq!(report.violations, Vec::<String>::new(), "seed {seed}");
    }
}

/// Checks that running a seed twice gives identical runs.
///
/// In the last seeds, a daemon that answers questions receives several events at once.
#[test]
fn a_seed_gives_the_same_run_again() {
    let several_at_once = [13096, 14616, 14868, 14960, 88936, 89352];
    for seed in (1..=20).chain(several_at_once) {
        assert_eq!(run(seed), run(seed), "seed {seed}");
    }
}

/// Returns `Ok` if any seed from 1 to 400 finds the planted bug, that is, a violation whose text contains `said`.
///
/// Otherwise, returns an error with all violations that were found.
fn finds(scenario: Scenario, bug: Bug, said: &str) -> Result<(), String> {
    let mut found = Vec::new();
    // Several seeds are tried, because the timing of threads decides which games are in progress when a test is
    // decided. The first seed to show the bug may therefore differ from run to run.
    for seed in 1..=400 {
        let violations = run_as(seed, scenario, Some(bug)).violations;
        if violations.iter().any(|violation| violation.contains(said)) {
            return Ok(());
        }
        found.extend(violations);
    }
    Err(found.join("\n"))
}

#[test]
fn each_invariant_catches_the_bug_planted_for_it() {
    use Scenario::{Files, Lobby, Matches, Questions, Server, Wars};

    catch_panics();
    let mut missed = Vec::new();
    for (scenario, bug, said) in [
        (Wars, Bug::Panic, "nothing panics"),
        (Wars, Bug::Hang, "the run ends"),
        (Wars, Bug::Late, "in fine weather no daemon is at fault"),
        (Wars, Bug::Deaf, "a daemon listens while it thinks"),
        (Wars, Bug::Forever, "the run ends"),
        (Wars, Bug::Chatter, "the log has at most"),
        (Wars, Bug::Torn, "every line of the log is a JSON object"),
        (
            Wars,
            Bug::Unnoticed,
            "a daemon thinks no longer than its clock lasts",
        ),
        (
            Wars,
            Bug::Unnoticed,
            "in fine weather no daemon is at fault",
        ),
        (Wars, Bug::Leaves, "in fine weather the daemons stay"),
        (Wars, Bug::Zombie, "in fine weather no daemon is at fault"),
        (Server, Bug::Twice, "no question is answered twice"),
        (Server, Bug::Forever, "the run ends"),
        (Questions, Bug::Twice, "no question is answered twice"),
        (Questions, Bug::Hang, "the run ends"),
        (Questions, Bug::Queue, "answered in time: its time is up"),
        (Questions, Bug::Lost, "every question is answered in time"),
        (Questions, Bug::Mixed, "every answer is legal"),
        (
            Questions,
            Bug::Hoard,
            "whoever takes no answers is not listened to",
        ),
        (
            Questions,
            Bug::Patient,
            "a connection without a question is closed",
        ),
        (Questions, Bug::Leak, "every search comes back"),
        (
            Lobby,
            Bug::Told,
            "nobody comes in who does not know the secret",
        ),
        (
            Lobby,
            Bug::Told,
            "whoever does not know the secret is told of no game",
        ),
        (
            Lobby,
            Bug::Kept,
            "in fine weather whoever is there is not charged",
        ),
        (Lobby, Bug::Kept, "whoever is gone has no place"),
        (
            Lobby,
            Bug::Zombie,
            "in fine weather whoever is there is not charged",
        ),
        (
            Lobby,
            Bug::StaysAway,
            "in fine weather whoever is there is not charged",
        ),
        (Lobby, Bug::Leaves, "in fine weather the games end"),
        (
            Lobby,
            Bug::Twice,
            "in fine weather the daemons stay until goodbye",
        ),
        (Lobby, Bug::Twice, "who is connected is here"),
        (
            Lobby,
            Bug::Forever,
            "nobody is waited for longer than the patience",
        ),
        (
            Files,
            Bug::InPlace,
            "until a file is whole the old one has its place",
        ),
        (Files, Bug::InPlace, "a file is the old one or the new one"),
        (
            Files,
            Bug::Unsynced,
            "a file is whole after a loss of power",
        ),
        (Matches, Bug::Slow, "whoever is honest is not charged"),
        (
            Matches,
            Bug::Drift,
            "a match that was resumed comes to the same",
        ),
        (
            Matches,
            Bug::Drift,
            "a test that was resumed comes to the same verdict",
        ),
        (Matches, Bug::Stale, "whoever is honest is not charged"),
        (Matches, Bug::Endless, "a match that is over plays no more"),
        (
            Matches,
            Bug::Forgets,
            "every pair that was told of is in the log",
        ),
        (Matches, Bug::Gap, "a log can be read"),
        (Matches, Bug::Again, "a log can be read"),
    ] {
        if let Err(found) = finds(scenario, bug, said) {
            // This is printed here, because panics are caught, and the message of an assertion would not be visible.
            eprintln!("{bug:?}, {said}: found {found:?}");
            missed.push(bug);
        }
    }
    assert_eq!(missed, []);
    let planted = |seed| run_as(seed, Wars, Some(Bug::Chance));
    assert!(
        (1..=60).any(|seed| planted(seed) != planted(seed)),
        "chance that does not come from the seed"
    );
}
