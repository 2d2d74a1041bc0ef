//! A position: how the game began, and the moves since. Whoever asks holds it; so a game can be taken back,
//! linked to, and go on after the server was away.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use turnwise_engine::fields::Fields;
use turnwise_engine::instant::Instant;
use turnwise_engine::plugin::{self, OpenGame, Plugin, SettledGame};
use turnwise_engine::view::View;

use crate::RefusedError;
use crate::games::named;

/// The most moves of a game that are played again for a request.
const MOST_MOVES: usize = 20_000;

/// So long a game may take to be played again: what it costs depends on the game and on its settings.
const LONGEST_REPLAY: Duration = Duration::from_secs(5);

/// A game's beginning and moves.
#[derive(Debug, Clone, Deserialize)]
pub struct Position {
    /// The game's name, as [`Request::Games`](crate::Request::Games) lists it.
    pub game: String,
    /// Its settings, as a log's header keeps them.
    pub settings: Fields,
    /// What the position before the first move comes from.
    pub beginning: Beginning,
    /// The moves, as logs have them.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// Where a game begins.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Beginning {
    /// Where a match's game with this seed begins.
    Seed(u64),
    /// In a position, in the game's own notation.
    Text(String),
    /// Where a logged game with this result began.
    Logged(Fields),
}

/// What a position looks like.
#[derive(Debug, Serialize)]
pub struct Seen {
    /// The side to move; none if the game is over.
    pub turn: Option<usize>,
    /// The moves as logs have them.
    pub moves: Vec<String>,
    /// What the viewer sees.
    pub view: View,
    /// How the game ended, if it is over.
    pub end: Option<End>,
    /// The position in the game's own notation, if it has one.
    pub text: Option<String>,
}

/// How a game ended.
#[derive(Debug, Clone, Serialize)]
pub struct End {
    /// The first role's score.
    pub score: f64,
    /// How it ended, where the score does not say.
    pub ending: Option<&'static str>,
    /// What a log keeps of the end.
    pub result: Fields,
}

impl Position {
    /// The game with its settings.
    pub(crate) fn settled(
        &self,
        games: &[&'static dyn Plugin],
    ) -> Result<Arc<dyn SettledGame>, RefusedError> {
        let settled = named(games, &self.game)?.by_fields(&self.settings);
        settled.map_err(|error| RefusedError(format!("the settings: {error}")))
    }

    /// The game after all of the moves.
    pub(crate) fn open<'a>(
        &self,
        settled: &'a dyn SettledGame,
    ) -> Result<Box<dyn OpenGame + 'a>, RefusedError> {
        Ok(self.play(settled)?.0)
    }

    fn play<'a>(
        &self,
        settled: &'a dyn SettledGame,
    ) -> Result<(Box<dyn OpenGame + 'a>, Vec<String>), RefusedError> {
        if self.moves.len() > MOST_MOVES {
            let got = self.moves.len();
            return Err(format!("expected at most {MOST_MOVES} moves, got {got}").into());
        }
        let mut open = settled.open(match &self.beginning {
            Beginning::Seed(seed) => plugin::Beginning::Seed {
                seed: *seed,
                meetings: 0,
            },
            Beginning::Text(text) => plugin::Beginning::Text(text),
            Beginning::Logged(result) => plugin::Beginning::Logged(result),
        })?;
        let mut moves = Vec::new();
        let begun = Instant::now();
        for (ply, text) in (1..).zip(&self.moves) {
            if begun.elapsed() > LONGEST_REPLAY {
                return Err(format!("too long to be played again: {ply} moves took 5 s").into());
            }
            let played = open.play(text);
            moves.push(played.map_err(|why| format!("move {ply}: {why}"))?);
        }
        Ok((open, moves))
    }

    /// What the position looks like for a viewer.
    pub(crate) fn view(
        &self,
        games: &[&'static dyn Plugin],
        viewer: Option<usize>,
    ) -> Result<Seen, RefusedError> {
        let settled = self.settled(games)?;
        let (mut open, moves) = self.play(&*settled)?;
        let turn = open.turn();
        let end = match turn {
            Some(_) => None,
            None => {
                let result = open.outcome(None);
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
            view: open.view(viewer.filter(|&side| side < 2)),
            end,
            text: open.text(),
        })
    }
}
