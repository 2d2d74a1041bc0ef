//! The Halma players that have a name.

use std::str::FromStr;

use crate::baselines::{Distance, Minimax, RandomPlayer, Stayer};
use crate::player::{Player, Strong};
use turnwise_engine::agent::UnknownAgentError;

/// Bytes of table for each node of a limited search, and the smallest table.
const TABLE_BYTES_A_NODE: usize = 100;
const SMALLEST_TABLE: usize = 1 << 16;
/// The largest table that is made, in bytes.
pub const LARGEST_TABLE: usize = 64 << 20;

/// The table for searches of so many nodes, in bytes: making one takes time too.
pub fn table_bytes(nodes: u64) -> usize {
    let nodes = usize::try_from(nodes).unwrap_or(usize::MAX);
    let bytes = nodes.saturating_mul(TABLE_BYTES_A_NODE);
    bytes.clamp(SMALLEST_TABLE, LARGEST_TABLE)
}

/// A Halma player of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HalmaAgent {
    /// The strong player.
    Turnwise,
    /// Plays any legal move.
    Random,
    /// Plain minimax two plies deep: the stand-in for the course's reference agent.
    Minimax,
    /// Alpha-beta three plies deep on distances: the strongest public player known.
    Distance,
    /// Alpha-beta three plies deep that keeps its last pieces at home and blocks the opponent's lanes.
    Stayer,
}

impl HalmaAgent {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Turnwise,
        Self::Random,
        Self::Minimax,
        Self::Distance,
        Self::Stayer,
    ];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            HalmaAgent::Turnwise => "turnwise",
            HalmaAgent::Random => "random",
            HalmaAgent::Minimax => "minimax",
            HalmaAgent::Distance => "distance",
            HalmaAgent::Stayer => "stayer",
        }
    }

    /// A new one that knows nothing yet. With a limit of `nodes` a move its table is as small as that
    /// allows.
    pub fn start(self, seed: u64, nodes: Option<u64>) -> Box<dyn Player> {
        match self {
            HalmaAgent::Turnwise => Box::new(Strong::new(nodes.map_or(LARGEST_TABLE, table_bytes))),
            HalmaAgent::Random => Box::new(RandomPlayer::new(seed)),
            HalmaAgent::Minimax => Box::new(Minimax::new(seed)),
            HalmaAgent::Distance => Box::new(Distance::new(seed)),
            HalmaAgent::Stayer => Box::new(Stayer::new(seed)),
        }
    }
}

impl FromStr for HalmaAgent {
    type Err = UnknownAgentError;

    fn from_str(name: &str) -> Result<Self, UnknownAgentError> {
        let known = Self::ALL.into_iter().find(|agent| agent.name() == name);
        known.ok_or_else(|| UnknownAgentError {
            expected: "turnwise, random, minimax, distance or stayer",
            name: name.to_owned(),
        })
    }
}
