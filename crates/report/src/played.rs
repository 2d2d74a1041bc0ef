//! Stores the data about a game that statistics need. It takes about a hundred bytes, so that a million games fit into
//! memory.

use turnwise_arena::records::GameRecord;
use turnwise_arena::strength::pair::{Outcome, happened};
use turnwise_engine::player::FaultKind;
use turnwise_engine::plugin::About;

use super::logs::Game;

/// A game of a match, reduced to the data that statistics need.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// The number of the pair or rotation.
    pub pair: u32,
    /// The number of the game in its pair or rotation, starting at 1.
    pub game: u8,
    /// The indices in the header of the pair's first agent and second agent.
    pub(crate) agents: [u32; 2],
    /// The outcome of the game, which determines the result of the pair.
    pub outcome: Outcome,
    /// The origin of the game: the index of the log among the merged logs, and the index of the game in that log.
    pub(crate) order: (u32, u32),
    /// Data that only a few games have, for example about faults.
    more: Option<Box<More>>,
    /// All data of the game; `None` if only the reduced data was kept.
    pub whole: Option<Box<Game>>,
}

/// The data of a game that has faults or more than two players.
#[derive(Debug, Clone, Default, PartialEq)]
struct More {
    table: Option<Table>,
    faults: Vec<LoggedFault>,
}

/// The players and results of a game with more than two players.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// The indices of the players in the header, in the order of their seats.
    pub players: Vec<u32>,
    /// The points that each player won, in the order of `players`.
    pub won: Vec<f64>,
}

/// A fault in a game, described by the texts that reports show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedFault {
    /// The agent at fault.
    pub agent: String,
    /// The name of the agent's role.
    pub role: &'static str,
    /// The kind of fault.
    pub kind: FaultKind,
    /// A description of the fault, including the last informative line that the agent wrote to stderr.
    pub what: String,
    /// False if the fault is not counted against the agent, because the machine was too busy.
    pub is_charged: bool,
}

impl Played {
    /// Reduces a game to the data that statistics need. `place` converts an agent's name to the agent's index in the
    /// header.
    pub(crate) fn of(
        record: &GameRecord,
        about: &'static About,
        place: impl Fn(&str) -> u32,
        order: (u32, u32),
    ) -> Self {
        let faults = record.faults().map(|fault| LoggedFault {
            agent: fault.agent.clone(),
            role: about.role(&fault.role),
            kind: fault.kind,
            what: happened(fault),
            is_charged: fault.is_charged(),
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

    /// Returns the faults of the game, in the order in which they happened.
    pub fn faults(&self) -> &[LoggedFault] {
        self.more.as_ref().map_or(&[], |more| &more.faults)
    }

    /// Returns the index in the header of the agent that had the role `side`; `None` in a game with more than two
    /// players.
    pub(crate) fn agent(&self, side: usize) -> Option<usize> {
        // In the second game of a pair, the roles are swapped.
        let at = side ^ usize::from(self.game != 1);
        let agent = self.agents.get(at).filter(|_| self.table().is_none())?;
        Some(*agent as usize)
    }

    /// Returns the players and results of a game with more than two players; `None` for other games.
    pub(crate) fn table(&self) -> Option<&Table> {
        self.more.as_ref()?.table.as_ref()
    }

    /// Returns all players of the game, as indices in the header.
    pub(crate) fn players(&self) -> impl Iterator<Item = usize> {
        let players = match self.table() {
            Some(table) => &table.players[..],
            None => &self.agents,
        };
        players.iter().map(|&player| player as usize)
    }

    /// Returns the two players of a two-player game in the order of their roles, as indices in the header.
    pub(crate) fn by_role(&self) -> [usize; 2] {
        let [first, second] = self.agents.map(|agent| agent as usize);
        match self.game {
            1 => [first, second],
            _ => [second, first],
        }
    }

    /// Increases the pair number of the game by `pairs`.
    pub(crate) fn shift(&mut self, pairs: u32) {
        self.pair = self.pair.saturating_add(pairs);
        if let Some(game) = &mut self.whole {
            game.record.pair = self.pair;
        }
    }

    /// Returns the numbers of the pair and of the game, which determine the order of the games in a match.
    pub(crate) fn number(&self) -> (u32, u8) {
        (self.pair, self.game)
    }
}
