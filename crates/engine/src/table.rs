//! A game under way, as a referee needs to know it: whose turn it is, what is legal, what a move is called,
//! how it ended.

use std::time::Duration;

use crate::fields::Fields;
use crate::player::TimeControl;

/// A game under way: its position, and what chance still has in store. Sides are 0 and 1, in the order
/// of the game's roles.
pub trait Table: Sized + Send {
    /// What is settled before the first move, the same for all games of a match.
    type Rules;
    /// A position as players see it, without what is hidden from them.
    type Position: Clone;
    /// A move that a player chooses.
    type Move: Copy;

    /// The beginning of the game with this seed.
    fn new(rules: &Self::Rules, seed: u64) -> Self;

    /// The same in the pair that follows so many others between the same two players, for games in which
    /// they have other places from pair to pair.
    fn at_meeting(rules: &Self::Rules, seed: u64, _meetings: u32) -> Self {
        Self::new(rules, seed)
    }

    /// What the side to move sees, and the other one as well unless [`Table::seen_by`] tells them apart.
    fn position(&self) -> &Self::Position;

    /// What the player on this side sees, in games in which players do not see the same.
    fn seen_by(&self, _side: usize) -> &Self::Position {
        self.position()
    }

    /// The side to move, once chance has had its turn; `None` if the game is over.
    fn turn(&mut self) -> Option<usize>;

    /// Plies that are left at most.
    fn plies_left(&self) -> u32;

    /// The legal moves of the side to move, always in the same order.
    fn legal_moves(&self) -> Vec<Self::Move>;

    /// True if the side to move may play this.
    fn is_legal(&self, mv: Self::Move) -> bool;

    /// What there is to say of an illegal move besides the move itself.
    fn objection(&self, _mv: Self::Move) -> Option<String> {
        None
    }

    /// Plays a legal move.
    fn play(&mut self, mv: Self::Move);

    /// A move of the side to move as it stands in the log.
    fn notation(&self, mv: Self::Move) -> String;

    /// The letter of the tile to be placed, in games that have tiles.
    fn tile(&self) -> Option<String> {
        None
    }

    /// How long the side to move should think, and how long it may at most, with so much time left.
    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration);

    /// What the log keeps of the end besides the players: which side was at fault, if one was, and the time
    /// that both have left where there are clocks, at time odds as if both had begun with the same.
    fn outcome(&self, at_fault: Option<usize>, left: Option<[Duration; 2]>) -> Fields;
}
