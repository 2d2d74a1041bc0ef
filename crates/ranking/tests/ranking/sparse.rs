//! Compares the sparse equations of the ratings with dense matrices.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_ranking::crosstable::{Crosstable, Pair};
use turnwise_ranking::ratings::Ratings;
use turnwise_ranking::{bradley_terry, points};

use crate::dense::{Dense, Unit, dense};

/// Returns the results of participants that meet `meetings` random opponents each, for `pairs` pairs each time. Most
/// opponents are neighbors in strength, as in a Swiss.
fn random_table(participants: usize, meetings: usize, pairs: usize, seed: u64) -> Crosstable {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut played = Vec::new();
    for first in 0..participants {
        for _ in 0..meetings.div_ceil(2) {
            let far = random.random_bool(0.3);
            let by = random.random_range(
                1..if far {
                    participants
                } else {
                    participants.min(6)
                },
            );
            let second = (first + by) % participants;
            for _ in 0..pairs {
                let ahead = (second as f64 - first as f64) / participants as f64;
                let expected = 1.0 / (1.0 + (-3.0 * ahead).exp());
                let won = (0..2).map(|_| 2 * usize::from(random.random_bool(expected)));
                played.push(Pair {
                    first,
                    second,
                    category: won.sum(),
                    points: (20.0 * ahead + random.random_range(-9.0..9.0)).round(),
                });
            }
        }
    }
    Crosstable::new(participants, played).expect("all pairs are right")
}

/// Returns the largest difference in value, and the largest relative difference in the width of an interval, of a rating
/// or of the difference between two ratings.
fn apart(table: &Crosstable, ratings: &Ratings, expected: &Dense) -> [f64; 2] {
    let totals = table.totals();
    let played: Vec<usize> = (0..table.participants())
        .filter(|&one| totals[one].count() > 0)
        .collect();
    let mut apart = [0.0_f64; 2];
    let mut compare = |found: f64, half: Option<f64>, value: f64, variance: Option<f64>| {
        apart[0] = apart[0].max((found - value).abs());
        assert_eq!(half.is_some(), variance.is_some());
        if let Some((half, variance)) = half.zip(variance) {
            apart[1] = apart[1].max((half / (expected.quantile * variance.sqrt()) - 1.0).abs());
        }
    };
    for &one in &played {
        let own = |all: &Vec<Vec<f64>>| all[one][one];
        let found = ratings.value(one).expect("it has played");
        let half = ratings.estimate(one).map(|it| it.upper - it.value);
        compare(
            found,
            half,
            expected.values[one],
            expected.covariance.as_ref().map(own),
        );
        for &other in played
            .iter()
            .filter(|&&other| ratings.group(other) == ratings.group(one))
        {
            let Some(found) = ratings.difference(one, other) else {
                continue;
            };
            let of_both = |all: &Vec<Vec<f64>>| {
                all[one][one] + all[other][other] - all[one][other] - all[other][one]
            };
            compare(
                found.value,
                Some(found.upper - found.value),
                expected.values[one] - expected.values[other],
                expected.covariance.as_ref().map(of_both),
            );
        }
    }
    apart
}

fn both(table: &Crosstable) -> [(Unit, Ratings); 2] {
    [
        (Unit::Elo, bradley_terry::elo(table)),
        (Unit::Points, points::additive(table)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn ratings_and_intervals_are_those_of_dense_matrices(
        participants in 2_usize..60,
        meetings in 1_usize..9,
        pairs in 1_usize..5,
        seed: u64,
    ) {
        let table = random_table(participants, meetings, pairs, seed);
        for (unit, ratings) in both(&table) {
            let [value, width] = apart(&table, &ratings, &dense(&table, unit));
            prop_assert!(value < 0.01 && width < 1e-4, "{:?}: {} {}", unit, value, width);
        }
    }
}

#[test]
fn first_steps_with_probes_hardly_change_the_ratings_of_many() {
    let table = random_table(230, 10, 1, 5);
    for (unit, ratings) in both(&table) {
        let expected = dense(&table, unit);
        let [value, width] = apart(&table, &ratings, &expected);
        // Both fits stop after a step of at most 1 % of the largest standard error.
        let variances = expected.covariance.as_ref().expect("they scatter");
        let largest = (0..230)
            .map(|one| variances[one][one].sqrt())
            .fold(0.0, f64::max);
        assert!(
            value < 0.02 * largest && width < 0.003,
            "{unit:?}: {value} {width}"
        );
    }
}

proptest! {
    #[test]
    fn ranges_hold_exactly_those_that_are_alike(
        participants in 2_usize..40,
        meetings in 1_usize..9,
        pairs in 1_usize..9,
        seed: u64,
    ) {
        let table = random_table(participants, meetings, pairs, seed);
        for (_, ratings) in both(&table) {
            let order = ratings.order();
            for (at, range) in ratings.alike(&order).into_iter().enumerate() {
                let is_alike = |&other: &usize| {
                    other == at || !ratings.are_distinguishable(order[at], order[other])
                };
                let all: Vec<usize> = (0..order.len()).filter(is_alike).collect();
                prop_assert_eq!(Some(&range.start), all.first());
                prop_assert_eq!(Some(range.end - 1), all.last().copied());
            }
        }
    }
}
