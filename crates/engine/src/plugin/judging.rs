//! Judges of logged games: the luck in a result, and the points lost by each move.

use std::ops::ControlFlow;
use std::path::Path;

use serde::Serialize;

use crate::fields::Fields;

/// Judges the role of luck in a result.
pub trait LuckJudge {
    /// Returns the points that chance gave the first role in a game; `None` if the moves are not playable.
    /// `at_fault` is the side whose fault ended the game, if any.
    fn luck(&mut self, result: &Fields, moves: &[String], at_fault: Option<usize>) -> Option<f64>;
}

/// A move of a logged game and the points that it lost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedMove {
    /// The side that moved, 0 or 1.
    pub side: usize,
    /// The progress of the game, from 0 at its beginning to 1.
    pub progress: f64,
    /// By how much the best move was better for the side that moved, in points; in win/loss games, in probability
    /// of winning. 0 for the best move.
    pub lost: f64,
    /// True if `lost` is exact rather than an estimate.
    pub is_exact: bool,
    /// The best move in the notation of logs.
    pub best: String,
    /// The first role's final score expected after the move, if known; in win/loss games, the probability of
    /// winning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// Judges the next move of a game. Fails if the move is illegal or cannot be looked up; the error states
/// the expected and the actual text.
pub type MoveJudge<'a> = Box<dyn FnMut(&str) -> Result<JudgedMove, String> + 'a>;

/// Judges how many points moves lost.
pub trait RegretJudge {
    /// Returns a judge for the successive moves of a game of `plies` plies.
    fn game(&mut self, result: &Fields, plies: usize) -> Result<MoveJudge<'_>, String>;

    /// Returns true if the judge looks positions up in a solution, which takes no time.
    fn is_solved(&self) -> bool {
        false
    }

    /// Judges all moves of a game in order. Reports each judged move to `told`, and stops when `told` breaks off.
    fn judge(
        &mut self,
        result: &Fields,
        moves: &[String],
        told: &mut dyn FnMut(JudgedMove) -> ControlFlow<()>,
    ) -> Result<(), String> {
        let mut judge = self.game(result, moves.len())?;
        for text in moves {
            if told(judge(text)?).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The settings for judging moves.
#[derive(Debug, Clone, Copy)]
pub struct Judging<'a> {
    /// The folder of solved games, if any.
    pub solutions: Option<&'a Path>,
    /// The number of nodes to search for each unsolved position.
    pub nodes: u64,
}
