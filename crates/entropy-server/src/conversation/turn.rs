//! Handles our turn: plans its time budget, starts the agent and decides on the move.

use std::time::Duration;

use turnwise_engine::clock::{Budget, MovesLeft, Policy, TimeLeft, on_the_way, reserve};
use turnwise_engine::instant::Instant;
use turnwise_entropy::rules::{EMPTY, Move};

use super::book::{DecidedBy, MoveRecord};
use super::{Effect, EntropyConversation, Task};

/// The turn that the agent is thinking about.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    pub budget: Budget,
    pub clock_left: Duration,
    /// The time from our last reply to the message that made it our turn.
    pub network_wait: Duration,
    /// The time that the move costs on our clock in addition to the time that we use, such as network time.
    pub on_the_way: Duration,
    /// True if the agent's result is no longer needed: we have already replied without it, or the game is over.
    pub settled: bool,
}

impl EntropyConversation {
    pub(super) fn think(&mut self, arrived: Instant) -> Option<Effect> {
        let (game, agent) = (self.game.as_mut()?, self.agent.take()?);
        game.asked = Some(arrived);
        self.opponent = agent.opponent();
        let (clock, size) = (self.settings.clock, u32::from(game.position.size()));
        let (moves, of) = (game.position.moves_left(), size * size);
        let on_the_way = on_the_way(self.settings.latency, &self.delays, clock, of);
        let left = TimeLeft {
            clock: game.clock.remaining(),
            moves: MovesLeft::Counted { moves, of },
            on_the_way,
            further: on_the_way * moves.saturating_sub(1),
            reserve: reserve(clock, &self.delays),
            policy: Policy::default(),
        };
        let budget = left.budget(arrived);
        self.turn = Some(Turn {
            budget,
            clock_left: left.clock,
            on_the_way,
            network_wait: game.opponent_time(arrived),
            settled: false,
        });
        Some(Effect::Think(Task {
            agent,
            position: game.position.clone(),
            budget,
        }))
    }

    pub(super) fn decide(
        &mut self,
        turn: Turn,
        best: Option<Move>,
        decided_by: DecidedBy,
    ) -> Option<Effect> {
        let game = self.game.as_mut()?;
        let played = best
            .filter(|&mv| game.position.is_legal(mv))
            .unwrap_or_else(|| game.fallback());
        self.sending = Some(Some(MoveRecord {
            turn,
            played,
            tile: Some(game.position.drawn()).filter(|&drawn| drawn != EMPTY),
            decided_by,
        }));
        Some(Effect::Send(game.play(played)))
    }
}
