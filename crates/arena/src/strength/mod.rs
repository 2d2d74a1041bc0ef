//! What pairs of games prove of two agents' strength. Pure arithmetic over records.
//!
//! | module | what it is for |
//! |---|---|
//! | [`pair`] | the result of one pair |
//! | [`tally`] | the sums over many |
//! | [`goals`] | games won on the board, and how close they were |
//! | [`elo`] | the Elo difference that they are evidence of |
//! | [`sprt`] | when they are evidence enough |

pub mod elo;
pub mod goals;
pub mod pair;
pub mod sprt;
pub mod tally;
