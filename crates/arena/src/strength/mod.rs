//! The evidence that pairs of games give about two agents' strength. Pure arithmetic over records.
//!
//! | module | purpose |
//! |---|---|
//! | [`pair`] | the result of one pair |
//! | [`tally`] | the sums over many pairs |
//! | [`goals`] | games won on the board, and their closeness |
//! | [`elo`] | the Elo difference that pairs indicate |
//! | [`sprt`] | the test whether the evidence suffices |

pub mod elo;
pub mod goals;
pub mod pair;
pub mod sprt;
pub mod tally;
