//! Guess Who as a race to find the other's person in fewer rounds.
//!
//! Both players see all guesses and answers, so the state of a game is public. It consists of the candidates for player
//! 2's person (player 1's *candidates*), the candidates for player 1's person, and the turn. The answers are random:
//! all candidates are equally likely. Scores are player 1's: 1 for a win, 1/2 for a tie, 0 for a loss. Player 1 guesses
//! at the start of a round. If it is right, player 2 still has its turn and can only save a tie with a right person
//! guess, whose probability is one over the number of candidates.
//!
//! The model ignores that a player also knows its own person and so the opponent's future answers. This knowledge only
//! helps against an opponent with predictable questions.
//!
//! - [`ideal`] solves the race between boards where every division is available, from sizes alone;
//! - [`solver`] solves it exactly on real candidates, within a work limit;
//! - `relaxation` bounds the value of real positions for the solver.

pub mod ideal;
mod relaxation;
mod shapes;
pub mod solver;

/// Returns player 1's score if it is right and player 2 has `theirs` candidates.
pub(super) fn score_if_first_is_right(theirs: u32) -> f64 {
    1.0 - 0.5 / f64::from(theirs)
}

/// Returns player 1's score if the sizes alone decide the state.
///
/// Player `turn` (0 or 1) must guess, with `sizes` candidates for player 1 and player 2. A player with one candidate
/// names it. If player 2 has one candidate, player 1 must name a person now, because a question would surely lose.
fn decided(sizes: [u32; 2], turn: usize) -> Option<f64> {
    match (turn, sizes) {
        (0, [1, theirs]) => Some(score_if_first_is_right(theirs)),
        (0, [mine, 1]) => Some(0.5 / f64::from(mine)),
        (1, [_, 1]) => Some(0.0),
        _ => None,
    }
}

/// Returns the better of two scores for the player to guess.
fn better(turn: usize, first: f64, second: f64) -> f64 {
    match turn {
        0 => first.max(second),
        _ => first.min(second),
    }
}

/// Returns player 1's score from a right person guess by the player to guess.
fn score_of_right_guess(sizes: [u32; 2], turn: usize) -> f64 {
    match turn {
        0 => score_if_first_is_right(sizes[1]),
        _ => 0.0,
    }
}
