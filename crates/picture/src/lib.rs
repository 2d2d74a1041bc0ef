//! Pictures of boards. This crate names no game: it draws the cells that a game's [`Board`] describes.
//!
//! | module | purpose |
//! |---|---|
//! | `drawing` | the shapes of a picture, with their places and colors |
//! | `svg` | a drawing as SVG |
//! | `animation` | a sequence of drawings as an animated GIF |

mod animation;
mod drawing;
mod svg;

use turnwise_engine::plugin::{Board, Look, Moved};

pub use animation::{AnimationError, gif};

/// A board, its graphical style, and the last move.
pub struct Scene<'a> {
    /// The board in the position to draw.
    pub board: &'a dyn Board,
    /// The style of the game's boards.
    pub look: Look,
    /// The move that led to this position; its cells are marked.
    pub last: Option<Moved>,
}

/// Draws a board as SVG.
pub fn svg(scene: &Scene) -> String {
    svg::written(&drawing::drawing(scene))
}
