//! Computes what pairs of games prove about the strength of two agents. Pure arithmetic on records, without I/O.
//!
//! | module | purpose |
//! |---|---|
//! | [`pair`] | the result of one pair |
//! | [`tally`] | the sums over many pairs |
//! | [`goals`] | games won on the board: their length and their margin |
//! | [`elo`] | the Elo difference that pairs indicate |
//! | [`sprt`] | the sequential test, which decides whether the evidence suffices for a verdict |

pub mod elo;
pub mod goals;
pub mod pair;
pub mod sprt;
pub mod tally;
