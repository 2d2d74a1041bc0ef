//! Tests standings and ratings with results that are listed in this file.

use proptest::prelude::*;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_ranking::crosstable::{Crosstable, Pair};
use turnwise_ranking::{bradley_terry, points};

use super::pair;

fn table(participants: usize, pairs: &[Pair]) -> Crosstable {
    Crosstable::new(participants, pairs.iter().copied()).expect("all pairs are right")
}

#[test]
fn two_participants_have_the_published_pentanomial_difference() {
    // The values are from fastchess, app/tests/elo_test.cpp, "EloPentanomial" 1 to 3. They are the numbers of pairs in
    // each category, the Elo difference, and half the width of the 95 % interval, which are accurate to 1 % there.
    for (counts, elo, half) in [
        ([34, 54, 63, 64, 75], 55.58, 27.65),
        ([332, 433, 498, 333, 334], -8.64, 10.33),
        ([7895, 8757, 5685, 568, 9999], -21.04, 2.95),
    ] {
        let mut pairs = Vec::new();
        for (category, count) in counts.into_iter().enumerate() {
            pairs.extend(vec![pair(0, 1, category, 0.0); count]);
        }
        let found = (bradley_terry::elo(&table(2, &pairs)).difference(0, 1)).expect("they met");
        assert!((found.value / elo - 1.0).abs() < 0.01, "{found:?}");
        let ours = (found.upper - found.lower) / 2.0;
        assert!((ours / half - 1.0).abs() < 0.015, "{ours} {half}");
    }
}

#[test]
fn points_of_three_are_their_least_squares() {
    // Each encounter has two pairs. Their mean differences are 4, 1 and 5, which are consistent, but each pair deviates
    // from the mean of its encounter by 1.
    let pairs = [(0, 1, 4.0), (1, 2, 1.0), (0, 2, 5.0)];
    let both = pairs.iter().flat_map(|&(first, second, mean)| {
        [mean - 1.0, mean + 1.0].map(|points| pair(first, second, 4, points))
    });
    let ratings = points::additive(&table(3, &both.collect::<Vec<_>>()));
    for (one, expected) in [(0, 3.0), (1, -1.0), (2, -2.0)] {
        let value = ratings.value(one).expect("it has played");
        assert!((value - expected).abs() < 1e-9, "{one}: {value}");
    }
    // The variance of a pair is 1.5: the sum of six squared residuals of 1, divided by 6 - 2 degrees of freedom. The
    // variance of the difference of two participants is a third of that, because there are three participants with two
    // pairs per encounter. The quantile t(4) is 2.776445.
    let found = ratings.difference(0, 1).expect("they have met");
    let half = found.upper - found.value;
    assert!(
        (half - 2.776_445 * (1.5_f64 / 3.0).sqrt()).abs() < 0.01,
        "{half}"
    );
    assert!(ratings.are_distinguishable(0, 1));
    assert!(!ratings.are_distinguishable(1, 2));
    assert_eq!(ratings.order(), [0, 1, 2]);
    let smallest = ratings.smallest_difference().expect("two neighbours");
    assert!((smallest - half).abs() < 0.01);
}

#[test]
fn of_pairs_that_all_fit_exactly_nothing_is_known_but_the_values() {
    // The differences are thirds, whose squares cannot be represented exactly.
    let ratings = points::additive(&table(2, &[pair(0, 1, 4, 10.0 / 3.0); 7]));
    let value = ratings.value(0).expect("it has played");
    assert!((value - 5.0 / 3.0).abs() < 1e-9, "{value}");
    assert_eq!(ratings.estimate(0), None);
    assert_eq!(ratings.difference(0, 1), None);
}

#[test]
fn who_won_everything_is_ahead_by_a_finite_and_uncertain_difference() {
    let mut pairs = vec![pair(1, 2, 1, 0.0), pair(1, 2, 3, 0.0)];
    pairs.extend([1, 2, 1, 2].map(|other| pair(0, other, 4, 1.0)));
    let table = table(3, &pairs);
    let ratings = bradley_terry::elo(&table);
    let ahead = ratings.difference(0, 1).expect("they have met");
    assert!(ahead.value > 100.0 && ahead.value < 1_500.0, "{ahead:?}");
    assert!(ahead.upper - ahead.lower > 300.0, "{ahead:?}");
    assert_eq!(ratings.order()[0], 0);
}

#[test]
fn participants_whom_no_chain_of_opponents_connects_are_not_compared() {
    let pairs = [
        pair(0, 2, 3, 1.0),
        pair(0, 2, 2, 0.0),
        pair(1, 3, 3, 2.0),
        pair(1, 3, 1, -1.0),
    ];
    let table = table(5, &pairs);
    assert_eq!(table.groups(), [0, 1, 0, 1, 4]);
    for ratings in [bradley_terry::elo(&table), points::additive(&table)] {
        assert!(ratings.difference(0, 2).is_some());
        assert_eq!(ratings.difference(0, 1), None);
        assert!(!ratings.are_distinguishable(0, 1));
        assert_eq!(ratings.value(4), None);
        assert_eq!(ratings.estimate(4), None);
        assert_eq!(ratings.difference(0, 0), None);
        assert_eq!([0, 2, 3].map(|one| ratings.group(one)), [0, 0, 1]);
        assert!(!ratings.order().contains(&4));
        let group = [0, 2].map(|one| ratings.value(one).expect("it has played"));
        assert!((group[0] + group[1]).abs() < 1e-9, "{group:?}");
    }
}

#[test]
fn nobody_and_nothing_played_are_ranked_too() {
    for participants in 0..3 {
        let empty = table(participants, &[]);
        for ratings in [bradley_terry::elo(&empty), points::additive(&empty)] {
            assert!(ratings.order().is_empty());
            assert_eq!(ratings.smallest_difference(), None);
        }
    }
}

#[test]
fn a_wrong_pair_is_refused() {
    for wrong in [
        pair(0, 3, 2, 0.0),
        pair(1, 1, 2, 0.0),
        pair(0, 1, 5, 0.0),
        pair(0, 1, 2, f64::NAN),
        pair(0, 1, 2, f64::INFINITY),
    ] {
        assert!(Crosstable::new(3, [wrong]).is_err(), "{wrong:?}");
    }
}

#[test]
fn a_table_has_both_sides_of_each_encounter() {
    let table = table(
        3,
        &[pair(0, 1, 4, 5.0), pair(1, 0, 1, -2.0), pair(2, 1, 2, 0.0)],
    );
    let own = table.between(0, 1).expect("they have met");
    assert_eq!((own.pairs, own.points.mean()), ([0, 0, 0, 1, 1], 3.5));
    assert_eq!(own.score(), Some(0.875));
    assert_eq!(table.between(1, 0), Some(own.reversed()));
    assert_eq!(table.between(0, 2), None);
    let all = table.totals()[1];
    assert_eq!((all.pairs, all.count()), ([1, 1, 1, 0, 0], 3));
}

fn pairs() -> impl Strategy<Value = Vec<Pair>> {
    let one = (0_usize..6, 1_usize..6, 0_usize..5, -1e3..1e3)
        .prop_map(|(first, by, category, points)| pair(first, (first + by) % 6, category, points));
    prop::collection::vec(one, 0..40)
}

proptest! {
    #[test]
    fn order_and_sides_of_the_pairs_change_no_bit(pairs in pairs(), seed: u64, turned: u64) {
        let mut other = pairs.clone();
        for (at, pair) in other.iter_mut().enumerate() {
            if turned >> (at % 64) & 1 == 1 {
                *pair = Pair {
                    first: pair.second,
                    second: pair.first,
                    category: 4 - pair.category,
                    points: -pair.points,
                };
            }
        }
        other.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let [one, other] = [table(6, &pairs), table(6, &other)];
        prop_assert_eq!(&one, &other);
        prop_assert_eq!(bradley_terry::elo(&one), bradley_terry::elo(&other));
        prop_assert_eq!(points::additive(&one), points::additive(&other));
    }

    #[test]
    fn every_table_has_finite_ratings(pairs in pairs()) {
        let table = table(6, &pairs);
        for ratings in [bradley_terry::elo(&table), points::additive(&table)] {
            for one in 0..6 {
                prop_assert_eq!(ratings.value(one).is_some(), table.totals()[one].count() > 0);
                prop_assert!(ratings.value(one).is_none_or(f64::is_finite));
                if let Some(found) = ratings.estimate(one) {
                    prop_assert!(found.lower.is_finite() && found.lower <= found.value);
                }
            }
            for (first, second, results) in table.encounters() {
                if let Some(found) = ratings.difference(first, second) {
                    prop_assert!(found.lower.is_finite() && found.lower < found.upper);
                }
                prop_assert!(results.count() > 0);
            }
        }
    }
}
