//! Guess Who as a race, in which each player tries to find the other's person in fewer rounds than the other.
//!
//! Both players see all guesses and answers, so the state of a game is public. It consists of the candidates for player
//! 2's person (player 1's *candidates*), the candidates for player 1's person, and the player whose turn it is. The
//! answers are random: all candidates are equally likely. Scores are player 1's: 1 for a win, 1/2 for a tie, 0 for a
//! loss. Player 1 guesses at the start of a round. If it names the right person, player 2 still has its turn, but can
//! only reach a tie, by naming the right person. The probability of a tie is one over the number of player 2's
//! candidates.
//!
//! The model ignores that a player also knows its own person, and so knows the answers to the opponent's future
//! questions. This knowledge only helps against an opponent whose questions are predictable.
//!
//! - [`ideal`] solves the race on ideal boards, where questions give every division, so that only the numbers of
//!   candidates matter;
//! - [`solver`] solves the race exactly on the candidates of a real board, within a work limit;
//! - `relaxation` bounds the value of real positions for the solver.

pub mod ideal;
mod relaxation;
mod shapes;
pub mod solver;

/// Returns player 1's expected score after it named the right person, if player 2 has `theirs` candidates.
pub(super) fn score_if_first_is_right(theirs: u32) -> f64 {
    1.0 - 0.5 / f64::from(theirs)
}

/// Returns player 1's expected score if the numbers of candidates alone determine it, otherwise `None`.
///
/// Player `turn` (0 or 1) must guess, and `sizes` are the numbers of candidates of player 1 and player 2. A player with
/// one candidate names it. If player 2 has one candidate, player 1 must name a person now, because player 1 would
/// surely lose after a question.
fn decided(sizes: [u32; 2], turn: usize) -> Option<f64> {
    match (turn, sizes) {
        (0, [1, theirs]) => Some(score_if_first_is_right(theirs)),
        (0, [mine, 1]) => Some(0.5 / f64::from(mine)),
        (1, [_, 1]) => Some(0.0),
        _ => None,
    }
}

/// Compares two scores of player 1 and returns the better score for player `turn`.
fn better(turn: usize, first: f64, second: f64) -> f64 {
    match turn {
        0 => first.max(second),
        _ => first.min(second),
    }
}

/// Returns player 1's expected score after player `turn` named the right person.
fn score_of_right_guess(sizes: [u32; 2], turn: usize) -> f64 {
    match turn {
        0 => score_if_first_is_right(sizes[1]),
        _ => 0.0,
    }
}
