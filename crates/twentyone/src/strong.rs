//! The strong player, which matches offer as `turnwise`.
//!
//! It counts every card that it may see, plays the action of highest exact expected value, and derives each bid from
//! the growth-optimal share of the points.

use super::actions::Action;
use super::bidding::{Rival, Situation};
use super::cards::{Card, Rank};
use super::counting::{cards_ahead, close_round, look_around, unseen};
use super::expected::{ActionValues, Decision};
use super::memory::{Double, Memory};
use super::next_hand::{MeanAndVariance, mean_and_variance};
use super::player::{Fault, Player, PlayerId, Reply, View};
use super::rules::{HandValue, Points, hand_value};

/// A player that decides by exact values. It is stateless: all its knowledge is in its memory string.
#[derive(Debug, Clone, Copy, Default)]
pub struct Strong;

impl Player for Strong {
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault> {
        let thought = think(view);
        Ok(Reply {
            action: thought.action,
            memory: thought.memory_after(thought.action),
        })
    }
}

/// The strong player's evaluation of a view: the chosen action, and the reasons for it.
#[derive(Debug, Clone)]
pub struct Thought {
    /// The action that the strong player would take.
    pub action: Action,
    /// The value of each legal action, if a hand is in play.
    pub values: Option<ActionValues>,
    /// The facts that determined the choice of the bid, if a bid is due.
    pub bidding: Option<Situation>,
    /// The reason why the player starts without its memory, if the memory was unreadable.
    pub note: Option<String>,
    memory: Memory,
    hand: Vec<Card>,
    id: u32,
}

impl Thought {
    /// Returns our bid in this round, or 0 if it is unknown.
    pub fn bid(&self) -> Points {
        match self.action {
            Action::Bid(bid) => bid,
            _ => self.memory.turn.bid,
        }
    }

    /// Returns the memory to store if `action` is taken.
    pub fn memory_after(&self, action: Action) -> String {
        let mut memory = self.memory.clone();
        note_action(&mut memory, self.id, &self.hand, action);
        memory.to_limited_string()
    }
}

/// Stores a player's action in its memory. `hand` is the hand in play before the action, if any.
pub(super) fn note_action(memory: &mut Memory, id: PlayerId, hand: &[Card], action: Action) {
    match action {
        Action::Bid(bid) => {
            memory.turn.bid = bid;
            if let Some(own) = memory.seats.iter_mut().find(|seat| seat.id == id) {
                own.note_bid(bid);
            }
        }
        Action::Insurance => memory.turn.insured = true,
        Action::Split => {
            if let &[first, second] = hand {
                memory.turn.pair.get_or_insert([first, second]);
            }
        }
        // A doubled Combo is over at once.
        Action::DoubleDown if hand_value(hand) != HandValue::Combo => {
            memory.turn.double = Double::HitDue;
        }
        Action::Hit if memory.turn.double == Double::HitDue => {
            memory.turn.double = Double::StandDue;
        }
        Action::Hit | Action::Stand | Action::DoubleDown => {}
    }
    if action == Action::Stand {
        memory.turn.double = Double::None;
    }
}

/// Reads the memory, counts the cards, and chooses an action.
pub fn think(view: &View<'_>) -> Thought {
    let memory = view.memory.map_or(Ok(Memory::default()), Memory::parse);
    let note = memory.as_ref().err().map(ToString::to_string);
    let mut memory = memory.unwrap_or_default();
    notice(view, &mut memory);
    Thought {
        note,
        ..decide(view, memory)
    }
}

/// Updates the memory from a view.
///
/// If a bid is due, adds the last round to the memory; otherwise, adds the actions of the other players.
pub(super) fn notice(view: &View<'_>, memory: &mut Memory) {
    if view.up_card.is_none() {
        return close_round(view, memory);
    }
    memory.turn.bid = memory.turn.bid.min(view.settings.max_bid);
    look_around(view, memory);
    // A hand of two cards after the doubled hand's third card is a new hand: the doubled hand is over.
    if memory.turn.double == Double::StandDue && view.hand.len() == 2 {
        memory.turn.double = Double::None;
    }
}

/// Chooses an action. The memory must already include the facts of the view.
pub(super) fn decide(view: &View<'_>, memory: Memory) -> Thought {
    let thought = Thought {
        action: Action::Stand,
        values: None,
        bidding: None,
        note: None,
        memory,
        hand: view.hand.to_vec(),
        id: view.id,
    };
    match view.up_card {
        None => think_about_bid(view, thought),
        Some(up_card) => think_about_hand(view, up_card.rank, thought),
    }
}

fn think_about_bid(view: &View<'_>, thought: Thought) -> Thought {
    let memory = &thought.memory;
    let ahead = cards_ahead(view, memory);
    let rules = view.settings.rules;
    let of = |shoe, weight: f64| {
        let hand = (weight > 0.0).then(|| mean_and_variance(rules, shoe));
        hand.unwrap_or_default()
    };
    let share = match ahead.present.total() {
        ..FEWEST_CARDS => 0.0,
        _ => ahead.share,
    };
    let (present, fresh) = (of(&ahead.present, share), of(&ahead.fresh, 1.0 - share));
    let mix = |old: f64, new: f64| share * old + (1.0 - share) * new;
    let next_hand = MeanAndVariance {
        mean: mix(present.mean, fresh.mean),
        variance: mix(present.variance, fresh.variance),
    };
    let rivals = memory.seats.iter().filter(|seat| seat.id != view.id);
    let rivals = rivals.map(|seat| Rival {
        points: seat.points,
        mean_bid: seat.mean_bid().unwrap_or(view.settings.max_bid as f64),
    });
    let rounds_after = view.settings.rounds.saturating_sub(memory.round);
    let situation = Situation {
        settings: view.settings.clone(),
        points: view.own_points(),
        rounds_left: rounds_after.saturating_add(1),
        next_hand,
        rivals: rivals.collect(),
    };
    Thought {
        action: Action::Bid(situation.bid()),
        bidding: Some(situation),
        ..thought
    }
}

/// With fewer unseen cards than this, the current shoe is not used to evaluate the next hand.
const FEWEST_CARDS: usize = 12;

fn think_about_hand(view: &View<'_>, up: Rank, thought: Thought) -> Thought {
    let memory = &thought.memory;
    let due = match memory.turn.double {
        Double::HitDue => Some(Action::Hit),
        Double::StandDue => Some(Action::Stand),
        Double::None => None,
    };
    if let Some(action) = due {
        return Thought { action, ..thought };
    }
    let hand: Vec<Rank> = view.hand.iter().map(|card| card.rank).collect();
    let mut values = decision(view, up, &hand, memory).values();
    if memory.turn.bid == 0 {
        values = values.without_bid();
    }
    Thought {
        action: values.best().0,
        values: Some(values),
        ..thought
    }
}

/// Returns the decision about the hand in play. The memory must already include the facts of the view.
pub(super) fn decision<'a>(
    view: &View<'_>,
    up: Rank,
    hand: &'a [Rank],
    memory: &Memory,
) -> Decision<'a> {
    let last_to_act = memory.seats.last().is_none_or(|seat| seat.id == view.id);
    let is_bust = |hand: &Vec<Card>| hand_value(hand) == HandValue::Bust;
    let bid_known = memory.turn.bid > 0;
    let untouched = !memory.turn.insured && memory.turn.pair.is_none() && hand.len() == 2;
    Decision {
        rules: view.settings.rules,
        up,
        hand,
        unseen: unseen(view, memory),
        bid: memory.turn.bid,
        // Without a known bid, the affordable actions are unknown, and the player takes no risk.
        points: if bid_known { view.own_points() } else { 0 },
        first_action: untouched && bid_known,
        insured: memory.turn.insured,
        alone: last_to_act && memory.earlier.iter().all(|s| s.hands.iter().all(is_bust)),
    }
}
