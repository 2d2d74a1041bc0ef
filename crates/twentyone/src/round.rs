//! A round under way: bids, then one player's turn after the other.

use super::actions::{Action, Situation};
use super::cards::{Card, Shoe};
use super::player::PlayerId;
use super::rules::{HandValue, Points, RuleSet, hand_value, is_terminal};

/// A hand of a player.
#[derive(Debug, Clone)]
pub(super) struct Hand {
    pub index: u32,
    pub cards: Vec<Card>,
    pub bid: Points,
    doubled: bool,
    has_stood: bool,
}

impl Hand {
    fn new(index: u32, cards: Vec<Card>, bid: Points) -> Hand {
        Hand {
            index,
            cards,
            bid,
            doubled: false,
            has_stood: false,
        }
    }

    fn is_over(&self, rules: RuleSet) -> bool {
        let value = hand_value(&self.cards);
        let doubled_combo = self.doubled && value == HandValue::Combo;
        self.has_stood || doubled_combo || is_terminal(rules, value)
    }
}

/// One player's turn: the hands still to be played and those that are finished.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub id: PlayerId,
    /// The bid placed before the cards were shown.
    pub bid: Points,
    pub up_card: Card,
    /// What is still to be played; the last one is played now.
    hands: Vec<Hand>,
    pub finished: Vec<Hand>,
    pub insured: bool,
    acted: bool,
}

impl Turn {
    pub fn new(id: PlayerId, bid: Points, up_card: Card, cards: Vec<Card>) -> Turn {
        Turn {
            id,
            bid,
            up_card,
            hands: vec![Hand::new(0, cards, bid)],
            finished: Vec::new(),
            insured: false,
            acted: false,
        }
    }

    /// The same with an insurance, which was the first action, if there is one.
    pub fn with_insurance(self, insured: bool) -> Turn {
        Turn {
            insured,
            acted: insured,
            ..self
        }
    }

    /// The hand that is played.
    pub fn hand(&self) -> Option<&Hand> {
        self.hands.last()
    }

    /// All hands, finished ones first, in the order in which they are played.
    pub fn all_hands(&self) -> impl Iterator<Item = &Hand> {
        self.finished.iter().chain(self.hands.iter().rev())
    }

    /// What the legality of an action depends on, for a player with so many points left.
    pub fn situation(&self, points: Points) -> Option<Situation<'_>> {
        self.hand().map(|hand| Situation {
            hand: &hand.cards,
            up_card: self.up_card,
            bid: self.bid,
            points,
            first_action: !self.acted,
            doubled: hand.doubled,
        })
    }

    /// Does what is legal to the hand that is played, and returns the hand.
    pub fn act(&mut self, action: Action, shoe: &mut Shoe) -> &Hand {
        self.acted = true;
        let mut hand = self.hands.pop().expect("a hand is played");
        match action {
            Action::Hit => hand.cards.push(shoe.deal()),
            Action::DoubleDown => {
                hand.bid += self.bid;
                hand.doubled = true;
            }
            Action::Split => {
                let second = hand.cards.pop().expect("a pair");
                hand.cards.push(shoe.deal());
                let index = (self.finished.len() + self.hands.len() + 1) as u32;
                let split_off = vec![second, shoe.deal()];
                self.hands.push(Hand::new(index, split_off, self.bid));
            }
            Action::Insurance => self.insured = true,
            Action::Stand => hand.has_stood = true,
            Action::Bid(_) => {}
        }
        self.hands.push(hand);
        self.hand().expect("just put back")
    }

    /// Puts the hand aside if it is over. False if it is to be played on, or if there is none.
    pub fn put_aside(&mut self, rules: RuleSet) -> bool {
        let over = self.hands.pop_if(|hand| hand.is_over(rules));
        let is_over = over.is_some();
        self.finished.extend(over);
        is_over
    }

    /// Breaks the turn off: its cards lie as they are.
    pub fn break_off(&mut self) {
        self.finished.extend(self.hands.pop());
        self.finished.append(&mut self.hands);
    }
}

/// A round that is not settled.
#[derive(Debug, Clone)]
pub(super) struct Round {
    pub dealer: [Card; 2],
    /// Who plays, in seating order, and the cards dealt.
    pub dealt: Vec<(PlayerId, Vec<Card>)>,
    /// Bids so far, in the order of `dealt`; 0 for who is out.
    pub bids: Vec<Points>,
    /// Turns that have begun.
    pub turns: usize,
    pub turn: Option<Turn>,
    pub finished: Vec<(PlayerId, Hand)>,
    pub insured: Vec<(PlayerId, Points)>,
}

impl Round {
    pub fn new(dealer: [Card; 2], dealt: Vec<(PlayerId, Vec<Card>)>) -> Round {
        Round {
            dealer,
            dealt,
            bids: Vec::new(),
            turns: 0,
            turn: None,
            finished: Vec::new(),
            insured: Vec::new(),
        }
    }

    /// A round in which one player has a hand, at whose turn it is.
    pub fn of_one(dealer: [Card; 2], turn: Turn, cards: Vec<Card>) -> Round {
        Round {
            dealer,
            dealt: vec![(turn.id, cards)],
            bids: vec![turn.bid],
            turns: 1,
            turn: Some(turn),
            finished: Vec::new(),
            insured: Vec::new(),
        }
    }

    /// The player whose action is waited for; `None` when everybody has played.
    pub fn asked(&self) -> Option<PlayerId> {
        match &self.turn {
            Some(turn) => Some(turn.id),
            None => self.dealt.get(self.bids.len()).map(|(id, _)| *id),
        }
    }

    pub fn is_bidding(&self) -> bool {
        self.bids.len() < self.dealt.len()
    }

    /// Whether this player's turn has not begun.
    pub fn is_to_come(&self, id: PlayerId) -> bool {
        self.dealt[self.turns..]
            .iter()
            .any(|(other, _)| *other == id)
    }

    /// A player's bid; 0 if it has none.
    pub fn bid(&self, id: PlayerId) -> Points {
        let players = self.dealt.iter().map(|(id, _)| id);
        let mut bids = players.zip(&self.bids);
        bids.find(|(other, _)| **other == id)
            .map_or(0, |(_, bid)| *bid)
    }

    /// Takes what a player's turn comes to.
    pub fn keep(&mut self, turn: Turn) {
        let Turn { id, bid, .. } = turn;
        self.insured.extend(turn.insured.then_some((id, bid)));
        let finished = turn.finished.into_iter();
        self.finished.extend(finished.map(|hand| (id, hand)));
    }
}
