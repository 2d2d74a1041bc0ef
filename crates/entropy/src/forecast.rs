//! What final score the search's values stand for.
//!
//! Values tell better moves from worse ones. As final scores they are too low, by far on a board that is
//! still empty: the weights are learned from searches a few plies deep, and what lies beyond has hardly
//! reached the values of early boards. So it is measured on games of the player against itself by how
//! much the final score is above the value. That depends on the boards that the value was found on, the
//! leaves of the search: how many tiles they hold, and whose turn it is there. How deeply the search
//! looked and who is to move at its root are in that, and tell nothing more: docs/notes/entropy.md.

use serde::{Deserialize, Serialize};

use super::evaluation::GamePhase;
use super::line_values::POINT;
use turnwise_engine::game::Score;

/// The version of the format that this program writes and reads.
pub const FORMAT: u32 = 1;

/// How much the values of some weights gain until the end of the game; kept with the weights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forecast {
    /// The version of the file's format; a forecast with another one than [`FORMAT`] is refused.
    pub format: u32,
    /// The name under which forecasts are shown.
    pub name: String,
    /// The command that made it.
    pub command: String,
    /// Games that it was measured on.
    pub games: u64,
    /// Nodes that a move was searched in them.
    pub nodes: u64,
    /// Determines these games; others are needed to test it.
    pub seed: u64,
    /// What is gained from a board before the draw, in hundredths of a point, by tiles on it from 0 to
    /// all.
    pub before_draw: Vec<i32>,
    /// The same from a board before Order's slide.
    pub before_slide: Vec<i32>,
}

impl Forecast {
    /// True if it is of a format that can be read, and whole for boards of this size.
    pub fn fits(&self, size: u8) -> bool {
        let full = usize::from(size) * usize::from(size);
        let both = [&self.before_draw, &self.before_slide];
        let is_whole = |gains: &Vec<i32>| gains.len() == full + 1 && gains[full] == 0;
        self.format == FORMAT && both.into_iter().all(is_whole)
    }

    /// What a value gains until the end of the game, in points, if it was found on boards with so many
    /// tiles at this phase.
    ///
    /// # Panics
    ///
    /// If there are more tiles than cells.
    pub fn gain(&self, tiles: u16, game_phase: GamePhase) -> Score {
        let gains = match game_phase {
            GamePhase::BeforeDraw => &self.before_draw,
            GamePhase::BeforeSlide => &self.before_slide,
        };
        gains[usize::from(tiles)] as Score / POINT as Score
    }
}
