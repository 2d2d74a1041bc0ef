//! A running game, as a referee sees it: turns, legal moves, their notation, and the result.

use std::time::Duration;

use crate::fields::Fields;
use crate::player::TimeControl;
use crate::view::{Choice, View};

/// The log's entry in place of a move when a participant is removed and the others play on.
pub const PUT_OUT: &str = "Out";

/// A running game: its position and its future random events. Sides are 0 and 1, in the order of the game's roles.
/// If more than two sit at a table, a side is a participant, in the order of the meeting.
pub trait Table: Sized + Send {
    /// The settings fixed before the first move, shared by all games of a match.
    type Rules;
    /// A position as players see it, without hidden information.
    type Position: Clone;
    /// A move that a player chooses.
    type Move: Copy;

    /// Returns the beginning of the game with this seed.
    fn new(rules: &Self::Rules, seed: u64) -> Self;

    /// Returns the beginning in the pair after `meetings` other pairs of these players. This matters in games in
    /// which their places change from pair to pair.
    fn at_meeting(rules: &Self::Rules, seed: u64, _meetings: u32) -> Self {
        Self::new(rules, seed)
    }

    /// Returns the beginning of a game of more than two participants; `None` in games for two. All games of a
    /// rotation share the seed and so the random events; in each, counted from 0, everybody sits one seat on.
    fn in_rotation(
        _rules: &Self::Rules,
        _seed: u64,
        _participants: usize,
        _game: u32,
    ) -> Option<Self> {
        None
    }

    /// Returns the position as the side to move sees it; also the opponent's view, unless [`Table::seen_by`]
    /// differs.
    fn position(&self) -> &Self::Position;

    /// Returns the position as the player on this side sees it, if views differ.
    fn seen_by(&self, _side: usize) -> &Self::Position {
        self.position()
    }

    /// Returns the side to move, after any chance event; `None` if the game is over.
    fn turn(&mut self) -> Option<usize>;

    /// Returns the maximum number of plies left.
    fn plies_left(&self) -> u32;

    /// Returns the legal moves of the side to move, always in a fixed order.
    fn legal_moves(&self) -> Vec<Self::Move>;

    /// Returns true if this move is legal for the side to move.
    fn is_legal(&self, mv: Self::Move) -> bool;

    /// Returns details of why a move is illegal, in addition to the move itself.
    fn objection(&self, _mv: Self::Move) -> Option<String> {
        None
    }

    /// Plays a legal move.
    fn play(&mut self, mv: Self::Move);

    /// Removes the side to move from a game of more than two, which continues; the log contains [`PUT_OUT`].
    /// Returns false if a fault ends the game.
    fn put_out(&mut self) -> bool {
        false
    }

    /// Returns the log's notation of a move of the side to move.
    fn notation(&self, mv: Self::Move) -> String;

    /// Parses a move of the side to move; it may be illegal.
    ///
    /// # Errors
    ///
    /// If the text is not a move. The error states the expected form.
    fn parse(&self, text: &str) -> Result<Self::Move, String> {
        let mut moves = self.legal_moves().into_iter();
        let found = moves.find(|&mv| self.notation(mv) == text);
        found.ok_or_else(|| "expected one of the legal moves".to_owned())
    }

    /// Returns the view of the player on this side, or the public view. Only the side to move gets choices.
    fn view(&self, viewer: Option<usize>) -> View {
        let moves = viewer.map(|_| self.legal_moves()).unwrap_or_default();
        let choices = moves.into_iter().map(|mv| Choice::plain(self.notation(mv)));
        View {
            choices: choices.collect(),
            ..View::default()
        }
    }

    /// Returns the letter of the tile that must be placed, in games with tiles.
    fn tile(&self) -> Option<String> {
        None
    }

    /// Returns the soft and the hard time limit for the side to move, with `left` on its clock.
    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration);

    /// Returns the log's fields for the end of the game, apart from the players. `at_fault` is the side whose fault
    /// ended the game, if any. `left` is the time left of both players, if the game has clocks; time odds are
    /// scaled as if both clocks had started equal.
    fn outcome(&self, at_fault: Option<usize>, left: Option<[Duration; 2]>) -> Fields;
}
