//! A built-in agent in this process, on the thread that plays its game.

use std::io;
use std::time::Instant;

use super::{Ask, Last};
use crate::arena::player::{Answer, Insight, Player};
use crate::records::Role;
use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::search::{Control, Limits};
use turnwise_entropy::rules::{Move, Position};

/// An agent with the limits of its own.
pub(super) struct InProcess {
    pub agent: BoxedAgent<Position, Move>,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
    /// The name of its weights.
    pub weights: Option<String>,
}

impl InProcess {
    fn limits(&self, turn: &Ask, now: Instant) -> Limits {
        let budget = turn.allowance.budget;
        let nodes = [self.nodes, turn.allowance.nodes];
        Limits {
            depth: self.depth.unwrap_or(u32::MAX),
            nodes: nodes.into_iter().flatten().min().unwrap_or(u64::MAX),
            soft: budget.map(|(soft, _)| now + soft),
            hard: budget.map(|(_, hard)| now + hard),
            ..Limits::default()
        }
    }
}

impl Player<Position, Move> for InProcess {
    fn begin(&mut self, _role: Role, _position: &Position) -> io::Result<()> {
        Ok(())
    }

    fn choose(&mut self, turn: Ask) -> io::Result<Answer<Move>> {
        let is_timed = turn.allowance.budget.is_some();
        let limits = self.limits(&turn, Instant::now());
        let answer = Answer::from_here(is_timed, || {
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

    fn finish(&mut self, _last: Option<&Last>) {}

    fn weights(&self) -> Option<&str> {
        self.weights.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::arena::entropy::EntropyTable;
    use crate::arena::game::{Seat, play};
    use crate::arena::schedule::{pair, pairings};
    use crate::records::{
        Contestant, Counts, FORMAT, FaultKind, GameSettings, Role, Settings, TimeControl, Via,
    };
    use turnwise_engine::agent::Agent;
    use turnwise_engine::opponent::OpponentMemory;
    use turnwise_engine::search::Found;
    use turnwise_entropy::baselines::RandomAgent;

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
            game: GameSettings::Entropy {
                size: 4,
                pass: false,
            },
            agents: vec![contestant("frail"), contestant("sound")],
            seed: 1,
            pairs: 1,
            opening_plies: 0,
            time: TimeControl::Nodes { nodes: 1 },
            counts: Counts::Wall,
            via: Via::Process,
            jobs: 1,
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
            weights: None,
        };
        let mut sound = InProcess {
            agent: Box::new(RandomAgent::new(2)),
            nodes: None,
            depth: None,
            weights: None,
        };
        let pair = pair(&settings, &pairings(2, None), 1);
        let names = ["frail", "sound"];
        let mut seats = [
            Seat {
                name: names[0],
                time: settings.time,
                player: &mut frail,
            },
            Seat {
                name: names[1],
                time: settings.time,
                player: &mut sound,
            },
        ];
        let one = play::<EntropyTable>(&settings, (&pair, &[]), 1, names, &mut seats, &|_| {})
            .expect("both are here");
        let fault = one.game.fault.expect("it panicked");
        assert_eq!((fault.kind, fault.role), (FaultKind::Crash, Role::Order));
        assert_eq!(fault.agent, "frail");
        assert_eq!(fault.reason, "it panicked: out of ideas");
        assert_eq!(one.game.course.score(), 0.0);
        // Chaos's four moves and Order's three.
        assert_eq!(one.game.moves.len(), 7);
        assert_eq!(recovered.load(Ordering::Relaxed), 1);
        seats.reverse();
        let two =
            play(&settings, (&pair, &[]), 2, names, &mut seats, &|_| {}).expect("both are here");
        assert_eq!(two.game.fault, None);
        assert_eq!(two.game.moves.len(), 31);
    }
}
