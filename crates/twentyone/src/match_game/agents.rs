//! The crate's players as agents.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::agent::Agent;
use turnwise_engine::search::{Control, Found, Limits};

use super::table::Question;
use crate::actions::Action;
use crate::player::Player;

fn found(action: Action) -> Found<Action> {
    Found::without_answer(action, 0.0, 0, 1)
}

/// A player and its memory.
pub(super) struct Strategist<P> {
    player: P,
    memory: Option<String>,
}

impl<P> Strategist<P> {
    pub fn new(player: P) -> Self {
        Self {
            player,
            memory: None,
        }
    }
}

impl<P: Player + Send> Agent for Strategist<P> {
    type Position = Question;
    type Move = Action;

    fn think(&mut self, asked: &Question, _: Limits, _: &Control<Action>) -> Found<Action> {
        let view = asked.seen.view(self.memory.as_deref());
        let reply = self.player.act(&view).expect("it always has an answer");
        self.memory = Some(reply.memory);
        found(reply.action)
    }

    fn new_game(&mut self) {
        self.memory = None;
    }
}

/// Does anything that is legal.
pub(super) struct RandomAgent(Xoshiro256PlusPlus);

impl RandomAgent {
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }
}

impl Agent for RandomAgent {
    type Position = Question;
    type Move = Action;

    fn think(&mut self, asked: &Question, _: Limits, _: &Control<Action>) -> Found<Action> {
        let action = asked.legal.choose(&mut self.0);
        found(*action.expect("a player that is asked can do something"))
    }
}
