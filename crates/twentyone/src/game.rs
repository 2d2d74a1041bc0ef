//! The table: dealing, bidding, turns, the dealer, settlement, and the final standings.
//!
//! Whoever acts illegally, answers late or returns too long a memory is out: its bids and points are
//! forfeited, it stands as if it ran out of points in that round, its cards are shown, and the game goes on.

use std::time::Instant;

use super::actions::{Action, ActionError, Situation, check_bid};
use super::cards::{Card, Shoe};
use super::player::{Fault, MEMORY_LIMIT, Player, PlayerId, REPLY_LIMIT, Shown, View};
use super::record::{Observer, RoundRecord, Standing, TurnRecord, standings};
use super::rules::{
    HandValue, Points, RuleSet, Settings, SettingsError, dealer_draws, hand_return, hand_value,
    insurance_cost, insurance_return, is_terminal, total_of,
};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

#[derive(Debug, Clone)]
struct Seat {
    points: Points,
    memory: Option<String>,
    out_in_round: Option<u32>,
    shown: Vec<Vec<Card>>,
}

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
    pub fn new(settings: Settings, players: usize, seed: u64) -> Result<Game, SettingsError> {
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

    /// What the next cards come from.
    pub fn shoe(&self) -> &Shoe {
        &self.shoe
    }

    /// Whether the game has ended: nobody is left, or the rounds are played.
    pub fn is_over(&self) -> bool {
        self.round >= self.settings.rounds || self.seats.iter().all(|s| s.out_in_round.is_some())
    }

    /// The standings as they are now.
    pub fn standings(&self) -> Vec<Standing> {
        let results = self.seats.iter().map(|s| (s.points, s.out_in_round));
        standings(&results.collect::<Vec<_>>())
    }

    /// Plays to the end, round by round.
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
        let mut hand = |_| vec![self.shoe.deal(), self.shoe.deal()];
        let dealt: Vec<Vec<Card>> = order.iter().map(&mut hand).collect();
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
            self.show(&turn);
            match result {
                Ok(()) => {
                    insured.extend(turn.insured.then_some((id, bid)));
                    finished.extend(turn.finished.into_iter().map(|hand| (id, hand)));
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
                _ => Err(ActionError::NoBid),
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
                        turn.finished.push(hand);
                        turn.finished.extend(waiting);
                        return Err(fault);
                    }
                };
                acted = true;
                let seat = &mut self.seats[turn.id as usize];
                match action {
                    Action::Hit => hand.cards.push(self.shoe.deal()),
                    Action::DoubleDown => {
                        seat.points -= turn.bid;
                        hand.bid += turn.bid;
                        hand.doubled = true;
                    }
                    Action::Split => {
                        seat.points -= turn.bid;
                        let second = hand.cards.pop().expect("a pair");
                        hand.cards.push(self.shoe.deal());
                        waiting.push(Hand {
                            index: hands,
                            cards: vec![second, self.shoe.deal()],
                            bid: turn.bid,
                            doubled: false,
                        });
                        hands += 1;
                    }
                    Action::Insurance => {
                        seat.points -= insurance_cost(turn.bid);
                        turn.insured = true;
                    }
                    Action::Stand | Action::Bid(_) => {}
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
            turn.finished.push(hand);
            // What is finished is shown at once: a player knows its own first hand.
            self.show(turn);
        }
        Ok(())
    }

    /// Puts a player's finished hands on the table.
    fn show(&mut self, turn: &Turn) {
        let hands = turn.finished.iter().map(|hand| hand.cards.clone());
        self.seats[turn.id as usize].shown = hands.collect();
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
        let seated = self.seated().into_iter();
        let points: Vec<_> = seated
            .map(|id| (id, self.seats[id as usize].points))
            .collect();
        let on_the_table = self.order.iter().filter(|id| self.is_on_the_table(**id));
        let shown = on_the_table.map(|&id| Shown {
            id,
            hands: self.seats[id as usize].shown.clone(),
        });
        let shown: Vec<_> = shown.collect();
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
        // What holds for this call, not what its reply makes of the next one.
        let is_timed = player.is_timed();
        let start = Instant::now();
        let reply = player.act(&view)?;
        let elapsed = start.elapsed();
        if is_timed && elapsed > REPLY_LIMIT {
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
    fn settle(
        &mut self,
        dealt: [Card; 2],
        finished: &[(PlayerId, Hand)],
        insured: &[(PlayerId, Points)],
    ) {
        let is_bust = |hand: &Hand| hand_value(&hand.cards) == HandValue::Bust;
        let plays = !finished.iter().all(|(_, hand)| is_bust(hand));
        let mut dealer = dealt.to_vec();
        while plays && dealer_draws(total_of(&dealer)) {
            dealer.push(self.shoe.deal());
        }
        let rules = self.settings.rules;
        let value = total_of(&dealer).dealer_value(rules);
        for (id, hand) in finished {
            let returned = hand_return(hand.bid, hand_value(&hand.cards), value);
            self.seats[*id as usize].points += returned;
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

struct Turn {
    id: PlayerId,
    /// The original bid.
    bid: Points,
    up_card: Card,
    finished: Vec<Hand>,
    insured: bool,
}
