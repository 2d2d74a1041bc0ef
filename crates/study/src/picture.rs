//! Draws a position or a game as a picture file.
//!
//! | module | purpose |
//! |---|---|
//! | `drawing` | the shapes that make up a picture, with their positions and colors |
//! | `svg` | a drawing as SVG |
//! | `animation` | a sequence of drawings as an animated GIF |

mod animation;
mod drawing;
mod svg;

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use turnwise_engine::plugin::{self, AnyGame, Look, Moved, Plugin};
use turnwise_engine::view::Grid;

use crate::RefusedError;
use crate::position::Position;
use crate::request::Format;
pub use animation::{AnimationError, gif};

/// The time for which an animation shows each position.
const EACH: Duration = Duration::from_millis(700);

/// The maximum number of positions in an animation.
const MOST_SHOWN: usize = 1000;

/// The content of a picture: a board in its graphical style, and the last move.
pub struct Scene<'a> {
    /// The board in the position to draw.
    pub grid: &'a Grid,
    /// The graphical style of the game's boards.
    pub look: Look,
    /// The move that led to this position, if any. The cells of the move are marked.
    pub last: Option<Moved>,
}

/// Draws a board and returns the picture as the text of an SVG file.
pub fn svg(scene: &Scene) -> String {
    svg::written(&drawing::drawing(scene))
}

/// A picture file.
#[derive(Debug, Serialize)]
pub struct Picture {
    /// The media type, such as `image/svg+xml`.
    media: &'static str,
    /// The file's bytes in base 64.
    base64: String,
}

/// The board of a position in a game, and the move that led to it.
struct Shown {
    board: plugin::Shown,
    last: Option<Moved>,
}

fn scene(shown: &Shown, look: Look) -> Scene<'_> {
    Scene {
        grid: &shown.board.grid,
        look,
        last: shown.last,
    }
}

/// Returns the positions of a game, starting with the initial position.
fn positions(position: &Position, settled: &dyn AnyGame) -> Result<Vec<Shown>, RefusedError> {
    let mut open = position.begin(settled)?;
    let mut shown = vec![Shown {
        board: open.shown(false),
        last: None,
    }];
    for (ply, text) in (1..).zip(&position.moves) {
        let moved = open.follow(text);
        let moved = moved.map_err(|why| format!("move {ply}: {why}"))?;
        shown.push(Shown {
            board: open.shown(false),
            last: Some(moved),
        });
    }
    Ok(shown)
}

/// Draws a position or a game.
///
/// # Errors
///
/// Returns an error if the position is invalid or cannot be drawn.
pub fn picture(
    position: &Position,
    format: Format,
    games: &'static [Plugin],
) -> Result<Picture, RefusedError> {
    let settled = position.settled(games)?;
    let shown = positions(position, &*settled)?;
    let look = settled.about().look;
    let of = |one| scene(one, look);
    let (media, bytes) = match format {
        Format::Svg => {
            let last = shown.last().expect("there is a beginning");
            ("image/svg+xml", svg(&of(last)).into_bytes())
        }
        Format::Gif => {
            if shown.len() > MOST_SHOWN {
                return Err(format!("expected at most {MOST_SHOWN} positions").into());
            }
            let scenes: Vec<Scene> = shown.iter().map(of).collect();
            let animation = gif(&scenes, EACH).map_err(|error| error.to_string())?;
            ("image/gif", animation)
        }
        Format::Text => ("text/plain", in_words(position, &shown).into_bytes()),
    };
    Ok(Picture {
        media,
        base64: BASE64_STANDARD.encode(bytes),
    })
}

/// Returns the game as text: the initial board, then each move with the board after the move.
fn in_words(position: &Position, shown: &[Shown]) -> String {
    let mut text = format!("{}\n\n{}", position.game, shown[0].board.text);
    for ((ply, played), after) in (1..).zip(&position.moves).zip(&shown[1..]) {
        text += &format!("\n{ply}. {played}\n{}", after.board.text);
    }
    text
}
