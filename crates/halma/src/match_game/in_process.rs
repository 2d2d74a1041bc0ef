//! This program's players, on the thread that plays their game and on its CPU time.

use std::io;

use turnwise_engine::cpu_time::CpuClock;
use turnwise_engine::player::{Answer, Failure, FaultKind, Insight, LastMove, Player, Turn};

use crate::agent::CpuWatch;
use crate::player;
use crate::rules::{Color, Move, Position};
use crate::search::{Endless, Watch};

/// A player with the limit of its own.
pub(super) struct InProcess {
    pub player: Box<dyn player::Player>,
    pub nodes: Option<u64>,
}

impl Player<Position, Move> for InProcess {
    fn begin(&mut self, _side: usize, _position: &Position, _is_first: bool) -> io::Result<()> {
        self.player.reset();
        Ok(())
    }

    fn choose(&mut self, turn: Turn<Position, Move>) -> io::Result<Answer<Move>> {
        let budget = turn.allowance.budget;
        let position = turn.position;
        let answer = Answer::from_here(budget.is_some(), || {
            let mut watch: Box<dyn Watch> = match budget {
                Some(limits) => Box::new(CpuWatch::new(CpuClock::Thread, limits)),
                None => Box::new(Endless),
            };
            let nodes = self.nodes.unwrap_or(u64::MAX);
            let choice = self.player.choose(position, nodes, watch.as_mut());
            let choice =
                choice.ok_or_else(|| Failure::new(FaultKind::Silence, "it found no move"))?;
            let value = f64::from(choice.value);
            let insight = Insight {
                depth: choice.depth,
                nodes: choice.nodes,
                value: match position.to_move() {
                    Color::Black => value,
                    // Not the negative: zero has one sign.
                    Color::White => 0.0 - value,
                },
                score: None,
            };
            Ok((choice.mv, insight))
        });
        if answer.is_crash() {
            self.player.reset();
        }
        Ok(answer)
    }

    fn finish(&mut self, _last: Option<&LastMove<Position, Move>>) {}
}
