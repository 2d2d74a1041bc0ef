//! Judges of logged games. They measure the luck in a result, or the points that each move lost.

use std::ops::ControlFlow;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::fields::Fields;

/// A judge that measures how much luck contributed to a result.
pub trait LuckJudge {
    /// Returns the number of points that the first role gained by chance in a game; `None` if the moves cannot be
    /// played. `at_fault` is the side whose fault ended the game, if any.
    fn luck(&mut self, result: &Fields, moves: &[String], at_fault: Option<usize>) -> Option<f64>;
}

/// A move of a logged game and the points that it lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedMove {
    /// The side that moved.
    pub side: usize,
    /// How far the game had progressed, from 0 at its beginning to 1 at its end.
    pub progress: f64,
    /// How much better the best move was for the side that moved. The unit is points, or the probability of winning in
    /// games that are won or lost. 0 if the move was the best move.
    pub lost: f64,
    /// True if `lost` is exact, false if it is an estimate.
    pub is_exact: bool,
    /// The best move in the notation of logs.
    pub best: String,
    /// The final score of the first role to expect after the move, if known. In games that are won or lost, this is its
    /// probability of winning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// A function that judges the next move of a game. Returns an error if the move is illegal or cannot be judged. The
/// error states the expected and the actual text.
pub type MoveJudge<'a> = Box<dyn FnMut(&str) -> Result<JudgedMove, String> + 'a>;

/// A judge that measures how many points each move of a game lost.
pub trait LossJudge {
    /// Returns a function that judges the moves of a game one after the other, beginning after the moves `played`.
    /// `plies` is the number of moves in the game.
    fn game(
        &mut self,
        result: &Fields,
        played: &[String],
        plies: usize,
    ) -> Result<MoveJudge<'_>, String>;

    /// Returns true if the judge takes values from the solution of a solved game, which needs almost no time.
    fn is_solved(&self) -> bool {
        false
    }

    /// Judges all moves of a game in order. Passes each judged move to `told`, and stops when `told` returns
    /// [`ControlFlow::Break`].
    fn judge(
        &mut self,
        result: &Fields,
        moves: &[String],
        told: &mut dyn FnMut(JudgedMove) -> ControlFlow<()>,
    ) -> Result<(), String> {
        let mut judge = self.game(result, &[], moves.len())?;
        for text in moves {
            if told(judge(text)?).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The settings for a judge of moves.
#[derive(Debug, Clone, Copy)]
pub struct Judging<'a> {
    /// The folder with the solutions of solved games, if any.
    pub solutions: Option<&'a Path>,
    /// The number of nodes to search for each position that is not solved.
    pub nodes: u64,
}
