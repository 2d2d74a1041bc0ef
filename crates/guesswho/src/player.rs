//! A player of one game: its knowledge, and the strategy that chooses its guesses.
//!
//! The three methods of [`Player`] for guessing, answering and receiving answers match the course's `Player` interface.
//! A player sees its opponent's guesses and knows its own answers, so it also knows the opponent's candidates. Both
//! players therefore know the whole state of the race, which a [`Strategy`] receives as a [`View`].

use thiserror::Error;

use super::board::{Board, Candidates, Question};

/// The seat of a player, which determines who guesses first in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    /// The seat of player 1.
    First,
    /// The seat of player 2. Even if player 1 named the right person, player 2 has its turn in the round.
    Second,
}

impl Seat {
    /// Returns 1 for player 1, 2 for player 2.
    pub fn number(self) -> u32 {
        self as u32 + 1
    }
}

/// The knowledge of both players before a guess, from the guesser's perspective.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The board with the persons and attributes, which both players know.
    pub board: &'a Board,
    /// The candidates for the opponent's person; never empty.
    pub mine: &'a [u32],
    /// The opponent's candidates for this player's person; never empty.
    pub theirs: &'a [u32],
    /// The seat of this player.
    pub seat: Seat,
    /// True if the opponent is player 1 and named the right person in this round. This player can then at best reach a
    /// tie.
    pub opponent_finished: bool,
}

/// The reason why a player cannot continue its game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayerError {
    /// The strategy has no guess.
    #[error("the strategy names no guess")]
    NoGuess,
    /// No person fits the answers that the player received.
    #[error("the answers contradict each other: no person on the board fits them all")]
    Contradiction,
}

/// A way to choose guesses from the knowledge of both players.
pub trait Strategy {
    /// Returns the guesses from which the player draws one, with equal probabilities. The list is never empty.
    fn choices(&mut self, view: &View<'_>) -> Vec<Question>;
}

/// A player's knowledge in one game. All method calls must pass equal boards.
#[derive(Clone, Debug)]
pub struct Player {
    chosen: u32,
    mine: Candidates,
    theirs: Candidates,
    seat: Option<Seat>,
    opponent_finished: bool,
}

impl Player {
    /// Creates a player whose own person is `chosen`, before the first round.
    pub fn new(board: &Board, chosen: u32) -> Self {
        Player {
            chosen,
            mine: board.everyone(),
            theirs: board.everyone(),
            seat: None,
            opponent_finished: false,
        }
    }

    /// Creates a player in the middle of a game.
    ///
    /// `mine` and `theirs` are the candidates for the opponent's and for this player's person; for `opponent_finished`,
    /// see [`View::opponent_finished`].
    pub(super) fn knowing(
        chosen: u32,
        mine: Candidates,
        theirs: Candidates,
        seat: Seat,
        opponent_finished: bool,
    ) -> Self {
        Player {
            chosen,
            mine,
            theirs,
            seat: Some(seat),
            opponent_finished,
        }
    }

    /// Returns this player with its seat set to `seat`. The first round must not have begun.
    pub fn in_seat(self, seat: Seat) -> Self {
        Player {
            seat: Some(seat),
            ..self
        }
    }

    /// Returns this player's own person.
    pub fn chosen(&self) -> u32 {
        self.chosen
    }

    /// Returns the candidates for the opponent's person.
    pub fn candidates(&self) -> &[u32] {
        &self.mine
    }

    /// Returns this player's knowledge before its guess. A player whose seat is not set yet becomes player 1.
    pub fn view<'a>(&'a mut self, board: &'a Board) -> View<'a> {
        View {
            board,
            mine: &self.mine,
            theirs: &self.theirs,
            seat: *self.seat.get_or_insert(Seat::First),
            opponent_finished: self.opponent_finished,
        }
    }

    /// Answers the opponent's guess and records what the opponent learns.
    ///
    /// A `question` of `None` stands for a guess about a value or name that no person on the board has. Then the answer
    /// is no, and the opponent learns nothing.
    pub fn answer(&mut self, board: &Board, question: Option<Question>) -> bool {
        self.seat.get_or_insert(Seat::Second);
        let answer = question.is_some_and(|question| board.answer(question, self.chosen));
        if let Some(question) = question {
            self.theirs = board.remaining(&self.theirs, question, answer);
        }
        self.opponent_finished = answer && matches!(question, Some(Question::Person(_)));
        answer
    }

    /// Records the answer to this player's guess. Returns true if the guess named the opponent's person.
    ///
    /// An answer that contradicts earlier answers is an error and changes nothing.
    pub fn receive_answer(
        &mut self,
        board: &Board,
        question: Question,
        answer: bool,
    ) -> Result<bool, PlayerError> {
        let remaining = board.remaining(&self.mine, question, answer);
        if remaining.is_empty() {
            return Err(PlayerError::Contradiction);
        }
        self.mine = remaining;
        Ok(answer && matches!(question, Question::Person(_)))
    }
}
