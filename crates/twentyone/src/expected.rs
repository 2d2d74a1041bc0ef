//! Computes the exact expected value of every legal action from the cards left.
//!
//! All unseen cards are exchangeable: it does not matter whether a card lies in the shoe, under the dealer's up-card or
//! in the hidden hand of a later player. The value of an action is therefore a finite sum over the draws of the hand in
//! play and the dealer's final hand, each from the cards that are left at that time.
//!
//! - The recursion treats hands as multisets. It caches the distribution of the dealer's final hand for each set of
//!   drawn cards.
//! - A fifth card ends the hand as a Charlie.
//! - A split is worth twice as much as a single hand: by exchangeability, both have the same mean when each is played
//!   with knowledge of its own cards and the cards seen before the split. Resplits are evaluated as far as cards and
//!   points allow, until their contribution falls below `NEGLIGIBLE`. (The second hand is evaluated again when it is
//!   played, and then the first hand is known. That gain is ignored.)
//! - Near the end of a shoe, the dealer's hidden card can come from the old shoe and further cards from the
//!   new shoe; [`Unseen`] distinguishes them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::actions::Action;
use super::cards::{Rank, RankCounts, TEN_VALUE, VALUES};
use super::dealer::{DealerTree, OUTCOMES, Outcomes};
use super::rules::{
    HandValue, Points, RuleSet, Total, insurance_cost, insurance_per_bid, insurance_return,
};

/// The cards that a player has not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unseen {
    /// The cards from which players draw, and from which the dealer draws unless `dealer` is given.
    pub draws: RankCounts,
    /// The cards that may be the dealer's hidden card, if that card does not come from `draws`.
    pub hole: Option<RankCounts>,
    /// The cards from which the dealer draws, if the shoe runs out before the dealer's turn.
    pub dealer: Option<RankCounts>,
}

impl Unseen {
    /// Creates the unseen cards if one shoe provides both the hidden card and all draws.
    pub fn one_shoe(draws: RankCounts) -> Unseen {
        Unseen {
            draws,
            hole: None,
            dealer: None,
        }
    }
}

/// A decision about a hand, with all facts that determine the values of the actions.
#[derive(Debug, Clone)]
pub struct Decision<'a> {
    /// The rule set for play and payment.
    pub rules: RuleSet,
    /// The rank of the dealer's up-card.
    pub up: Rank,
    /// The hand to play.
    pub hand: &'a [Rank],
    /// The unseen cards, which exclude the up-card and the hand.
    pub unseen: Unseen,
    /// The bid placed before the cards were shown.
    pub bid: Points,
    /// The points that the player has left after its bid, with which it can pay for doubles, splits and insurance.
    pub points: Points,
    /// True if the player has not taken any action since its bid.
    pub first_action: bool,
    /// True if the player has taken insurance.
    pub insured: bool,
    /// True if all other hands are bust, so that the dealer plays only if this hand does not go bust.
    pub alone: bool,
}

/// The mean gain of each legal action, in bids; `None` for an illegal action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActionValues {
    /// The value of taking no further card.
    pub stand: f64,
    /// The value of taking a card and then playing as well as possible.
    pub hit: f64,
    /// The value of doubling the bid and taking one card.
    pub double_down: Option<f64>,
    /// The value of splitting the pair, for both hands together.
    pub split: Option<f64>,
    /// The value of taking insurance and then the best other action.
    pub insurance: Option<f64>,
}

impl ActionValues {
    /// Returns the legal actions with their values, in a fixed order.
    pub fn listed(&self) -> Vec<(Action, f64)> {
        let optional = [
            (Action::DoubleDown, self.double_down),
            (Action::Split, self.split),
            (Action::Insurance, self.insurance),
        ];
        let optional = optional.into_iter();
        let optional = optional.filter_map(|(action, value)| Some((action, value?)));
        let always = [(Action::Stand, self.stand), (Action::Hit, self.hit)];
        always.into_iter().chain(optional).collect()
    }

    /// Returns the action of highest value; on a tie, the action listed first.
    pub fn best(&self) -> (Action, f64) {
        self.listed()
            .into_iter()
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
            .expect("standing is always listed")
    }

    /// Removes the actions that require a known bid.
    pub fn without_bid(self) -> ActionValues {
        ActionValues {
            double_down: None,
            split: None,
            insurance: None,
            ..self
        }
    }

    /// Returns the value of the best action other than insurance.
    fn best_play(&self) -> f64 {
        let insurance = None;
        ActionValues { insurance, ..*self }.best().1
    }
}

impl Decision<'_> {
    /// Returns the values of all legal actions.
    pub fn values(&self) -> ActionValues {
        let unit = self.bid.max(1) as f64;
        let returned = insurance_return(self.rules, self.bid) as f64 / unit;
        // The course's engine pays an insurance only when the dealer plays.
        let lost_when_bust = self.alone && self.rules == RuleSet::Engine;
        let hand: Vec<usize> = self.hand.iter().map(|rank| rank.value()).collect();
        let pair = hand.len() == 2 && self.hand[0] == self.hand[1];
        let pair_left = pair.then(|| self.unseen.draws.0[self.hand[0].index()]);
        let extra = (self.points / self.bid.max(1)).min(u64::from(u8::MAX)) as u8;
        let with_bonus = |bonus| {
            Solver::new(self.rules, self.up, &self.unseen, bonus).values(&hand, pair_left, extra)
        };
        let bonus = if self.insured && lost_when_bust {
            returned
        } else {
            0.0
        };
        let mut values = with_bonus(bonus);
        let cost = insurance_cost(self.bid);
        if self.first_action && !self.insured && self.up == Rank::ACE && self.points >= cost {
            let cost = cost as f64 / unit;
            values.insurance = Some(if lost_when_bust {
                with_bonus(returned).best_play() - cost
            } else {
                let hole = self.unseen.hole.unwrap_or(self.unseen.draws).by_value();
                let cards: f64 = hole.iter().map(|&count| f64::from(count)).sum();
                let combo = f64::from(hole[TEN_VALUE]) / cards.max(1.0);
                values.best_play() + returned * combo - cost
            });
        }
        values
    }
}

/// Returns the mean value of a whole hand before it is dealt, in bids.
///
/// The mean is taken over all up-cards, dealt cards and draws from one shoe. It assumes that the player has ample
/// points and an even bid, and that other players are at the table.
pub fn round_value(rules: RuleSet, shoe: &RankCounts) -> f64 {
    let cards = shoe.total() as f64;
    let mut mean = 0.0;
    for up in Rank::all().filter(|up| shoe.0[up.index()] > 0) {
        let probability = f64::from(shoe.0[up.index()]) / cards;
        mean += probability * value_against(rules, up, &shoe.without(&[up].into_iter().collect()));
    }
    mean
}

/// Returns the mean value of a hand that is dealt from `left` while the dealer shows `up`.
fn value_against(rules: RuleSet, up: Rank, left: &RankCounts) -> f64 {
    let cards = left.total() as f64;
    let mut solver = Solver::new(rules, up, &Unseen::one_shoe(*left), 0.0);
    let insurance = (up == Rank::ACE).then(|| insurance_per_bid(rules));
    // All ranks worth ten play alike, except that a split needs a pair of one rank.
    let mut known = HashMap::new();
    let mut mean = 0.0;
    for first in Rank::all().filter(|first| left.0[first.index()] > 0) {
        let after_first = left.without(&[first].into_iter().collect());
        for second in Rank::all().filter(|second| after_first.0[second.index()] > 0) {
            let after = after_first.without(&[second].into_iter().collect());
            let probability = f64::from(left.0[first.index()]) / cards
                * f64::from(after_first.0[second.index()])
                / (cards - 1.0);
            let pair_left = (first == second).then(|| after.0[first.index()]);
            let mut values = [first.value(), second.value()];
            values.sort_unstable();
            let value = *known.entry((values, pair_left)).or_insert_with(|| {
                solver.with_gone(values[0], |solver| {
                    solver.with_gone(values[1], |solver| {
                        solver.dealt_value(values, pair_left, insurance)
                    })
                })
            });
            mean += probability * value;
        }
    }
    mean
}

/// The origin of the hand in play: dealt, or the result of `splits` splits of pairs of the value class `value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Line {
    value: u8,
    splits: u8,
}

/// A resplit is evaluated only if its share in the requested value is at least this large.
///
/// A hand is worth between -2 and 3 bids, so each value is accurate to some hundred-thousandths of a bid.
const NEGLIGIBLE: f64 = 1e-5;

/// A fast hasher for keys that describe sets of drawn cards.
///
/// The standard hasher would be slow for this many short keys.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u8(&mut self, key: u8) {
        self.write_u64(u64::from(key));
    }

    fn write_u64(&mut self, key: u64) {
        let mixed = (self.0.rotate_left(5) ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 29);
    }
}

type KeyMap<K, V> = HashMap<K, V, BuildHasherDefault<KeyHasher>>;

/// Evaluates one decision by recursion over the possible draws. `left` excludes the cards drawn so far.
struct Solver {
    rules: RuleSet,
    up: usize,
    left: [u8; VALUES],
    cards: u32,
    hole: Option<[u8; VALUES]>,
    dealer_left: Option<[u8; VALUES]>,
    /// The points returned for a hand that is not bust if the dealer has a Combo, in bids.
    combo_bonus: f64,
    /// The number of cards drawn of each value class, with six bits for each class.
    gone: u64,
    outcomes: KeyMap<u64, Outcomes>,
    high_outcomes: KeyMap<u64, [f64; 2]>,
    /// The known values of hands of three or more cards, keyed by drawn cards and [`Line`].
    hands: KeyMap<(u64, Line), f64>,
}

impl Solver {
    fn new(rules: RuleSet, up: Rank, unseen: &Unseen, combo_bonus: f64) -> Solver {
        let left = unseen.draws.by_value();
        Solver {
            rules,
            up: up.value(),
            left,
            cards: left.iter().map(|&count| u32::from(count)).sum(),
            hole: unseen.hole.map(|hole| hole.by_value()),
            dealer_left: unseen.dealer.map(|dealer| dealer.by_value()),
            combo_bonus,
            gone: 0,
            outcomes: KeyMap::default(),
            high_outcomes: KeyMap::default(),
            hands: KeyMap::default(),
        }
    }

    /// Returns the values of all actions except insurance.
    ///
    /// `pair_left` is the number of cards left of the pair's rank, if the hand is a pair. `extra` is the number of
    /// further bids that the player can afford.
    fn values(&mut self, hand: &[usize], pair_left: Option<u8>, extra: u8) -> ActionValues {
        let total: Total = hand.iter().copied().collect();
        let double = hand.len() == 2 && extra >= 1;
        ActionValues {
            stand: self.stand(total),
            hit: self.hit(total, Line::default()),
            double_down: double.then(|| self.double_down(total)),
            split: pair_left.filter(|_| extra >= 1).map(|left| {
                let (value, splits) = (hand[0] as u8, 1);
                self.split(Line { value, splits }, left, extra - 1, 1.0)
            }),
            insurance: None,
        }
    }

    /// Returns the value of a hand that was just dealt, under best play.
    ///
    /// `insurance` is the payment of an insurance, in bids, if one can be taken.
    fn dealt_value(
        &mut self,
        hand: [usize; 2],
        pair_left: Option<u8>,
        insurance: Option<f64>,
    ) -> f64 {
        let total: Total = hand.into_iter().collect();
        if self.rules == RuleSet::Text && total.is_combo() {
            return self.stand(total);
        }
        let best = self.values(&hand, pair_left, u8::MAX).best().1;
        let combo = f64::from(self.left[TEN_VALUE]) / f64::from(self.cards.max(1));
        best + insurance.map_or(0.0, |returned| (returned * combo - 0.5).max(0.0))
    }

    /// Runs `play` while one card of the value class `value` is missing from the shoe.
    fn with_gone<T>(&mut self, value: usize, play: impl FnOnce(&mut Solver) -> T) -> T {
        self.left[value] -= 1;
        self.cards -= 1;
        self.gone += 1 << (6 * value);
        let result = play(self);
        self.gone -= 1 << (6 * value);
        self.cards += 1;
        self.left[value] += 1;
        result
    }

    /// Returns the mean of `after` over all possible next cards.
    fn mean_over_draw(&mut self, mut after: impl FnMut(&mut Solver, usize) -> f64) -> f64 {
        if self.cards == 0 {
            return 0.0;
        }
        let cards = f64::from(self.cards);
        let mut mean = 0.0;
        for value in 0..VALUES {
            if self.left[value] > 0 {
                let probability = f64::from(self.left[value]) / cards;
                mean += probability * self.with_gone(value, |solver| after(solver, value));
            }
        }
        mean
    }

    fn dealer(&mut self) -> Outcomes {
        if let Some(known) = self.outcomes.get(&self.gone) {
            return *known;
        }
        let mut mixed = Outcomes([0.0; OUTCOMES]);
        self.over_hidden_cards(|weight, tree, draws| {
            for (sum, probability) in mixed.0.iter_mut().zip(tree.outcomes(draws).0) {
                *sum += weight * probability;
            }
        });
        self.outcomes.insert(self.gone, mixed);
        mixed
    }

    fn dealer_high(&mut self) -> [f64; 2] {
        if let Some(known) = self.high_outcomes.get(&self.gone) {
            return *known;
        }
        let mut mixed = [0.0; 2];
        self.over_hidden_cards(|weight, tree, draws| {
            for (sum, probability) in mixed.iter_mut().zip(tree.high_outcomes(draws)) {
                *sum += weight * probability;
            }
        });
        self.high_outcomes.insert(self.gone, mixed);
        mixed
    }

    /// Calls `add` with the probability of each tree of the dealer's play, the tree, and the cards to draw from.
    ///
    /// If all cards come from one shoe, one tree suffices; otherwise each hidden card has its own tree.
    fn over_hidden_cards(&self, mut add: impl FnMut(f64, &DealerTree, &[u8; VALUES])) {
        if self.hole.is_none() && self.dealer_left.is_none() {
            return add(1.0, DealerTree::of(self.rules, self.up, None), &self.left);
        }
        let hole = self.hole.unwrap_or(self.left);
        let draws = self.dealer_left.unwrap_or(self.left);
        let cards: f64 = hole.iter().map(|&count| f64::from(count)).sum();
        for (value, &count) in hole.iter().enumerate().filter(|(_, count)| **count > 0) {
            let tree = DealerTree::of(self.rules, self.up, Some(value));
            add(f64::from(count) / cards, tree, &draws);
        }
    }

    /// Returns the gain of a hand that ends with `total`.
    fn stand(&mut self, total: Total) -> f64 {
        let value = total.player_value();
        if value == HandValue::Bust {
            return -1.0;
        }
        if value == HandValue::Charlie {
            let [charlie, combo] = self.dealer_high();
            return 1.0 - charlie + (self.combo_bonus - 2.0) * combo;
        }
        let dealer = self.dealer();
        dealer.gain_of(value) + self.combo_bonus * dealer.combo()
    }

    fn hit(&mut self, total: Total, line: Line) -> f64 {
        self.mean_over_draw(|solver, value| solver.play_on(total.with(value), line))
    }

    /// Returns the value of a hand of three or more cards, under best play.
    fn play_on(&mut self, total: Total, line: Line) -> f64 {
        let HandValue::Value(best) = total.player_value() else {
            return self.stand(total);
        };
        let key = (self.gone, line);
        if let Some(known) = self.hands.get(&key) {
            return *known;
        }
        // Up to a hard total of 11, no card can bust the hand; at a hard total of 21, every card does.
        let value = match total.hard {
            0..=11 if best <= 11 => self.hit(total, line),
            21 => self.stand(total),
            _ => self.stand(total).max(self.hit(total, line)),
        };
        self.hands.insert(key, value);
        value
    }

    fn double_down(&mut self, total: Total) -> f64 {
        // Under the engine's rules, a doubled Combo ends at once. Under the text's rules, a player is never asked about
        // a Combo.
        if total.is_combo() {
            return self.stand_doubled(total);
        }
        self.mean_over_draw(|solver, value| solver.stand_doubled(total.with(value)))
    }

    /// Returns the gain of a doubled hand that ends with `total`; its insurance is not doubled.
    fn stand_doubled(&mut self, total: Total) -> f64 {
        if total.player_value() == HandValue::Bust {
            return -2.0;
        }
        let insured = self.combo_bonus * self.dealer().combo();
        2.0 * self.stand(total) - insured
    }

    /// Returns the value of both hands of a split pair.
    ///
    /// `rank_left` is the number of cards left of the pair's rank, and `extra` the number of further
    /// affordable bids. `weight` is this split's share in the requested value.
    fn split(&mut self, line: Line, rank_left: u8, extra: u8, weight: f64) -> f64 {
        let value = usize::from(line.value);
        let weight = 2.0 * weight * f64::from(rank_left) / f64::from(self.cards.max(1));
        2.0 * self.mean_over_draw(|solver, second| {
            let total = Total::default().with(value).with(second);
            let plain = solver.two_cards(total, line, extra);
            if second != value || extra == 0 || weight < NEGLIGIBLE {
                return plain;
            }
            // A card worth ten may differ in rank from the pair.
            let same_rank = f64::from(rank_left) / (f64::from(solver.left[value]) + 1.0);
            let next = Line {
                splits: line.splits + 1,
                ..line
            };
            let resplit = solver.split(next, rank_left - 1, extra - 1, weight);
            same_rank * plain.max(resplit) + (1.0 - same_rank) * plain
        })
    }

    /// Returns the value of a two-card hand from a split, under best play without splitting again.
    fn two_cards(&mut self, total: Total, line: Line, extra: u8) -> f64 {
        if total.is_combo() && self.rules == RuleSet::Text {
            return self.stand(total);
        }
        let mut best = self.stand(total).max(self.hit(total, line));
        if extra >= 1 {
            best = best.max(self.double_down(total));
        }
        best
    }
}
