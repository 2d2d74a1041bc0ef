//! A position or a game as a picture to be kept.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use turnwise_engine::plugin::{Board, Look, Moved, Plugin, SettledGame};
use turnwise_picture::{Scene, gif, svg};

use crate::RefusedError;
use crate::position::{Beginning, Position};
use crate::request::Format;

/// How long an animation shows a position.
const EACH: Duration = Duration::from_millis(700);

/// The most positions of an animation.
const MOST_SHOWN: usize = 1000;

/// A picture as a file that can be kept.
#[derive(Debug, Serialize)]
pub struct Picture {
    /// Its media type, such as `image/svg+xml`.
    media: &'static str,
    /// Its bytes in base 64.
    base64: String,
}

/// A logged game's board, and what led to it.
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

/// The positions of a game, the beginning first.
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

/// A picture of a position or a game.
///
/// # Errors
///
/// If there is no such position, or it cannot be drawn.
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

/// Moves and boards, one after another.
fn in_words(position: &Position, shown: &[Shown]) -> String {
    let mut text = format!("{}\n\n{}", position.game, shown[0].board.text(false));
    for ((ply, played), after) in (1..).zip(&position.moves).zip(&shown[1..]) {
        text += &format!("\n{ply}. {played}\n{}", after.board.text(false));
    }
    text
}
