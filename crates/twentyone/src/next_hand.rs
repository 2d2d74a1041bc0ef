//! Computes the mean and variance of a hand's gain before it is dealt, as a basis for bids.
//!
//! The up-card and the dealt cards are drawn without replacement, and all later draws with replacement. A hand then has
//! only two properties, its total and its number of cards, and the calculation is a small dynamic program.
//! [`super::expected::round_value`] computes the exact mean, but takes ten thousand times as long;
//! `docs/reference/twentyone.md` contains the measured difference.

use super::actions::Action;
use super::cards::{ACE_VALUE, Card, Rank, RankCounts, TEN_VALUE, VALUES};
use super::dealer::{OUTCOMES, Outcomes, outcome_of};
use super::rules::{
    CHARLIE_CARDS, HandValue, RuleSet, TARGET, Total, dealer_draws, insurance_per_bid, total_of,
};

/// The mean and the variance of a hand's gain, in bids.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeanAndVariance {
    /// The mean of the gain, in bids; positive if the player has an edge.
    pub mean: f64,
    /// The variance of the gain, in squared bids.
    pub variance: f64,
}

/// The first and second moments of a gain: its mean and its mean square.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Moments {
    mean: f64,
    square: f64,
}

impl Moments {
    /// Returns the moments of a gain that is `factor` times this gain.
    fn times(self, factor: f64) -> Moments {
        Moments {
            mean: factor * self.mean,
            square: factor * factor * self.square,
        }
    }

    fn better(self, other: Moments) -> Moments {
        if other.mean > self.mean { other } else { self }
    }

    fn add(&mut self, weight: f64, other: Moments) {
        self.mean += weight * other.mean;
        self.square += weight * other.square;
    }
}

/// The correlation between the gains of a split's two hands, which play against a single hand of the dealer.
///
/// The value was found by simulation. It affects only the variance.
const SPLIT_CORRELATION: f64 = 0.35;

/// How much drawing without replacement increases the mean, times the square of the number of cards left.
///
/// The value was fitted to exact values of shoes with 10 to 156 cards. It matters only if fewer than about fifty cards
/// are left.
const WITHOUT_REPLACEMENT: f64 = 2.3;

/// The maximum number of resplits of a hand that the estimate takes into account.
const RESPLITS: u32 = 3;

/// Returns the mean and variance of the gain of a shoe's next hand.
///
/// This assumes that the player has ample points, and that other players are at the table.
pub fn mean_and_variance(rules: RuleSet, shoe: &RankCounts) -> MeanAndVariance {
    let counts = shoe.by_value().map(f64::from);
    let cards: f64 = counts.iter().sum();
    let mut all = Moments::default();
    for up in 0..VALUES {
        if counts[up] > 0.0 && cards >= 3.0 {
            let mut left = counts;
            left[up] -= 1.0;
            all.add(counts[up] / cards, Table::new(rules, up, &left).dealt());
        }
    }
    let without_replacement = WITHOUT_REPLACEMENT / (cards * cards).max(100.0);
    MeanAndVariance {
        mean: all.mean + without_replacement,
        variance: all.square - all.mean * all.mean,
    }
}

/// Returns the action of the best basic strategy: a table by up-card, total, number of cards and pair.
///
/// The table's values are those of a shoe from which only the up-card is missing. `can` returns whether an action is
/// legal; standing and hitting always are.
pub fn basic_strategy(
    rules: RuleSet,
    decks: u8,
    up: Rank,
    hand: &[Card],
    can: impl Fn(Action) -> bool,
) -> Action {
    let mut left = RankCounts::of_decks(decks).by_value().map(f64::from);
    left[up.value()] -= 1.0;
    let table = Table::new(rules, up.value(), &left);
    if can(Action::Insurance) && table.insurance() > 0.0 {
        return Action::Insurance;
    }
    let total = total_of(hand);
    let mut values = vec![
        (Action::Stand, table.stand(total)),
        (Action::Hit, table.hit(total)),
    ];
    if can(Action::DoubleDown) {
        values.push((Action::DoubleDown, table.doubled(total)));
    }
    if can(Action::Split) {
        values.push((Action::Split, table.split(hand[0].rank.value(), RESPLITS)));
    }
    let best = values
        .into_iter()
        .reduce(|best, next| match next.1.mean > best.1.mean {
            true => next,
            false => best,
        });
    best.expect("standing is among them").0
}

/// Returns a total's index in a table with one entry for each hard sum up to 21, with and without an ace.
fn slot(total: Total) -> usize {
    2 * usize::from(total.hard) + usize::from(total.ace)
}

const SLOTS: usize = 2 * (TARGET as usize + 1);

/// The gains of all of a player's hands against one up-card of the dealer.
struct Table {
    rules: RuleSet,
    up: usize,
    left: [f64; VALUES],
    probability: [f64; VALUES],
    dealer: Outcomes,
    /// The gains of a hand that stands at each total.
    standing: [Moments; TARGET as usize + 1],
    charlie: Moments,
    combo: Moments,
    /// The gains of hands of three and four cards, under best play.
    hands: [[Moments; SLOTS]; CHARLIE_CARDS],
    /// The gains of hands of two cards, under best play without a split, for each pair of value classes.
    pairs: [[Moments; VALUES]; VALUES],
}

impl Table {
    fn new(rules: RuleSet, up: usize, left: &[f64; VALUES]) -> Table {
        let cards: f64 = left.iter().sum();
        let probability = left.map(|count| count / cards);
        let dealer = dealer_outcomes(rules, up, &probability);
        let mut table = Table {
            rules,
            up,
            left: *left,
            probability,
            standing: std::array::from_fn(|total| {
                moments_of(&dealer, HandValue::Value(total as u8))
            }),
            charlie: moments_of(&dealer, HandValue::Charlie),
            combo: moments_of(&dealer, HandValue::Combo),
            dealer,
            hands: [[Moments::default(); SLOTS]; CHARLIE_CARDS],
            pairs: [[Moments::default(); VALUES]; VALUES],
        };
        for cards in (3..CHARLIE_CARDS).rev() {
            for hard in 3..=TARGET {
                for ace in [false, true] {
                    let total = Total { hard, ace, cards };
                    table.hands[cards][slot(total)] = table.stand(total).better(table.hit(total));
                }
            }
        }
        for first in 0..VALUES {
            for second in first..VALUES {
                let best = table.two_cards(Total::default().with(first).with(second));
                table.pairs[first][second] = best;
                table.pairs[second][first] = best;
            }
        }
        table
    }

    fn stand(&self, total: Total) -> Moments {
        match total.player_value() {
            HandValue::Bust => Moments {
                mean: -1.0,
                square: 1.0,
            },
            HandValue::Value(total) => self.standing[usize::from(total)],
            HandValue::Charlie => self.charlie,
            HandValue::Combo => self.combo,
        }
    }

    fn over_draw(&self, after: impl Fn(usize) -> Moments) -> Moments {
        let mut moments = Moments::default();
        for value in 0..VALUES {
            moments.add(self.probability[value], after(value));
        }
        moments
    }

    fn hit(&self, total: Total) -> Moments {
        self.over_draw(|value| {
            let total = total.with(value);
            match total.player_value() {
                HandValue::Value(_) => self.hands[total.cards][slot(total)],
                _ => self.stand(total),
            }
        })
    }

    /// Returns the gain of a hand of two cards, under best play without a split.
    fn two_cards(&self, total: Total) -> Moments {
        let standing = self.stand(total);
        if total.is_combo() && self.rules == RuleSet::Text {
            return standing;
        }
        standing.better(self.hit(total)).better(self.doubled(total))
    }

    /// Returns the gain of a hand of two cards that is doubled. A doubled Combo takes no card.
    fn doubled(&self, total: Total) -> Moments {
        let once = match total.is_combo() {
            true => self.stand(total),
            false => self.over_draw(|value| self.stand(total.with(value))),
        };
        once.times(2.0)
    }

    /// Returns the gain of both hands of a split pair.
    fn split(&self, value: usize, resplits: u32) -> Moments {
        let of_one_rank = if value == TEN_VALUE { 0.25 } else { 1.0 };
        let one = self.over_draw(|second| {
            let plain = self.pairs[value][second];
            if second != value || resplits == 0 {
                return plain;
            }
            let mut mixed = Moments::default();
            mixed.add(of_one_rank, plain.better(self.split(value, resplits - 1)));
            mixed.add(1.0 - of_one_rank, plain);
            mixed
        });
        let variance = one.square - one.mean * one.mean;
        let mean = 2.0 * one.mean;
        Moments {
            mean,
            square: mean * mean + 2.0 * variance * (1.0 + SPLIT_CORRELATION),
        }
    }

    /// Returns the mean gain over all hands that can be dealt.
    fn dealt(&self) -> Moments {
        let cards: f64 = self.left.iter().sum();
        let mut all = Moments::default();
        for first in 0..VALUES {
            for second in first..VALUES {
                let plain = self.pairs[first][second];
                let pairs = self.left[first] * (self.left[second] - f64::from(first == second));
                let weight = pairs * if first == second { 1.0 } else { 2.0 };
                let weight = weight / (cards * (cards - 1.0));
                if first == second {
                    let of_one_rank = if first == TEN_VALUE {
                        (self.left[first] / 4.0 - 1.0).max(0.0) / (self.left[first] - 1.0).max(1.0)
                    } else {
                        1.0
                    };
                    let split = plain.better(self.split(first, RESPLITS));
                    all.add(weight * of_one_rank, split);
                    all.add(weight * (1.0 - of_one_rank), plain);
                } else {
                    all.add(weight, plain);
                }
            }
        }
        if self.up == ACE_VALUE {
            self.insured(all)
        } else {
            all
        }
    }

    /// Returns the mean gain of an insurance against an ace.
    fn insurance(&self) -> f64 {
        insurance_per_bid(self.rules) * self.dealer.combo() - 0.5
    }

    /// Returns the gain with insurance if insurance pays off on average, otherwise the gain `plain`.
    fn insured(&self, plain: Moments) -> Moments {
        let returned = insurance_per_bid(self.rules);
        let combo = self.dealer.combo();
        let gain = self.insurance();
        if gain <= 0.0 {
            return plain;
        }
        // The hand loses its bid to a dealer's Combo (a player's own Combo is rare enough to ignore).
        let without_combo = plain.mean + combo;
        let product = -combo * (returned - 0.5) - 0.5 * without_combo;
        let square = combo * (returned - 0.5).powi(2) + (1.0 - combo) * 0.25;
        Moments {
            mean: plain.mean + gain,
            square: plain.square + 2.0 * product + square,
        }
    }
}

fn moments_of(dealer: &Outcomes, value: HandValue) -> Moments {
    let square = match value {
        HandValue::Bust => 1.0,
        HandValue::Combo => 2.25 * (1.0 - dealer.combo()),
        HandValue::Value(total) if total < 17 => 1.0,
        HandValue::Value(_) | HandValue::Charlie => 1.0 - dealer.0[outcome_of(value)],
    };
    Moments {
        mean: dealer.gain_of(value),
        square,
    }
}

/// Returns the distribution of the dealer's final hand if the draws do not change the probabilities.
fn dealer_outcomes(rules: RuleSet, up: usize, probability: &[f64; VALUES]) -> Outcomes {
    let mut outcomes = Outcomes([0.0; OUTCOMES]);
    // The probability of each total at which the dealer still draws; every draw adds at least one point.
    let mut now = vec![(Total::default().with(up), 1.0)];
    while !now.is_empty() {
        let mut next = [0.0; SLOTS];
        let cards = now[0].0.cards + 1;
        for (total, mass) in now {
            for (value, p) in probability.iter().enumerate() {
                let total = total.with(value);
                if dealer_draws(total) {
                    next[slot(total)] += mass * p;
                } else {
                    outcomes.0[outcome_of(total.dealer_value(rules))] += mass * p;
                }
            }
        }
        now = (0..SLOTS)
            .filter(|&slot| next[slot] > 0.0)
            .map(|slot| {
                let total = Total {
                    hard: (slot / 2) as u8,
                    ace: slot % 2 == 1,
                    cards,
                };
                (total, next[slot])
            })
            .collect();
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use super::super::expected::{Decision, Unseen, round_value};
    use super::*;
    use crate::cards::cards;

    /// Returns the basic strategy's action by the engine's rules, and how much less it is worth than the best action
    /// for these very cards.
    fn strategy(up: Rank, hand: &[Card]) -> (Action, f64) {
        let ranks: Vec<Rank> = hand.iter().map(|card| card.rank).collect();
        let gone: RankCounts = ranks.iter().copied().chain([up]).collect();
        let decision = Decision {
            rules: RuleSet::Engine,
            up,
            hand: &ranks,
            unseen: Unseen::one_shoe(RankCounts::of_decks(3).without(&gone)),
            bid: 100,
            points: 10_000,
            first_action: hand.len() == 2,
            insured: false,
            alone: false,
        };
        let values = decision.values();
        let value_of = |action| {
            let mut listed = values.listed().into_iter();
            listed.find(|(legal, _)| *legal == action)
        };
        let can = |action| value_of(action).is_some();
        let action = basic_strategy(RuleSet::Engine, 3, up, hand, can);
        let (_, value) = value_of(action).expect("a legal action");
        (action, values.best().1 - value)
    }

    #[test]
    fn the_basic_strategy_is_almost_the_best_play_from_a_full_shoe() {
        let card = |rank: Rank| format!("S{}", rank.letter()).parse().expect("a card");
        // Jacks, queens and kings play like tens.
        let values = || Rank::all().take(VALUES);
        let weight = |rank: Rank| if rank.value() == TEN_VALUE { 4.0 } else { 1.0 };
        let (mut mean, mut weights) = (0.0, 0.0);
        for up in values() {
            for (first, second) in values().flat_map(|a| values().map(move |b| (a, b))) {
                let (_, loss) = strategy(up, &[card(first), card(second)]);
                let weight = weight(up) * weight(first) * weight(second);
                mean += weight * loss;
                weights += weight;
            }
        }
        mean /= weights;
        assert!(mean < 0.001, "{mean} bids");
    }

    #[test]
    fn the_basic_strategy_uses_the_rules_of_the_engine() {
        for (up, hand, action) in [
            ("S6", "SA HK", Action::DoubleDown),
            ("S6", "S8 H8", Action::Split),
            ("SA", "ST H9", Action::Insurance),
            // One more card makes a Charlie. With three cards, the same total stands.
            ("S6", "S2 H3 D4 C5", Action::Hit),
            ("S6", "S2 H3 D9", Action::Stand),
        ] {
            let up: Card = up.parse().expect("a card");
            let (chosen, loss) = strategy(up.rank, &cards(hand));
            assert_eq!(chosen, action, "{up} {hand}");
            assert!(loss < 0.01, "{up} {hand}: {loss}");
        }
    }

    #[test]
    fn it_is_close_to_the_exact_value() {
        for rules in [RuleSet::Text, RuleSet::Engine] {
            for (taken, near) in [(0, 0.0025), (6, 0.006)] {
                let mut shoe = RankCounts::of_decks(3);
                for rank in [1, 3, 4, 5] {
                    shoe.0[rank] -= taken;
                }
                let exact = round_value(rules, &shoe);
                let quick = mean_and_variance(rules, &shoe).mean;
                assert!((exact - quick).abs() < near, "{rules}: {exact} {quick}");
            }
        }
    }
}
