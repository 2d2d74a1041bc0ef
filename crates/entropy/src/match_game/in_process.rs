//! A built-in agent in this process, on the thread that plays its game.

use std::io;
use std::time::Instant;

use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::player::{Answer, Insight, LastMove, Player, Turn};
use turnwise_engine::search::{Control, Limits};

use crate::rules::{Move, Position};

/// An agent with the limits of its own.
pub(super) struct InProcess {
    pub agent: BoxedAgent<Position, Move>,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
    /// The name of its weights.
    pub weights: Option<String>,
}

impl Player<Position, Move> for InProcess {
    fn begin(&mut self, _side: usize, _position: &Position, _is_first: bool) -> io::Result<()> {
        Ok(())
    }

    fn choose(&mut self, turn: Turn<Position, Move>) -> io::Result<Answer<Move>> {
        let (now, budget) = (Instant::now(), turn.allowance.budget);
        let nodes = [self.nodes, turn.allowance.nodes];
        let limits = Limits {
            depth: self.depth.unwrap_or(u32::MAX),
            nodes: nodes.into_iter().flatten().min().unwrap_or(u64::MAX),
            soft: budget.map(|(soft, _)| now + soft),
            hard: budget.map(|(_, hard)| now + hard),
            ..Limits::default()
        };
        let answer = Answer::from_here(budget.is_some(), || {
            if let Some(last) = turn.last {
                self.agent.observe(last.before, last.played, last.took);
            }
            let found = self.agent.think(turn.position, limits, &Control::new());
            let insight = Insight {
                depth: found.depth,
                nodes: found.nodes,
                value: f64::from(found.value),
                score: self.agent.forecast(turn.position, &found).map(f64::from),
            };
            Ok((found.best, insight))
        });
        if answer.is_crash() {
            // A panic leaves at worst a half-written table behind.
            self.agent.recover();
        }
        Ok(answer)
    }

    fn finish(&mut self, _last: Option<&LastMove<Position, Move>>) {}

    fn weights(&self) -> Option<&str> {
        self.weights.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use turnwise_engine::agent::Agent;
    use turnwise_engine::player::{Allowance, FaultKind};
    use turnwise_engine::search::Found;

    use super::*;
    use crate::baselines::RandomAgent;
    use crate::rules::Rules;

    /// Panics until it is put right.
    struct Panicking {
        sound: RandomAgent,
        is_frail: bool,
    }

    impl Agent for Panicking {
        type Position = Position;
        type Move = Move;

        fn think(&mut self, at: &Position, limits: Limits, control: &Control<Move>) -> Found<Move> {
            assert!(!self.is_frail, "out of ideas");
            self.sound.think(at, limits, control)
        }

        fn recover(&mut self) {
            self.is_frail = false;
        }
    }

    #[test]
    fn a_panic_is_a_crash_and_the_next_question_is_answered() {
        let mut frail = InProcess {
            agent: Box::new(Panicking {
                sound: RandomAgent::new(1),
                is_frail: true,
            }),
            nodes: None,
            depth: None,
            weights: None,
        };
        let mut position = Position::new(Rules {
            size: 4,
            pass: false,
        });
        position.make(Move::Draw(1));
        let mut ask = || {
            let turn = Turn {
                position: &position,
                last: None,
                allowance: Allowance::default(),
            };
            frail.choose(turn).expect("it is here").mv
        };
        let failure = ask().expect_err("it panicked");
        assert_eq!(failure.kind, FaultKind::Crash);
        assert_eq!(failure.reason, "it panicked: out of ideas");
        assert!(ask().is_ok());
    }
}
