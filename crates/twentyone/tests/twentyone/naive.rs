//! An independent calculation of values, by enumerating all draws from small shoes.
//!
//! Cards are points in a plain list, every draw is enumerated, and only the rule set comes from the library.
//! Values of a single hand are cached, because splits would otherwise take hours.

use std::cell::RefCell;
use std::collections::HashMap;

use turnwise_twentyone::rules::RuleSet;

/// A list of cards, represented as points. An ace counts as 1.
pub type Cards = Vec<u8>;

fn total(hand: &[u8]) -> u8 {
    let low: u8 = hand.iter().sum();
    if hand.contains(&1) && low <= 11 {
        low + 10
    } else {
        low
    }
}

/// Returns the rank of a hand: 0 for a bust, 1 to 21 for a value, 22 for a Charlie, 23 for a Combo.
fn rank_of(hand: &[u8], charlie: bool) -> u8 {
    if hand.iter().sum::<u8>() > 21 {
        0
    } else if hand.len() == 2 && total(hand) == 21 {
        23
    } else if charlie {
        22
    } else {
        total(hand)
    }
}

fn player_rank(hand: &[u8]) -> u8 {
    rank_of(hand, hand.len() >= 5)
}

/// A finished hand: its rank, and its bid as a multiple of the original bid.
pub type Finished = (u8, f64);

fn gain((player, bid): Finished, dealer: u8) -> f64 {
    if player == 0 {
        -bid
    } else if player == 23 && dealer != 23 {
        1.5 * bid
    } else {
        bid * match player.cmp(&dealer) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Less => -1.0,
        }
    }
}

/// Returns the mean of `then` over all possible next cards.
fn over_draws(shoe: &Cards, mut then: impl FnMut(u8, Cards) -> f64) -> f64 {
    assert!(!shoe.is_empty(), "the shoe of a test must suffice");
    let mut sum = 0.0;
    for card in 1..=10 {
        let count = shoe.iter().filter(|&&other| other == card).count();
        if count > 0 {
            let mut left = shoe.clone();
            left.swap_remove(
                shoe.iter()
                    .position(|&other| other == card)
                    .expect("counted"),
            );
            sum += count as f64 * then(card, left);
        }
    }
    sum / shoe.len() as f64
}

/// Computes the values of hands under one rule set against one up-card.
pub struct Naive {
    rules: RuleSet,
    up: u8,
    known: RefCell<HashMap<(char, Cards, Cards), f64>>,
}

impl Naive {
    pub fn new(rules: RuleSet, up: u8) -> Naive {
        Naive {
            rules,
            up,
            known: RefCell::default(),
        }
    }

    /// Returns the value that `find` computes. The result is cached; the key is `of` (the kind of value), the hand and
    /// the shoe.
    fn remembered(&self, of: char, hand: &[u8], shoe: &Cards, find: impl Fn() -> f64) -> f64 {
        let mut sorted = shoe.clone();
        sorted.sort_unstable();
        let key = (of, hand.to_vec(), sorted);
        if let Some(value) = self.known.borrow().get(&key) {
            return *value;
        }
        let value = find();
        self.known.borrow_mut().insert(key, value);
        value
    }

    /// Returns the mean gain of finished hands against the dealer's play from `shoe`.
    fn settle(&self, hands: &[Finished], dealer: &[u8], shoe: &Cards) -> f64 {
        if total(dealer) >= 17 {
            let charlie = match self.rules {
                RuleSet::Text => dealer.len() >= 5,
                RuleSet::Engine => dealer.len() == 5,
            };
            let dealer = rank_of(dealer, charlie);
            return hands.iter().map(|&hand| gain(hand, dealer)).sum();
        }
        over_draws(shoe, |card, left| {
            self.settle(hands, &[dealer, &[card]].concat(), &left)
        })
    }

    pub fn stand(&self, hand: &[u8], bid: f64, shoe: &Cards) -> f64 {
        let one = || self.settle(&[(player_rank(hand), 1.0)], &[self.up], shoe);
        bid * self.remembered('s', hand, shoe, one)
    }

    pub fn hit(&self, hand: &[u8], shoe: &Cards) -> f64 {
        self.remembered('h', hand, shoe, || {
            over_draws(shoe, |card, left| {
                let hand = [hand, &[card]].concat();
                match player_rank(&hand) {
                    0 => -1.0,
                    22 => self.stand(&hand, 1.0, &left),
                    _ => self.stand(&hand, 1.0, &left).max(self.hit(&hand, &left)),
                }
            })
        })
    }

    pub fn double(&self, hand: &[u8], shoe: &Cards) -> f64 {
        if player_rank(hand) == 23 {
            return self.stand(hand, 2.0, shoe);
        }
        over_draws(shoe, |card, left| {
            self.stand(&[hand, &[card]].concat(), 2.0, &left)
        })
    }

    /// Returns the value, under best play, of one hand that begins with the split card `card`. Ignores other hands.
    fn line(&self, card: u8, shoe: &Cards) -> f64 {
        self.remembered('l', &[card], shoe, || {
            over_draws(shoe, |second, left| {
                let plain = self.two_cards(&[card, second], &left);
                if second == card {
                    plain.max(2.0 * self.line(card, &left))
                } else {
                    plain
                }
            })
        })
    }

    fn two_cards(&self, hand: &[u8], shoe: &Cards) -> f64 {
        let stand = self.stand(hand, 1.0, shoe);
        if player_rank(hand) == 23 && self.rules == RuleSet::Text {
            return stand;
        }
        stand.max(self.hit(hand, shoe)).max(self.double(hand, shoe))
    }

    /// Returns the value of splitting a pair.
    ///
    /// In contrast to the library's calculation, both hands draw from one shoe, one after the other, and face one
    /// dealer. Each hand decides as if only its own cards had left the shoe since the split.
    pub fn split(&self, card: u8, shoe: &Cards) -> f64 {
        self.play_out(vec![(vec![card], shoe.clone()); 2], Vec::new(), shoe)
    }

    fn play_out(
        &self,
        mut waiting: Vec<(Cards, Cards)>,
        finished: Vec<Finished>,
        shoe: &Cards,
    ) -> f64 {
        let Some((hand, own_shoe)) = waiting.pop() else {
            return self.settle(&finished, &[self.up], shoe);
        };
        let without = |card: u8| {
            let mut left = own_shoe.clone();
            left.swap_remove(
                left.iter()
                    .position(|&other| other == card)
                    .expect("was drawn"),
            );
            left
        };
        let end = |bid: f64| {
            let mut finished = finished.clone();
            finished.push((player_rank(&hand), bid));
            finished
        };
        if hand.len() == 1 {
            return over_draws(shoe, |card, left| {
                let mut waiting = waiting.clone();
                waiting.push((vec![hand[0], card], without(card)));
                self.play_out(waiting, finished.clone(), &left)
            });
        }
        let rank = player_rank(&hand);
        if rank == 0 || rank == 22 {
            return self.play_out(waiting, end(1.0), shoe);
        }
        let two = hand.len() == 2;
        let best = if two {
            self.two_cards(&hand, &own_shoe)
        } else {
            f64::NEG_INFINITY
        };
        if two && hand[0] == hand[1] && 2.0 * self.line(hand[0], &own_shoe) > best {
            waiting.push((vec![hand[0]], own_shoe.clone()));
            waiting.push((vec![hand[0]], own_shoe.clone()));
            return self.play_out(waiting, finished, shoe);
        }
        let stand = self.stand(&hand, 1.0, &own_shoe);
        let hit = self.hit(&hand, &own_shoe);
        let text_combo = rank == 23 && self.rules == RuleSet::Text;
        if two && !text_combo && self.double(&hand, &own_shoe) > stand.max(hit) {
            if rank == 23 {
                return self.play_out(waiting, end(2.0), shoe);
            }
            return over_draws(shoe, |card, left| {
                let mut finished = finished.clone();
                finished.push((player_rank(&[&hand[..], &[card]].concat()), 2.0));
                self.play_out(waiting.clone(), finished, &left)
            });
        }
        if text_combo || stand >= hit {
            return self.play_out(waiting, end(1.0), shoe);
        }
        over_draws(shoe, |card, left| {
            let mut waiting = waiting.clone();
            waiting.push(([&hand[..], &[card]].concat(), without(card)));
            self.play_out(waiting, finished.clone(), &left)
        })
    }
}
