//! The table: dealing, bidding, turns, the dealer, settlement, and the final standings.
//!
//! A player is a function of a [`View`], which holds all that the text lets it see, and of nothing
//! else that the table knows. Whoever acts illegally, answers late or returns too long a memory is
//! out: its bids and points are forfeited, it stands as if it ran out of points in that round, its
//! cards are shown, and the game goes on.

use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::cards::{Card, Shoe};
use super::rules::{
    Action, BadSettings, HandValue, Illegal, Points, RuleSet, Settings, Situation, check_bid,
    dealer_draws, hand_return, hand_value, insurance_cost, insurance_return, is_terminal, total_of,
};

/// Identity of a player at a table: its place in the list of players, from 0.
pub type PlayerId = u32;

/// Time a player has for one call.
pub const REPLY_LIMIT: Duration = Duration::from_secs(1);

/// Characters a memory may have.
pub const MEMORY_LIMIT: usize = 10_000;

/// The hands a player showed last, in the order they were played; cards in the order dealt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// Whose hands.
    pub id: PlayerId,
    /// One hand, or more after splits; none if nothing is known.
    pub hands: Vec<Vec<Card>>,
}

/// All that a player sees when it is asked for an action.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Parameters of the game.
    pub settings: &'a Settings,
    /// Who is asked.
    pub id: PlayerId,
    /// The dealer's up-card; `None` while bids are placed.
    pub up_card: Option<Card>,
    /// Points, without the bids placed, of everyone still in the game, in seating order.
    pub points: &'a [(PlayerId, Points)],
    /// Hands shown last by everyone who was in the game when the last round began, in seating
    /// order: this round's for players who have finished their turn, else what the rule set shows
    /// of the last round.
    pub shown: &'a [Shown],
    /// The cards the dealer showed last round: only the up-card if it did not play.
    pub dealer: &'a [Card],
    /// What the player returned as its memory last; `None` on the first call of a game.
    pub memory: Option<&'a str>,
    /// The hand to play; empty while bids are placed.
    pub hand: &'a [Card],
}

/// A player's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// What to do.
    pub action: Action,
    /// The new memory.
    pub memory: String,
}

/// Why a player is put out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// The action is against the rules.
    #[error("illegal {action}: {reason}")]
    Illegal {
        /// What was tried.
        action: Action,
        /// Why it is not allowed.
        reason: Illegal,
    },
    /// The reply took too long.
    #[error("took {0:?} to reply: expected an answer within {REPLY_LIMIT:?}")]
    TooSlow(Duration),
    /// The memory is too long.
    #[error("returned a memory of {0} characters: expected at most {MEMORY_LIMIT}")]
    MemoryTooLong(usize),
    /// The player gave no answer at all: it crashed, left, or wrote something unreadable.
    #[error("{0}")]
    Failed(String),
}

/// Someone who plays.
pub trait Player {
    /// Chooses an action.
    ///
    /// # Errors
    /// A [`Fault`] if no answer can be given; the player is then out.
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault>;

    /// Whether the time for a reply is limited; people have as long as they like.
    fn is_timed(&self) -> bool {
        true
    }
}

/// One action that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnRecord {
    /// Round, from 1.
    pub round: u32,
    /// Who acted.
    pub player: PlayerId,
    /// Which of the player's hands: 0, and more after splits.
    pub hand: u32,
    /// The hand after the action, with the card drawn.
    pub cards: Vec<Card>,
    /// What was done.
    pub action: Action,
    /// Bid on the hand after the action.
    pub bid: Points,
    /// The dealer's up-card, once it is shown.
    pub up_card: Option<Card>,
}

/// The end of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundRecord {
    /// Round, from 1.
    pub round: u32,
    /// The dealer's cards: only the up-card if it did not play.
    pub dealer: Vec<Card>,
    /// Points of every player, by id.
    pub points: Vec<Points>,
}

/// Told what happens at a table.
pub trait Observer {
    /// An action was taken.
    fn turn(&mut self, _turn: &TurnRecord) {}
    /// A round has ended.
    fn round(&mut self, _round: &RoundRecord) {}
    /// A player was put out.
    fn fault(&mut self, _round: u32, _player: PlayerId, _fault: &Fault) {}
}

/// Sees nothing.
pub struct Unobserved;

impl Observer for Unobserved {}

/// Place of a player at the end of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// Who.
    pub id: PlayerId,
    /// 1 for the best; players that nothing tells apart share a place.
    pub place: u32,
    /// Points at the end.
    pub points: Points,
    /// Round in which the points ran out.
    pub out_in_round: Option<u32>,
}

/// Orders players as the text does: by points, then, without points, by who lasted longer.
pub fn standings(results: &[(Points, Option<u32>)]) -> Vec<Standing> {
    let key = |&(points, out): &(Points, Option<u32>)| (points, out.unwrap_or(u32::MAX));
    let mut standings: Vec<Standing> = results
        .iter()
        .zip(0..)
        .map(|(result, id)| Standing {
            id,
            place: 1 + results
                .iter()
                .filter(|other| key(other) > key(result))
                .count() as u32,
            points: result.0,
            out_in_round: result.1,
        })
        .collect();
    standings.sort_by_key(|standing| (standing.place, standing.id));
    standings
}

#[derive(Debug, Clone)]
struct Seat {
    points: Points,
    memory: Option<String>,
    out_in_round: Option<u32>,
    shown: Vec<Vec<Card>>,
}

/// A finished hand on the table.
#[derive(Debug, Clone)]
struct Finished {
    id: PlayerId,
    bid: Points,
    value: HandValue,
}

/// A hand at play.
struct Hand {
    index: u32,
    cards: Vec<Card>,
    bid: Points,
    doubled: bool,
}

/// One game from the first bid to the standings.
#[derive(Debug, Clone)]
pub struct Game {
    settings: Settings,
    seats: Vec<Seat>,
    /// Seating of everyone, also of those who are out.
    order: Vec<PlayerId>,
    shoe: Shoe,
    random: Xoshiro256PlusPlus,
    round: u32,
    dealer: Vec<Card>,
}

impl Game {
    /// A game that has not begun. Equal seeds give equal shoes and seatings.
    ///
    /// # Errors
    /// If the settings make no game.
    pub fn new(settings: Settings, players: usize, seed: u64) -> Result<Game, BadSettings> {
        let settings = settings.validated()?;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut order: Vec<PlayerId> = (0..players as PlayerId).collect();
        order.shuffle(&mut random);
        let seat = Seat {
            points: settings.starting_points,
            memory: None,
            out_in_round: None,
            shown: Vec::new(),
        };
        Ok(Game {
            seats: vec![seat; players],
            order,
            shoe: Shoe::new(settings.decks, seed ^ 0x5348_4F45),
            random,
            round: 0,
            dealer: Vec::new(),
            settings,
        })
    }

    /// Rounds played.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Points of every player, by id.
    pub fn points(&self) -> Vec<Points> {
        self.seats.iter().map(|seat| seat.points).collect()
    }

    /// The shoe.
    pub fn shoe(&self) -> &Shoe {
        &self.shoe
    }

    /// Whether the game has ended: nobody is left, or the rounds are played.
    pub fn is_over(&self) -> bool {
        self.round >= self.settings.rounds || self.seats.iter().all(|s| s.out_in_round.is_some())
    }

    /// The standings as they are now.
    pub fn standings(&self) -> Vec<Standing> {
        let results: Vec<_> = self
            .seats
            .iter()
            .map(|s| (s.points, s.out_in_round))
            .collect();
        standings(&results)
    }

    /// Plays to the end.
    ///
    /// # Panics
    /// If there are fewer players than seats.
    pub fn play(
        &mut self,
        players: &mut [Box<dyn Player + '_>],
        observer: &mut dyn Observer,
    ) -> Vec<Standing> {
        while !self.is_over() {
            self.play_round(players, observer);
        }
        self.standings()
    }

    /// Plays one round.
    ///
    /// # Panics
    /// If there are fewer players than seats.
    pub fn play_round(
        &mut self,
        players: &mut [Box<dyn Player + '_>],
        observer: &mut dyn Observer,
    ) {
        self.round += 1;
        if self.settings.rules == RuleSet::Text {
            self.order.shuffle(&mut self.random);
        }
        let order = self.seated();
        let dealer = [self.shoe.deal(), self.shoe.deal()];
        let dealt: Vec<Vec<Card>> = order
            .iter()
            .map(|_| vec![self.shoe.deal(), self.shoe.deal()])
            .collect();
        if self.settings.rules == RuleSet::Engine {
            for _ in 0..2 * (self.order.len() - order.len()) {
                self.shoe.deal();
            }
        }

        let mut bids = vec![0; self.seats.len()];
        for &id in &order {
            bids[id as usize] = self.take_bid(id, players, observer);
        }
        let mut finished = Vec::new();
        let mut insured = Vec::new();
        for (&id, cards) in order.iter().zip(dealt) {
            let bid = bids[id as usize];
            if bid == 0 {
                self.seats[id as usize].shown = vec![cards];
                continue;
            }
            let mut turn = Turn {
                id,
                bid,
                up_card: dealer[0],
                finished: Vec::new(),
                insured: false,
            };
            let result = self.play_turn(&mut turn, cards, players, observer);
            self.seats[id as usize].shown =
                turn.finished.iter().map(|(hand, _)| hand.clone()).collect();
            match result {
                Ok(()) => {
                    if turn.insured {
                        insured.push((id, bid));
                    }
                    finished.extend(turn.finished.into_iter().map(|(cards, bid)| Finished {
                        id,
                        bid,
                        value: hand_value(&cards),
                    }));
                }
                Err(fault) => self.put_out(id, &fault, observer),
            }
        }
        self.settle(dealer, &finished, &insured);
        self.find_bankrupts();
        observer.round(&RoundRecord {
            round: self.round,
            dealer: self.dealer.clone(),
            points: self.points(),
        });
    }

    /// Players still in the game, in seating order.
    fn seated(&self) -> Vec<PlayerId> {
        let alive = |id: &PlayerId| self.seats[*id as usize].out_in_round.is_none();
        self.order.iter().copied().filter(alive).collect()
    }

    /// Whether a player's last hands still lie on the table: it plays, or was put out since.
    fn is_on_the_table(&self, id: PlayerId) -> bool {
        self.seats[id as usize]
            .out_in_round
            .is_none_or(|out| out + 1 >= self.round)
    }

    /// Asks for a bid and takes it; 0 if the player is out instead.
    fn take_bid(
        &mut self,
        id: PlayerId,
        players: &mut [Box<dyn Player + '_>],
        observer: &mut dyn Observer,
    ) -> Points {
        let result = self.ask(id, None, &[], players).and_then(|action| {
            let points = self.seats[id as usize].points;
            let legal = match action {
                Action::Bid(bid) => check_bid(&self.settings, bid, points).map(|()| bid),
                _ => Err(Illegal::NoBid),
            };
            legal.map_err(|reason| Fault::Illegal { action, reason })
        });
        let seat = &mut self.seats[id as usize];
        match result {
            Ok(bid) => {
                seat.points -= bid;
                if self.settings.rules == RuleSet::Engine {
                    seat.shown.clear();
                }
                observer.turn(&TurnRecord {
                    round: self.round,
                    player: id,
                    hand: 0,
                    cards: Vec::new(),
                    action: Action::Bid(bid),
                    bid,
                    up_card: None,
                });
                bid
            }
            Err(fault) => {
                self.put_out(id, &fault, observer);
                0
            }
        }
    }

    fn put_out(&mut self, id: PlayerId, fault: &Fault, observer: &mut dyn Observer) {
        let seat = &mut self.seats[id as usize];
        seat.points = 0;
        seat.out_in_round = Some(self.round);
        observer.fault(self.round, id, fault);
    }

    /// Plays all hands of a player. On a fault, `turn.finished` shows the cards as they lie.
    fn play_turn(
        &mut self,
        turn: &mut Turn,
        cards: Vec<Card>,
        players: &mut [Box<dyn Player + '_>],
        observer: &mut dyn Observer,
    ) -> Result<(), Fault> {
        let mut waiting = vec![Hand {
            index: 0,
            cards,
            bid: turn.bid,
            doubled: false,
        }];
        let mut hands = 1;
        let mut acted = false;
        while let Some(mut hand) = waiting.pop() {
            while !is_terminal(self.settings.rules, hand_value(&hand.cards)) {
                let action = match self.asked_in_turn(turn, &hand, acted, players) {
                    Ok(action) => action,
                    Err(fault) => {
                        turn.finished.push((hand.cards, hand.bid));
                        turn.finished
                            .extend(waiting.into_iter().map(|h| (h.cards, h.bid)));
                        return Err(fault);
                    }
                };
                acted = true;
                let seat = &mut self.seats[turn.id as usize];
                let mut second = None;
                match action {
                    Action::Hit => hand.cards.push(self.shoe.deal()),
                    Action::DoubleDown => {
                        seat.points -= turn.bid;
                        hand.bid += turn.bid;
                        hand.doubled = true;
                    }
                    Action::Split => {
                        seat.points -= turn.bid;
                        let mut other = vec![hand.cards.remove(1)];
                        hand.cards.push(self.shoe.deal());
                        other.push(self.shoe.deal());
                        second = Some(other);
                    }
                    Action::Insurance => {
                        seat.points -= insurance_cost(turn.bid);
                        turn.insured = true;
                    }
                    Action::Stand | Action::Bid(_) => {}
                }
                if let Some(cards) = second {
                    waiting.push(Hand {
                        index: hands,
                        cards,
                        bid: turn.bid,
                        doubled: false,
                    });
                    hands += 1;
                }
                observer.turn(&TurnRecord {
                    round: self.round,
                    player: turn.id,
                    hand: hand.index,
                    cards: hand.cards.clone(),
                    action,
                    bid: hand.bid,
                    up_card: Some(turn.up_card),
                });
                let doubled_combo = hand.doubled && hand_value(&hand.cards) == HandValue::Combo;
                if action == Action::Stand || doubled_combo {
                    break;
                }
            }
            turn.finished.push((hand.cards, hand.bid));
            // What is finished is shown at once: a player knows its own first hand.
            self.seats[turn.id as usize].shown = turn
                .finished
                .iter()
                .map(|(cards, _)| cards.clone())
                .collect();
        }
        Ok(())
    }

    fn asked_in_turn(
        &mut self,
        turn: &Turn,
        hand: &Hand,
        acted: bool,
        players: &mut [Box<dyn Player + '_>],
    ) -> Result<Action, Fault> {
        let action = self.ask(turn.id, Some(turn.up_card), &hand.cards, players)?;
        let situation = Situation {
            hand: &hand.cards,
            up_card: turn.up_card,
            bid: turn.bid,
            points: self.seats[turn.id as usize].points,
            first_action: !acted,
            doubled: hand.doubled,
        };
        situation
            .check(action)
            .map_err(|reason| Fault::Illegal { action, reason })?;
        Ok(action)
    }

    /// Calls a player, and takes its memory if the call is in order.
    fn ask(
        &mut self,
        id: PlayerId,
        up_card: Option<Card>,
        hand: &[Card],
        players: &mut [Box<dyn Player + '_>],
    ) -> Result<Action, Fault> {
        let seated = self.seated();
        let points: Vec<_> = seated
            .iter()
            .map(|&id| (id, self.seats[id as usize].points))
            .collect();
        let shown: Vec<_> = self
            .order
            .iter()
            .filter(|id| self.is_on_the_table(**id))
            .map(|&id| Shown {
                id,
                hands: self.seats[id as usize].shown.clone(),
            })
            .collect();
        let view = View {
            settings: &self.settings,
            id,
            up_card,
            points: &points,
            shown: &shown,
            dealer: &self.dealer,
            memory: self.seats[id as usize].memory.as_deref(),
            hand,
        };
        let player = &mut players[id as usize];
        let start = Instant::now();
        let reply = player.act(&view)?;
        let elapsed = start.elapsed();
        if player.is_timed() && elapsed > REPLY_LIMIT {
            return Err(Fault::TooSlow(elapsed));
        }
        let length = reply.memory.chars().count();
        if length > MEMORY_LIMIT {
            return Err(Fault::MemoryTooLong(length));
        }
        self.seats[id as usize].memory = Some(reply.memory);
        Ok(reply.action)
    }

    /// The dealer plays if any hand is not bust, and everyone is paid.
    fn settle(&mut self, dealt: [Card; 2], finished: &[Finished], insured: &[(PlayerId, Points)]) {
        let plays = finished.iter().any(|hand| hand.value != HandValue::Bust);
        let mut dealer = dealt.to_vec();
        while plays && dealer_draws(total_of(&dealer)) {
            dealer.push(self.shoe.deal());
        }
        let rules = self.settings.rules;
        let value = total_of(&dealer).dealer_value(rules);
        for hand in finished {
            self.seats[hand.id as usize].points += hand_return(hand.bid, hand.value, value);
        }
        // The text's side bid is on the hidden card, whether or not it is shown in the end.
        let insurance_pays = value == HandValue::Combo && (plays || rules == RuleSet::Text);
        for &(id, bid) in insured.iter().filter(|_| insurance_pays) {
            self.seats[id as usize].points += insurance_return(rules, bid);
        }
        if !plays {
            dealer.truncate(1);
        }
        self.dealer = dealer;
    }

    fn find_bankrupts(&mut self) {
        for seat in self.seats.iter_mut().filter(|seat| seat.points == 0) {
            seat.out_in_round.get_or_insert(self.round);
        }
    }
}

/// One player's turn.
struct Turn {
    id: PlayerId,
    /// The original bid.
    bid: Points,
    up_card: Card,
    /// Finished hands with their bids.
    finished: Vec<(Vec<Card>, Points)>,
    insured: bool,
}
