//! The statistics against published numbers and against simulated matches.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise::arena::sprt::{Running, Verdict, elo_ratio};
use turnwise::arena::statistics::{Pentanomial, elo, score_of_elo};
use turnwise::records::{Sprt, Unit};
use turnwise::statistics::{Estimate, Sample};

/// Within one per cent, the tolerance with which fastchess publishes its numbers.
fn close(found: f64, published: f64) -> bool {
    (found - published).abs() <= 0.01 * published.abs().max(1.0)
}

/// Half the length of an interval, which is what fastchess calls its error.
fn error(estimate: Estimate) -> f64 {
    (estimate.upper - estimate.lower) / 2.0
}

/// Elo and errors of fastchess's own tests (app/tests/elo_test.cpp): pairs that scored 0, 1/2, 1, 3/2
/// and 2, and single games.
#[test]
fn elo_and_its_interval_are_those_of_fastchess() {
    for (pairs, difference, published_error) in [
        ([34, 54, 63, 64, 75], 55.58, 27.65),
        ([332, 433, 498, 333, 334], -8.64, 10.33),
        ([7895, 8757, 5685, 568, 9999], -21.04, 2.95),
    ] {
        let found = Pentanomial(pairs).elo().expect("there are pairs");
        assert!(close(found.value, difference), "{found:?}");
        assert!(close(error(found), published_error), "{found:?}");
    }
    let found = elo(&[(0.0, 96.0), (0.5, 111.0), (1.0, 136.0)]).expect("there are games");
    assert!(
        close(found.value, 40.70) && close(error(found), 30.43),
        "{found:?}"
    );
}

/// Log-likelihood ratios of fastchess's own tests (app/tests/sprt_test.cpp), logistic model.
#[test]
fn likelihood_ratios_are_those_of_fastchess() {
    for (pairs, elo0, elo1, published) in [
        ([223, 9863, 21279, 10037, 246], 0.5, 2.5, -3.07),
        ([871, 26175, 55983, 26678, 821], 0.0, 2.0, -4.98),
    ] {
        let found = elo_ratio(&Pentanomial(pairs).weighted(), elo0, elo1);
        assert!(close(found, published), "{found} for {published}");
    }
    for (lost, drawn, won, elo0, elo1, published) in [
        (21184.0, 40708.0, 21404.0, 0.5, 2.5, -1.57),
        (57030.0, 106593.0, 57433.0, 0.0, 2.0, -2.59),
    ] {
        let found = elo_ratio(&[(0.0, lost), (0.5, drawn), (1.0, won)], elo0, elo1);
        assert!(close(found, published), "{found} for {published}");
    }
}

/// Student's own data on sleep (1908): ten patients, mean 1.58, 95 % interval 0.70 to 2.46.
#[test]
fn the_interval_of_the_mean_is_students() {
    let mut points = Sample::default();
    for hours in [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4] {
        points.add(hours);
    }
    let found = points.estimate().expect("ten patients");
    assert!((found.value - 1.58).abs() < 1e-9, "{found:?}");
    assert!((found.lower - 0.7001).abs() < 1e-3, "{found:?}");
    assert!((found.upper - 2.4599).abs() < 1e-3, "{found:?}");
}

/// The difference of a pair, about as such differences are: a whole number, nearly normal.
fn difference(random: &mut Xoshiro256PlusPlus, mean: f64) -> f64 {
    let sum: f64 = (0..12).map(|_| random.random_range(0.0..1.0)).sum();
    (mean + 14.0 * (sum - 6.0)).round()
}

/// The outcome of a pair: drawn with this probability, else decided so that the score is right.
fn outcome(random: &mut Xoshiro256PlusPlus, score: f64, drawn: f64) -> usize {
    let draw: f64 = random.random_range(0.0..1.0);
    if draw < drawn {
        2
    } else if draw < drawn + (score - drawn / 2.0) {
        4
    } else {
        0
    }
}

#[test]
fn intervals_hold_the_truth_in_95_of_100_matches() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (matches, truth) = (2000, 3.0);
    for pairs in [10, 50] {
        let mut held = 0;
        for _ in 0..matches {
            let mut points = Sample::default();
            for _ in 0..pairs {
                points.add(difference(&mut random, truth));
            }
            let found = points.estimate().expect("pairs");
            held += u32::from(found.lower <= truth && truth <= found.upper);
        }
        assert!(
            (1860..=1940).contains(&held),
            "{held} of {matches} with {pairs} pairs"
        );
    }
}

#[test]
fn elo_intervals_hold_the_truth_in_95_of_100_matches() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    for truth in [0.0, 50.0] {
        let mut held = 0;
        for _ in 0..2000 {
            let mut pairs = Pentanomial::default();
            for _ in 0..200 {
                pairs.0[outcome(&mut random, score_of_elo(truth), 0.1)] += 1;
            }
            let found = pairs.elo().expect("pairs");
            held += u32::from(found.lower <= truth && truth <= found.upper);
        }
        assert!(
            (1860..=1940).contains(&held),
            "{held} of 2000 at {truth} Elo"
        );
    }
}

/// How often a test accepts the wrong hypothesis in so many matches.
fn wrong(test: Sprt, truth: f64, matches: u32, seed: u64) -> u32 {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut errors = 0;
    for _ in 0..matches {
        let mut running = Running::new(test);
        while running.verdict().is_none() {
            match test.unit {
                Unit::Elo => {
                    let category = outcome(&mut random, score_of_elo(truth), 0.1);
                    running.add(category as f64 - 2.0, category);
                }
                Unit::Points => running.add(difference(&mut random, truth), 2),
            }
        }
        let accepted = running.verdict().map(|(verdict, _)| verdict);
        let right = match truth == test.upper {
            true => Verdict::Upper,
            false => Verdict::Lower,
        };
        errors += u32::from(accepted != Some(right));
    }
    errors
}

/// Wald's bounds promise error rates of at most alpha / (1 - beta) and beta / (1 - alpha); a count of
/// errors may exceed that by three standard deviations of sampling.
#[test]
fn error_rates_are_those_that_were_asked_for() {
    let matches = 1000;
    for (unit, lower, upper) in [(Unit::Elo, 0.0, 60.0), (Unit::Points, 0.0, 4.0)] {
        let test = Sprt {
            unit,
            lower,
            upper,
            alpha: 0.05,
            beta: 0.1,
        };
        for (truth, rate, other) in [(lower, 0.05, 0.1), (upper, 0.1, 0.05)] {
            let most: f64 = rate / (1.0 - other);
            let noise = 3.0 * (most * (1.0 - most) / f64::from(matches)).sqrt();
            let errors = f64::from(wrong(test, truth, matches, 3)) / f64::from(matches);
            assert!(
                errors <= most + noise,
                "{unit:?} at {truth}: {errors} above {most}"
            );
            assert!(errors > 0.0, "a test that never errs is not this one");
        }
    }
}
