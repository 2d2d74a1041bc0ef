//! Boards as pictures. Names no game: a picture shows what a game's [`Board`] tells of its cells.
//!
//! | module | what it is for |
//! |---|---|
//! | `drawing` | what is drawn where, in which colour |
//! | `svg` | a drawing as SVG |
//! | `animation` | drawings one after another as an animated GIF |

mod animation;
mod drawing;
mod svg;

use turnwise_engine::plugin::{Board, Look, Moved};

pub use animation::{AnimationError, gif};

/// A board, how it is drawn, and what the last move did.
pub struct Scene<'a> {
    /// The board as it stands in the position to be drawn.
    pub board: &'a dyn Board,
    /// How the game's boards are drawn.
    pub look: Look,
    /// The move that led to this position: the cells that it left and went to are marked.
    pub last: Option<Moved>,
}

/// A board as SVG.
pub fn svg(scene: &Scene) -> String {
    svg::written(&drawing::drawing(scene))
}
