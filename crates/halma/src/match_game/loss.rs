//! Computes by how much each move reduced its player's probability of winning.

use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{GameRules, JudgedMove, LossJudge, MoveJudge};
use turnwise_engine::search::{Control, Limits};
use turnwise_engine::table::Table;

use super::table::Settings;
use crate::analysis::chance;
use crate::picture::{MoveError, notation};
use crate::rules::{Move, Position};
use crate::search_agent::{SearchAgent, table_bytes};

/// Compares each move of a game with the best move.
pub(super) struct Judge {
    settings: Settings,
    agent: SearchAgent,
    nodes: u64,
}

impl Judge {
    /// Creates a judge that searches at most `nodes` nodes for each move.
    pub(super) fn new(settings: Settings, nodes: u64) -> Self {
        Self {
            settings,
            agent: SearchAgent::new(table_bytes(nodes)),
            nodes,
        }
    }

    /// Returns the best move, followed by the values of the best and the made move.
    ///
    /// The values are in points, from the point of view of the player to move.
    fn compare(&mut self, position: &Position, made: Move) -> (Move, [f64; 2]) {
        let limits = Limits::of_nodes(self.nodes);
        // The verdict on a move must not depend on earlier verdicts.
        self.agent.forget();
        let control = Control::new();
        let agent = &mut self.agent;
        let analysis = agent.analyse(position, 1, Some(made), limits, &control, &mut |_| {});
        let (first, last) = (
            &analysis.lines[0],
            &analysis.lines[analysis.lines.len() - 1],
        );
        // The bonus for the guide's moves is not part of their value, so the loss counts only the difference that the
        // search finds.
        (first.moves[0], [first, last].map(|line| line.judgement))
    }
}

impl LossJudge for Judge {
    fn game(
        &mut self,
        result: &Fields,
        played: &[String],
        plies: usize,
    ) -> Result<MoveJudge<'_>, String> {
        let mut position = *self.settings.begun_and_played(result, played)?.position();
        let mut ply = played.len() as u32;
        Ok(Box::new(move |text| {
            let mv = text.parse().map_err(|error: MoveError| error.to_string())?;
            if position.is_won() || !position.is_legal(mv) {
                return Err(format!("`{text}` breaks the rules"));
            }
            let mover = position.to_move();
            let (best, [of_best, of_made]) = self.compare(&position, mv);
            let latest = JudgedMove {
                side: mover as usize,
                progress: f64::from(ply) / plies as f64,
                lost: (chance(of_best) - chance(of_made)).max(0.0),
                // The loss is certain if there is only one legal move.
                is_exact: position.moves().len() == 1,
                best: notation(&position, best),
                score: Some(chance(f64::from(mover.sign()) * of_made)),
            };
            position.play(mv);
            ply += 1;
            Ok(latest)
        }))
    }
}
