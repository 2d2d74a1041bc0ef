//! A player whose moves come from a built-in agent. The agent thinks on the thread that plays the game.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::agent::BoxedAgent;
use crate::cpu_time::{CpuClock, CpuDeadlines, queued};
use crate::instant::Instant;
use crate::player::{
    Allowance, Answer, AnyLastMove, AnyTurn, Counts, Failure, FaultKind, Insight, Player, Turn,
};
use crate::search::{Control, Limits};
use crate::table::Action;

/// A built-in agent, and the limits on its search that apply in addition to its clock.
pub(super) struct InProcess<P, M> {
    pub agent: BoxedAgent<P, M>,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
}

impl<P, M> InProcess<P, M> {
    fn limits(&self, allowance: &Allowance) -> Limits {
        let limits = Limits {
            depth: self.depth.unwrap_or(u32::MAX),
            nodes: self.nodes.unwrap_or(u64::MAX),
            ..Limits::default()
        };
        match (allowance.budget, allowance.counts) {
            (None, _) => limits,
            (Some((soft, hard)), Counts::Wall) => {
                let now = Instant::now();
                Limits {
                    soft: Some(now + soft),
                    hard: Some(now + hard),
                    ..limits
                }
            }
            (Some(budget), Counts::Cpu) => Limits {
                cpu: Some(CpuDeadlines::after(CpuClock::Thread, budget)),
                ..limits
            },
        }
    }
}

impl<P: 'static, M: Action> Player for InProcess<P, M> {
    fn begin(&mut self, _side: usize, _position: &dyn Any, _is_first: bool) -> io::Result<()> {
        self.agent.new_game();
        Ok(())
    }

    fn choose(&mut self, turn: AnyTurn) -> io::Result<Answer<u64>> {
        let turn: Turn<P, M> = turn.typed();
        let began = Instant::now();
        // Without a clock, CPU time need not be measured.
        let before = (turn.allowance.budget).map(|_| (CpuClock::Thread.now(), queued()));
        let limits = self.limits(&turn.allowance);
        let agent = &mut self.agent;
        let thought = catch_unwind(AssertUnwindSafe(|| {
            if let Some(last) = turn.last {
                agent.observe(last.before, last.played, last.took);
            }
            let found = agent.think(turn.position, limits, &Control::new());
            let insight = Insight {
                depth: found.depth,
                nodes: found.nodes,
                value: f64::from(found.value),
                score: agent.forecast(turn.position, &found).map(f64::from),
            };
            (found.best, insight)
        }));
        let cpu = before.map(|(before, _)| CpuClock::Thread.now().saturating_sub(before));
        // This is the time that other programs used the core: built-in agents are trusted never to let their own
        // threads compete for it.
        let waited = before.map(|(_, before)| queued().saturating_sub(before));
        let wall = began.elapsed();
        let (mv, insight) = match thought {
            Ok((mv, insight)) => (Ok(mv.code()), Some(insight)),
            Err(panic) => {
                // The worst that a panic can leave is a half-written table, which `recover` discards.
                self.agent.recover();
                let reason = format!("it panicked: {}", message(panic.as_ref()));
                (Err(Failure::new(FaultKind::Crash, reason)), None)
            }
        };
        Ok(Answer {
            mv,
            wall,
            cpu,
            pondered: None,
            others: waited.map(|waited| waited.as_secs_f64()),
            insight,
        })
    }

    fn finish(&mut self, _last: Option<AnyLastMove>) {}

    fn weights(&self) -> Option<&str> {
        self.agent.weights()
    }
}

/// Returns the message of a panic, or an empty text if the panic has none.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::agent::Agent;
    use crate::search::Found;

    /// An agent that panics until `recover` is called.
    struct Panicking {
        is_frail: bool,
    }

    impl Agent for Panicking {
        type Position = ();
        type Move = u8;

        fn think(&mut self, (): &(), _limits: Limits, _control: &Control<u8>) -> Found<u8> {
            assert!(!self.is_frail, "out of ideas");
            Found::without_answer(7, 0.0, 0, 1)
        }

        fn recover(&mut self) {
            self.is_frail = false;
        }
    }

    #[test]
    fn a_panic_is_a_crash_and_the_next_question_is_answered() {
        let mut frail = InProcess {
            agent: Box::new(Panicking { is_frail: true }),
            nodes: None,
            depth: None,
        };
        let mut ask = || {
            let turn = AnyTurn {
                position: &(),
                last: None,
                allowance: Allowance::default(),
            };
            frail.choose(turn).expect("it is here").mv
        };
        let failure = ask().expect_err("it panicked");
        assert_eq!(failure.kind, FaultKind::Crash);
        assert_eq!(failure.reason, "it panicked: out of ideas");
        assert_eq!(ask(), Ok(7));
    }

    #[test]
    fn deadlines_are_on_the_clock_that_is_charged() {
        let player = InProcess {
            agent: Box::new(Panicking { is_frail: false }),
            nodes: Some(5),
            depth: None,
        };
        let limits = |counts, budget| {
            player.limits(&Allowance {
                counts,
                budget,
                ..Allowance::default()
            })
        };
        let budget = (Duration::from_secs(1), Duration::from_secs(3));
        let wall = limits(Counts::Wall, Some(budget));
        let soft = wall.soft.expect("a deadline");
        assert_eq!(wall.hard, Some(soft + Duration::from_secs(2)));
        assert_eq!((wall.cpu, wall.nodes), (None, 5));
        let cpu = limits(Counts::Cpu, Some(budget));
        let on_clock = cpu.cpu.expect("deadlines");
        assert_eq!(on_clock.clock, CpuClock::Thread);
        assert_eq!(on_clock.hard - on_clock.soft, Duration::from_secs(2));
        assert_eq!((cpu.soft, cpu.hard, cpu.nodes), (None, None, 5));
        let none = limits(Counts::Cpu, None);
        assert_eq!((none.soft, none.hard, none.cpu), (None, None, None));
    }
}
