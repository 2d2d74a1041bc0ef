//! Tests the places of participants with equal ratings.

use proptest::prelude::*;
use turnwise_ranking::bradley_terry;
use turnwise_ranking::crosstable::{Crosstable, Pair};
use turnwise_ranking::ties::{TieBreak, places};

use super::pair;

/// Returns the places in the order of entry.
fn places_of(participants: usize, pairs: &[Pair], tie_breaks: &[TieBreak]) -> Vec<usize> {
    let table = Crosstable::new(participants, pairs.iter().copied()).expect("all pairs are right");
    let ratings = bradley_terry::elo(&table);
    let mut found = vec![0; participants];
    for (place, one) in places(&ratings.order(), &ratings, &table, tie_breaks) {
        found[one] = place;
    }
    found
}

#[test]
fn equals_share_a_place_unless_a_chosen_tie_break_separates_them() {
    // Participants 0 and 1 each won one pair and lost one pair against 2 and 3, and drew against each other.
    let drawn = [
        pair(0, 1, 2, -3.0),
        pair(0, 2, 4, 1.0),
        pair(0, 3, 0, -1.0),
        pair(1, 2, 0, -1.0),
        pair(1, 3, 4, 1.0),
        pair(2, 3, 2, 0.0),
    ];
    assert_eq!(places_of(4, &drawn, &[]), [1, 1, 1, 1]);
    let by_meeting = [TieBreak::HeadToHead];
    assert_eq!(places_of(4, &drawn, &by_meeting), [1, 1, 1, 1]);
    let by_both = [TieBreak::HeadToHead, TieBreak::Points];
    assert_eq!(places_of(4, &drawn, &by_both), [4, 1, 2, 2]);
}

#[test]
fn head_to_head_applies_only_if_all_of_the_tied_have_met() {
    // In each cycle of three, everybody won and lost once, so all ratings are equal. Participants 3 and 4 did not meet.
    let cycle = [pair(0, 1, 4, 1.0), pair(1, 2, 4, 1.0), pair(2, 0, 4, 1.0)];
    assert_eq!(places_of(3, &cycle, &[TieBreak::HeadToHead]), [1, 1, 1]);
    // Participants 0 and 1 have equal ratings, because 1 also won against a stronger opponent than 0 did.
    let line = [pair(0, 1, 2, 0.0), pair(0, 2, 2, 0.0), pair(1, 3, 2, 0.0)];
    assert_eq!(places_of(4, &line, &[TieBreak::HeadToHead]), [1, 1, 1, 1]);
}

fn tie_breaks() -> impl Strategy<Value = Vec<TieBreak>> {
    const ALL: [TieBreak; 2] = [TieBreak::Points, TieBreak::Buchholz];
    prop::collection::vec(prop::sample::select(&ALL[..]), 0..3)
}

proptest! {
    #[test]
    fn a_place_is_one_more_than_the_number_of_those_ahead(
        pairs in prop::collection::vec((0_usize..5, 1_usize..5, 0_usize..3, -1_i8..2), 0..12),
        tie_breaks in tie_breaks(),
    ) {
        let pairs: Vec<Pair> = pairs.into_iter()
            .map(|(one, by, won, points)| pair(one, (one + by) % 5, 2 * won, points.into()))
            .collect();
        let table = Crosstable::new(5, pairs.iter().copied()).expect("all pairs are right");
        let ratings = bradley_terry::elo(&table);
        let totals = table.totals();
        let key = |one: usize| {
            let mut key = vec![ratings.value(one).expect("it has played")];
            let mut scores = Vec::new();
            for pair in &pairs {
                let other = match one {
                    _ if one == pair.first => pair.second,
                    _ if one == pair.second => pair.first,
                    _ => continue,
                };
                scores.push(totals[other].score().expect("it has played"));
            }
            for tie_break in &tie_breaks {
                key.push(match tie_break {
                    TieBreak::Points => totals[one].points.mean(),
                    _ => scores.iter().sum::<f64>() / scores.len() as f64,
                });
            }
            key
        };
        let is_ahead = |one: &[f64], other: &[f64]| {
            let unequal = one.iter().zip(other).find(|(one, other)| (*one - *other).abs() > 1e-6);
            unequal.is_some_and(|(one, other)| one > other)
        };
        let placed = places(&ratings.order(), &ratings, &table, &tie_breaks);
        for &(place, one) in &placed {
            let others = placed.iter().filter(|&&(_, other)| is_ahead(&key(other), &key(one)));
            prop_assert_eq!(place, 1 + others.count());
        }
        prop_assert!(placed.is_sorted());
    }
}
