//! Levels of strength for human opponents: a node limit, and random moves as mistakes.

use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{AgentAt, AgentOptions, GameRules};
use crate::agent::{Agent, BoxedAgent, OpponentMemory};
use crate::game::Score;
use crate::search::{Control, Found, Limits};

/// A level of strength for human opponents: each level clearly beats the next weaker one, but not always.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The name of the agent that plays, as in [`About::agents`](super::About::agents).
    pub agent: &'static str,
    /// The maximum number of nodes that the agent searches per move; `None` if the agent needs no limit.
    pub nodes: Option<u64>,
    /// The share of moves, in percent, that are random legal moves instead. Not for agents that plan several moves.
    pub mistakes: u8,
}

impl Level {
    /// Creates a level from its agent, its nodes and its mistakes in percent.
    pub const fn new(agent: &'static str, nodes: Option<u64>, mistakes: u8) -> Self {
        Self {
            agent,
            nodes,
            mistakes,
        }
    }
}

/// Returns the level that the options select; `None` if the game does not have the level.
fn selected<G: GameRules>(options: &AgentOptions) -> Option<&'static Level> {
    let number = usize::from(options.level?.get());
    G::ABOUT.levels.get(number - 1)
}

/// Returns the name of the agent that plays with these options, which may select a level.
pub(super) fn agent_name<'a, G: GameRules>(name: &'a str, options: &AgentOptions) -> &'a str {
    selected::<G>(options).map_or(name, |level| level.agent)
}

/// Returns the maximum number of nodes per move of the options and of the level that they select.
pub(super) fn nodes<G: GameRules>(options: &AgentOptions) -> Option<u64> {
    options.nodes_within(selected::<G>(options).and_then(|level| level.nodes))
}

/// Creates a built-in agent. The limit of nodes in `options` includes the limit of the level that the options select.
pub(super) fn agent<G: GameRules>(
    game: &G,
    name: &str,
    resources: &G::Resources,
    options: &AgentOptions,
    seed: u64,
) -> AgentAt<G::Table> {
    let careful = game.agent(agent_name::<G>(name, options), resources, options, seed);
    let mistakes = selected::<G>(options).map_or(0, |level| level.mistakes);
    if mistakes == 0 {
        return careful;
    }
    let random = G::ABOUT.random_agent;
    Box::new(Careless {
        careful,
        careless: game.agent(
            random,
            &G::Resources::default(),
            &AgentOptions::default(),
            seed,
        ),
        share: f64::from(mistakes) / 100.0,
        has_erred: false,
        random: Xoshiro256PlusPlus::seed_from_u64(seed),
    })
}

/// An agent that makes mistakes on purpose.
struct Careless<P, M> {
    careful: BoxedAgent<P, M>,
    /// Chooses the moves that are mistakes.
    careless: BoxedAgent<P, M>,
    /// The share of mistakes, from 0 to 1.
    share: f64,
    /// True if the last move is a mistake.
    has_erred: bool,
    random: Xoshiro256PlusPlus,
}

impl<P, M> Agent for Careless<P, M> {
    type Position = P;
    type Move = M;

    fn think(&mut self, position: &P, limits: Limits, control: &Control<M>) -> Found<M> {
        self.has_erred = self.random.random_bool(self.share);
        match self.has_erred {
            true => self.careless.think(position, limits, control),
            false => self.careful.think(position, limits, control),
        }
    }

    fn forecast(&self, position: &P, found: &Found<M>) -> Option<Score> {
        match self.has_erred {
            true => self.careless.forecast(position, found),
            false => self.careful.forecast(position, found),
        }
    }

    fn observe(&mut self, before: P, played: M, took: Duration) {
        self.careful.observe(before, played, took);
    }

    fn opponent(&self) -> OpponentMemory {
        self.careful.opponent()
    }

    fn weights(&self) -> Option<&str> {
        self.careful.weights()
    }

    fn new_game(&mut self) {
        self.careful.new_game();
        self.careless.new_game();
    }

    fn recover(&mut self) {
        self.careful.recover();
        self.careless.recover();
    }
}
