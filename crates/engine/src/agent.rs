//! Agents, which choose the moves of a player and may learn about the opponent.

use std::marker::PhantomData;
use std::time::Duration;

use crate::game::Score;
use crate::search::{Control, Found, Limits};

/// An agent that chooses a player's moves. It keeps learned data from turn to turn and, where useful, from game to
/// game.
pub trait Agent: Send {
    /// A position of the game that the agent plays.
    type Position;
    /// A move of the game that the agent plays.
    type Move;

    /// Chooses a move for the player to move. At least one move must be legal. All values in the result are from the
    /// point of view of the first role, which is the maximizing side. Publishes a legal move through `control` before
    /// any slow work, and returns soon after a limit is reached or [`Control::stop`] is called.
    fn think(
        &mut self,
        position: &Self::Position,
        limits: Limits,
        control: &Control<Self::Move>,
    ) -> Found<Self::Move>;

    /// Predicts the final score of the game from a search result, from the maximizing side's point of view. The value
    /// that a search returns need not be a final score. Returns `None` if the agent cannot predict the score.
    fn forecast(&self, _position: &Self::Position, _found: &Found<Self::Move>) -> Option<Score> {
        None
    }

    /// Records the opponent's move, the position before the move, and the time that the opponent took. Returns at once
    /// and leaves slow work to the next call of [`Agent::think`].
    fn observe(&mut self, _before: Self::Position, _played: Self::Move, _took: Duration) {}

    /// Returns the agent's statistics about the moves that its opponent has made.
    fn opponent(&self) -> OpponentMemory {
        OpponentMemory::default()
    }

    /// Returns the name of the agent's evaluation weights, if the agent was given any.
    fn weights(&self) -> Option<&str> {
        None
    }

    /// Prepares for the next game of a match: discards data that only the previous game needed.
    fn new_game(&mut self) {}

    /// Recovers from a panic in [`Agent::think`]: discards data that may be half written.
    fn recover(&mut self) {
        self.new_game();
    }
}

/// An agent that can be moved to another thread to think there.
pub trait ThreadAgent:
    Agent<Position: Send + 'static, Move: Copy + Send + 'static> + 'static
{
}

impl<A: Agent<Position: Send + 'static, Move: Copy + Send + 'static> + 'static> ThreadAgent for A {}

impl<A: Agent + ?Sized> Agent for Box<A> {
    type Position = A::Position;
    type Move = A::Move;

    fn think(
        &mut self,
        position: &A::Position,
        limits: Limits,
        control: &Control<A::Move>,
    ) -> Found<A::Move> {
        (**self).think(position, limits, control)
    }

    fn forecast(&self, position: &A::Position, found: &Found<A::Move>) -> Option<Score> {
        (**self).forecast(position, found)
    }

    fn observe(&mut self, before: A::Position, played: A::Move, took: Duration) {
        (**self).observe(before, played, took);
    }

    fn opponent(&self) -> OpponentMemory {
        (**self).opponent()
    }

    fn weights(&self) -> Option<&str> {
        (**self).weights()
    }

    fn new_game(&mut self) {
        (**self).new_game();
    }

    fn recover(&mut self) {
        (**self).recover();
    }
}

/// Statistics about all moves that an opponent has made on one connection.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OpponentMemory {
    /// The number of moves that the opponent has made.
    pub moves: u32,
    /// The total time from our replies to the opponent's moves, including the network's and the server's delays.
    pub time: Duration,
    /// The number of the opponent's moves for which our search had made a prediction.
    pub predicted: u32,
    /// The number of correct predictions, for which the opponent made the predicted move.
    pub expected: u32,
    /// The number of the opponent's moves that a shallow search of ours compared with the best move.
    pub judged: u32,
    /// The total number of points that the opponent lost by the `judged` moves, according to our shallow search.
    pub lost: Score,
}

impl OpponentMemory {
    /// Returns the share of our predictions that were correct, from 0 to 1; `None` without predictions.
    pub fn expected_share(&self) -> Option<f64> {
        (self.predicted > 0).then(|| f64::from(self.expected) / f64::from(self.predicted))
    }

    /// Returns the average number of points that the opponent lost by a move; `None` if no move was judged.
    pub fn mean_loss(&self) -> Option<Score> {
        (self.judged > 0).then(|| self.lost / self.judged as Score)
    }
}

/// An agent that plays positions of type `P` with moves of type `M`.
pub type BoxedAgent<P, M> = Box<dyn Agent<Position = P, Move = M>>;

/// Creates an agent that chooses its moves with a function. The agent ignores limits and does not learn from the
/// opponent's moves.
pub fn by_function<P: 'static, M: 'static>(
    choose: impl FnMut(&P, &Control<M>) -> Found<M> + Send + 'static,
) -> BoxedAgent<P, M> {
    Box::new(ByFunction {
        choose,
        plays: PhantomData,
    })
}

struct ByFunction<F, P, M> {
    choose: F,
    plays: PhantomData<fn(P) -> M>,
}

impl<P, M, F: FnMut(&P, &Control<M>) -> Found<M> + Send> Agent for ByFunction<F, P, M> {
    type Position = P;
    type Move = M;

    fn think(&mut self, position: &P, _limits: Limits, control: &Control<M>) -> Found<M> {
        (self.choose)(position, control)
    }
}
