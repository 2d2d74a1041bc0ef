//! The mathematics of a tournament: who plays whom, and what the results prove. Pure: no files, no clocks,
//! no randomness.
//!
//! | module | what it is for |
//! |---|---|
//! | [`pairing`] | the formats: which encounters are due |

pub mod pairing;
