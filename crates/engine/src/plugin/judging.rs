//! Judges of logged games: how much of a result was luck, and what each move gave away.

use std::ops::ControlFlow;
use std::path::Path;

use serde::Serialize;

use crate::fields::Fields;

/// Judges how much of a result was luck.
pub trait LuckJudge {
    /// What chance brought the first role in a game, in points; none if its moves cannot be made.
    /// `at_fault` is the side whose fault ended the game, if one's did.
    fn luck(&mut self, result: &Fields, moves: &[String], at_fault: Option<usize>) -> Option<f64>;
}

/// What a move of a logged game gave away.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedMove {
    /// Who moved, 0 or 1.
    pub side: usize,
    /// How much of the game was over, from 0 at its beginning to 1.
    pub progress: f64,
    /// How much better the best move was for whoever moved, in points; where games are won, in probability of
    /// winning. 0 if it was the best.
    pub lost: f64,
    /// True if that is exact and no estimate.
    pub is_exact: bool,
    /// The best move, as logs have moves.
    pub best: String,
    /// The final score of the first role that the move made stands for, where that is known; where games are
    /// won, the probability of winning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// Judges the next move of a game. An error if it cannot be made by the rules or looked up: what was expected
/// and what came.
pub type MoveJudge<'a> = Box<dyn FnMut(&str) -> Result<JudgedMove, String> + 'a>;

/// Judges what moves gave away.
pub trait RegretJudge {
    /// Judges the moves of a game of so many plies, one after the other.
    fn game(&mut self, result: &Fields, plies: usize) -> Result<MoveJudge<'_>, String>;

    /// True if it looks up what is solved, which takes no time.
    fn is_solved(&self) -> bool {
        false
    }

    /// All moves of a game, in their order; each is told when it is judged, and no more are judged once `told`
    /// breaks off.
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

/// How moves are judged.
#[derive(Debug, Clone, Copy)]
pub struct Judging<'a> {
    /// The folder of solved games, if there is one.
    pub solutions: Option<&'a Path>,
    /// Nodes of a search for each position that is not solved.
    pub nodes: u64,
}
