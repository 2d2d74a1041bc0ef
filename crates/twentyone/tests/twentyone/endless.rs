//! Computes the value of a hand for an endless deck, where every card is drawn with replacement.
//!
//! The code uses only the rule set of the library. A hand then has only three properties: its total, its number of
//! cards, and whether it has an ace. One recursion covers the play from the up-card to the last card. The library's
//! values must approach this value as decks are added.

use turnwise_twentyone::cards::RankCounts;
use turnwise_twentyone::expected::round_value;
use turnwise_twentyone::rules::RuleSet;

/// The probability that a card is worth each number of points from 0 to 10; no card is worth 0.
const CHANCE: [f64; 11] = {
    let mut chance = [1.0 / 13.0; 11];
    chance[0] = 0.0;
    chance[10] = 4.0 / 13.0;
    chance
};

/// The grades of finished hands whose grade differs from their total.
const BUST: usize = 0;
const CHARLIE: usize = 22;
const COMBO: usize = 23;

#[derive(Clone, Copy)]
struct Hand {
    hard: usize,
    ace: bool,
    cards: usize,
}

impl Hand {
    fn of(cards: &[usize]) -> Hand {
        let empty = Hand {
            hard: 0,
            ace: false,
            cards: 0,
        };
        cards.iter().fold(empty, |hand, &card| hand.with(card))
    }

    fn with(self, card: usize) -> Hand {
        Hand {
            hard: self.hard + card,
            ace: self.ace || card == 1,
            cards: self.cards + 1,
        }
    }

    fn total(self) -> usize {
        let soft = self.ace && self.hard <= 11;
        self.hard + if soft { 10 } else { 0 }
    }

    fn grade(self, charlie: bool) -> usize {
        match (self.total(), self.cards) {
            (22.., _) => BUST,
            (21, 2) => COMBO,
            _ if charlie => CHARLIE,
            (total, _) => total,
        }
    }
}

fn mean(of: impl Fn(usize) -> f64) -> f64 {
    (1..=10).map(|card| CHANCE[card] * of(card)).sum()
}

/// Adds the probabilities of the dealer's grades to `chances`.
fn deal(rules: RuleSet, hand: Hand, weight: f64, chances: &mut [f64; 24]) {
    if hand.total() >= 17 {
        let charlie = match rules {
            RuleSet::Text => hand.cards >= 5,
            RuleSet::Engine => hand.cards == 5,
        };
        chances[hand.grade(charlie)] += weight;
        return;
    }
    for (card, chance) in CHANCE.into_iter().enumerate().skip(1) {
        deal(rules, hand.with(card), weight * chance, chances);
    }
}

/// Computes the values of a player's hands against one up-card.
struct Against {
    rules: RuleSet,
    dealer: [f64; 24],
}

impl Against {
    fn stand(&self, hand: Hand) -> f64 {
        let own = hand.grade(hand.cards >= 5);
        if own == BUST {
            return -1.0;
        }
        let won = if own == COMBO { 1.5 } else { 1.0 };
        let below: f64 = self.dealer[..own].iter().sum();
        let above: f64 = self.dealer[own + 1..].iter().sum();
        won * below - above
    }

    fn hit(&self, hand: Hand) -> f64 {
        mean(|card| {
            let next = hand.with(card);
            let over = next.total() > 21 || next.cards == 5;
            let stand = self.stand(next);
            if over {
                stand
            } else {
                stand.max(self.hit(next))
            }
        })
    }

    /// Returns the value of a hand of two cards, played without a split.
    fn unsplit(&self, hand: Hand) -> f64 {
        let stand = self.stand(hand);
        let double = match (hand.total(), self.rules) {
            (21, RuleSet::Text) => return stand,
            (21, RuleSet::Engine) => 2.0 * stand,
            _ => 2.0 * mean(|card| self.stand(hand.with(card))),
        };
        stand.max(self.hit(hand)).max(double)
    }

    /// Returns the value of one hand of a split.
    ///
    /// A second card of the same rank may be split again, `resplits` times.
    fn half(&self, card: usize, resplits: u32) -> f64 {
        let pair = self.unsplit(Hand::of(&[card, card]));
        let others = mean(|second| self.unsplit(Hand::of(&[card, second]))) - pair / 13.0;
        (0..resplits).fold(others + pair / 13.0, |half, _| {
            others + pair.max(2.0 * half) / 13.0
        })
    }

    fn dealt(&self, first: usize, second: usize, resplits: u32) -> f64 {
        let unsplit = self.unsplit(Hand::of(&[first, second]));
        if first != second {
            return unsplit;
        }
        // A quarter of the cards worth ten have the rank of the first card.
        let same_rank = 1.0 / 13.0 / CHANCE[first];
        let split = unsplit.max(2.0 * self.half(first, resplits));
        same_rank * split + (1.0 - same_rank) * unsplit
    }
}

/// Returns the value of a hand, in bids.
fn endless_value(rules: RuleSet, resplits: u32) -> f64 {
    mean(|up| {
        let mut dealer = [0.0; 24];
        deal(rules, Hand::of(&[up]), 1.0, &mut dealer);
        let against = Against { rules, dealer };
        let insurance_returns = match rules {
            RuleSet::Text => 1.5,
            RuleSet::Engine => 2.0,
        };
        let insurance = f64::max(insurance_returns * CHANCE[10] - 0.5, 0.0);
        mean(|first| mean(|second| against.dealt(first, second, resplits)))
            + if up == 1 { insurance } else { 0.0 }
    })
}

/// A limit on resplits that is so high that a higher limit would not change the value.
const WITHOUT_END: u32 = 30;

#[test]
fn an_endless_deck_gives_the_values_of_the_page() {
    let page = include_str!("../../../../docs/reference/twentyone.md");
    for (resplits, name) in [
        (0, "split once"),
        (1, "one resplit"),
        (WITHOUT_END, "resplits without end"),
    ] {
        let [text, engine] =
            [RuleSet::Text, RuleSet::Engine].map(|rules| 100.0 * endless_value(rules, resplits));
        let row = format!("| endless deck, {name} | {text:+.3} | {engine:+.3} |");
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn more_decks_come_close_to_an_endless_one() {
    for rules in [RuleSet::Text, RuleSet::Engine] {
        let value = endless_value(rules, WITHOUT_END);
        let of = |decks| round_value(rules, &RankCounts::of_decks(decks));
        let three = of(3);
        assert!((0.0..0.0012).contains(&(three - value)), "{rules}: {three}");
        // The difference falls in inverse proportion to the number of decks. Two shoes, one twice as large as
        // the other, therefore show the limit.
        let (seven, fourteen) = (of(7), of(14));
        let end = 2.0 * fourteen - seven;
        assert!(
            (end - value).abs() < 4e-5,
            "{rules}: {seven}, {fourteen} end at {end}"
        );
    }
}
