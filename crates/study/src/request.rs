//! What can be asked, as JSON objects whose field `ask` says what.

use std::collections::BTreeMap;

use serde::Deserialize;
use turnwise_engine::player::TimeControl;

use crate::position::Position;

/// The most moves that a study ranks.
pub const MOST_LINES: u16 = 100;

/// What can be asked, as JSON that names its kind under `ask`.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Request {
    /// Which games, roles, agents and settings there are.
    Games,
    /// The settings of a game by the options that were chosen; those not given are as usual.
    Settle {
        /// The game's name, as [`Request::Games`] lists it.
        game: String,
        /// Names of options without dashes, and their values; a switch has an empty one.
        #[serde(default)]
        options: BTreeMap<String, String>,
    },
    /// What a position looks like.
    View {
        /// The position to look at.
        position: Position,
        /// The side that looks; none sees what everybody may see.
        #[serde(default)]
        viewer: Option<usize>,
    },
    /// The move that an agent chooses.
    Think(Think),
    /// The best moves; the answer grows with depth.
    Study {
        /// The position to study, in which a side is to move.
        position: Position,
        /// How many moves are ranked.
        top: u16,
        /// Positions to visit at most.
        #[serde(default)]
        nodes: Option<u64>,
        /// Plies to look ahead at most.
        #[serde(default)]
        depth: Option<u32>,
        /// Seconds to search at most; as many as are allowed if none are given.
        #[serde(default)]
        seconds: Option<f64>,
    },
    /// A picture to be kept.
    Picture {
        /// The position; an animation shows all that led to it.
        position: Position,
        /// What kind of picture.
        format: Format,
    },
    /// What each move of a game gave away; the answer grows move by move.
    Review {
        /// The game's end: its moves are reviewed.
        position: Position,
        /// How many of them, the first ones, no player has chosen; they count for nobody.
        #[serde(default)]
        opening: usize,
        /// Nodes of the search at each position; a usual number if none is given.
        #[serde(default)]
        nodes: Option<u64>,
    },
}

/// As what a position or a game is drawn or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// The position as SVG.
    Svg,
    /// The game as animated GIF.
    Gif,
    /// The game in words, each position as a terminal shows it.
    Text,
}

/// A question to an agent.
#[derive(Debug, Clone, Deserialize)]
pub struct Think {
    /// The position, in which a side is to move.
    pub position: Position,
    /// The name of one of the game's agents.
    pub agent: String,
    /// Positions to visit at most.
    #[serde(default)]
    pub nodes: Option<u64>,
    /// Plies to look ahead at most.
    #[serde(default)]
    pub depth: Option<u32>,
    /// Determines what the agent leaves to chance.
    #[serde(default)]
    pub seed: u64,
    /// The clock of the game.
    #[serde(default)]
    pub time: Option<TimeControl>,
    /// Seconds left on the agent's clock.
    #[serde(default)]
    pub left: Option<f64>,
}
