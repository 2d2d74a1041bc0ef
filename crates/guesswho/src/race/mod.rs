//! Guess Who as a race: who finds the other's person in fewer rounds.
//!
//! Both players hear all guesses and answers, so the state of a game is public: who may be player
//! 2's person (player 1's *candidates*), who may be player 1's person, and whose turn it is. The
//! answers are chance: each candidate is as likely as any other. Scores are player 1's: 1 for a
//! win, 1/2 for a tie, 0 for a loss. Player 1 is to guess at the start of a round; when it is
//! right, player 2 still has its turn, and only a right person guess then saves the tie, which
//! succeeds once in as many times as it has candidates.
//!
//! What this model leaves out: a player also knows its own person, hence the answers its opponent
//! will get. That helps only against an opponent whose future questions it can predict.
//!
//! - [`ideal`] solves the race between boards where every division is available, by size alone;
//! - [`solver`] solves it exactly on real candidates, within a number of positions;
//! - `relaxation` bounds the value of real positions for the solver.

pub mod ideal;
mod relaxation;
mod shapes;
pub mod solver;

/// Player 1's score when player 1 is right now and player 2 has `theirs` candidates.
pub(super) fn score_if_first_is_right(theirs: u32) -> f64 {
    1.0 - 0.5 / f64::from(theirs)
}

/// Player 1's score when the state is decided by its sizes alone: player `turn` (0 or 1) is to
/// guess, with `sizes` candidates for player 1 and player 2.
///
/// A player with one candidate left names it. A player 1 whose opponent has one left must name
/// somebody now: asking would lose for certain.
fn decided(sizes: [u32; 2], turn: usize) -> Option<f64> {
    match (turn, sizes) {
        (0, [1, theirs]) => Some(score_if_first_is_right(theirs)),
        (0, [mine, 1]) => Some(0.5 / f64::from(mine)),
        (1, [_, 1]) => Some(0.0),
        _ => None,
    }
}

/// The better of two scores for the player whose turn it is.
fn better(turn: usize, first: f64, second: f64) -> f64 {
    match turn {
        0 => first.max(second),
        _ => first.min(second),
    }
}

/// Player 1's score from a right person guess by the player whose turn it is.
fn score_of_right_guess(sizes: [u32; 2], turn: usize) -> f64 {
    match turn {
        0 => score_if_first_is_right(sizes[1]),
        _ => 0.0,
    }
}
