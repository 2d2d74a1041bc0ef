//! Replays a logged game, position by position.

use turnwise_arena::records::{GameSettings, MoveRecord};
use turnwise_engine::plugin::{AnyState, Beginning, Moved, Shown};

use super::logs::Game;

/// A step of a replay: a move, and the position after it.
pub struct Step {
    /// The number of the move, starting at 1.
    pub ply: u32,
    /// The effect of the move on the board.
    pub moved: Moved,
    /// The position after the move.
    pub board: Shown,
}

/// The positions of a logged game, up to the end of the game or to the first move that cannot be made.
pub struct Replay {
    /// The position before the first move. It is empty if the log does not say how the game began.
    pub beginning: Shown,
    /// The moves in order, each with the position after it.
    pub steps: Vec<Step>,
    /// The reason why the replay ends early; `None` if all moves could be made.
    pub broken: Option<String>,
}

/// Replays a logged game of a match. The boards' texts have colors if `coloured` is true.
pub fn replay(game: &Game, of: &GameSettings, coloured: bool) -> Replay {
    let mut replay = Replay {
        beginning: Shown::default(),
        steps: Vec::new(),
        broken: None,
    };
    let mut open = match of
        .replayed()
        .open(Beginning::Watched(&game.record.result.fields))
    {
        Ok(open) => open,
        Err(why) => {
            replay.broken = Some(format!("the game cannot be shown: {why}"));
            return replay;
        }
    };
    replay.beginning = open.shown(coloured);
    for (ply, text) in (1..).zip(&game.record.moves) {
        match step(&mut *open, ply, text, game.logged(ply)) {
            Ok(moved) => replay.steps.push(Step {
                ply,
                moved,
                board: open.shown(coloured),
            }),
            Err(why) => {
                replay.broken = Some(why);
                break;
            }
        }
    }
    replay
}

/// Makes the move `text`, whose number is `ply`, in a game; `logged` is the record of the move, if it exists. The error
/// is the reason why the move is impossible.
pub(crate) fn step(
    open: &mut dyn AnyState,
    ply: u32,
    text: &str,
    logged: Option<&MoveRecord>,
) -> Result<Moved, String> {
    if let Some(tile) = logged.and_then(|logged| logged.tile.as_deref()) {
        open.reveal(tile);
    }
    let followed = open.follow(text);
    followed.map_err(|why| format!("ply {ply}, \"{text}\", cannot be shown: {why}"))
}

impl Game {
    /// Returns the record of the move with this number, if the log contains it.
    pub fn logged(&self, ply: u32) -> Option<&MoveRecord> {
        let at = self.moves.binary_search_by_key(&ply, |mv| mv.ply).ok()?;
        self.moves.get(at)
    }

    /// Returns the number of moves in the random opening of the game.
    pub fn opening_plies(&self) -> usize {
        let opening = &self.record.opening;
        match self.record.moves.starts_with(opening) {
            true => opening.len(),
            false => 0,
        }
    }
}
