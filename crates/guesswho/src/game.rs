//! The referee, which plays rounds and writes log lines as the course framework does.
//!
//! In each round, player 1 guesses and player 2 answers. Then player 2 guesses and player 1 answers, even if player 1
//! named the right person. If both name the right person in one round, the game is a tie.

use rand::{Rng, RngExt};
use thiserror::Error;

use super::board::{Board, Question};
use super::player::{Player, PlayerError, Seat, Strategy};

/// The result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The player that won, or `None` for a tie, in which both players named the right person in the last round.
    pub winner: Option<Seat>,
    /// The number of rounds, including the last one.
    pub rounds: u32,
}

/// The reason why a game could not be finished.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("player {player}: {cause}")]
pub struct GameError {
    player: usize,
    cause: PlayerError,
}

/// Draws one of the guesses that `strategy` returns, with equal probabilities.
pub fn draw(
    strategy: &mut dyn Strategy,
    player: &mut Player,
    board: &Board,
    random: &mut impl Rng,
) -> Result<Question, PlayerError> {
    let choices = strategy.choices(&player.view(board));
    match choices.as_slice() {
        [] => Err(PlayerError::NoGuess),
        [only] => Ok(*only),
        several => Ok(several[random.random_range(0..several.len())]),
    }
}

/// Plays a game and passes each line of the course framework's log to `log`.
///
/// `chosen` contains the persons of player 1 and player 2, in this order, and `strategies` their strategies. Returns an
/// error if a strategy has no guess. The players answer truthfully, so their answers never contradict each other.
pub fn play(
    board: &Board,
    chosen: [u32; 2],
    strategies: [&mut dyn Strategy; 2],
    random: &mut impl Rng,
    log: &mut dyn FnMut(&str),
) -> Result<Outcome, GameError> {
    let mut players = chosen.map(|person| Player::new(board, person));
    for rounds in 1.. {
        log(&format!("Round {rounds}"));
        let mut finished = [false; 2];
        for turn in 0..2 {
            let player = turn + 1;
            let failed = |cause| GameError { player, cause };
            let question =
                draw(strategies[turn], &mut players[turn], board, random).map_err(failed)?;
            let shown = board.display(question);
            log(&format!("Player {player} guessing {shown}"));
            let answer = players[1 - turn].answer(board, Some(question));
            log(&format!("Player {} answering {answer}", 2 - turn));
            let received = players[turn].receive_answer(board, question, answer);
            finished[turn] = received.map_err(failed)?;
        }
        let (winner, line) = match finished {
            [false, false] => continue,
            [true, true] => (None, "It's a tie!"),
            [true, false] => (Some(Seat::First), "Player 1 won!"),
            [false, true] => (Some(Seat::Second), "Player 2 won!"),
        };
        log(line);
        return Ok(Outcome { winner, rounds });
    }
    unreachable!("rounds are counted without end")
}
