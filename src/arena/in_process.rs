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
            width: None,
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::agent::Agent;
    use crate::agent::baselines::RandomAgent;
    use crate::agent::opponent::OpponentMemory;
    use crate::arena::game::{Seat, play};
    use crate::arena::schedule::{pair, pairings};
    use crate::records::{Contestant, Counts, FORMAT, Role as Part, Settings, TimeControl, Via};
    use crate::search::Found;

    /// Plays anything three times and panics then; counts how often it was put right.
    struct Panicking {
        sound: RandomAgent,
        left: u32,
        recovered: Arc<AtomicU32>,
    }

    impl Agent for Panicking {
        type Position = Position;
        type Move = Move;

        fn think(&mut self, at: &Position, limits: Limits, control: &Control<Move>) -> Found<Move> {
            assert!(self.left > 0, "out of ideas");
            self.left -= 1;
            self.sound.think(at, limits, control)
        }

        fn observe(&mut self, _before: Position, _played: Move, _took: Duration) {}

        fn opponent(&self) -> OpponentMemory {
            OpponentMemory::default()
        }

        fn recover(&mut self) {
            self.recovered.fetch_add(1, Ordering::Relaxed);
            self.left = 100;
        }
    }

    #[test]
    fn a_panic_is_a_crash_and_the_next_game_is_played() {
        let contestant = |name: &str| Contestant {
            name: name.to_owned(),
            spec: "random".to_owned(),
        };
        let settings = Settings {
            format: FORMAT,
            turnwise: "test".to_owned(),
            game: "entropy".to_owned(),
            agents: vec![contestant("frail"), contestant("sound")],
            size: 4,
            seed: 1,
            pairs: 1,
            opening_plies: 0,
            time: TimeControl::Nodes { nodes: 1 },
            counts: Counts::Wall,
            via: Via::Process,
            jobs: 1,
            pass: false,
            gauntlet: None,
            sprt: None,
        };
        let recovered = Arc::new(AtomicU32::new(0));
        let mut frail = InProcess {
            agent: Box::new(Panicking {
                sound: RandomAgent::new(1),
                left: 3,
                recovered: Arc::clone(&recovered),
            }),
            nodes: None,
            depth: None,
        };
        let mut sound = InProcess {
            agent: Box::new(RandomAgent::new(2)),
            nodes: None,
            depth: None,
        };
        let pair = pair(&settings, &pairings(2, None), 1);
        let names = ["frail", "sound"];
        let mut seats = [
            Seat {
                name: names[0],
                weights: None,
                player: &mut frail,
            },
            Seat {
                name: names[1],
                weights: None,
                player: &mut sound,
            },
        ];
        let one = play(&settings, &pair, 1, names, &mut seats).expect("both are here");
        let fault = one.game.fault.expect("it panicked");
        assert_eq!((fault.kind, fault.role), (FaultKind::Crash, Part::Order));
        assert_eq!(fault.agent, "frail");
        assert_eq!(fault.reason, "it panicked: out of ideas");
        assert_eq!(one.game.order_score, 0);
        // Chaos's four moves and Order's three.
        assert_eq!(one.game.moves.len(), 7);
        assert_eq!(recovered.load(Ordering::Relaxed), 1);
        seats.reverse();
        let two = play(&settings, &pair, 2, names, &mut seats).expect("both are here");
        assert_eq!(two.game.fault, None);
        assert_eq!(two.game.moves.len(), 31);
    }
}
