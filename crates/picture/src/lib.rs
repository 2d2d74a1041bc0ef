//! Draws pictures of boards. This crate contains no code for any particular game: it draws the cells that a game's
//! [`Board`] describes.
//!
//! | module | purpose |
//! |---|---|
//! | `drawing` | the shapes that make up a picture, with their positions and colors |
//! | `svg` | a drawing as SVG |
//! | `animation` | a sequence of drawings as an animated GIF |

mod animation;
mod drawing;
mod svg;

use turnwise_engine::plugin::{Board, Look, Moved};

pub use animation::{AnimationError, gif};

/// What a picture shows: a board in its graphical style, and the last move.
pub struct Scene<'a> {
    /// The board in the position to draw.
    pub board: &'a dyn Board,
    /// The graphical style of the game's boards.
    pub look: Look,
    /// The move that led to this position, if any. The cells of the move are marked.
    pub last: Option<Moved>,
}

/// Draws a board and returns the picture as the text of an SVG file.
pub fn svg(scene: &Scene) -> String {
    svg::written(&drawing::drawing(scene))
}
