//! A game under way, as a referee needs to know it: whose turn it is, what is legal, what a move is called,
//! how it ended.

use std::time::Duration;

use crate::fields::Fields;
use crate::player::TimeControl;
use crate::view::{Choice, View};

/// What stands in a log in the place of a move when a participant is put out and the others play on.
pub const PUT_OUT: &str = "Out";

/// A game under way: its position, and what chance still has in store. Sides are 0 and 1, in the order
/// of the game's roles; where more than two sit at a table, a side is a participant, in the order of their
/// meeting.
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

    /// The beginning of a game of more than two participants; none in games for two. All games of a rotation
    /// have the same seed and so the same chance; in each, counted from 0, everybody sits one seat on.
    fn in_rotation(
        _rules: &Self::Rules,
        _seed: u64,
        _participants: usize,
        _game: u32,
    ) -> Option<Self> {
        None
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

    /// Takes the side to move out of a game of more than two, which goes on without it; [`PUT_OUT`] stands in the
    /// log. False where a fault ends the game.
    fn put_out(&mut self) -> bool {
        false
    }

    /// A move of the side to move as it stands in the log.
    fn notation(&self, mv: Self::Move) -> String;

    /// The move of this notation, for the side to move; it may be illegal.
    ///
    /// # Errors
    ///
    /// If there is none: what was expected.
    fn parse(&self, text: &str) -> Result<Self::Move, String> {
        let mut moves = self.legal_moves().into_iter();
        let found = moves.find(|&mv| self.notation(mv) == text);
        found.ok_or_else(|| "expected one of the legal moves".to_owned())
    }

    /// What a player on this side sees, or somebody who sees what everybody may see. Choices are given to the
    /// side to move alone.
    fn view(&self, viewer: Option<usize>) -> View {
        let moves = viewer.map(|_| self.legal_moves()).unwrap_or_default();
        let choices = moves.into_iter().map(|mv| Choice::plain(self.notation(mv)));
        View {
            choices: choices.collect(),
            ..View::default()
        }
    }

    /// The letter of the tile to be placed, in games that have tiles.
    fn tile(&self) -> Option<String> {
        None
    }

    /// How long the side to move should think, and how long it may at most, with so much time left.
    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration);

    /// What the log keeps of the end besides the players: which side was at fault, if one's fault ended the game,
    /// and the time that both of two have left where there are clocks, at time odds as if both had begun with the
    /// same.
    fn outcome(&self, at_fault: Option<usize>, left: Option<[Duration; 2]>) -> Fields;
}
