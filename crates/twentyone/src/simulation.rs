//! Simulates millions of single hands from fresh shoes, for a player that decides by exact expected values.
//!
//! The simulation checks these exact values, and provides variances and ruin probabilities.
//!
//! Only one player is simulated. The dealer always plays, as if there were other players at the table. Each hand of a
//! split is played on its own cards, so the mean must equal [`super::expected::round_value`].

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::actions::Action;
use super::cards::{RANKS, Rank, RankCounts};
use super::expected::{Decision, Unseen};
use super::rules::{
    HandValue, Points, RuleSet, Total, dealer_draws, hand_return, insurance_cost, insurance_return,
    is_terminal,
};
use turnwise_engine::statistics::Sample;

/// The bid of every simulated hand, in points. It is even, so that no payment is rounded.
pub const BID: Points = 1000;

/// The facts that, together with the rules, determine a decision in a hand from a fresh shoe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    up: Rank,
    /// The cards that the player has seen: the cards of the hand, and of the pairs from which it was split.
    gone: RankCounts,
    hand: RankCounts,
    cards: u8,
    first_action: bool,
}

/// Deals and plays single hands.
pub struct Simulator {
    rules: RuleSet,
    full: RankCounts,
    left: RankCounts,
    cards_left: u32,
    random: Xoshiro256PlusPlus,
    decisions: HashMap<Key, Action>,
}

struct SplitHand {
    ranks: Vec<Rank>,
    /// The number of cards of the pair's rank that went to the other hands of the split.
    split_off: u8,
    bid: Points,
}

impl SplitHand {
    fn new(ranks: Vec<Rank>, split_off: u8) -> SplitHand {
        SplitHand {
            ranks,
            split_off,
            bid: BID,
        }
    }
}

impl Simulator {
    /// Creates a simulator of the rule set with `decks` decks.
    pub fn new(rules: RuleSet, decks: u8, seed: u64) -> Simulator {
        let full = RankCounts::of_decks(decks);
        Simulator {
            rules,
            full,
            left: full,
            cards_left: full.total() as u32,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            decisions: HashMap::new(),
        }
    }

    fn deal(&mut self) -> Rank {
        let mut place = self.random.random_range(0..self.cards_left);
        self.cards_left -= 1;
        for index in 0..RANKS {
            let count = u32::from(self.left.0[index]);
            if place < count {
                self.left.0[index] -= 1;
                return Rank::from_index(index);
            }
            place -= count;
        }
        unreachable!("the counts add up to the cards left")
    }

    /// Plays one hand from a fresh shoe and returns its gain in bids.
    pub fn hand(&mut self) -> f64 {
        self.left = self.full;
        self.cards_left = self.full.total() as u32;
        let up = self.deal();
        let hole = self.deal();
        let mut paid = BID;
        let mut insured = false;
        let mut waiting = vec![SplitHand::new(vec![self.deal(), self.deal()], 0)];
        let mut first_action = true;
        let mut finished: Vec<(HandValue, Points)> = Vec::with_capacity(2);
        while let Some(mut hand) = waiting.pop() {
            loop {
                let value = value_of(&hand.ranks);
                if is_terminal(self.rules, value) {
                    break;
                }
                let action = self.decide(up, &hand, first_action && !insured);
                first_action = first_action && action == Action::Insurance;
                match action {
                    Action::Hit => hand.ranks.push(self.deal()),
                    Action::Insurance => {
                        insured = true;
                        paid += insurance_cost(BID);
                    }
                    Action::DoubleDown => {
                        paid += BID;
                        hand.bid += BID;
                        if value != HandValue::Combo {
                            hand.ranks.push(self.deal());
                        }
                        break;
                    }
                    Action::Split => {
                        paid += BID;
                        hand.split_off += 1;
                        let rank = hand.ranks[0];
                        hand.ranks[1] = self.deal();
                        let ranks = vec![rank, self.deal()];
                        waiting.push(SplitHand::new(ranks, hand.split_off));
                    }
                    Action::Stand | Action::Bid(_) => break,
                }
            }
            finished.push((value_of(&hand.ranks), hand.bid));
        }
        let mut dealer = Total::default().with(up.value()).with(hole.value());
        while dealer_draws(dealer) {
            dealer = dealer.with(self.deal().value());
        }
        let value = dealer.dealer_value(self.rules);
        let finished = finished.into_iter();
        let returned = finished.map(|(hand, bid)| hand_return(bid, hand, value));
        let mut returned: Points = returned.sum();
        if insured && value == HandValue::Combo {
            returned += insurance_return(self.rules, BID);
        }
        (returned as f64 - paid as f64) / BID as f64
    }

    fn decide(&mut self, up: Rank, hand: &SplitHand, first_action: bool) -> Action {
        let own: RankCounts = hand.ranks.iter().copied().collect();
        let mut gone = own;
        gone.0[hand.ranks[0].index()] += hand.split_off;
        let first_action = first_action && up == Rank::ACE;
        let key = Key {
            up,
            gone,
            hand: own,
            cards: hand.ranks.len() as u8,
            first_action,
        };
        let (rules, full) = (self.rules, self.full);
        *self.decisions.entry(key).or_insert_with(|| {
            gone.add(up);
            let decision = Decision {
                rules,
                up,
                hand: &hand.ranks,
                unseen: Unseen::one_shoe(full.without(&gone)),
                bid: BID,
                points: Points::MAX / 8,
                first_action,
                insured: !first_action,
                alone: false,
            };
            decision.values().best().0
        })
    }
}

fn value_of(ranks: &[Rank]) -> HandValue {
    let total: Total = ranks.iter().map(|rank| rank.value()).collect();
    total.player_value()
}

/// The results of games in which a player bids [`BID`] points in every hand.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stacks {
    /// The number of games that ended without points.
    pub ruined: u64,
    /// The distribution of the points at the end of a game, in bids.
    pub end: Sample,
}

impl Stacks {
    /// Plays one game of at most `rounds` hands. The player starts with enough points for `stack` bids.
    ///
    /// A player may double or split even if it cannot pay for that, but it never loses more than all its points.
    pub fn play(&mut self, simulator: &mut Simulator, stack: u32, rounds: u32) {
        let mut points = f64::from(stack);
        for _ in 0..rounds {
            points = (points + simulator.hand()).max(0.0);
            if points <= 0.0 {
                self.ruined += 1;
                break;
            }
        }
        self.end.add(points);
    }
}
