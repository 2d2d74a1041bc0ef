//! The referee: rounds as in the course framework, and its log lines.
//!
//! In each round player 1 guesses and player 2 answers, then player 2 guesses in any case, even
//! when player 1 was right. Both right in one round is a tie.

use rand::{Rng, RngExt};
use thiserror::Error;

use super::board::{Board, Question};
use super::player::{Contradiction, Player, Strategy, StrategyError};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winner {
    /// Only player 1 was right.
    First,
    /// Only player 2 was right.
    Second,
    /// Both were right in the same round.
    Tie,
}

/// A finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Who won.
    pub winner: Winner,
    /// Rounds played.
    pub rounds: u32,
}

/// A game could not be finished.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameError {
    /// A strategy did not name a guess.
    #[error("player {player}: {cause}")]
    Strategy {
        /// 1 or 2.
        player: usize,
        /// Why.
        cause: StrategyError,
    },
    /// A player was answered in a contradictory way.
    #[error("player {player}: {cause}")]
    Contradiction {
        /// 1 or 2.
        player: usize,
        /// Why.
        cause: Contradiction,
    },
}

/// Draws one of the guesses that `strategy` considers equally good.
///
/// # Errors
/// The strategy has none.
pub fn draw(
    strategy: &mut dyn Strategy,
    player: &mut Player,
    board: &Board,
    random: &mut impl Rng,
) -> Result<Question, StrategyError> {
    let choices = strategy.choices(&player.view(board))?;
    match choices.as_slice() {
        [] => Err(StrategyError::NoGuess("the strategy names no guess".into())),
        [only] => Ok(*only),
        several => Ok(several[random.random_range(0..several.len())]),
    }
}

/// Plays one game and hands each line of the course framework's log to `log`.
///
/// `chosen` holds the persons of player 1 and player 2; `strategies` are asked in this order.
///
/// # Errors
/// A strategy has no guess, or answers contradict each other (not possible with this referee's own
/// players, who answer truly).
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
            let question = draw(strategies[turn], &mut players[turn], board, random)
                .map_err(|cause| GameError::Strategy { player, cause })?;
            log(&format!(
                "Player {player} guessing {}",
                board.display(question)
            ));
            let answer = players[1 - turn].answer(board, question);
            log(&format!("Player {} answering {answer}", 2 - turn));
            finished[turn] = players[turn]
                .receive_answer(board, question, answer)
                .map_err(|cause| GameError::Contradiction { player, cause })?;
        }
        let winner = match finished {
            [false, false] => continue,
            [true, true] => Winner::Tie,
            [true, false] => Winner::First,
            [false, true] => Winner::Second,
        };
        log(match winner {
            Winner::Tie => "It's a tie!",
            Winner::First => "Player 1 won!",
            Winner::Second => "Player 2 won!",
        });
        return Ok(Outcome { winner, rounds });
    }
    unreachable!("rounds are counted without end")
}
