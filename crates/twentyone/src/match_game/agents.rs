//! Adapts this crate's players to the engine's interface for agents.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::agent::{Agent, BoxedAgent, by_function};
use turnwise_engine::search::{Control, Found, Limits};

use super::table::Question;
use crate::actions::Action;
use crate::cards::Card;
use crate::memory::Memory;
use crate::player::Player;

fn found(action: Action) -> Found<Action> {
    Found::without_answer(action, 0.0, 0, 1)
}

/// A player and its memory. If the player joins a game late, its memory is reconstructed.
pub(super) struct Strategist<P> {
    player: P,
    memory: Option<String>,
    /// Reconstructs the player's memory from the memory of an attentive player and the hand in play.
    recall: fn(&Memory, &[Card]) -> String,
}

impl<P> Strategist<P> {
    pub fn new(player: P, recall: fn(&Memory, &[Card]) -> String) -> Self {
        Self {
            player,
            memory: None,
            recall,
        }
    }
}

impl<P: Player + Send> Agent for Strategist<P> {
    type Position = Question;
    type Move = Action;

    fn think(&mut self, asked: &Question, _: Limits, _: &Control<Action>) -> Found<Action> {
        let recalled = || (self.recall)(&asked.memory, &asked.seen.hand);
        let is_late = self.memory.is_none() && asked.memory.round > 0;
        let memory = self.memory.take().or_else(|| is_late.then(recalled));
        let view = asked.seen.view(memory.as_deref());
        let reply = self.player.act(&view).expect("it always has an answer");
        self.memory = Some(reply.memory);
        found(reply.action)
    }

    fn new_game(&mut self) {
        self.memory = None;
    }
}

/// Returns an agent that plays random legal actions.
pub(super) fn random(seed: u64) -> BoxedAgent<Question, Action> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    by_function(move |asked: &Question, _| {
        let action = asked.legal.choose(&mut random);
        found(*action.expect("a player that is asked can do something"))
    })
}
