//! What moves gave away: exactly where the board is solved or the search sees the end, else as the search
//! judges.

use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{Board, JudgedMove, RegretJudge};
use turnwise_engine::search::analysis::{Analysis, analyse};
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Limits};

use super::board::{LoggedBoard, parse};
use crate::evaluated::Evaluated;
use crate::picture::notation;
use crate::referee::{CHAOS, ORDER};
use crate::rules::{Move, Phase, Position, Rules};
use crate::solution::Solution;
use crate::weights;

/// Memory of the transposition table, in bytes.
const TABLE_BYTES: usize = 64 << 20;

/// Judges the moves of games.
pub(super) struct Judge {
    rules: Rules,
    solution: Option<Solution>,
    nodes: u64,
    /// Made when it is first needed.
    table: Option<Table<Move>>,
}

impl Judge {
    /// Looks up what is solved, and searches other positions for so many nodes each.
    pub(super) fn new(rules: Rules, solution: Option<Solution>, nodes: u64) -> Self {
        Self {
            rules,
            solution,
            nodes,
            table: None,
        }
    }

    /// All moves of a position with their values, the best first.
    fn analysis(&mut self, position: &Position) -> Result<Analysis<Move>, String> {
        if let Some(solution) = &self.solution {
            let analysis = solution.analysis(position, usize::MAX);
            return analysis.map_err(|error| error.to_string());
        }
        let mut game = Evaluated::new(position.clone(), weights::best_known(position.size()));
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let limits = Limits {
            nodes: self.nodes,
            ..Limits::default()
        };
        let table = self.table.get_or_insert_with(|| Table::new(TABLE_BYTES));
        // What is said of a move is the same whatever was judged before.
        table.clear();
        let (all, control) = (moves.len(), Control::new());
        Ok(analyse(&mut game, table, all, limits, &control, |_| {}))
    }
}

impl RegretJudge for Judge {
    fn judge(&mut self, result: &Fields, moves: &[String]) -> Result<Vec<JudgedMove>, String> {
        let size = self.rules.size;
        let cells = f64::from(size) * f64::from(size);
        let mut board = LoggedBoard::new(self.rules, result);
        let mut judged = Vec::with_capacity(moves.len());
        for text in moves {
            let mv = parse(text, size)?;
            let position = board.asked(mv)?;
            let left = f64::from(position.bag_total()) + f64::from(u8::from(position.drawn() != 0));
            board.follow(text)?;
            let analysis = self.analysis(&position)?;
            let best = &analysis.candidates[0];
            let made = analysis
                .candidates
                .iter()
                .find(|candidate| candidate.mv == mv);
            let made = made.ok_or_else(|| format!("`{text}` breaks the rules"))?;
            judged.push(JudgedMove {
                side: match position.phase() {
                    Phase::Place => CHAOS,
                    _ => ORDER,
                },
                progress: 1.0 - left / cells,
                lost: f64::from((best.value - made.value).abs()),
                is_exact: analysis.solved,
                best: notation(best.mv, size),
            });
        }
        Ok(judged)
    }
}
