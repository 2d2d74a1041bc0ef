//! Tests our player behind a bridge to the course's Haskell engine.
//!
//! Behind the bridge, the player must decide exactly as it would directly at the table.
//!
//! `protocol/twentyone.md` describes the bridge. The conversion to lines must not lose information from the engine's
//! lists.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use turnwise_protocol::twentyone::{Call, Dealer, Hand, Shown};

use turnwise_twentyone::actions::Action;
use turnwise_twentyone::baselines::Baseline;
use turnwise_twentyone::cards::Card;
use turnwise_twentyone::game::Game;
use turnwise_twentyone::player::{Fault, Player, PlayerId, Reply, View};
use turnwise_twentyone::record::{Observer, RoundRecord, TurnRecord};
use turnwise_twentyone::rules::{RuleSet, Settings};
use turnwise_twentyone::strong::Strong;
use turnwise_twentyone::wire;

/// Returns a list of cards in the engine's order.
///
/// Drawn cards are in front, newest first; the two dealt cards are last, in the order dealt.
fn engine_list(hand: &[Card]) -> Vec<Card> {
    let (dealt, drawn) = hand.split_at(hand.len().min(2));
    drawn.iter().rev().chain(dealt).copied().collect()
}

/// The arguments of the engine's call to a player, as far as their form differs from a view's.
struct EngineCall {
    /// Players' hands, newest first, so that one player's hands are in reverse order of play.
    infos: Vec<(PlayerId, Vec<Card>)>,
    dealer: Vec<Card>,
    hand: Vec<Card>,
}

/// The players that took insurance. The engine lists their insured cards as an extra hand.
#[derive(Default)]
struct Insured {
    in_this_round: HashSet<PlayerId>,
    in_the_last: HashSet<PlayerId>,
}

impl Insured {
    fn engine_call(&self, view: &View<'_>, pair: Option<[Card; 2]>) -> EngineCall {
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
struct SharedInsured(Rc<RefCell<Insured>>);

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
fn parted(list: &[Card]) -> (Vec<String>, Vec<String>) {
    let (newest_first, dealt) = list.split_at(list.len().saturating_sub(2));
    let texts = |cards: &mut dyn Iterator<Item = &Card>| cards.map(Card::to_string).collect();
    (
        texts(&mut dealt.iter()),
        texts(&mut newest_first.iter().rev()),
    )
}

/// Separates the cards in the wrong way that `protocol/twentyone.md` formerly described: "turn hands round".
fn turned_round(list: &[Card]) -> (Vec<String>, Vec<String>) {
    let mut texts: Vec<String> = list.iter().rev().map(Card::to_string).collect();
    let drawn = texts.split_off(texts.len().min(2));
    (texts, drawn)
}

type Parting = fn(&[Card]) -> (Vec<String>, Vec<String>);

/// Converts an engine's call into a call of the protocol, as the bridge does.
fn bridged(view: &View<'_>, engine: &EngineCall, parting: Parting) -> Call<Settings> {
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

/// Our player, called through the engine's lists, the bridge and the protocol's lines.
///
/// With the correct bridge, its reply equals the reply of a player directly at the table.
struct Bridged {
    insured: Rc<RefCell<Insured>>,
    parting: Parting,
    is_right: bool,
    /// The pair that was split, which the engine lists until its second hand is played further.
    pair: Option<[Card; 2]>,
}

impl Player for Bridged {
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault> {
        if view.up_card.is_none() || view.hand.len() > 2 {
            self.pair = None;
        }
        let call = self.insured.borrow().engine_call(view, self.pair);
        let line = serde_json::to_string(&bridged(view, &call, self.parting)).expect("plain data");
        let answer = wire::answer(view.settings, &line).map_err(Fault::Failed)?;
        let answer = serde_json::to_string(&answer).expect("plain data");
        let reply = wire::reply_of(&answer).map_err(Fault::Failed)?;
        if self.is_right {
            assert_eq!(reply, Strong.act(view)?, "{line}");
        }
        if reply.action == Action::Split {
            self.pair = <[Card; 2]>::try_from(view.hand).ok();
        }
        Ok(reply)
    }
}

/// Plays a game between four bridged players and all baselines.
fn play(settings: &Settings, seed: u64, parting: Parting, is_right: bool) {
    let insured = Rc::new(RefCell::new(Insured::default()));
    let mut seats: Vec<Box<dyn Player>> = Vec::new();
    for _ in 0..4 {
        seats.push(Box::new(Bridged {
            insured: insured.clone(),
            parting,
            is_right,
            pair: None,
        }));
    }
    for baseline in Baseline::ALL {
        seats.push(Box::new(baseline));
    }
    let mut game = Game::new(settings.clone(), seats.len(), seed).expect("settings");
    game.play(&mut seats, &mut SharedInsured(insured));
}

/// All decisions and memories equal those of a player directly at the table, up to the last call.
///
/// The memories include the count of the cards.
#[test]
fn the_engines_lists_lose_nothing_on_their_way_through_the_wire() {
    let default = Settings::of(RuleSet::Engine);
    let high = Settings {
        max_bid: 1000,
        rounds: 200,
        ..default.clone()
    };
    for seed in 0..24 {
        let settings = if seed % 3 == 2 { &high } else { &default };
        play(settings, seed, parted, true);
    }
}

#[test]
#[should_panic(
    expected = "name the dealer's up-card, its hidden card and its drawn cards separately"
)]
fn hands_turned_round_are_refused_aloud() {
    play(&Settings::of(RuleSet::Engine), 1, turned_round, false);
}
