//! Defines the requests that [`answer`](crate::answer) accepts: JSON objects whose field `ask` names the kind of
//! request.

use std::collections::BTreeMap;
use std::num::NonZeroU8;

use serde::Deserialize;
use turnwise_engine::player::TimeControl;

use crate::position::Position;

/// The maximum number of moves that a study ranks.
pub const MOST_LINES: u16 = 100;

/// A request. In JSON, the field `ask` names the kind of request.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Request {
    /// Lists the available games, roles, agents and settings.
    Games,
    /// Returns the rules of a game: paragraphs, some with a position.
    Rules {
        /// The game's name, as [`Request::Games`] lists it.
        game: String,
    },
    /// Returns the view of a position in the middle of a game, for a picture.
    Scene {
        /// The game's name, as [`Request::Games`] lists it.
        game: String,
    },
    /// Returns a game's settings for the chosen options; all other settings keep their defaults.
    Settle {
        /// The game's name, as [`Request::Games`] lists it.
        game: String,
        /// Option names without dashes, and their values; a switch has an empty value.
        #[serde(default)]
        options: BTreeMap<String, String>,
    },
    /// Returns the view of a position.
    View {
        /// The position to view.
        position: Position,
        /// The side that views the position. If `None`, the view contains only public information.
        #[serde(default)]
        viewer: Option<usize>,
    },
    /// Returns the move that an agent chooses.
    Think(Think),
    /// Ranks the best moves and streams a partial answer for each depth.
    Study {
        /// The position to study, in which a side is to move.
        position: Position,
        /// The number of moves to rank.
        top: u16,
        /// The maximum number of positions to visit.
        #[serde(default)]
        nodes: Option<u64>,
        /// The maximum number of plies to look ahead.
        #[serde(default)]
        depth: Option<u32>,
        /// The maximum time of the search, in seconds. The default is the maximum that the server allows.
        #[serde(default)]
        seconds: Option<f64>,
    },
    /// Draws a position or a game, and returns the picture as a file.
    Picture {
        /// The position; an animation also shows the game's earlier positions.
        position: Position,
        /// The format of the picture.
        format: Format,
    },
    /// Reports the points that each move of a game lost, and streams a partial answer for each move.
    Review {
        /// The position at the end of the game to review.
        position: Position,
        /// The number of moves at the beginning that no player chose. They count for no side.
        #[serde(default)]
        opening: usize,
        /// The maximum number of search nodes per position. The default is [`USUAL_NODES`](crate::review::USUAL_NODES).
        #[serde(default)]
        nodes: Option<u64>,
    },
    /// Reviews only the last move of a position.
    Judge {
        /// The position after the move.
        position: Position,
        /// The maximum number of search nodes. The default is [`USUAL_NODES`](crate::review::USUAL_NODES).
        #[serde(default)]
        nodes: Option<u64>,
    },
}

/// The format in which a position or a game is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// The position as SVG.
    Svg,
    /// The game as an animated GIF.
    Gif,
    /// The game as text, with each position as a terminal shows it.
    Text,
}

/// A request for an agent's move.
#[derive(Debug, Clone, Deserialize)]
pub struct Think {
    /// The position in which the agent is to move. The game must not be over.
    pub position: Position,
    /// The name of one of the game's agents.
    pub agent: String,
    /// The maximum number of positions to visit.
    #[serde(default)]
    pub nodes: Option<u64>,
    /// The maximum number of plies to look ahead.
    #[serde(default)]
    pub depth: Option<u32>,
    /// The number of the level of strength at which the agent plays, if it does not play at full strength.
    #[serde(default)]
    pub level: Option<NonZeroU8>,
    /// The seed of the agent's random choices.
    #[serde(default)]
    pub seed: u64,
    /// The time control of the agent's game.
    #[serde(default)]
    pub time: Option<TimeControl>,
    /// The time left on the agent's clock, in seconds.
    #[serde(default)]
    pub left: Option<f64>,
}
