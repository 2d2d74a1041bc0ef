//! Halma for two on 16 x 16 squares, as a course plays it: 19 pieces a side, corner to corner.
//!
//! | module | what it is for |
//! |---|---|
//! | [`squares`] | squares and sets of them |
//! | [`jumps`] | where a piece can go: steps and chains of jumps |
//! | [`rules`] | positions, legal moves under both rule sets, the goal |

pub mod jumps;
pub mod rules;
pub mod squares;
