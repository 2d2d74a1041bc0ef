//! The actions of players, and the rules that make them legal.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::cards::{ACE_VALUE, Card};
use super::rules::{Points, Settings, insurance_cost};

/// An action of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Place a bid, before the cards are shown.
    Bid(Points),
    /// Take one more card.
    Hit,
    /// Draw no further card for the current hand.
    Stand,
    /// Double the bid of the hand; exactly one Hit and then Stand must follow.
    DoubleDown,
    /// Split a pair into two hands, each with the original bid.
    Split,
    /// Pay for a side bid that wins if the dealer has a Combo.
    Insurance,
}

impl Action {
    /// The actions that have no number.
    pub(crate) const WITHOUT_NUMBER: [Action; 5] = [
        Action::Hit,
        Action::Stand,
        Action::DoubleDown,
        Action::Split,
        Action::Insurance,
    ];

    /// Returns the action's name in the course's notation.
    pub fn name(self) -> &'static str {
        match self {
            Action::Bid(_) => "Bid",
            Action::Hit => "Hit",
            Action::Stand => "Stand",
            Action::DoubleDown => "DoubleDown",
            Action::Split => "Split",
            Action::Insurance => "Insurance",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Bid(points) => write!(f, "Bid {points}"),
            _ => f.write_str(self.name()),
        }
    }
}

impl FromStr for Action {
    type Err = String;

    /// Parses the text that `Display` writes.
    fn from_str(text: &str) -> Result<Action, String> {
        let mut others = Action::WITHOUT_NUMBER.into_iter();
        let bid = text.strip_prefix("Bid ");
        let bid = bid.and_then(|points| points.parse().ok().map(Action::Bid));
        let action = bid.or_else(|| others.find(|action| action.name() == text));
        action.ok_or_else(|| {
            "expected \"Bid POINTS\", Hit, Stand, DoubleDown, Split or Insurance".to_owned()
        })
    }
}

/// The reason why an action is illegal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum ActionError {
    /// An action between rounds, when no player is asked to act.
    #[error("no player is asked between rounds")]
    NotAsked,
    /// An action other than a bid in the bidding round.
    #[error("a bid must come first")]
    NoBid,
    /// A bid after the cards are shown.
    #[error("bids can only be placed before the cards are shown")]
    LateBid,
    /// A bid below the minimum although the player has enough points for the minimum.
    #[error("the bid is below the minimum, and the points left allow the minimum")]
    BidTooSmall,
    /// A bid above [`Settings::max_bid`](super::rules::Settings::max_bid).
    #[error("the bid is above the maximum")]
    BidTooLarge,
    /// A bid or payment of more points than the player has.
    #[error("not enough points left")]
    NotEnoughPoints,
    /// A double down on a hand that does not have exactly two cards.
    #[error("double down needs a hand of exactly two cards")]
    LateDoubleDown,
    /// An action after a double down that is not the required one: first Hit, then Stand.
    #[error("a double down must be followed by one Hit and then Stand")]
    AfterDoubleDown,
    /// A split without two cards of the same rank.
    #[error("split needs two cards of the same rank")]
    NoPair,
    /// An insurance although the dealer shows no ace.
    #[error("insurance needs an ace as the dealer's up-card")]
    NoAce,
    /// An insurance after another action, or a second insurance.
    #[error("insurance can only be the first action after the bid")]
    LateInsurance,
}

/// Checks a bid against the settings and the points left.
///
/// A bid of zero is too small even for a player that cannot afford the minimum bid.
pub fn check_bid(settings: &Settings, bid: Points, points: Points) -> Result<(), ActionError> {
    if bid > settings.max_bid {
        Err(ActionError::BidTooLarge)
    } else if bid > points {
        Err(ActionError::NotEnoughPoints)
    } else if bid == 0 || (bid < settings.min_bid && points >= settings.min_bid) {
        Err(ActionError::BidTooSmall)
    } else {
        Ok(())
    }
}

/// The number of steps between the smallest and the largest bid of [`some_bids`].
const BID_STEPS: Points = 8;

/// Returns a selection of the bids that are legal for a player with `points` points, in ascending order.
///
/// They include the smallest and the largest legal bid.
pub fn some_bids(settings: &Settings, points: Points) -> Vec<Action> {
    let least = match settings.min_bid > points {
        true => 1,
        false => settings.min_bid,
    };
    let most = settings.max_bid.min(points);
    let bids = (0..=BID_STEPS).map(|step| least + most.saturating_sub(least) * step / BID_STEPS);
    let mut bids: Vec<Action> = bids
        .filter(|&bid| check_bid(settings, bid, points).is_ok())
        .map(Action::Bid)
        .collect();
    bids.dedup();
    bids
}

/// The facts that decide whether an action in a hand is legal.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// The cards of the hand in play.
    pub hand: &'a [Card],
    /// The dealer's up-card.
    pub up_card: Card,
    /// The player's original bid.
    pub bid: Points,
    /// The points that the player has left after paying all its bids.
    pub points: Points,
    /// True if the player has not taken any action since its bid.
    pub first_action: bool,
    /// True if the hand was doubled down.
    pub doubled: bool,
}

impl Situation<'_> {
    /// Checks that an action is legal.
    pub fn check(&self, action: Action) -> Result<(), ActionError> {
        let pair = self.hand.len() == 2;
        if matches!(action, Action::Bid(_)) {
            return Err(ActionError::LateBid);
        }
        if self.doubled {
            let due = if pair { Action::Hit } else { Action::Stand };
            return match action == due {
                true => Ok(()),
                false => Err(ActionError::AfterDoubleDown),
            };
        }
        match action {
            Action::DoubleDown if !pair => Err(ActionError::LateDoubleDown),
            Action::Split if !pair || self.hand[0].rank != self.hand[1].rank => {
                Err(ActionError::NoPair)
            }
            Action::DoubleDown | Action::Split if self.bid > self.points => {
                Err(ActionError::NotEnoughPoints)
            }
            Action::Insurance if self.up_card.rank.value() != ACE_VALUE => Err(ActionError::NoAce),
            Action::Insurance if !self.first_action => Err(ActionError::LateInsurance),
            Action::Insurance if insurance_cost(self.bid) > self.points => {
                Err(ActionError::NotEnoughPoints)
            }
            _ => Ok(()),
        }
    }

    /// Returns every legal action in the hand; bids are never legal here.
    pub fn legal(&self) -> Vec<Action> {
        [
            Action::Stand,
            Action::Hit,
            Action::DoubleDown,
            Action::Split,
            Action::Insurance,
        ]
        .into_iter()
        .filter(|&action| self.check(action).is_ok())
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::RuleSet;
    use super::*;
    use crate::cards::cards;

    #[test]
    fn bids_are_bounded_and_small_only_for_the_poor() {
        let settings = Settings::of(RuleSet::Text);
        assert_eq!(check_bid(&settings, 10, 10_000), Ok(()));
        assert_eq!(check_bid(&settings, 1000, 1000), Ok(()));
        assert_eq!(check_bid(&settings, 9, 10), Err(ActionError::BidTooSmall));
        assert_eq!(check_bid(&settings, 9, 9), Ok(()));
        assert_eq!(check_bid(&settings, 1, 9), Ok(()));
        assert_eq!(check_bid(&settings, 0, 9), Err(ActionError::BidTooSmall));
        assert_eq!(
            check_bid(&settings, 10, 9),
            Err(ActionError::NotEnoughPoints)
        );
        assert_eq!(
            check_bid(&settings, 1001, 10_000),
            Err(ActionError::BidTooLarge)
        );
    }

    #[test]
    fn legality_follows_the_text() {
        let hand = cards("S8 H8");
        let first = Situation {
            hand: &hand,
            up_card: "SA".parse().expect("a card"),
            bid: 10,
            points: 10,
            first_action: true,
            doubled: false,
        };
        assert_eq!(first.legal().len(), 5);
        assert_eq!(first.check(Action::Bid(10)), Err(ActionError::LateBid));
        let poor = Situation { points: 9, ..first };
        assert_eq!(
            poor.legal(),
            [Action::Stand, Action::Hit, Action::Insurance]
        );
        let broke = Situation { points: 4, ..first };
        assert_eq!(
            broke.check(Action::Insurance),
            Err(ActionError::NotEnoughPoints)
        );
        let later = Situation {
            first_action: false,
            ..first
        };
        assert_eq!(
            later.check(Action::Insurance),
            Err(ActionError::LateInsurance)
        );
        let no_ace = Situation {
            up_card: hand[0],
            ..first
        };
        assert_eq!(no_ace.check(Action::Insurance), Err(ActionError::NoAce));
        let tens = cards("SK HQ");
        assert_eq!(
            Situation {
                hand: &tens,
                ..first
            }
            .check(Action::Split),
            Err(ActionError::NoPair)
        );
        let three = cards("S2 H2 D2");
        let late = Situation {
            hand: &three,
            first_action: false,
            ..first
        };
        assert_eq!(late.legal(), [Action::Stand, Action::Hit]);
        let doubled = Situation {
            doubled: true,
            first_action: false,
            ..first
        };
        assert_eq!(doubled.legal(), [Action::Hit]);
        assert_eq!(
            Situation {
                hand: &three,
                ..doubled
            }
            .legal(),
            [Action::Stand]
        );
    }
}
