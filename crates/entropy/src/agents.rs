//! Defines the built-in agents and their resources.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::Arc;

use crate::baselines::{self, HolesAgent};
use crate::evaluation::Evaluation;
use crate::rules::{Move, Position};
use crate::search_agent::SearchAgent;
use crate::weights;
use turnwise_engine::agent::BoxedAgent;

/// The size of the transposition table, in bytes per node of the node limit.
const TABLE_BYTES_A_NODE: u64 = 512;
/// The minimum size of the transposition table, in bytes.
const SMALLEST_TABLE: u64 = 1 << 18;
/// The size of the transposition table for searches with many nodes, in bytes.
const LARGEST_TABLE: usize = 64 << 20;

/// Returns the size of the transposition table, in bytes, for a search with this number of nodes. Allocating a large
/// table would take longer than a game with few nodes.
pub(crate) fn table_bytes(nodes: u64) -> usize {
    let bytes = nodes.saturating_mul(TABLE_BYTES_A_NODE);
    bytes.clamp(SMALLEST_TABLE, LARGEST_TABLE as u64) as usize
}

/// The built-in agents, which can be selected by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltIn {
    /// Searches as deep as its limits allow.
    Turnwise,
    /// Searches like [`Turnwise`](Self::Turnwise), with the weights of the previous release.
    Last,
    /// Plays random legal moves.
    Random,
    /// Plays the move after which the board's score is best for its side, without looking further ahead.
    Greedy,
    /// Searches full width to depth 4, like the strongest public players.
    Holes,
    /// Passes whenever the rules allow it, and otherwise plays random legal moves.
    Passer,
}

/// The resources of the agents that search; the other agents need none.
#[derive(Debug, Clone)]
pub struct Resources {
    /// The maximum size of the transposition table, in bytes.
    pub table: usize,
    /// The evaluation of boards; `None` selects the released weights of the agent.
    pub evaluation: Option<Arc<Evaluation>>,
    /// The number of search threads.
    pub threads: NonZeroUsize,
}

/// The default resources: one thread, the largest usual table and the best known evaluation.
impl Default for Resources {
    fn default() -> Self {
        Self {
            table: LARGEST_TABLE,
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
            "last" => Self::Last,
            "random" => Self::Random,
            "greedy" => Self::Greedy,
            "holes" => Self::Holes,
            "passer" => Self::Passer,
            _ => {
                let expected = "turnwise, last, random, greedy, holes or passer";
                return Err(format!("expected {expected}, got {name:?}"));
            }
        })
    }
}

impl BuiltIn {
    /// Creates this agent, without any memory of earlier games.
    pub fn start(self, seed: u64, resources: Resources) -> BoxedAgent<Position, Move> {
        match self {
            BuiltIn::Turnwise | BuiltIn::Last => {
                let agent = SearchAgent::with(resources.table, resources.evaluation)
                    .with_threads(resources.threads);
                Box::new(match self {
                    BuiltIn::Last => agent.with_usual(weights::last_release),
                    _ => agent,
                })
            }
            BuiltIn::Random => baselines::random(seed),
            BuiltIn::Greedy => baselines::greedy(seed),
            BuiltIn::Holes => Box::new(HolesAgent::default()),
            BuiltIn::Passer => baselines::passer(seed),
        }
    }
}
