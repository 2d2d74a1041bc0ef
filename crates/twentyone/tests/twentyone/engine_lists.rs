//! Views in the form of the course's Haskell engine, and the calls that a bridge makes of them.
//!
//! `protocol/twentyone.md` describes the engine's lists, with the entries that it repeats.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use turnwise_protocol::twentyone::{Call, Dealer, Hand, Shown};

use turnwise_twentyone::actions::Action;
use turnwise_twentyone::cards::Card;
use turnwise_twentyone::player::{Fault, PlayerId, View};
use turnwise_twentyone::record::{Observer, RoundRecord, TurnRecord};
use turnwise_twentyone::rules::Settings;
use turnwise_twentyone::wire;

/// Returns a list of cards in the engine's order.
///
/// Drawn cards are in front, newest first; the two dealt cards are last, in the order dealt.
fn engine_list(hand: &[Card]) -> Vec<Card> {
    let (dealt, drawn) = hand.split_at(hand.len().min(2));
    drawn.iter().rev().chain(dealt).copied().collect()
}

/// The arguments of the engine's call to a player, as far as their form differs from a view's.
pub struct EngineCall {
    /// Players' hands, newest first, so that one player's hands are in reverse order of play.
    infos: Vec<(PlayerId, Vec<Card>)>,
    dealer: Vec<Card>,
    hand: Vec<Card>,
}

/// The players that took insurance. The engine lists their insured cards as an extra hand.
#[derive(Default)]
pub struct Insured {
    in_this_round: HashSet<PlayerId>,
    in_the_last: HashSet<PlayerId>,
}

impl Insured {
    pub fn engine_call(&self, view: &View<'_>, pair: Option<[Card; 2]>) -> EngineCall {
        let insured = match view.up_card {
            Some(_) => &self.in_this_round,
            None => &self.in_the_last,
        };
        let mut infos = Vec::new();
        for shown in view.shown {
            let mut entries: Vec<Vec<Card>> = shown
                .hands
                .iter()
                .rev()
                .map(|hand| engine_list(hand))
                .collect();
            let own_turn = shown.id == view.id && view.up_card.is_some();
            if own_turn {
                // The hand in play is listed as it was before the last action: as a pair after a split.
                entries.insert(0, pair.map_or(engine_list(view.hand), |pair| pair.to_vec()));
            }
            if insured.contains(&shown.id) {
                match shown.hands.as_slice() {
                    [] if own_turn => entries.insert(0, view.hand[..2].to_vec()),
                    [] => {}
                    [hand] => entries.insert(0, hand[..2].to_vec()),
                    // The hand that was split off also replaces the insured cards.
                    _ => entries.insert(0, entries[0].clone()),
                }
            }
            infos.extend(entries.into_iter().map(|entry| (shown.id, entry)));
        }
        EngineCall {
            infos,
            dealer: engine_list(view.dealer),
            hand: engine_list(view.hand),
        }
    }
}

impl Observer for Insured {
    fn turn(&mut self, turn: &TurnRecord) {
        if turn.action == Action::Insurance {
            self.in_this_round.insert(turn.player);
        }
    }

    fn round(&mut self, _: &RoundRecord) {
        self.in_the_last = std::mem::take(&mut self.in_this_round);
    }

    fn fault(&mut self, round: u32, player: PlayerId, fault: &Fault) {
        panic!("player {player} in round {round}: {fault}");
    }
}

/// An observer that records insured players for the bridges.
pub struct SharedInsured(pub Rc<RefCell<Insured>>);

impl Observer for SharedInsured {
    fn turn(&mut self, turn: &TurnRecord) {
        self.0.borrow_mut().turn(turn);
    }

    fn round(&mut self, round: &RoundRecord) {
        self.0.borrow_mut().round(round);
    }

    fn fault(&mut self, round: u32, player: PlayerId, fault: &Fault) {
        self.0.borrow_mut().fault(round, player, fault);
    }
}

/// Separates dealt from drawn cards, each in order, as `parted` in `protocol/twentyone.md` does.
pub fn parted(list: &[Card]) -> (Vec<String>, Vec<String>) {
    let (newest_first, dealt) = list.split_at(list.len().saturating_sub(2));
    let texts = |cards: &mut dyn Iterator<Item = &Card>| cards.map(Card::to_string).collect();
    (
        texts(&mut dealt.iter()),
        texts(&mut newest_first.iter().rev()),
    )
}

pub type Parting = fn(&[Card]) -> (Vec<String>, Vec<String>);

/// Converts an engine's call into a call of the protocol, as the bridge does.
pub fn bridged(view: &View<'_>, engine: &EngineCall, parting: Parting) -> Call<Settings> {
    let hand = |list: &[Card]| {
        let (dealt, drawn) = parting(list);
        Hand::Parted { dealt, drawn }
    };
    let mut shown: Vec<Shown> = Vec::new();
    for (id, list) in &engine.infos {
        // The list is newest first, so a player's hands in order of play are reversed.
        match shown.iter_mut().find(|shown| shown.id == *id) {
            Some(shown) => shown.hands.insert(0, hand(list)),
            None => shown.push(Shown {
                id: *id,
                hands: vec![hand(list)],
            }),
        }
    }
    let (dealt, drawn) = parting(&engine.dealer);
    let mut dealt = dealt.into_iter();
    let dealer = dealt.next().map(|up_card| Dealer::Named {
        up_card,
        hidden: dealt.next(),
        drawn,
    });
    Call {
        shown,
        dealer,
        hand: (!engine.hand.is_empty()).then(|| hand(&engine.hand)),
        ..wire::call_of(view)
    }
}
