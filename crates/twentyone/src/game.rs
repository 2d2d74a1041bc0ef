//! Runs a game at a table: dealing, bidding, turns, the dealer, and settlement.
//!
//! A player that acts illegally or returns too long a memory is out. Its bids and points are forfeited, its cards are
//! shown, and the game continues.

use super::actions::{Action, ActionError, Situation, check_bid, some_bids};
use super::cards::{Card, RankCounts, Shoe};
use super::player::{Fault, Player, PlayerId, Seen, Shown, check_memory};
use super::record::{Observer, RoundRecord, TurnRecord};
use super::round::{Hand, Round, Turn};
use super::rules::{
    HandValue, Points, RuleSet, Settings, SettingsError, dealer_draws, hand_return, hand_value,
    insurance_cost, insurance_return, total_of,
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

/// A hand in play, and everything else that its player knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InHand {
    pub id: PlayerId,
    pub bid: Points,
    pub up_card: Card,
    pub hand: Vec<Card>,
    /// The cards that are known to have left the shoe, without the hand and the up-card.
    pub gone: RankCounts,
    pub insured: bool,
}

/// One game, from the first bid to the last settlement.
#[derive(Debug, Clone)]
pub struct Game {
    settings: Settings,
    seats: Vec<Seat>,
    /// The seating of all players, including players that are out.
    order: Vec<PlayerId>,
    shoe: Shoe,
    random: Xoshiro256PlusPlus,
    round: u32,
    dealer: Vec<Card>,
    open: Option<Round>,
}

impl Game {
    /// Creates a game before its first round. Equal seeds give equal shoes and seatings.
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
            open: None,
            settings,
        })
    }

    /// Creates a game in its first round, in which only one player has a hand and is to act.
    ///
    /// Returns `None` if the shoe lacks a card of the hand or too few cards remain.
    pub(super) fn in_hand(settings: Settings, points: Vec<Points>, at: &InHand) -> Option<Game> {
        let mut game = Game::new(settings, points.len(), 0).ok()?;
        for (seat, points) in game.seats.iter_mut().zip(points) {
            seat.points = points;
        }
        let hand = at.hand.iter().copied();
        let dealt: Vec<Card> = hand.chain([at.up_card]).collect();
        game.shoe = Shoe::dealt_out(game.settings.decks, &dealt, &at.gone, 0)?;
        let dealer = [at.up_card, game.shoe.deal()];
        let turn = Turn::new(at.id, at.bid, at.up_card, at.hand.clone());
        let turn = turn.with_insurance(at.insured);
        game.open = Some(Round::of_one(dealer, turn, at.hand.clone()));
        game.round = 1;
        Some(game)
    }

    /// Returns the number of rounds that have begun; 0 before the first round.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Returns the points of every player, by id.
    pub fn points(&self) -> Vec<Points> {
        self.seats.iter().map(|seat| seat.points).collect()
    }

    /// Returns true if a player has run out of points, or was put out because of a fault.
    pub fn is_out(&self, id: PlayerId) -> bool {
        self.seat(id).out_in_round.is_some()
    }

    /// Returns all players in their current seating order.
    ///
    /// Under the text's rules, this order changes every round.
    pub fn seating(&self) -> &[PlayerId] {
        &self.order
    }

    /// Returns the parameters of the game.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the hands that lie before a player, with `None` for face-down cards.
    ///
    /// These are this round's hands after the player's turn has begun, and the last round's hands during
    /// bidding.
    pub fn laid_out(&self, id: PlayerId) -> Vec<Vec<Option<Card>>> {
        let open = |cards: &[Card]| cards.iter().copied().map(Some).collect();
        let round = self.open.as_ref().filter(|round| !round.is_bidding());
        match round.map(|round| (round, &round.turn)) {
            Some((_, Some(turn))) if turn.id == id => {
                turn.all_hands().map(|hand| open(&hand.cards)).collect()
            }
            Some((round, _)) if round.is_to_come(id) => vec![vec![None; 2]],
            _ => self
                .seat(id)
                .shown
                .iter()
                .map(|cards| open(cards))
                .collect(),
        }
    }

    /// Returns the dealer's cards, with `None` for the face-down card.
    pub fn dealer_laid_out(&self) -> Vec<Option<Card>> {
        match self.open.as_ref().filter(|round| !round.is_bidding()) {
            Some(round) => vec![Some(round.dealer[0]), None],
            None => self.dealer.iter().copied().map(Some).collect(),
        }
    }

    /// Returns a player's bid in the current round, or 0 if it has not bid.
    pub fn bid(&self, id: PlayerId) -> Points {
        self.open.as_ref().map_or(0, |round| round.bid(id))
    }

    /// Returns the shoe from which the next cards come.
    pub fn shoe(&self) -> &Shoe {
        &self.shoe
    }

    /// Replaces all face-down cards of the current round by other cards, and returns their number.
    #[cfg(test)]
    pub(crate) fn exchange_what_is_hidden(&mut self) -> usize {
        let Some(round) = &mut self.open else {
            return 0;
        };
        let other: Card = "S2".parse().expect("a card");
        let to_come = round.dealt.iter_mut().skip(round.turns);
        let hidden = to_come.flat_map(|(_, cards)| cards);
        let hidden = hidden.chain([&mut round.dealer[1]]);
        hidden.map(|card| *card = other).count()
    }

    /// Returns true if all rounds are played or all players are out.
    pub fn is_over(&self) -> bool {
        let is_settled = self.open.is_none();
        let is_last = self.round >= self.settings.rounds;
        is_settled && (is_last || self.seats.iter().all(|s| s.out_in_round.is_some()))
    }

    /// Plays round by round until the game ends.
    pub fn play(&mut self, players: &mut [Box<dyn Player + '_>], observer: &mut dyn Observer) {
        while !self.is_over() {
            self.play_round(players, observer);
        }
    }

    /// Plays one round.
    ///
    /// # Panics
    /// Panics if there are fewer players than seats.
    pub fn play_round(
        &mut self,
        players: &mut [Box<dyn Player + '_>],
        observer: &mut dyn Observer,
    ) {
        self.begin_round();
        while let Some(id) = self.asked() {
            self.ask(&mut *players[id as usize], observer);
        }
    }

    /// Deals the next round; does nothing during a round or after the end of the game.
    pub fn begin_round(&mut self) {
        if self.open.is_some() || self.is_over() {
            return;
        }
        self.round += 1;
        if self.settings.rules == RuleSet::Text {
            self.order.shuffle(&mut self.random);
        }
        let order = self.seated();
        let dealer = [self.shoe.deal(), self.shoe.deal()];
        let empty_seats = self.order.len() - order.len();
        let hand = |id| (id, vec![self.shoe.deal(), self.shoe.deal()]);
        let dealt = order.into_iter().map(hand).collect();
        if self.settings.rules == RuleSet::Engine {
            for _ in 0..2 * empty_seats {
                self.shoe.deal();
            }
        }
        self.open = Some(Round::new(dealer, dealt));
    }

    /// Returns the player whose bid or action is awaited; `None` between rounds.
    pub fn asked(&self) -> Option<PlayerId> {
        self.open.as_ref().and_then(Round::asked)
    }

    /// Returns the view of the player to act.
    pub fn seen(&self) -> Option<Seen> {
        let id = self.asked()?;
        let seated = self.seated().into_iter();
        let points = seated.map(|id| (id, self.seat(id).points));
        let on_the_table = self.order.iter().filter(|id| self.is_on_the_table(**id));
        let shown = on_the_table.map(|&id| Shown {
            id,
            hands: self.seat(id).shown.clone(),
        });
        let turn = self.turn();
        let hand = turn.and_then(Turn::hand);
        Some(Seen {
            settings: self.settings.clone(),
            id,
            up_card: turn.map(|turn| turn.up_card),
            points: points.collect(),
            shown: shown.collect(),
            dealer: self.dealer.clone(),
            hand: hand.map_or_else(Vec::new, |hand| hand.cards.clone()),
        })
    }

    /// Checks whether an action is legal for the player to act.
    pub fn check(&self, action: Action) -> Result<(), ActionError> {
        let id = self.asked().ok_or(ActionError::NotAsked)?;
        let points = self.seat(id).points;
        match (self.situation(), action) {
            (Some(situation), _) => situation.check(action),
            (None, Action::Bid(bid)) => check_bid(&self.settings, bid, points),
            (None, _) => Err(ActionError::NoBid),
        }
    }

    /// Returns the legal actions of the player to act.
    ///
    /// During bidding, these are only some of the legal bids, including the smallest and the largest.
    pub fn legal(&self) -> Vec<Action> {
        let Some(id) = self.asked() else {
            return Vec::new();
        };
        match self.situation() {
            Some(situation) => situation.legal(),
            None => some_bids(&self.settings, self.seat(id).points),
        }
    }

    /// Plays an action of the player to act. An illegal action changes nothing.
    pub fn act(&mut self, action: Action, observer: &mut dyn Observer) -> Result<(), ActionError> {
        self.check(action)?;
        let round = self.open.as_mut().expect("somebody is asked");
        let id = round.asked().expect("somebody is asked");
        let seat = &mut self.seats[id as usize];
        let mut record = TurnRecord {
            round: self.round,
            player: id,
            hand: 0,
            cards: Vec::new(),
            action,
            bid: 0,
            up_card: None,
        };
        match (&mut round.turn, action) {
            (None, Action::Bid(bid)) => {
                seat.points -= bid;
                if self.settings.rules == RuleSet::Engine {
                    seat.shown.clear();
                }
                record.bid = bid;
                round.bids.push(bid);
            }
            (None, _) => return Err(ActionError::NoBid),
            (Some(turn), _) => {
                seat.points -= match action {
                    Action::DoubleDown | Action::Split => turn.bid,
                    Action::Insurance => insurance_cost(turn.bid),
                    Action::Hit | Action::Stand | Action::Bid(_) => 0,
                };
                record.up_card = Some(turn.up_card);
                let hand = turn.act(action, &mut self.shoe);
                (record.hand, record.bid) = (hand.index, hand.bid);
                record.cards.clone_from(&hand.cards);
            }
        }
        observer.turn(&record);
        self.go_on(observer);
        Ok(())
    }

    /// Asks the player to act and plays its answer; a fault puts the player out.
    pub fn ask(&mut self, player: &mut dyn Player, observer: &mut dyn Observer) {
        let Some(seen) = self.seen() else {
            return;
        };
        let played = self.answer(&seen, player).and_then(|action| {
            let played = self.act(action, observer);
            played.map_err(|reason| Fault::Illegal { action, reason })
        });
        if let Err(fault) = played {
            self.put_out(&fault, observer);
        }
    }

    /// Calls a player to choose an action. Stores its memory if the reply is valid.
    fn answer(&mut self, seen: &Seen, player: &mut dyn Player) -> Result<Action, Fault> {
        let seat = &mut self.seats[seen.id as usize];
        let reply = player.act(&seen.view(seat.memory.as_deref()))?;
        check_memory(&reply.memory)?;
        seat.memory = Some(reply.memory);
        Ok(reply.action)
    }

    /// Puts the player whose answer is awaited out of the game.
    pub(super) fn put_out(&mut self, fault: &Fault, observer: &mut dyn Observer) {
        let Some((round, id)) = self.open.as_mut().and_then(|round| {
            let id = round.asked()?;
            Some((round, id))
        }) else {
            return;
        };
        let seat = &mut self.seats[id as usize];
        match round.turn.take() {
            None => round.bids.push(0),
            Some(mut turn) => {
                turn.break_off();
                seat.shown = cards_of(&turn.finished);
            }
        }
        seat.points = 0;
        seat.out_in_round = Some(self.round);
        observer.fault(self.round, id, fault);
        self.go_on(observer);
    }

    /// Continues to the next player to ask, or to the end of the round.
    fn go_on(&mut self, observer: &mut dyn Observer) {
        let Some(mut round) = self.open.take() else {
            return;
        };
        while !round.is_bidding() {
            if let Some(mut turn) = round.turn.take() {
                // Finished hands are shown at once, so that after a split, a player sees its own first hand.
                while turn.put_aside(self.settings.rules) {
                    self.seats[turn.id as usize].shown = cards_of(&turn.finished);
                }
                match turn.hand() {
                    Some(_) => {
                        round.turn = Some(turn);
                        break;
                    }
                    None => round.keep(turn),
                }
            } else if let Some((id, cards)) = round.dealt.get(round.turns).cloned() {
                match round.bids[round.turns] {
                    0 => self.seats[id as usize].shown = vec![cards],
                    bid => round.turn = Some(Turn::new(id, bid, round.dealer[0], cards)),
                }
                round.turns += 1;
            } else {
                return self.settle(&round, observer);
            }
        }
        self.open = Some(round);
    }

    fn seat(&self, id: PlayerId) -> &Seat {
        &self.seats[id as usize]
    }

    fn turn(&self) -> Option<&Turn> {
        self.open.as_ref().and_then(|round| round.turn.as_ref())
    }

    fn situation(&self) -> Option<Situation<'_>> {
        let turn = self.turn()?;
        turn.situation(self.seat(turn.id).points)
    }

    /// Returns the players still in the game, in seating order.
    fn seated(&self) -> Vec<PlayerId> {
        let is_in = |id: &PlayerId| !self.is_out(*id);
        self.order.iter().copied().filter(is_in).collect()
    }

    /// Returns true if the hands of a player are still on the table.
    ///
    /// This holds for players in the game and for players that were removed in this round or the last.
    fn is_on_the_table(&self, id: PlayerId) -> bool {
        let out = self.seat(id).out_in_round;
        out.is_none_or(|out| out + 1 >= self.round)
    }

    /// Plays the dealer's hand unless all hands are bust, and pays every player.
    fn settle(&mut self, round: &Round, observer: &mut dyn Observer) {
        let is_bust = |hand: &Hand| hand_value(&hand.cards) == HandValue::Bust;
        let plays = !round.finished.iter().all(|(_, hand)| is_bust(hand));
        let mut dealer = round.dealer.to_vec();
        while plays && dealer_draws(total_of(&dealer)) {
            dealer.push(self.shoe.deal());
        }
        let rules = self.settings.rules;
        let value = total_of(&dealer).dealer_value(rules);
        for (id, hand) in &round.finished {
            let returned = hand_return(hand.bid, hand_value(&hand.cards), value);
            self.seats[*id as usize].points += returned;
        }
        // Under the text's rules, insurance is a bet on the hidden card, even if that card is never shown.
        let insurance_pays = value == HandValue::Combo && (plays || rules == RuleSet::Text);
        for &(id, bid) in round.insured.iter().filter(|_| insurance_pays) {
            self.seats[id as usize].points += insurance_return(rules, bid);
        }
        if !plays {
            dealer.truncate(1);
        }
        self.dealer = dealer;
        for seat in self.seats.iter_mut().filter(|seat| seat.points == 0) {
            seat.out_in_round.get_or_insert(self.round);
        }
        observer.round(&RoundRecord {
            round: self.round,
            dealer: self.dealer.clone(),
            points: self.points(),
        });
    }
}

fn cards_of(hands: &[Hand]) -> Vec<Vec<Card>> {
    hands.iter().map(|hand| hand.cards.clone()).collect()
}
