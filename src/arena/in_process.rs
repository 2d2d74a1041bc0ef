//! A built-in agent in this process, on the thread that plays its game.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use turnwise_protocol::entropy::Role;

use super::player::{Answer, Failure, Insight, LastMove, Player, Turn};
use crate::agent::BoxedAgent;
use crate::games::entropy::rules::{Move, Position};
use crate::records::FaultKind;
use crate::search::{Control, Limits};
use crate::worker::thread_cpu_time;

/// An agent with the limits of its own.
pub(super) struct InProcess {
    pub agent: BoxedAgent<Position, Move>,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
}

impl InProcess {
    fn limits(&self, turn: &Turn, now: Instant) -> Limits {
        let budget = turn.allowance.budget;
        let nodes = [self.nodes, turn.allowance.nodes];
        Limits {
            depth: self.depth.unwrap_or(u32::MAX),
            nodes: nodes.into_iter().flatten().min().unwrap_or(u64::MAX),
            soft: budget.map(|(soft, _)| now + soft),
            hard: budget.map(|(_, hard)| now + hard),
        }
    }
}

/// What a panic says.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    format!("it panicked: {}", text.unwrap_or_default())
}

impl Player for InProcess {
    fn begin(&mut self, _role: Role, _position: &Position) -> io::Result<()> {
        Ok(())
    }

    fn choose(&mut self, turn: Turn) -> Answer {
        let began = Instant::now();
        let cpu_before = turn.allowance.budget.map(|_| thread_cpu_time());
        let limits = self.limits(&turn, began);
        // A panic leaves at worst a half-written table behind, which `recover` throws away.
        let thought = catch_unwind(AssertUnwindSafe(|| {
            if let Some(last) = turn.last {
                self.agent.observe(last.before, last.played, last.took);
            }
            self.agent.think(turn.position, limits, &Control::new())
        }));
        let insight = thought.as_ref().ok().map(|found| Insight {
            depth: found.depth,
            nodes: found.nodes,
            score: found.value,
        });
        let mv = thought.map(|found| found.best).map_err(|panic| {
            self.agent.recover();
            Failure::new(FaultKind::Crash, message(panic.as_ref()))
        });
        Answer {
            mv,
            wall: began.elapsed(),
            cpu: cpu_before.map(|before| thread_cpu_time().saturating_sub(before)),
            insight,
        }
    }

    fn finish(&mut self, _last: Option<&LastMove>) {}

    fn stderr(&self) -> Vec<String> {
        Vec::new()
    }
}
