//! Tests our player behind a bridge to the course's Haskell engine.
//!
//! Behind the bridge, the player must decide exactly as it would directly at the table.
//!
//! `protocol/twentyone.md` describes the bridge. The conversion to lines must not lose information from the engine's
//! lists.

use std::cell::RefCell;
use std::rc::Rc;

use turnwise_protocol::twentyone::Call;

use turnwise_twentyone::actions::Action;
use turnwise_twentyone::baselines::Baseline;
use turnwise_twentyone::cards::Card;
use turnwise_twentyone::game::Game;
use turnwise_twentyone::player::{Fault, Player, Reply, View};
use turnwise_twentyone::rules::{RuleSet, Settings};
use turnwise_twentyone::strong::Strong;
use turnwise_twentyone::wire;

use crate::engine_lists::{Insured, Parting, SharedInsured, bridged, parted};

/// Separates the cards in the wrong way that `protocol/twentyone.md` formerly described: "turn hands round".
fn turned_round(list: &[Card]) -> (Vec<String>, Vec<String>) {
    let mut texts: Vec<String> = list.iter().rev().map(Card::to_string).collect();
    let drawn = texts.split_off(texts.len().min(2));
    (texts, drawn)
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
        let call = Call::parse(&line).expect("its own line");
        let answer = wire::answer(view.settings, &call).map_err(Fault::Failed)?;
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

/// Plays a game between three bridged players and all baselines.
fn play(settings: &Settings, seed: u64, parting: Parting, is_right: bool) {
    let insured = Rc::new(RefCell::new(Insured::default()));
    let mut seats: Vec<Box<dyn Player>> = Vec::new();
    for _ in 0..3 {
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
