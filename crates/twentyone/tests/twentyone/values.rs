//! Tests the exact values against an exhaustive calculation and against a simulation.

use proptest::prelude::*;
use turnwise_engine::statistics::{NORMAL_QUANTILE, Sample};
use turnwise_twentyone::cards::{Rank, RankCounts};
use turnwise_twentyone::expected::{ActionValues, Decision, Unseen, round_value};
use turnwise_twentyone::rules::RuleSet;
use turnwise_twentyone::simulation::Simulator;

use super::naive::{Cards, Naive};

const RULES: [RuleSet; 2] = [RuleSet::Text, RuleSet::Engine];

fn rank(points: u8) -> Rank {
    Rank::from_index(usize::from(points) - 1)
}

/// Returns the library's values for a decision. All cards worth ten have the same rank.
fn values(rules: RuleSet, up: u8, hand: &[u8], shoe: &Cards) -> ActionValues {
    let hand: Vec<Rank> = hand.iter().map(|&points| rank(points)).collect();
    let unseen: RankCounts = shoe.iter().map(|&points| rank(points)).collect();
    Decision {
        rules,
        up: rank(up),
        hand: &hand,
        unseen: Unseen::one_shoe(unseen),
        bid: 1000,
        points: 1_000_000,
        first_action: true,
        insured: false,
        alone: false,
    }
    .values()
}

fn assert_near(what: &str, found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-9,
        "{what}: {found}, exhaustively {expected}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn actions_are_worth_what_enumeration_says(
        // The shoe has enough cards of four and more that no hand can empty it.
        shoe in prop::collection::vec(prop_oneof![1u8..=3, 4u8..=10, 7u8..=10], 12..14),
        hand in prop::array::uniform2(1u8..=10),
        up in 1u8..=10,
        engine in any::<bool>(),
    ) {
        let mut shoe = shoe;
        shoe.extend([7, 8, 9, 10, 10, 10]);
        let rules = RULES[usize::from(engine)];
        let naive = Naive::new(rules, up);
        let values = values(rules, up, &hand, &shoe);
        assert_near("stand", values.stand, naive.stand(&hand, 1.0, &shoe));
        assert_near("hit", values.hit, naive.hit(&hand, &shoe));
        assert_near("double", values.double_down.expect("affordable"), naive.double(&hand, &shoe));
        prop_assert_eq!(values.split.is_some(), hand[0] == hand[1]);
        prop_assert_eq!(values.insurance.is_some(), up == 1);
    }
}

#[test]
fn splits_are_worth_what_two_hands_from_one_shoe_get() {
    // The shoes have few different cards, so that every order can be enumerated, and enough high cards that
    // they never run out.
    let cases: [(u8, u8, &[u8]); 6] = [
        (8, 6, &[6, 8, 8, 9, 9, 9, 10, 10, 10, 10, 10, 10, 10, 10]),
        (8, 10, &[3, 8, 9, 9, 9, 9, 10, 10, 10, 10, 10, 10, 10, 10]),
        (1, 6, &[1, 9, 9, 9, 9, 9, 9, 10, 10, 10, 10, 10, 10, 10]),
        (1, 1, &[1, 7, 9, 9, 9, 9, 9, 10, 10, 10, 10, 10, 10, 10]),
        (10, 5, &[1, 10, 10, 9, 9, 9, 9, 9, 9, 9, 9, 8, 8, 8]),
        (9, 9, &[2, 9, 9, 8, 8, 8, 8, 10, 10, 10, 10, 10, 10, 10]),
    ];
    for rules in RULES {
        for (card, up, shoe) in cases {
            let shoe = shoe.to_vec();
            let found = values(rules, up, &[card, card], &shoe)
                .split
                .expect("a pair");
            let expected = Naive::new(rules, up).split(card, &shoe);
            assert_near(
                &format!("{card},{card} against {up}, {rules}"),
                found,
                expected,
            );
        }
    }
}

#[test]
fn an_insurance_is_worth_its_odds() {
    let shoe: Cards = vec![2, 3, 5, 6, 7, 8, 9, 9, 10, 10, 10, 10];
    let of = |rules| {
        let values = values(rules, 1, &[10, 8], &shoe);
        let plain = ActionValues {
            insurance: None,
            ..values
        }
        .best()
        .1;
        values.insurance.expect("an ace is up") - plain
    };
    // A third of the cards are worth ten; the insurance costs half the bid.
    assert_near("text", of(RuleSet::Text), 1.5 / 3.0 - 0.5);
    assert_near("engine", of(RuleSet::Engine), 2.0 / 3.0 - 0.5);
}

#[test]
fn simulated_hands_win_what_the_exact_value_says() {
    for (rules, low, high) in [
        (RuleSet::Text, 0.0058, 0.0070),
        (RuleSet::Engine, 0.091, 0.0925),
    ] {
        let exact = round_value(rules, &RankCounts::of_decks(3));
        assert!((low..high).contains(&exact), "{rules}: {exact}");
        let mut simulator = Simulator::new(rules, 3, 20);
        let mut sample = Sample::default();
        (0..400_000).for_each(|_| sample.add(simulator.hand()));
        // The tolerance is four standard errors.
        let near = 4.0 / NORMAL_QUANTILE * sample.half_width();
        assert!(
            (sample.mean() - exact).abs() < near,
            "{rules}: {} {exact}",
            sample.mean()
        );
    }
}
