//! Forecasts: the final scores to expect, given the values that searches find.
//!
//! A search uses values to rank moves. As predictions of the final score, values are too low, and far too low on an
//! almost empty board, because the weights are learned from searches a few plies deep. Later parts of the game have
//! hardly any influence on the values of early boards. The difference between final score and value is therefore
//! measured on games of the player against itself. The difference depends on the leaves of the search: on their number
//! of tiles and on the player to move there. Once these are known, the depth of the search and the player to move at
//! its root give no further information: docs/notes/entropy.md.

use serde::{Deserialize, Serialize};

use super::evaluation::GamePhase;
use super::line_values::POINT;
use turnwise_engine::game::Score;

/// The version of the forecast format that this program writes and reads.
pub const FORMAT: u32 = 1;

/// The expected gains: the differences between final scores and values, for specific weights. Stored with the weights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forecast {
    /// The version of the format; a forecast with a version other than [`FORMAT`] is rejected.
    pub format: u32,
    /// The name under which the forecast is displayed.
    pub name: String,
    /// The command that created the forecast.
    pub command: String,
    /// The number of games from which the gains were measured.
    pub games: u64,
    /// The maximum number of search nodes for each move in the games.
    pub nodes: u64,
    /// The seed of the games. Games with this seed must not be used to test the forecast.
    pub seed: u64,
    /// The expected gain for leaves before the draw, in hundredths of a point, for each number of tiles (from 0 to
    /// all).
    pub before_draw: Vec<i32>,
    /// The expected gain for leaves before Order's slide, in hundredths of a point, for each number of tiles (from 0 to
    /// all).
    pub before_slide: Vec<i32>,
}

impl Forecast {
    /// Returns true if the format is readable and the forecast is complete for boards with `size` rows.
    pub fn fits(&self, size: u8) -> bool {
        let full = usize::from(size) * usize::from(size);
        let both = [&self.before_draw, &self.before_slide];
        let is_whole = |gains: &Vec<i32>| gains.len() == full + 1 && gains[full] == 0;
        self.format == FORMAT && both.into_iter().all(is_whole)
    }

    /// Returns the expected final score minus the value of a search, in points.
    ///
    /// The value must come from leaves with this number of tiles in this phase.
    ///
    /// # Panics
    ///
    /// Panics if there are more tiles than cells.
    pub fn gain(&self, tiles: u16, game_phase: GamePhase) -> Score {
        let gains = match game_phase {
            GamePhase::BeforeDraw => &self.before_draw,
            GamePhase::BeforeSlide => &self.before_slide,
        };
        gains[usize::from(tiles)] as Score / POINT as Score
    }
}
