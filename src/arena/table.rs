//! What the referee needs to know of a game: the part of the arena that differs from game to game.

use std::io;
use std::time::Duration;

use super::cast::Entrant;
use super::player::Player;
use super::spec::Kind;
use crate::records::{Course, Settings, TimeControl};
use turnwise_entropy::weights_file::Unusable;

/// A player of a table's game.
pub type PlayerAt<T> = dyn Player<<T as Table>::Position, <T as Table>::Move>;

/// A game under way: its position, and what chance still has in store. Sides are 0 and 1, in the order
/// of [`crate::records::GameSettings::roles`].
pub trait Table: Sized {
    /// What players see.
    type Position: Clone;
    /// What they choose.
    type Move: Copy;
    /// What an agent needs from files, for all of its players.
    type Means: Send + Sync;

    /// The beginning of the game with this seed.
    fn new(settings: &Settings, seed: u64) -> Self;

    /// What the players see.
    fn position(&self) -> &Self::Position;

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

    /// The end: who was at fault, if anybody was, and the time that both have left where there are
    /// clocks, at time odds as if both had begun with the same.
    fn course(
        &self,
        players: [&str; 2],
        at_fault: Option<usize>,
        left: Option<[Duration; 2]>,
    ) -> Course;

    /// What an agent of this kind needs from files.
    ///
    /// # Errors
    ///
    /// If that is not to be had.
    fn means(settings: &Settings, kind: &Kind) -> Result<Self::Means, Unusable>;

    /// A player of the game.
    ///
    /// # Errors
    ///
    /// If it cannot be started at all.
    fn player(
        settings: &Settings,
        entrant: &Entrant<Self>,
        name: &str,
        seed: u64,
    ) -> io::Result<Box<PlayerAt<Self>>>;
}
