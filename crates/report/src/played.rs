//! The games of a match as figures need them: a hundred bytes each, so that a million fit into memory.

use turnwise_arena::records::GameRecord;
use turnwise_arena::strength::pair::{Outcome, happened};
use turnwise_engine::plugin::About;

use super::logs::Game;

/// A game of a match.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// The number of the pair or rotation.
    pub pair: u32,
    /// The number of the game in its pair or rotation, from 1.
    pub game: u8,
    /// The pair's first and second agent, as indices in the header.
    pub(crate) agents: [u32; 2],
    /// What the result of the pair depends on.
    pub outcome: Outcome,
    /// The log's index among the merged logs, and the game's index in the log.
    pub(crate) order: (u32, u32),
    /// What only few games have.
    more: Option<Box<More>>,
    /// The whole game, if it was kept.
    pub whole: Option<Box<Game>>,
}

/// The data of a game with faults, or at a table of more than two.
#[derive(Debug, Clone, Default, PartialEq)]
struct More {
    table: Option<Table>,
    faults: Vec<LoggedFault>,
}

/// A game's players at a table of more than two.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// The players by seat, as indices in the header.
    pub players: Vec<u32>,
    /// The players' winnings in points.
    pub won: Vec<f64>,
}

/// A fault as reports list it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedFault {
    /// The agent at fault.
    pub agent: String,
    /// The name of the agent's role.
    pub role: &'static str,
    /// The name of the kind of fault.
    pub kind: &'static str,
    /// The reason, and the last line of stderr.
    pub what: String,
    /// False if a busy machine caused the fault.
    pub is_charged: bool,
}

impl Played {
    /// Summarizes a game. `place` finds an agent in the header.
    pub(crate) fn of(
        record: &GameRecord,
        about: &'static About,
        place: impl Fn(&str) -> u32,
        order: (u32, u32),
    ) -> Self {
        let charged = |fault| record.charged_faults().any(|it| std::ptr::eq(it, fault));
        let faults = record.faults().map(|fault| LoggedFault {
            agent: fault.agent.clone(),
            role: about.role(&fault.role),
            kind: fault.kind.name(),
            what: happened(fault),
            is_charged: charged(fault),
        });
        let table = record.is_of_rotation().then(|| Table {
            players: record.agents().map(|name| place(name)).collect(),
            won: record.result.meaning.won.clone(),
        });
        let more = More {
            table,
            faults: faults.collect(),
        };
        Self {
            pair: record.pair,
            game: record.game,
            agents: [&record.first, &record.second].map(|name| place(name)),
            outcome: Outcome::logged(record),
            order,
            more: (more != More::default()).then(|| Box::new(more)),
            whole: None,
        }
    }

    /// Returns the faults of the game in order.
    pub fn faults(&self) -> &[LoggedFault] {
        self.more.as_ref().map_or(&[], |more| &more.faults)
    }

    /// Returns the table of a game of more than two.
    pub(crate) fn table(&self) -> Option<&Table> {
        self.more.as_ref()?.table.as_ref()
    }

    /// Returns all players, as indices in the header.
    pub(crate) fn players(&self) -> impl Iterator<Item = usize> {
        let players = match self.table() {
            Some(table) => &table.players[..],
            None => &self.agents,
        };
        players.iter().map(|&player| player as usize)
    }

    /// Returns the players of a game of two by role, as indices in the header.
    pub(crate) fn by_role(&self) -> [usize; 2] {
        let [first, second] = self.agents.map(|agent| agent as usize);
        match self.game {
            1 => [first, second],
            _ => [second, first],
        }
    }

    /// Moves the game to later pairs.
    pub(crate) fn shift(&mut self, pairs: u32) {
        self.pair = self.pair.saturating_add(pairs);
        if let Some(game) = &mut self.whole {
            game.record.pair = self.pair;
        }
    }

    /// Returns the key by which the games of a match are sorted.
    pub(crate) fn number(&self) -> (u32, u8) {
        (self.pair, self.game)
    }
}
