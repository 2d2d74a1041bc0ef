//! A round in progress: bids, then the players' turns, one after the other.

use super::actions::{Action, Situation};
use super::cards::{Card, Shoe};
use super::player::PlayerId;
use super::rules::{HandValue, Points, RuleSet, hand_value, is_terminal};

/// A hand of a player, with its bid.
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

/// One player's turn: its hands still to play and its finished hands.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub id: PlayerId,
    /// The bid placed before the cards were shown.
    pub bid: Points,
    pub up_card: Card,
    /// The hands still to play. The last hand of the list is played first.
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

    /// Returns this turn. If `insured` is true, the player has taken insurance as its first action.
    pub fn with_insurance(self, insured: bool) -> Turn {
        Turn {
            insured,
            acted: insured,
            ..self
        }
    }

    /// Returns the hand in play.
    pub fn hand(&self) -> Option<&Hand> {
        self.hands.last()
    }

    /// Returns all hands in order of play, the finished hands first.
    pub fn all_hands(&self) -> impl Iterator<Item = &Hand> {
        self.finished.iter().chain(self.hands.iter().rev())
    }

    /// Returns the facts that decide which actions are legal, for a player with these points left.
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

    /// Applies a legal action to the hand in play and returns the hand.
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

    /// Moves the hand in play to the finished hands if it is over.
    ///
    /// Returns false if the hand continues, or if no hand is in play.
    pub fn put_aside(&mut self, rules: RuleSet) -> bool {
        let over = self.hands.pop_if(|hand| hand.is_over(rules));
        let is_over = over.is_some();
        self.finished.extend(over);
        is_over
    }

    /// Ends the turn early. Its hands count as finished, with the cards they have.
    pub fn break_off(&mut self) {
        self.finished.extend(self.hands.pop());
        self.finished.append(&mut self.hands);
    }
}

/// A round in progress, until its hands are settled.
#[derive(Debug, Clone)]
pub(super) struct Round {
    pub dealer: [Card; 2],
    /// The players in seating order, with the cards dealt to them.
    pub dealt: Vec<(PlayerId, Vec<Card>)>,
    /// The bids placed so far, in the order of `dealt`. The bid of a player that was put out is 0.
    pub bids: Vec<Points>,
    /// The number of turns that have begun.
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

    /// Creates a round in which only one player has a hand, in the middle of that player's turn.
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

    /// Returns the player whose action is awaited; `None` after all turns.
    pub fn asked(&self) -> Option<PlayerId> {
        match &self.turn {
            Some(turn) => Some(turn.id),
            None => self.dealt.get(self.bids.len()).map(|(id, _)| *id),
        }
    }

    pub fn is_bidding(&self) -> bool {
        self.bids.len() < self.dealt.len()
    }

    /// Returns true if this player's turn is still to come.
    pub fn is_to_come(&self, id: PlayerId) -> bool {
        self.dealt[self.turns..]
            .iter()
            .any(|(other, _)| *other == id)
    }

    /// Returns a player's bid, or 0 if it has not bid.
    pub fn bid(&self, id: PlayerId) -> Points {
        let players = self.dealt.iter().map(|(id, _)| id);
        let mut bids = players.zip(&self.bids);
        bids.find(|(other, _)| **other == id)
            .map_or(0, |(_, bid)| *bid)
    }

    /// Stores the results of a player's turn.
    pub fn keep(&mut self, turn: Turn) {
        let Turn { id, bid, .. } = turn;
        self.insured.extend(turn.insured.then_some((id, bid)));
        let finished = turn.finished.into_iter();
        self.finished.extend(finished.map(|hand| (id, hand)));
    }
}
