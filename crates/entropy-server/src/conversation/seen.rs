//! Defines the events that a player on a wire reports to observers of its games.

use std::time::Duration;

use turnwise_entropy::rules::{Colour, Move, Rules};
use turnwise_protocol::entropy::Role;

/// An event in a game, as far as this player knows the game.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// A game begins.
    Begun {
        /// Our role in the game.
        role: Role,
        /// The size of the board, and whether Order may pass.
        rules: Rules,
    },
    /// One of the players made a move.
    Moved(SeenMove),
    /// The current game was played to its end.
    Over {
        /// Order's score for the final board, in points.
        score: u32,
    },
    /// The current game was cut short.
    Abandoned {
        /// The reason, for example `the input ended`.
        why: String,
    },
}

/// A move of either side.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenMove {
    /// The side that made the move.
    pub role: Role,
    /// The placement, slide or pass.
    pub mv: Move,
    /// The placed tile; `None` for a move of Order.
    pub tile: Option<Colour>,
    /// Figures about the decision, if the move was ours.
    pub figures: Option<Figures>,
    /// The time that we waited for an opponent's move, including delays of the server and the network. It runs from our
    /// last reply, or from the beginning of the game, until the move's message. `None` for our own moves, and if no
    /// time could be measured, for example if the first move comes with the greeting.
    pub waited: Option<Duration>,
}

/// Figures about our decision on a move. All times except `cpu` are wall times.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// The time left on our clock before the move.
    pub clock_left: Duration,
    /// The time planned for the move.
    pub soft: Duration,
    /// The maximum time for the move.
    pub hard: Duration,
    /// The time from the beginning of our turn until the reply was sent.
    pub used: Duration,
    /// The CPU time of the search.
    pub cpu: Duration,
    /// The deepest completed iteration, in plies; 0 if no search completed.
    pub depth: u32,
    /// The number of visited positions; 0 if no search completed.
    pub nodes: u64,
    /// The expected final score of Order, if the agent can forecast it.
    pub score: Option<f32>,
    /// The search's internal evaluation in points for Order, which is not a prediction of the final score.
    pub value: Option<f32>,
}
