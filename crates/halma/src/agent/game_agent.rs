//! The strong player behind the agent contract, with what it knows of its game.

use std::time::{Duration, Instant};

use turnwise_engine::agent::{Agent, OpponentMemory};
use turnwise_engine::search::{Control, Found, Limits};

use super::opponent::Opponent;
use super::{CpuWatch, EARLY};
use crate::player::{Player, Strong};
use crate::rules::{Move, Position};
use crate::search::Watch;

/// A player through a game.
pub struct GameAgent {
    player: Strong,
    memory: Memory,
}

/// What an agent knows of its game besides its table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    /// Positions after own moves, as hashes.
    seen: Vec<u64>,
    /// Own moves still to be played.
    plan: Vec<Move>,
    /// The reply that is expected to the last move.
    expected: Option<Move>,
    /// What is known of the opponent.
    pub opponent: Opponent,
}

impl GameAgent {
    /// An agent at the beginning of a game, with a table of at most this size.
    pub fn new(table_bytes: usize) -> Self {
        Self {
            player: Strong::new(table_bytes),
            memory: Memory::default(),
        }
    }

    /// What it knows of its game.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Knows of its game what it knew before.
    pub fn resume(&mut self, memory: Memory) {
        (self.player).resume(memory.seen.clone(), memory.plan.clone());
        self.memory = memory;
    }
}

impl Agent for GameAgent {
    type Position = Position;
    type Move = Move;

    /// Only for positions with a legal move; what it says of values is in points for the player to move.
    fn think(
        &mut self,
        position: &Position,
        limits: Limits,
        control: &Control<Move>,
    ) -> Found<Move> {
        let mut watch = ContractWatch::new(&limits, control);
        let choice = (self.player)
            .choose(position, limits.nodes, &mut watch)
            .expect("there is a legal move");
        self.memory.seen = self.player.seen().to_vec();
        self.memory.plan = self.player.plan().to_vec();
        self.memory.expected = self.player.line().first().copied();
        let line = std::iter::once(choice.mv).chain(self.player.line().iter().copied());
        Found {
            best: choice.mv,
            value: choice.value as f32,
            depth: choice.depth,
            value_depth: choice.depth,
            solved: false,
            nodes: choice.nodes,
            principal_variation: line.collect(),
        }
    }

    fn observe(&mut self, before: Position, played: Move, _took: Duration) {
        let expected = self.memory.expected;
        (self.memory.opponent).observe(before.to_move(), played, expected);
    }

    fn opponent(&self) -> OpponentMemory {
        let Opponent {
            moves,
            predicted,
            expected,
            ..
        } = self.memory.opponent;
        OpponentMemory {
            moves,
            predicted,
            expected,
            ..OpponentMemory::default()
        }
    }

    fn recover(&mut self) {
        self.player.reset();
        self.memory = Memory::default();
    }
}

/// A watch over the limits and the stop flag of the agent contract.
struct ContractWatch<'a> {
    limits: &'a Limits,
    cpu: Option<CpuWatch>,
    early: Option<Instant>,
    control: &'a Control<Move>,
}

impl<'a> ContractWatch<'a> {
    fn new(limits: &'a Limits, control: &'a Control<Move>) -> Self {
        let now = Instant::now();
        let early = |soft: Instant| now + soft.saturating_duration_since(now).mul_f64(EARLY);
        Self {
            limits,
            cpu: limits.cpu.map(CpuWatch::until),
            early: limits.soft.map(early),
            control,
        }
    }
}

impl Watch for ContractWatch<'_> {
    fn is_early(&mut self) -> bool {
        !self.control.stopped()
            && self.early.is_none_or(|early| Instant::now() < early)
            && self.cpu.as_mut().is_none_or(CpuWatch::is_early)
    }

    fn is_soft_over(&mut self) -> bool {
        self.control.stopped() || self.limits.is_soft_over()
    }

    fn is_hard_over(&mut self) -> bool {
        self.control.stopped() || self.limits.is_hard_over()
    }

    fn publish(&mut self, best: Move) {
        self.control.publish(best);
    }
}
