//! The rules of a hand: rule sets, settings, hand values and payment.
//!
//! Two rule sets are available, because the assignment's text and the course's engine differ;
//! `docs/reference/twentyone.md` describes the differences.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::cards::{ACE_VALUE, Card, MOST_DECKS, points_of};

/// A number of points: a player's points, or the amount of a bid.
pub type Points = u64;

/// The highest total that is not bust.
pub const TARGET: u8 = 21;

/// The number of cards that make a Charlie.
pub const CHARLIE_CARDS: usize = 5;

/// The highest total, soft or hard, at which the dealer still draws a card.
pub const DEALER_DRAWS_TO: u8 = 16;

/// A rule set of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleSet {
    /// The rules in the assignment's text.
    Text,
    /// The rules of the course's engine.
    Engine,
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RuleSet::Text => "text",
            RuleSet::Engine => "engine",
        })
    }
}

impl FromStr for RuleSet {
    type Err = String;

    fn from_str(text: &str) -> Result<RuleSet, String> {
        [RuleSet::Text, RuleSet::Engine]
            .into_iter()
            .find(|rules| rules.to_string() == text)
            .ok_or_else(|| format!("unknown rule set {text:?}: expected text or engine"))
    }
}

/// The parameters of a game. Every player receives them, because the course changes them for marking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The rule set for play and payment.
    pub rules: RuleSet,
    /// The points of each player at the start of the game.
    pub starting_points: Points,
    /// The smallest bid, unless a player has fewer points.
    pub min_bid: Points,
    /// The largest bid.
    pub max_bid: Points,
    /// The number of rounds after which the game ends.
    pub rounds: u32,
    /// The number of decks in the shoe.
    pub decks: u8,
}

/// The error for settings out of bounds. It names the first such setting and its bounds.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SettingsError(String);

/// The maximum of starting points and of bids, so that sums over a game cannot overflow.
pub const MOST_POINTS: Points = 1_000_000_000_000;

impl Settings {
    /// Returns the default settings of a rule set.
    pub fn of(rules: RuleSet) -> Settings {
        let (max_bid, rounds) = match rules {
            RuleSet::Text => (1000, 1000),
            RuleSet::Engine => (100, 100),
        };
        Settings {
            rules,
            starting_points: 10_000,
            min_bid: 10,
            max_bid,
            rounds,
            decks: 3,
        }
    }

    /// Checks that the settings are within bounds.
    pub fn validated(self) -> Result<Settings, SettingsError> {
        let problem =
            if self.min_bid < 1 || self.min_bid > self.max_bid || self.max_bid > MOST_POINTS {
                let (min, max) = (self.min_bid, self.max_bid);
                format!("bids from {min} to {max} are impossible: expected 1 <= minimum <= maximum")
            } else if !(1..=MOST_POINTS).contains(&self.starting_points) {
                let points = self.starting_points;
                format!("{points} starting points: expected 1 to {MOST_POINTS}")
            } else if !(1..=MOST_DECKS).contains(&self.decks) {
                format!("{} decks: expected 1 to {MOST_DECKS}", self.decks)
            } else if self.rounds == 0 {
                "0 rounds: expected 1 or more".to_string()
            } else {
                return Ok(self);
            };
        Err(SettingsError(problem))
    }
}

/// The value of a hand. Combo beats Charlie, Charlie beats Value, and Value beats Bust.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandValue {
    /// A total over 21.
    Bust,
    /// A total up to 21.
    Value(u8),
    /// Five cards with a total up to 21.
    Charlie,
    /// Two cards: an ace and a card worth ten.
    Combo,
}

impl fmt::Display for HandValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandValue::Bust => f.write_str("Bust"),
            HandValue::Value(total) => write!(f, "{total}"),
            HandValue::Charlie => f.write_str("Charlie"),
            HandValue::Combo => f.write_str("Combo"),
        }
    }
}

/// The sum of a hand's cards, and the other facts that determine the hand's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Total {
    /// The sum of the cards, with every ace as one.
    pub hard: u8,
    /// True if the hand contains an ace.
    pub ace: bool,
    /// The number of cards in the hand.
    pub cards: usize,
}

impl Total {
    /// Returns the total with one more card of value class `value`.
    pub fn with(self, value: usize) -> Total {
        Total {
            hard: self.hard.saturating_add(points_of(value)),
            ace: self.ace || value == ACE_VALUE,
            cards: self.cards + 1,
        }
    }

    /// Returns the best total. An ace counts as eleven unless the total would then exceed 21.
    pub fn best(self) -> u8 {
        if self.ace && self.hard <= TARGET - 10 {
            self.hard + 10
        } else {
            self.hard
        }
    }

    /// Returns true if the hand consists of an ace and a card worth ten.
    pub fn is_combo(self) -> bool {
        self.cards == 2 && self.ace && self.best() == TARGET
    }

    /// Returns the value of a player's hand with this total.
    pub fn player_value(self) -> HandValue {
        if self.is_combo() {
            HandValue::Combo
        } else if self.hard > TARGET {
            HandValue::Bust
        } else if self.cards >= CHARLIE_CARDS {
            HandValue::Charlie
        } else {
            HandValue::Value(self.best())
        }
    }

    /// Returns the value of the dealer's finished hand with this total.
    pub fn dealer_value(self, rules: RuleSet) -> HandValue {
        match (self.player_value(), rules) {
            (HandValue::Charlie, RuleSet::Engine) if self.cards != CHARLIE_CARDS => {
                HandValue::Value(self.best())
            }
            (value, _) => value,
        }
    }
}

impl FromIterator<usize> for Total {
    fn from_iter<I: IntoIterator<Item = usize>>(values: I) -> Total {
        values.into_iter().fold(Total::default(), Total::with)
    }
}

/// Returns the total of a hand.
pub fn total_of(cards: &[Card]) -> Total {
    cards.iter().map(|card| card.rank.value()).collect()
}

/// Returns the value of a player's hand.
pub fn hand_value(cards: &[Card]) -> HandValue {
    total_of(cards).player_value()
}

/// Returns true if the dealer must draw another card at this total.
pub fn dealer_draws(total: Total) -> bool {
    total.best() <= DEALER_DRAWS_TO
}

/// Returns the payment for a Combo: two and a half times the bid.
///
/// Halves are rounded to even, as the course's engine rounds them.
pub fn combo_return(bid: Points) -> Points {
    let down = bid * 5 / 2;
    down + down % 2 * (bid % 2)
}

/// Returns the payment for a hand after the dealer has played. The bid itself was paid earlier.
pub fn hand_return(bid: Points, player: HandValue, dealer: HandValue) -> Points {
    match (player, dealer) {
        (HandValue::Bust, _) => 0,
        (HandValue::Combo, HandValue::Combo) => bid,
        (HandValue::Combo, _) => combo_return(bid),
        _ if player > dealer => 2 * bid,
        _ if player == dealer => bid,
        _ => 0,
    }
}

/// Returns the price of an insurance: half the original bid, rounded down.
pub fn insurance_cost(bid: Points) -> Points {
    bid / 2
}

/// Returns the payout of an insurance when the dealer has a Combo.
pub fn insurance_return(rules: RuleSet, bid: Points) -> Points {
    match rules {
        RuleSet::Text => 3 * insurance_cost(bid),
        RuleSet::Engine => 2 * bid,
    }
}

/// Returns the payout of an insurance when the dealer has a Combo, as a multiple of an even bid.
pub(super) fn insurance_per_bid(rules: RuleSet) -> f64 {
    insurance_return(rules, 2) as f64 / 2.0
}

/// Returns true if a hand with this value ends without another question to its player.
pub fn is_terminal(rules: RuleSet, value: HandValue) -> bool {
    match value {
        HandValue::Bust | HandValue::Charlie => true,
        HandValue::Combo => rules == RuleSet::Text,
        HandValue::Value(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::cards;

    #[test]
    fn hands_are_worth_what_the_text_says() {
        let value = |text| hand_value(&cards(text));
        // The assignment's two examples. In the second, the ace counts as one.
        assert_eq!(value("SA S2 S3"), HandValue::Value(16));
        assert_eq!(value("SA S9 ST"), HandValue::Value(20));
        assert_eq!(value("SA HK"), HandValue::Combo);
        assert_eq!(value("ST CJ SA"), HandValue::Value(21));
        assert_eq!(value("SA HA"), HandValue::Value(12));
        assert_eq!(value("ST CJ S2"), HandValue::Bust);
        assert_eq!(value("S2 S3 S4 S5 S6"), HandValue::Charlie);
        assert_eq!(value("ST S3 S4 S5"), HandValue::Bust);
        assert_eq!(value("SA HA DA CA"), HandValue::Value(14));
    }

    #[test]
    fn the_dealers_sixth_card_ends_a_charlie_only_in_the_engine() {
        let five = total_of(&cards("SA S2 S3 S5 S6"));
        let six = total_of(&cards("SA S2 S3 S4 S5 S3"));
        for rules in [RuleSet::Text, RuleSet::Engine] {
            assert_eq!(five.dealer_value(rules), HandValue::Charlie);
        }
        assert_eq!(six.dealer_value(RuleSet::Text), HandValue::Charlie);
        assert_eq!(six.dealer_value(RuleSet::Engine), HandValue::Value(18));
    }

    #[test]
    fn halves_of_a_combo_round_to_even() {
        assert_eq!([1, 2, 3, 5, 7, 10].map(combo_return), [2, 5, 8, 12, 18, 25]);
    }
}
