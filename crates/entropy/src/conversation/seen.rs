//! What a player on a wire sees of its games, for those who watch it.

use std::time::Duration;

use turnwise_protocol::entropy::Role;

use crate::rules::{Colour, Move, Rules};

/// Something that happened in a game, as this player knows it.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// A game begins in which this player has a role.
    Begun {
        /// Our role in it.
        role: Role,
        /// The size of the board, and whether Order may pass.
        rules: Rules,
    },
    /// A move was made.
    Moved(SeenMove),
    /// The game at hand was played to its end.
    Over {
        /// The score of Order for the final board, in points.
        score: u32,
    },
    /// The game at hand was not played to its end.
    Abandoned {
        /// What ended it, such as `the input ended`.
        why: String,
    },
}

/// A move of either side.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenMove {
    /// The side that made it.
    pub role: Role,
    /// The placement, slide or pass.
    pub mv: Move,
    /// The tile that was placed.
    pub tile: Option<Colour>,
    /// How it was decided, if it was ours.
    pub figures: Option<Figures>,
    /// How long it was waited for, if it was the opponent's and a message brought it: from our last reply, or from
    /// the beginning of the game, until then. The server and the ways there and back are included. None where no
    /// time was to be measured, as when the first move comes with the greeting.
    pub waited: Option<Duration>,
}

/// How a move of ours was decided. Times are wall time but for the CPU's.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// On our clock before the move.
    pub clock_left: Duration,
    /// Meant for the move.
    pub soft: Duration,
    /// Allowed for the move at most.
    pub hard: Duration,
    /// From the beginning of our time until the reply was sent.
    pub used: Duration,
    /// CPU time of the search.
    pub cpu: Duration,
    /// The deepest completed iteration, in plies; 0 without a search that came to its end.
    pub depth: u32,
    /// Positions that the search visited; 0 without a search that came to its end.
    pub nodes: u64,
    /// The final score of Order that is expected, where the agent can tell.
    pub score: Option<f32>,
    /// The value in the search, from Order's side.
    pub value: Option<f32>,
}
