//! This program's players, on the thread that plays their game and on its CPU time.

use std::io;

use super::{Ask, Last};
use crate::arena::player::{Answer, Failure, Insight, Player};
use crate::records::{FaultKind, Role};
use turnwise_engine::cpu_time::CpuClock;
use turnwise_halma::agent::CpuWatch;
use turnwise_halma::player;
use turnwise_halma::rules::{Color, Move, Position};
use turnwise_halma::search::{Endless, Watch};

/// A player with the limit of its own.
pub(super) struct InProcess {
    pub player: Box<dyn player::Player>,
    pub nodes: Option<u64>,
}

impl Player<Position, Move> for InProcess {
    fn begin(&mut self, _role: Role, _position: &Position) -> io::Result<()> {
        self.player.reset();
        Ok(())
    }

    fn choose(&mut self, turn: Ask) -> io::Result<Answer<Move>> {
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

    fn finish(&mut self, _last: Option<&Last>) {}
}
