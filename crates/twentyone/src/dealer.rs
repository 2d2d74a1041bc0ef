//! Computes the exact distribution of the dealer's final hand from the cards left.
//!
//! The dealer's play depends only on its own cards. All orders of the same cards therefore have the same
//! probability: a product of falling factorials of the counts left. For each up-card, the final hands are
//! collected once, as multisets with the number of orders that lead to them, and stored as a tree of partial
//! products. One evaluation is then a single pass of a few hundred multiplications for any shoe.

use std::sync::OnceLock;

use super::cards::VALUES;
use super::rules::{HandValue, RuleSet, Total, dealer_draws};

/// The number of different outcomes of the dealer's play.
pub const OUTCOMES: usize = 8;

const BUST: usize = 0;
const CHARLIE: usize = 6;
const COMBO: usize = 7;

/// The probabilities of the dealer's final hand: bust, 17 to 21, Charlie, Combo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcomes(pub [f64; OUTCOMES]);

/// Returns the index in [`Outcomes`] of the dealer's final hand.
pub fn outcome_of(value: HandValue) -> usize {
    match value {
        HandValue::Bust => BUST,
        HandValue::Value(total) => usize::from(total - 16),
        HandValue::Charlie => CHARLIE,
        HandValue::Combo => COMBO,
    }
}

impl Outcomes {
    /// Returns the probability that the dealer has a Combo.
    pub fn combo(&self) -> f64 {
        self.0[COMBO]
    }

    /// Returns the mean gain of a player's finished hand with this value, in bids.
    pub fn gain_of(&self, value: HandValue) -> f64 {
        match value {
            HandValue::Bust => -1.0,
            HandValue::Value(total) => {
                let beaten = usize::from(total.saturating_sub(16).max(1));
                let wins: f64 = self.0[..beaten].iter().sum();
                let equal = if total > 16 { self.0[beaten] } else { 0.0 };
                2.0 * wins + equal - self.sum()
            }
            HandValue::Charlie => self.sum() - self.0[CHARLIE] - 2.0 * self.0[COMBO],
            HandValue::Combo => 1.5 * (self.sum() - self.0[COMBO]),
        }
    }

    fn sum(&self) -> f64 {
        self.0.iter().sum()
    }
}

/// A node of the tree: the parent's cards plus one more card. `copy` is the number of earlier cards of its value.
#[derive(Debug, Clone, Copy)]
struct Node {
    value: u8,
    copy: u8,
    depth: u8,
    outcome: u8,
    /// The number of orders in which the dealer can draw these cards to finish a hand; 0 if they finish none.
    orders: f64,
}

/// An upper bound on the number of cards that the dealer draws: each adds at least one point.
const DEEPEST: usize = 24;

/// All final hands of a dealer with given first cards, as a tree of products.
#[derive(Debug)]
pub struct DealerTree {
    nodes: Vec<Node>,
    /// Only the nodes that lead to a Charlie or a Combo of the dealer. These decide the value of a player's Charlie.
    high_nodes: Vec<Node>,
}

impl DealerTree {
    fn new(rules: RuleSet, first_cards: &[usize]) -> DealerTree {
        let start: Total = first_cards.iter().copied().collect();
        let mut orders = std::collections::BTreeMap::new();
        if dealer_draws(start) {
            count_orders(rules, start, &mut [0; VALUES], &mut orders);
        } else {
            orders.insert([0; VALUES], (outcome_of(start.dealer_value(rules)), 1));
        }
        let finals: Vec<_> = orders.into_iter().collect();
        let is_high = |(_, (outcome, _)): &(Drawn, (usize, u32))| *outcome >= CHARLIE;
        let high_finals: Vec<_> = finals.iter().copied().filter(is_high).collect();
        DealerTree {
            nodes: nodes_of(&finals),
            high_nodes: nodes_of(&high_finals),
        }
    }

    /// Returns the tree for a rule set and the value classes of the dealer's first card or first two cards.
    pub fn of(rules: RuleSet, up: usize, hole: Option<usize>) -> &'static DealerTree {
        const SLOTS: usize = VALUES + 1;
        static TREES: [OnceLock<DealerTree>; 2 * VALUES * SLOTS] =
            [const { OnceLock::new() }; 2 * VALUES * SLOTS];
        let slot = (rules as usize * VALUES + up) * SLOTS + hole.map_or(0, |hole| hole + 1);
        TREES[slot].get_or_init(|| match hole {
            None => DealerTree::new(rules, &[up]),
            Some(hole) => DealerTree::new(rules, &[up, hole]),
        })
    }

    /// Returns the distribution of the dealer's final hand if all further cards come from `left`.
    ///
    /// If too few cards are left to finish every hand, the distribution covers only the hands that can be finished.
    pub fn outcomes(&self, left: &[u8; VALUES]) -> Outcomes {
        let mut outcomes = evaluate(&self.nodes, left);
        let sum: f64 = outcomes.iter().sum();
        if sum > 0.0 && sum < 1.0 - 1e-9 {
            outcomes
                .iter_mut()
                .for_each(|probability| *probability /= sum);
        }
        Outcomes(outcomes)
    }

    /// Returns the probabilities of a Charlie and of a Combo, the hands that do not lose to a Charlie.
    ///
    /// This is much faster than [`DealerTree::outcomes`].
    pub(super) fn high_outcomes(&self, left: &[u8; VALUES]) -> [f64; 2] {
        let outcomes = evaluate(&self.high_nodes, left);
        [outcomes[CHARLIE], outcomes[COMBO]]
    }
}

fn evaluate(nodes: &[Node], left: &[u8; VALUES]) -> [f64; OUTCOMES] {
    let total: u32 = left.iter().map(|&count| u32::from(count)).sum();
    let mut inverse = [1.0; DEEPEST];
    for depth in 1..DEEPEST {
        let cards = f64::from(total) - (depth as f64 - 1.0);
        inverse[depth] = if cards > 0.0 {
            inverse[depth - 1] / cards
        } else {
            0.0
        };
    }
    let mut products = [1.0; DEEPEST];
    let mut outcomes = [0.0; OUTCOMES];
    for node in nodes {
        let depth = usize::from(node.depth);
        if depth > 0 {
            let count = f64::from(left[usize::from(node.value)]);
            products[depth] = products[depth - 1] * (count - f64::from(node.copy));
        }
        outcomes[usize::from(node.outcome)] += products[depth] * inverse[depth] * node.orders;
    }
    outcomes
}

type Drawn = [u8; VALUES];

/// Counts the possible orders of every multiset of draws that ends the dealer's play.
fn count_orders(
    rules: RuleSet,
    total: Total,
    drawn: &mut Drawn,
    orders: &mut std::collections::BTreeMap<Drawn, (usize, u32)>,
) {
    for value in 0..VALUES {
        let total = total.with(value);
        drawn[value] += 1;
        if dealer_draws(total) {
            count_orders(rules, total, drawn, orders);
        } else {
            let outcome = outcome_of(total.dealer_value(rules));
            orders.entry(*drawn).or_insert((outcome, 0)).1 += 1;
        }
        drawn[value] -= 1;
    }
}

fn nodes_of(finals: &[(Drawn, (usize, u32))]) -> Vec<Node> {
    let mut nodes = Vec::new();
    push_nodes(finals, &mut Vec::new(), 0, &mut nodes);
    nodes
}

/// Appends the final hands that begin with the draws `path` to `nodes`, in depth-first order.
///
/// The draws of a hand are sorted by ascending value, so that hands with common low cards share their
/// products.
fn push_nodes(
    finals: &[(Drawn, (usize, u32))],
    path: &mut Vec<usize>,
    lowest: usize,
    nodes: &mut Vec<Node>,
) {
    let here: Drawn = path.iter().fold([0; VALUES], |mut drawn, &value| {
        drawn[value] += 1;
        drawn
    });
    let finished = finals.iter().find(|(drawn, _)| *drawn == here);
    let value = path.last().copied().unwrap_or(0);
    nodes.push(Node {
        value: value as u8,
        copy: here[value].saturating_sub(1),
        depth: path.len() as u8,
        outcome: finished.map_or(0, |(_, (outcome, _))| *outcome as u8),
        orders: finished.map_or(0.0, |(_, (_, orders))| f64::from(*orders)),
    });
    for value in lowest..VALUES {
        path.push(value);
        let mut next = here;
        next[value] += 1;
        // The hands below the next node have the counts of `next` for all smaller values, and at least the count of
        // `next` for `value`.
        let below: Vec<_> = finals
            .iter()
            .filter(|(drawn, _)| drawn[..value] == next[..value] && drawn[value] >= next[value])
            .copied()
            .collect();
        if !below.is_empty() {
            push_nodes(&below, path, value, nodes);
        }
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Enumerates the dealer's play card by card, without shortcuts.
    fn naive(rules: RuleSet, total: Total, left: &mut [u8; VALUES], p: f64, sums: &mut [f64; 8]) {
        if !dealer_draws(total) {
            sums[outcome_of(total.dealer_value(rules))] += p;
            return;
        }
        let cards: f64 = left.iter().map(|&count| f64::from(count)).sum();
        for value in 0..VALUES {
            if left[value] > 0 {
                let q = p * f64::from(left[value]) / cards;
                left[value] -= 1;
                naive(rules, total.with(value), left, q, sums);
                left[value] += 1;
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn the_tree_equals_card_by_card_enumeration(
            left in prop::array::uniform10(2u8..20),
            up in 0..VALUES,
            hole in prop::option::of(0..VALUES),
            engine in any::<bool>(),
        ) {
            let rules = if engine { RuleSet::Engine } else { RuleSet::Text };
            let mut sums = [0.0; OUTCOMES];
            let start = [up].into_iter().chain(hole).collect();
            naive(rules, start, &mut left.clone(), 1.0, &mut sums);
            let outcomes = DealerTree::of(rules, up, hole).outcomes(&left);
            for (tree, naive) in outcomes.0.into_iter().zip(sums) {
                prop_assert!((tree - naive).abs() < 1e-12, "{outcomes:?} {sums:?}");
            }
            let high = DealerTree::of(rules, up, hole).high_outcomes(&left);
            prop_assert!((high[0] - sums[CHARLIE]).abs() < 1e-12, "{high:?} {sums:?}");
            prop_assert!((high[1] - sums[COMBO]).abs() < 1e-12, "{high:?} {sums:?}");
        }
    }

    #[test]
    fn gains_follow_the_order_of_values() {
        let outcomes = Outcomes([0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.05, 0.15]);
        let near = |gain: f64, expected: f64| assert!((gain - expected).abs() < 1e-12, "{gain}");
        near(outcomes.gain_of(HandValue::Value(12)), 0.3 - 0.7);
        near(outcomes.gain_of(HandValue::Value(17)), 0.3 - 0.6);
        near(outcomes.gain_of(HandValue::Value(21)), 0.7 - 0.2);
        near(outcomes.gain_of(HandValue::Charlie), 0.8 - 0.15);
        near(outcomes.gain_of(HandValue::Combo), 1.5 * 0.85);
        near(outcomes.gain_of(HandValue::Bust), -1.0);
    }
}
