//! A player of one game: what it knows, and the strategy that it asks.
//!
//! The three calls are those of the course's `Player` interface. A player hears its opponent's
//! guesses and knows its own answers, so it knows both candidate sets; that is what makes the game
//! a race of full information, and what a [`Strategy`] sees as a [`View`].

use thiserror::Error;

use super::board::{Board, Candidates, Question};

/// Which player guesses first in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    /// That of player 1.
    First,
    /// That of player 2, who always has its turn, even when player 1 was right.
    Second,
}

impl Seat {
    /// 1 for player 1, 2 for player 2.
    pub fn number(self) -> u32 {
        self as u32 + 1
    }
}

/// What both players know before a guess, from the side of the player to guess.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The persons and attributes that both players know.
    pub board: &'a Board,
    /// Who may be the opponent's person; never empty.
    pub mine: &'a [u32],
    /// Who may be this player's person, as far as the opponent knows; never empty.
    pub theirs: &'a [u32],
    /// Which player this is.
    pub seat: Seat,
    /// Whether player 1 has been right in this round, so that only a right guess still ties.
    pub opponent_finished: bool,
}

/// A player cannot play on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayerError {
    /// Whoever guesses has left the game.
    #[error("left the game")]
    Left,
    /// A strategy could not name a guess, for this reason.
    #[error("{0}")]
    NoGuess(String),
    /// The answers that the player was given leave nobody.
    #[error("the answers contradict each other: no person on the board fits them all")]
    Contradiction,
}

/// A way to choose guesses from what both players know.
pub trait Strategy {
    /// A game begins, in which the player's own person is `own`. A strategy that plays by what both
    /// players know has no use for it.
    fn begin(&mut self, own: u32) {
        let _ = own;
    }

    /// The guesses among which this strategy draws with equal probability, never empty; an error if
    /// they come from outside and did not come.
    fn choices(&mut self, view: &View<'_>) -> Result<Vec<Question>, PlayerError>;
}

/// One player's knowledge in one game. The board is handed in by whoever owns it, always the same.
#[derive(Clone, Debug)]
pub struct Player {
    chosen: u32,
    mine: Candidates,
    theirs: Candidates,
    seat: Option<Seat>,
    opponent_finished: bool,
}

impl Player {
    /// A player whose own person is `chosen`, before the first round.
    pub fn new(board: &Board, chosen: u32) -> Self {
        Player {
            chosen,
            mine: board.everyone(),
            theirs: board.everyone(),
            seat: None,
            opponent_finished: false,
        }
    }

    /// A player in the middle of a game, who considers `mine` and is considered one of `theirs`;
    /// `opponent_finished` as in [`View::opponent_finished`].
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

    /// The same in a seat that is known before the first round.
    pub fn in_seat(self, seat: Seat) -> Self {
        Player {
            seat: Some(seat),
            ..self
        }
    }

    /// This player's own person.
    pub fn chosen(&self) -> u32 {
        self.chosen
    }

    /// Who may be the opponent's person.
    pub fn candidates(&self) -> &[u32] {
        &self.mine
    }

    /// What is known now. A player whose seat is not known and who is asked to guess before it had to answer is player 1.
    pub fn view<'a>(&'a mut self, board: &'a Board) -> View<'a> {
        View {
            board,
            mine: &self.mine,
            theirs: &self.theirs,
            seat: *self.seat.get_or_insert(Seat::First),
            opponent_finished: self.opponent_finished,
        }
    }

    /// Answers the opponent's guess, and learns from it what the opponent learns. `None` is a guess about
    /// something that nobody on the board has: no, and nothing is learned.
    pub fn answer(&mut self, board: &Board, question: Option<Question>) -> bool {
        self.seat.get_or_insert(Seat::Second);
        let answer = question.is_some_and(|question| board.answer(question, self.chosen));
        if let Some(question) = question {
            self.theirs = board.remaining(&self.theirs, question, answer);
        }
        self.opponent_finished = answer && matches!(question, Some(Question::Person(_)));
        answer
    }

    /// Learns the answer to this player's own guess; returns whether the player has found the
    /// opponent's person, and thereby finished. After an answer that contradicts earlier ones, what was
    /// known stays as it was.
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
