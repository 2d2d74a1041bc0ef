//! Learning weights from games that the searching player plays against itself.
//!
//! | module | what it is for |
//! |---|---|
//! | [`self_play`] | one game, and what its positions turned out to be worth |
//! | [`learner`] | moves the weights towards that |

pub mod learner;
pub mod self_play;
