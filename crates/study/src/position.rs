//! Represents a position as the beginning of a game and the moves made since then.
//!
//! The client stores the position, so users can take moves back, link to a game, and continue a game after the server
//! restarts.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use turnwise_engine::fields::Fields;
use turnwise_engine::instant::Instant;
use turnwise_engine::plugin::{self, AnyGame, AnyState, Plugin};
use turnwise_engine::view::View;

use crate::RefusedError;
use crate::games::find;

/// The maximum number of moves that are replayed for a request.
const MOST_MOVES: usize = 20_000;

/// The maximum time for replaying the moves of a request. How long a move takes depends on the game and its settings.
const LONGEST_REPLAY: Duration = Duration::from_secs(5);

/// A position in a game, given by the game's beginning and the moves made since then.
#[derive(Debug, Clone, Deserialize)]
pub struct Position {
    /// The game's name, as [`Request::Games`](crate::Request::Games) lists it.
    pub game: String,
    /// The game's settings, in the form of a log's header.
    pub settings: Fields,
    /// The source of the position before the first move.
    pub beginning: Beginning,
    /// The moves made so far, in log notation.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// The source of a game's initial position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Beginning {
    /// The initial position that a game of a match has with this seed.
    Seed(u64),
    /// A position in the game's own notation.
    Text(String),
    /// The initial position of a logged game. Contains the game's result fields from the log.
    Logged(Fields),
}

/// A position as a viewer sees it.
#[derive(Debug, Serialize)]
pub struct Seen {
    /// The side to move; `None` if the game is over.
    pub turn: Option<usize>,
    /// The moves made so far, in log notation.
    pub moves: Vec<String>,
    /// The parts of the position that the viewer can see.
    pub view: View,
    /// The result of the game, if it is over.
    pub end: Option<End>,
    /// The position in the game's own notation, if it has one.
    pub text: Option<String>,
}

/// The result of a finished game.
#[derive(Debug, Clone, Serialize)]
pub struct End {
    /// The score of the player in the first role.
    pub score: f64,
    /// How the game ended, if the score does not show it.
    pub ending: Option<Cow<'static, str>>,
    /// The fields that a log stores as the game's result.
    pub result: Fields,
}

impl Position {
    /// Returns the position's game with the position's settings.
    pub(crate) fn settled(
        &self,
        games: &'static [Plugin],
    ) -> Result<Arc<dyn AnyGame>, RefusedError> {
        let game = find(games, |game| game.reads(&self.game, &self.settings))?;
        let settled = game.by_fields(&self.settings);
        settled.map_err(|error| RefusedError(format!("the settings: {error}")))
    }

    /// Returns the game before its first move.
    pub(crate) fn begin(&self, settled: &dyn AnyGame) -> Result<Box<dyn AnyState>, RefusedError> {
        if self.moves.len() > MOST_MOVES {
            let got = self.moves.len();
            return Err(format!("expected at most {MOST_MOVES} moves, got {got}").into());
        }
        Ok(settled.open(match &self.beginning {
            Beginning::Seed(seed) => plugin::Beginning::Seed {
                seed: *seed,
                meetings: 0,
            },
            Beginning::Text(text) => plugin::Beginning::Text(text),
            Beginning::Logged(result) => plugin::Beginning::Logged(result),
        })?)
    }

    /// Returns the position after the first `moves` moves.
    pub(crate) fn up_to(&self, moves: usize) -> Self {
        Self {
            moves: self.moves[..moves].to_vec(),
            ..self.clone()
        }
    }

    /// Replays all moves and returns the game, which can be continued.
    pub(crate) fn open(&self, settled: &dyn AnyGame) -> Result<Box<dyn AnyState>, RefusedError> {
        Ok(self.play(settled)?.0)
    }

    fn play(
        &self,
        settled: &dyn AnyGame,
    ) -> Result<(Box<dyn AnyState>, Vec<String>), RefusedError> {
        let mut open = self.begin(settled)?;
        let mut moves = Vec::new();
        let begun = Instant::now();
        for (ply, text) in (1..).zip(&self.moves) {
            if begun.elapsed() > LONGEST_REPLAY {
                return Err(format!("too long to replay: {ply} moves took 5 s").into());
            }
            let played = open.play(text);
            moves.push(played.map_err(|why| format!("move {ply}: {why}"))?);
        }
        Ok((open, moves))
    }

    /// Returns the position as one side or, if `viewer` is `None`, the public sees it.
    pub(crate) fn view(
        &self,
        games: &'static [Plugin],
        viewer: Option<usize>,
    ) -> Result<Seen, RefusedError> {
        let settled = self.settled(games)?;
        let (mut open, moves) = self.play(&*settled)?;
        let turn = open.turn();
        let end = match turn {
            Some(_) => None,
            None => {
                let result = open.outcome(None, None);
                let meaning = settled.meaning(&result)?;
                Some(End {
                    score: meaning.score,
                    ending: meaning.ending,
                    result,
                })
            }
        };
        Ok(Seen {
            turn,
            moves,
            view: open.view(viewer.filter(|&side| side < 2 || turn == Some(side))),
            end,
            text: open.text(),
        })
    }
}
