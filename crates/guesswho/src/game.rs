//! The referee: rounds as in the course framework, and its log lines.
//!
//! In each round, player 1 guesses and player 2 answers. Then player 2 guesses, even if player 1 was right. If both are
//! right in one round, the game is a tie.

use rand::{Rng, RngExt};
use thiserror::Error;

use super::board::{Board, Question};
use super::player::{Player, PlayerError, Seat, Strategy};

/// The result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The only player that was right in the last round; `None` for a tie.
    pub winner: Option<Seat>,
    /// The number of rounds, including the last one.
    pub rounds: u32,
}

/// The error of a game that could not be finished.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("player {player}: {cause}")]
pub struct GameError {
    player: usize,
    /// The reason why the player cannot continue.
    pub cause: PlayerError,
}

/// Draws one of the guesses that `strategy` considers equally good.
pub fn draw(
    strategy: &mut dyn Strategy,
    player: &mut Player,
    board: &Board,
    random: &mut impl Rng,
) -> Result<Question, PlayerError> {
    let choices = strategy.choices(&player.view(board))?;
    match choices.as_slice() {
        [] => Err(PlayerError::NoGuess("the strategy names no guess".into())),
        [only] => Ok(*only),
        several => Ok(several[random.random_range(0..several.len())]),
    }
}

/// Plays a game and passes each line of the course framework's log to `log`.
///
/// `chosen` holds the persons of player 1 and player 2, and `strategies` is in the same order. Returns an error if a
/// strategy has no guess. The players answer truthfully, so their answers never contradict each other.
pub fn play(
    board: &Board,
    chosen: [u32; 2],
    strategies: [&mut dyn Strategy; 2],
    random: &mut impl Rng,
    log: &mut dyn FnMut(&str),
) -> Result<Outcome, GameError> {
    let mut players = chosen.map(|person| Player::new(board, person));
    for turn in 0..2 {
        strategies[turn].begin(chosen[turn]);
    }
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
