//! Infers other players' bids from their visible points, their hands and the dealer's cards.
//!
//! The listed points of players exclude the bids that they have placed.
//!
//! - A player seated after us bids between our bid and our turn. Its points decrease in that time, and
//!   the decrease is its bid.
//! - A player seated before us has already bid. Its bid is the difference between its points after the last round and
//!   its points now. Its points after that round follow from its bid, its payments, its hands and the dealer's hand in
//!   that round. They also require its points before that round, which are derived likewise, back to the starting
//!   points.
//!
//! We see what a player pays in its turn if it acted before us. If its payments do not show whether it took insurance,
//! or which hands it doubled, all consistent outcomes are tracked. The bid counts as known only if all these outcomes
//! lead to a single legal bid.

use super::actions::check_bid;
use super::cards::{ACE_VALUE, Card};
use super::memory::Seat;
use super::rules::{
    HandValue, Points, RuleSet, Settings, hand_return, hand_value, insurance_cost,
    insurance_return, total_of,
};

/// The maximum number of possible outcomes that are tracked for one player's round.
const MOST_OUTCOMES: usize = 64;

/// The points that a player pays after its bid in a round, and the points that it gets back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Outcome {
    paid: Points,
    returned: Points,
}

/// The facts about a finished round that all players have in common.
#[derive(Debug, Clone, Copy)]
pub struct Played<'a> {
    pub settings: &'a Settings,
    /// The cards that the dealer showed: only the up-card if the dealer did not play.
    pub dealer: &'a [Card],
}

impl Played<'_> {
    /// Returns all possible numbers of points of a player after the round.
    ///
    /// The numbers follow from the player's seat and its hands. The result is empty if seat and hands give too little
    /// information.
    pub fn points_after(&self, seat: &Seat, hands: &[Vec<Card>]) -> Vec<Points> {
        let outcomes = if hands.is_empty() || self.dealer.is_empty() {
            Vec::new()
        } else if (1..=self.settings.max_bid).contains(&seat.bid) {
            self.outcomes(seat.bid, hands)
        } else {
            self.outcome_of_an_unknown_bid(seat, hands)
        };
        let mut points: Vec<Points> = outcomes
            .into_iter()
            .filter(|outcome| seat.paid.is_none_or(|paid| paid == outcome.paid))
            .filter_map(|outcome| {
                let left = seat.points.checked_sub(outcome.paid)?;
                left.checked_add(outcome.returned)
            })
            .collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    fn returned(&self, bid: Points, hand: &[Card]) -> Points {
        let dealer = total_of(self.dealer).dealer_value(self.settings.rules);
        hand_return(bid, hand_value(hand), dealer)
    }

    fn ace_is_up(&self) -> bool {
        self.dealer[0].rank.value() == ACE_VALUE
    }

    /// Returns all possible outcomes of a player's round, or an empty list if there are too many.
    fn outcomes(&self, bid: Points, hands: &[Vec<Card>]) -> Vec<Outcome> {
        let mut all = vec![Outcome {
            paid: (hands.len() as Points - 1) * bid,
            returned: 0,
        }];
        let each = hands.iter().map(|hand| self.of_hand(bid, hand));
        for outcomes in each.chain([self.of_insurance(bid)]) {
            let both = |one: &Outcome, other: &Outcome| Outcome {
                paid: one.paid + other.paid,
                returned: one.returned + other.returned,
            };
            all = all
                .iter()
                .flat_map(|one| outcomes.iter().map(move |other| both(one, other)))
                .collect();
            all.sort_unstable();
            all.dedup();
            if all.len() > MOST_OUTCOMES {
                return Vec::new();
            }
        }
        all
    }

    /// Returns the outcome of a round with an unknown bid. It is certain only if the player gets nothing back.
    fn outcome_of_an_unknown_bid(&self, seat: &Seat, hands: &[Vec<Card>]) -> Vec<Outcome> {
        let lost = hands.iter().all(|hand| self.returned(1, hand) == 0);
        match seat.paid {
            Some(paid) if lost && !self.ace_is_up() => vec![Outcome { paid, returned: 0 }],
            _ => Vec::new(),
        }
    }

    /// Returns the outcome of a hand without a double down and, if possible, the outcome with a double down.
    ///
    /// A doubled hand has exactly three cards. Under the engine's rules, it can also be a Combo.
    fn of_hand(&self, bid: Points, hand: &[Card]) -> Vec<Outcome> {
        let plain = Outcome {
            paid: 0,
            returned: self.returned(bid, hand),
        };
        let engine = self.settings.rules == RuleSet::Engine;
        let combo = engine && hand_value(hand) == HandValue::Combo;
        let doubled = (hand.len() == 3 || combo).then(|| Outcome {
            paid: bid,
            returned: self.returned(2 * bid, hand),
        });
        std::iter::once(plain).chain(doubled).collect()
    }

    /// Returns the outcome without insurance and, if insurance was possible, the outcome with insurance.
    fn of_insurance(&self, bid: Points) -> Vec<Outcome> {
        let insured = |returned| Outcome {
            paid: insurance_cost(bid),
            returned,
        };
        let rules = self.settings.rules;
        let pays = insured(insurance_return(rules, bid));
        let combo = total_of(self.dealer).is_combo();
        let mut outcomes = vec![Outcome::default()];
        if self.ace_is_up() {
            // If the dealer does not play, its hidden card decides about insurance only under the text's rules.
            let hidden = self.dealer.len() == 1 && rules == RuleSet::Text;
            if !combo {
                outcomes.push(insured(0));
            }
            if combo || hidden {
                outcomes.push(pays);
            }
        }
        outcomes
    }
}

/// Infers a player's bid from its possible points before the bid and its points now.
///
/// Returns `None` unless exactly one legal bid is possible.
pub fn bid_between(settings: &Settings, before: &[Points], now: Points) -> Option<Points> {
    let mut legal = before.iter().filter_map(|&before| {
        let bid = before.checked_sub(now)?;
        check_bid(settings, bid, before).ok().map(|()| bid)
    });
    let bid = legal.next()?;
    legal.all(|other| other == bid).then_some(bid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::cards;

    fn points_after(rules: RuleSet, seat: Seat, hands: &[&str], dealer: &str) -> Vec<Points> {
        let hands: Vec<Vec<Card>> = hands.iter().map(|hand| cards(hand)).collect();
        let played = Played {
            settings: &Settings::of(rules),
            dealer: &cards(dealer),
        };
        played.points_after(&seat, &hands)
    }

    const BID: Points = 100;

    /// A player that has 900 points left after a bid of 100.
    fn seat(paid: Option<Points>) -> Seat {
        Seat {
            points: 900,
            bid: BID,
            paid,
            ..Seat::new(1, 900)
        }
    }

    #[test]
    fn what_was_paid_tells_what_was_done() {
        let text = RuleSet::Text;
        let (three, two) = ("S5 H6 DT", "S5 HT");
        assert_eq!(points_after(text, seat(Some(0)), &[three], "DT C9"), [1100]);
        assert_eq!(
            points_after(text, seat(Some(100)), &[three], "DT C9"),
            [1200]
        );
        assert_eq!(
            points_after(text, seat(None), &[three], "DT C9"),
            [1100, 1200]
        );
        assert_eq!(points_after(text, seat(None), &[two], "DT C9"), [900]);
        // Either the first or the second hand was doubled.
        let split = ["S8 H3 DT", "H8 H2 D5"];
        assert_eq!(
            points_after(text, seat(Some(200)), &split, "DT C9"),
            [900, 1100]
        );
        // No outcome fits this payment.
        assert!(points_after(text, seat(Some(70)), &[two], "DT C9").is_empty());
    }

    #[test]
    fn an_insurance_is_followed_as_each_rule_set_pays_it() {
        let after = |rules, paid, dealer| points_after(rules, seat(paid), &["S5 HT"], dealer);
        assert_eq!(after(RuleSet::Text, Some(50), "DA CK"), [1000]);
        assert_eq!(after(RuleSet::Engine, Some(50), "DA CK"), [1050]);
        assert_eq!(after(RuleSet::Text, Some(0), "DA CK"), [900]);
        assert_eq!(after(RuleSet::Text, None, "DA C9"), [850, 900]);
        let bust = |rules| points_after(rules, seat(Some(50)), &["S5 HT D9"], "DA");
        assert_eq!(bust(RuleSet::Text), [850, 1000]);
        assert_eq!(bust(RuleSet::Engine), [850]);
        let doubled_combo = points_after(RuleSet::Engine, seat(Some(100)), &["SA HT"], "D9 C9");
        assert_eq!(doubled_combo, [1300]);
    }

    #[test]
    fn of_an_unknown_bid_a_loss_is_known() {
        let unknown = |paid| Seat {
            bid: 0,
            ..seat(paid)
        };
        let after = |paid, dealer| points_after(RuleSet::Text, unknown(paid), &["S5 HT"], dealer);
        assert_eq!(after(Some(0), "DT C9"), [900]);
        assert!(after(None, "DT C9").is_empty());
        assert!(after(Some(0), "DT C2 CT").is_empty());
    }

    #[test]
    fn a_bid_is_known_if_one_legal_bid_fits() {
        let settings = Settings::of(RuleSet::Text);
        assert_eq!(bid_between(&settings, &[1000], 900), Some(100));
        assert_eq!(bid_between(&settings, &[905, 1000], 900), Some(100));
        assert_eq!(bid_between(&settings, &[950, 1000], 900), None);
        assert_eq!(bid_between(&settings, &[800], 900), None);
        assert_eq!(bid_between(&settings, &[], 900), None);
    }
}
