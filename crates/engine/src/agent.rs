//! Agents: what chooses moves, and what they know of an opponent.

use std::marker::PhantomData;
use std::time::Duration;

use crate::game::Score;
use crate::search::{Control, Found, Limits};

/// What chooses a player's moves. What it learns stays from turn to turn and, as far as it is of use
/// there, from game to game.
pub trait Agent: Send {
    /// The positions it plays from.
    type Position;
    /// The moves it plays.
    type Move;

    /// Chooses a move for the player to move, who has a legal one; values are those of the side that
    /// maximises, which is the first role's. Publishes a legal move through `control` before anything
    /// that takes time, returns soon after the limits or [`Control::stop`].
    fn think(
        &mut self,
        position: &Self::Position,
        limits: Limits,
        control: &Control<Self::Move>,
    ) -> Found<Self::Move>;

    /// The final score for the side that maximises which a finding stands for: the search's value need
    /// not be one. None if the agent does not know.
    fn forecast(&self, _position: &Self::Position, _found: &Found<Self::Move>) -> Option<Score> {
        None
    }

    /// Hears what the opponent played, from which position, and how long that took. Returns at
    /// once; what takes time waits for the next [`Agent::think`].
    fn observe(&mut self, _before: Self::Position, _played: Self::Move, _took: Duration) {}

    /// What it knows of the opponent.
    fn opponent(&self) -> OpponentMemory {
        OpponentMemory::default()
    }

    /// The name of its weights, if it was given any.
    fn weights(&self) -> Option<&str> {
        None
    }

    /// A game of a match begins: forgets what is of use in the one before alone.
    fn new_game(&mut self) {}

    /// Puts it right after a panic in [`Agent::think`]: forgets what may be half written.
    fn recover(&mut self) {
        self.new_game();
    }
}

/// An agent that can think on another thread.
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

/// Counts over all moves an opponent has made on one connection.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OpponentMemory {
    /// How many moves of the opponent were seen.
    pub moves: u32,
    /// Time from our reply to its move, ways and server included.
    pub time: Duration,
    /// Moves for which our search had expected one.
    pub predicted: u32,
    /// How many of the `predicted` moves were the expected one.
    pub expected: u32,
    /// Moves whose value was compared with the best one's.
    pub judged: u32,
    /// Points that it gave away in the `judged` moves, as a shallow search of ours judges them.
    pub given_away: Score,
}

impl OpponentMemory {
    /// How often it played what we expected, from 0 to 1.
    pub fn expected_share(&self) -> Option<f64> {
        (self.predicted > 0).then(|| f64::from(self.expected) / f64::from(self.predicted))
    }

    /// Points that it gives away in a move on average.
    pub fn mean_given_away(&self) -> Option<Score> {
        (self.judged > 0).then(|| self.given_away / self.judged as Score)
    }
}

/// An agent that plays positions of type `P` with moves of type `M`.
pub type BoxedAgent<P, M> = Box<dyn Agent<Position = P, Move = M>>;

/// An agent that is a function and what that has captured: it looks at no limits and learns nothing from others' moves.
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
