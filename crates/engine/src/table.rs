//! A running game, as a referee sees it: whose turn it is, the legal moves and their notation, and the result.

use std::time::Duration;

use crate::fields::Fields;
use crate::player::TimeControl;
use crate::view::{Choice, Grid, View};

/// The entry that a log contains instead of a move when a participant is removed and the others continue the game.
pub const PUT_OUT: &str = "Out";

/// A move that converts to and from a number. Code that does not know the type of the move stores this number.
pub trait Action: Copy + Send + 'static {
    /// Returns the code of the move. Different moves of a position have different codes.
    fn code(self) -> u64;

    /// Returns the move with this code; `None` if no move has it.
    fn of_code(code: u64) -> Option<Self>;
}

impl Action for u8 {
    fn code(self) -> u64 {
        self.into()
    }

    fn of_code(code: u64) -> Option<Self> {
        code.try_into().ok()
    }
}

impl Action for u32 {
    fn code(self) -> u64 {
        self.into()
    }

    fn of_code(code: u64) -> Option<Self> {
        code.try_into().ok()
    }
}

/// A running game: its position and its future random events. In a game for two, the sides are 0 and 1, in the order of
/// the game's roles. In a game for more than two, each participant is a side, in the order of the participants in the
/// meeting.
pub trait Table: Sized + Send {
    /// The settings of the game. They are fixed before the first move and shared by all games of a match.
    type Rules;
    /// A position as a player sees it, without the information that is hidden from the player.
    type Position: Clone + Send + 'static;
    /// A move that a player chooses.
    type Move: Action;

    /// Returns the table at the beginning of the game with this seed.
    fn new(rules: &Self::Rules, seed: u64) -> Self;

    /// Returns the table at the beginning of a game in a pair, after `meetings` earlier pairs between the two players.
    /// Their number matters in games in which the players' places change from pair to pair.
    fn at_meeting(rules: &Self::Rules, seed: u64, _meetings: u32) -> Self {
        Self::new(rules, seed)
    }

    /// Returns the table at the beginning of a game in a rotation of more than two participants; `None` in games for
    /// two. All games of a rotation share the seed and therefore the random events. The games are numbered from 0, and
    /// in each game every participant sits one seat further than in the previous game.
    fn in_rotation(
        _rules: &Self::Rules,
        _seed: u64,
        _participants: usize,
        _game: u32,
    ) -> Option<Self> {
        None
    }

    /// Returns the position as the side to move sees it. If the game does not implement [`Table::seen_by`], the
    /// opponent also sees this position.
    fn position(&self) -> &Self::Position;

    /// Returns the position as the player on this side sees it. Games in which the players see different positions
    /// implement this method.
    fn seen_by(&self, _side: usize) -> &Self::Position {
        self.position()
    }

    /// Returns the side to move; `None` if the game is over. A chance event that is due happens first. If its result is
    /// unknown, no side can move either.
    fn turn(&mut self) -> Option<usize>;

    /// Returns the maximum number of plies left until the end of the game.
    fn plies_left(&self) -> u32;

    /// Returns the legal moves of the side to move, always in a fixed order.
    fn legal_moves(&self) -> Vec<Self::Move>;

    /// Returns true if this move is legal for the side to move.
    fn is_legal(&self, mv: Self::Move) -> bool;

    /// Returns the rule that forbids an illegal move, in words, for a message that also quotes the move.
    fn objection(&self, mv: Self::Move) -> String;

    /// Plays a legal move of the side to move.
    fn play(&mut self, mv: Self::Move);

    /// Removes the side to move after a fault, in a game for more than two, so that the others can continue. The log
    /// then contains [`PUT_OUT`]. Returns false if the game has to end instead.
    fn put_out(&mut self) -> bool {
        false
    }

    /// Returns a move of the side to move in the notation of logs.
    fn notation(&self, mv: Self::Move) -> String;

    /// Parses the text of a move of the side to move. The returned move may be illegal.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a move. The error states the expected form.
    fn parse(&self, text: &str) -> Result<Self::Move, String> {
        let mut moves = self.legal_moves().into_iter();
        let found = moves.find(|&mv| self.notation(mv) == text);
        found.ok_or_else(|| "expected one of the legal moves".to_owned())
    }

    /// Returns the game as the player on this side sees it, or as the public sees it if `viewer` is `None`. The choices
    /// in the view are meant only for the side to move.
    fn view(&self, viewer: Option<usize>) -> View {
        let moves = viewer.map(|_| self.legal_moves()).unwrap_or_default();
        let choices = moves.into_iter().map(|mv| Choice::plain(self.notation(mv)));
        View {
            choices: choices.collect(),
            ..View::default()
        }
    }

    /// Returns the board as pictures show it.
    fn grid(&self) -> Grid;

    /// Returns the board as text for a terminal. The last move is marked if the game's pictures also mark it.
    fn drawing(&self, coloured: bool) -> String;

    /// Returns measurements of the current board, in the order of their names in
    /// [`Look::measures`](crate::plugin::Look::measures).
    fn measured(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Returns the cells of the board that a piece or tile leaves and enters with a legal move of the side to move.
    fn cells(&self, _mv: Self::Move) -> [Option<usize>; 2] {
        [None, None]
    }

    /// Returns the letter of the tile that the side to move must place; `None` if it need not place a tile.
    fn tile(&self) -> Option<String> {
        None
    }

    /// Sets the letter of the next tile of a table whose draws are unknown: see
    /// [`GameRules::watched`](crate::plugin::GameRules::watched).
    fn reveal(&mut self, _tile: &str) {}

    /// Returns the soft and the hard time limit for the next move of the side to move. `left` is the time left on its
    /// clock.
    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration);

    /// Returns the result of the game as a log stores it, without the fields about the players. `at_fault` is the side
    /// whose fault ended the game, if any. `left` contains the time left on the clocks of both players, if the game has
    /// clocks. If the clocks did not start with equal times, the times left are scaled as if they had.
    fn outcome(&self, at_fault: Option<usize>, left: Option<[Duration; 2]>) -> Fields;
}
