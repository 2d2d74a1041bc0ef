//! Computes the loss of each move in a logged game, in points. The loss is exact if the board is solved or the search
//! reaches the end of the game; otherwise, it is estimated by a search like the agent's.

use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{GameRules, JudgedMove, LossJudge, MoveJudge};
use turnwise_engine::table::Table;

use super::study::{Analyst, evaluated};
use crate::picture::notation;
use crate::referee::{CHAOS, ORDER};
use crate::rules::{Phase, Rules};
use crate::solution::Solution;

/// A judge that computes how many points each move of a logged game lost.
pub(super) struct Judge {
    rules: Rules,
    analyst: Analyst,
    nodes: u64,
}

impl Judge {
    /// Creates a judge that searches `nodes` nodes for each unsolved position.
    pub(super) fn new(rules: Rules, solution: Option<Solution>, nodes: u64) -> Self {
        Self {
            rules,
            analyst: Analyst::new(solution, nodes),
            nodes,
        }
    }
}

impl LossJudge for Judge {
    fn is_solved(&self) -> bool {
        self.analyst.is_solved()
    }

    fn game(
        &mut self,
        result: &Fields,
        played: &[String],
        _plies: usize,
    ) -> Result<MoveJudge<'_>, String> {
        let size = self.rules.size;
        let cells = f64::from(size) * f64::from(size);
        let mut table = self.rules.begun_and_played(result, played)?;
        Ok(Box::new(move |text| {
            table.turn().ok_or("the game is over")?;
            let mv = table.parse(text)?;
            let position = table.position().clone();
            let left = f64::from(position.bag_total()) + f64::from(u8::from(position.drawn() != 0));
            if !position.is_legal(mv) {
                return Err(format!("`{text}` breaks the rules"));
            }
            table.play(mv);
            let mut game = evaluated(&position);
            let judged = self.analyst.judge(&mut game, mv, self.nodes)?;
            let (best, value) = judged.best;
            let forecast = game.forecast(judged.made, judged.depth, judged.is_exact);
            Ok(JudgedMove {
                side: match position.phase() {
                    Phase::Place => CHAOS,
                    _ => ORDER,
                },
                progress: 1.0 - left / cells,
                lost: f64::from((value - judged.made).abs()),
                is_exact: judged.is_exact,
                best: notation(best, size),
                // Without a forecast, the value is the best known estimate of the final score.
                score: Some(forecast.unwrap_or(judged.made).into()),
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use serde_json::json;

    use super::*;

    #[test]
    fn moves_that_break_the_rules_are_named_and_not_judged() {
        let rules = Rules {
            size: 3,
            pass: false,
        };
        for (moves, wrong) in [
            // A slide over a tile, a slide onto a tile, a placement onto a tile, and an illegal pass.
            (&["0 0", "0 0 0 1", "0 2", "0 2 0 0"][..], "0 2 0 0"),
            (&["0 0", "0 0 0 1", "0 2", "0 1 0 2"], "0 1 0 2"),
            (&["0 0", "0 0 0 1", "0 1"], "0 1"),
            (&["1 1", "pass"], "pass"),
        ] {
            let result = Fields::of(&json!({ "tiles": "ABCABCABC", "order_score": 0 }));
            let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
            let mut judged = 0;
            let told = Judge::new(rules, None, 1_000).judge(&result, &moves, &mut |_| {
                judged += 1;
                ControlFlow::Continue(())
            });
            assert_eq!(told, Err(format!("`{wrong}` breaks the rules")));
            assert_eq!(judged, moves.len() - 1);
        }
    }
}
