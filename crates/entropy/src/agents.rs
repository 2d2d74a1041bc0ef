//! The agents that have a name.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::Arc;

use crate::baselines::{self, HolesAgent};
use crate::evaluation::Evaluation;
use crate::rules::{Move, Position};
use crate::search_agent::SearchAgent;
use turnwise_engine::agent::BoxedAgent;

/// Bytes of table for each node of a limited search, and the smallest table worth having.
const TABLE_BYTES_A_NODE: u64 = 512;
const SMALLEST_TABLE: u64 = 1 << 18;
const LARGEST_TABLE: u64 = 64 << 20;

/// The table for a search of so many nodes, in bytes.
pub(crate) fn table_bytes(nodes: u64) -> usize {
    let bytes = nodes.saturating_mul(TABLE_BYTES_A_NODE);
    bytes.clamp(SMALLEST_TABLE, LARGEST_TABLE) as usize
}

/// An agent of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltIn {
    /// Searches as deep as its limits allow.
    Turnwise,
    /// Plays any legal move.
    Random,
    /// Plays for the best score at once.
    Greedy,
    /// Searches full width and four deep: the strongest public players.
    Holes,
    /// Passes whenever it may, and plays any legal move elsewhere.
    Passer,
}

/// What the searching agent has to play with; the others need nothing.
#[derive(Debug, Clone)]
pub struct Resources {
    /// If a move is limited to so many nodes, its table is as small as that allows, because making a
    /// large one takes longer than such a game.
    pub nodes: Option<u64>,
    /// What it plays by; without one, by the best known.
    pub evaluation: Option<Arc<Evaluation>>,
    /// How many threads search.
    pub threads: NonZeroUsize,
}

/// One thread, no limit, the best evaluation known.
impl Default for Resources {
    fn default() -> Self {
        Self {
            nodes: None,
            evaluation: None,
            threads: NonZeroUsize::MIN,
        }
    }
}

impl FromStr for BuiltIn {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "turnwise" => Self::Turnwise,
            "random" => Self::Random,
            "greedy" => Self::Greedy,
            "holes" => Self::Holes,
            "passer" => Self::Passer,
            _ => {
                let expected = "turnwise, random, greedy, holes or passer";
                return Err(format!("expected {expected}, got {name:?}"));
            }
        })
    }
}

impl BuiltIn {
    /// A new one that knows nothing yet.
    pub fn start(self, seed: u64, resources: Resources) -> BoxedAgent<Position, Move> {
        match self {
            BuiltIn::Turnwise => {
                let bytes = table_bytes(resources.nodes.unwrap_or(u64::MAX));
                let agent = SearchAgent::with(bytes, resources.evaluation);
                Box::new(agent.with_threads(resources.threads))
            }
            BuiltIn::Random => baselines::random(seed),
            BuiltIn::Greedy => baselines::greedy(seed),
            BuiltIn::Holes => Box::new(HolesAgent::default()),
            BuiltIn::Passer => baselines::passer(seed),
        }
    }
}
