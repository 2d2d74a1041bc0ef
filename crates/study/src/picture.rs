//! Draws a position or a game as a picture file.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use turnwise_engine::plugin::{Board, Look, Moved, Plugin, SettledGame};
use turnwise_picture::{Scene, gif, svg};

use crate::RefusedError;
use crate::position::{Beginning, Position};
use crate::request::Format;

/// The time for which an animation shows each position.
const EACH: Duration = Duration::from_millis(700);

/// The maximum number of positions in an animation.
const MOST_SHOWN: usize = 1000;

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
    board: Box<dyn Board>,
    last: Option<Moved>,
}

fn scene(shown: &Shown, look: Look) -> Scene<'_> {
    Scene {
        board: &*shown.board,
        look,
        last: shown.last,
    }
}

/// Returns the positions of a game, starting with the initial position.
fn positions(position: &Position, settled: &dyn SettledGame) -> Result<Vec<Shown>, RefusedError> {
    let result = match &position.beginning {
        Beginning::Logged(result) => result.clone(),
        Beginning::Seed(_) | Beginning::Text(_) => position.open(settled)?.outcome(None),
    };
    let mut board = settled.board(&result);
    let mut shown = vec![Shown {
        board: board.copy(),
        last: None,
    }];
    for (ply, text) in (1..).zip(&position.moves) {
        let moved = board.follow(text);
        let moved = moved.map_err(|why| format!("move {ply}: {why}"))?;
        shown.push(Shown {
            board: board.copy(),
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
    games: &[&'static dyn Plugin],
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
    let mut text = format!("{}\n\n{}", position.game, shown[0].board.text(false));
    for ((ply, played), after) in (1..).zip(&position.moves).zip(&shown[1..]) {
        text += &format!("\n{ply}. {played}\n{}", after.board.text(false));
    }
    text
}
