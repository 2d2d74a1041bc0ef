//! Tests the statistics against published numbers and simulated matches.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_arena::records::{Sprt, Unit};
use turnwise_arena::strength::elo::{Pentanomial, score_of_elo};
use turnwise_arena::strength::sprt::{Running, Verdict, elo_ratio};
use turnwise_arena::strength::tally::Score;
use turnwise_engine::plugin::Scoring;
use turnwise_engine::statistics::{Estimate, Sample};

/// Returns true if two numbers differ by at most one per cent, the tolerance of fastchess's published numbers.
fn close(found: f64, published: f64) -> bool {
    (found - published).abs() <= 0.01 * published.abs().max(1.0)
}

/// Returns half the length of an interval, which fastchess calls its error.
fn error(estimate: Estimate) -> f64 {
    (estimate.upper - estimate.lower) / 2.0
}

/// Compares Elo differences and errors with the values in fastchess's own tests (app/tests/elo_test.cpp).
///
/// Each line begins with the numbers of pairs that scored 0, 1/2, 1, 3/2 and 2; the second line contains counts of
/// single games instead. Our interval is also valid for few pairs. It is therefore wider than fastchess's, but the
/// difference between the two shrinks with the number of pairs.
#[test]
fn elo_is_that_of_fastchess_and_its_interval_comes_to_it() {
    for (pairs, difference, published_error, wider) in [
        ([34, 54, 63, 64, 75], 55.58, 27.65, 0.035),
        ([96, 0, 111, 0, 136], 40.70, 30.43, 0.025),
        ([332, 433, 498, 333, 334], -8.64, 10.33, 0.015),
        ([7895, 8757, 5685, 568, 9999], -21.04, 2.95, 0.005),
    ] {
        let found = Pentanomial(pairs).elo().expect("there are pairs");
        assert!(close(found.value, difference), "{found:?}");
        let ratio = error(found) / published_error;
        assert!((0.998..1.0 + wider).contains(&ratio), "{ratio}: {found:?}");
    }
}

/// Checks that the Elo difference and both ends of its interval are finite and in order if all pairs are alike.
///
/// The interval of a few pairs is wide; pairs that an agent wins in a row prove something only from the sixth pair on.
#[test]
fn few_pairs_have_a_wide_but_finite_interval() {
    for pairs in [1, 2, 6, 1_000_000] {
        for category in 0..5 {
            let mut counts = Pentanomial::default();
            counts.0[category] = pairs;
            let found = counts.elo().expect("there are pairs");
            let ends = [found.lower, found.value, found.upper];
            assert!(ends.iter().all(|end| end.is_finite()), "{found:?}");
            assert!(ends.is_sorted_by(|one, two| one < two), "{found:?}");
        }
    }
    let drawn = Pentanomial([0, 0, 1, 0, 0]).elo().expect("a pair");
    assert!(drawn.value.abs() < 1e-9 && drawn.lower < -400.0 && drawn.upper > 400.0);
    // An agent wins six pairs in a row against an equal agent in 1 of 64 matches, and five pairs in 1 of 32.
    let won = |pairs| Pentanomial([0, 0, 0, 0, pairs]).elo().expect("pairs").lower;
    assert!(won(6) > 0.0 && won(5) < 0.0);
    assert_eq!(Pentanomial::default().elo(), None);
}

#[test]
fn an_interval_of_points_needs_pairs_that_differ_or_a_scale_with_ends() {
    let one: Score = [(3.0, 4)].into_iter().collect();
    let alike: Score = [(3.0, 4); 6].into_iter().collect();
    assert_eq!(one.estimate(Scoring::Points), None);
    assert_eq!(alike.estimate(Scoring::Points), None);
    let differing: Score = [(3.0, 4), (4.0, 4)].into_iter().collect();
    // Student's t with one degree of freedom gives half the width: 12.706 * 0.5.
    let found = differing.estimate(Scoring::Points).expect("two pairs");
    assert!((found.upper - 3.5 - 6.353).abs() < 1e-3, "{found:?}");
    let won: Score = [(1.0, 4); 6].into_iter().collect();
    let found = won.estimate(Scoring::Win).expect("six pairs");
    assert_eq!((found.value, found.upper), (1.0, 1.0));
    // The lower end of Clopper and Pearson's interval for 6 wins of 6, on the scale from -1 to 1.
    let lower = 2.0 * 0.025_f64.powf(1.0 / 6.0) - 1.0;
    assert!((found.lower - lower).abs() < 1e-6, "{found:?}");
}

/// Returns the probability of a match's result, given the probability of each category of pairs.
fn probability(counts: &[u64; 5], shares: &[f64; 5]) -> f64 {
    let mut logarithm = 0.0;
    let mut all = 0;
    for (&count, share) in counts.iter().zip(shares) {
        for number in 1..=count {
            all += 1;
            logarithm += (all as f64 / number as f64 * share).ln();
        }
    }
    logarithm.exp()
}

/// Returns all possible results of a match of `pairs` pairs that fall into these categories.
fn results(pairs: u64, categories: &[usize]) -> Vec<[u64; 5]> {
    let (&category, others) = categories.split_first().expect("a category");
    let rest = |count| match others {
        [] if count < pairs => Vec::new(),
        [] => vec![[0; 5]],
        _ => results(pairs - count, others),
    };
    let with = |count| {
        rest(count).into_iter().map(move |mut counts| {
            counts[category] = count;
            counts
        })
    };
    (0..=pairs).flat_map(with).collect()
}

/// Checks how often the Elo interval contains the true value.
///
/// The probability is exact: it is summed over all possible results, not simulated.
#[test]
fn elo_intervals_of_few_pairs_hold_the_truth() {
    // `decided` contains the shares of won pairs among the pairs that are not drawn, from equal agents to one loss in
    // 200. `drawn` contains the shares of drawn pairs among all pairs.
    let decided = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995];
    let drawn = [0.0, 0.02, 0.1, 0.3, 0.6, 0.9];
    let mut truths: Vec<[f64; 5]> = (decided.iter())
        .flat_map(|won| {
            drawn.map(|drawn| [(1.0 - won) * (1.0 - drawn), drawn, won * (1.0 - drawn)])
        })
        .map(|[lost, drawn, won]| [lost, 0.0, drawn, 0.0, won])
        .collect();
    for pairs in [1, 2, 3, 5, 8, 12] {
        coverage(&results(pairs, &[0, 2, 4]), &truths);
    }
    truths = vec![
        [0.2; 5],
        [0.02, 0.1, 0.76, 0.1, 0.02],
        [0.001, 0.019, 0.2, 0.4, 0.38],
        [0.001, 0.001, 0.048, 0.15, 0.8],
        [0.3, 0.05, 0.3, 0.05, 0.3],
        [0.01, 0.01, 0.01, 0.48, 0.49],
    ];
    for pairs in [1, 2, 4, 6] {
        coverage(&results(pairs, &[0, 1, 2, 3, 4]), &truths);
    }
}

fn coverage(results: &[[u64; 5]], truths: &[[f64; 5]]) {
    let intervals: Vec<Estimate> = (results.iter())
        .map(|&counts| Pentanomial(counts).elo().expect("pairs"))
        .collect();
    for shares in truths {
        let mean: f64 = (0..5).map(|at| at as f64 / 4.0 * shares[at]).sum();
        let truth = 400.0 * (mean / (1.0 - mean)).log10();
        let held: f64 = (results.iter().zip(&intervals))
            .filter(|(_, found)| found.lower <= truth && truth <= found.upper)
            .map(|(counts, _)| probability(counts, shares))
            .sum();
        let pairs: u64 = results[0].iter().sum();
        assert!(
            held > 0.94,
            "{held} of matches of {pairs} pairs at {shares:?}"
        );
    }
}

/// Compares log-likelihood ratios with the values in fastchess's own tests (app/tests/sprt_test.cpp, logistic model).
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

/// Checks an interval with Student's own data on sleep (1908).
///
/// Ten patients slept longer by 1.58 hours on average, with a 95 % interval from 0.70 to 2.46.
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

/// Returns a random but realistic difference of a pair: a whole number, nearly normally distributed.
fn difference(random: &mut Xoshiro256PlusPlus, mean: f64) -> f64 {
    let sum: f64 = (0..12).map(|_| random.random_range(0.0..1.0)).sum();
    (mean + 14.0 * (sum - 6.0)).round()
}

/// Returns a random category for a pair.
///
/// The pair is drawn with the probability `drawn`. Otherwise, it is won or lost so that the expected score is `score`.
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

/// Simulates `matches` matches, and returns the number of matches in which the test accepts the wrong hypothesis.
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

/// Checks that sequential tests keep their error rates.
///
/// Wald's bounds guarantee error rates of at most alpha / (1 - beta) and beta / (1 - alpha). The number of errors may
/// exceed them by three standard deviations, because the simulated matches are only a sample.
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
